// Asking the server for a table.

/**
 * Ask for a table; return its name and the tokens of its people, or what is told of why there is none.
 * @param {{board: string, rules: string, players: string[], practice: boolean}} fields
 * @returns {Promise<{table: string, tokens: Record<string, string>, told: string}>}
 */
export async function requestTable(fields) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("api/1/tables", { method: "POST", headers, body: JSON.stringify(fields) });
  const { table = "", tokens = {}, told = "" } = await answer.json();
  return { table, tokens, told };
}
