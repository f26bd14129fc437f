// What can be done when a game is over: play again, on the other side if everybody can, analyse the game, take it home.

import { byId, html } from "./dom.js";
import { requestTable } from "./opening.js";

/** @typedef {{table: string, isSeated: boolean, maySwap: boolean, hasPeople: boolean, ask: (swap: boolean) => void, open: () => void, analyse: () => void}} Ending */

/** Offer what can be done now. @param {Ending} ending */
export function showAfter({ table, isSeated, maySwap, hasPeople, ask, open, analyse }) {
  const again = isSeated ? [drawButton("Play again", () => ask(false), "again")] : hasPeople ? [] : [drawButton("Watch another game of theirs", open, "again")];
  const swap = isSeated && maySwap ? [drawButton("Swap sides", () => ask(true), "again")] : [];
  const page = html("a", { href: `api/1/tables/${table}/replay.html`, download: "game.html" }, "Replay (page)");
  const file = html("a", { href: `api/1/tables/${table}/replay.jsonl`, download: "game.jsonl" }, "Replay (file)");
  byId("after").replaceChildren(...again, ...swap, drawButton("Analyse", analyse), html("a", { href: "./" }, "Another table"), page, file);
  byId("after").hidden = false;
}

/** Say that the same people play again elsewhere; who asked for it goes there at once. @param {string} table @param {string} token @param {boolean} hasAsked */
export function showRematch(table, token, hasAsked) {
  if (hasAsked) return goTo(table, token);
  const join = drawButton(token ? "Join the rematch" : "Watch the rematch", () => goTo(table, token));
  for (const button of byId("after").querySelectorAll("button.again")) button.remove();
  return byId("after").prepend(join);
}

/** Open a table like this one, where only policies play, and go there. @param {import("./telling.js").Welcome} welcome */
export async function openAnother({ board, rules, players, practice }) {
  const { table, told } = await requestTable({ board, rules, players, practice });
  if (table) return goTo(table, "");
  byId("problem").textContent = told;
  return undefined;
}

/** Go to another table. @param {string} table @param {string} token */
function goTo(table, token) {
  location.hash = `${table}/${token}`;
  location.reload();
}

/** @param {string} text @param {() => void} act @param {string} kind */
function drawButton(text, act, kind = "") {
  const button = html("button", { type: "button", class: kind }, text);
  button.addEventListener("click", act);
  return button;
}
