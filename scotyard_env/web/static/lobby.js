// Where tables are opened: which game, who plays whom, and the links for those who come.

import { byId, html, seatName } from "./dom.js";
import { showRules } from "./rules.js";

/**
 * @typedef {{board: string, rules: string, detectives: number[]}} Game
 * @typedef {{points: number, low: number, high: number, level: string}} Strength
 * @typedef {{name: string, sides: string[], about: string, strength: Record<string, Strength>}} PolicyOffer
 */

/** @type {Record<string, string>} */
const PROBLEMS = {
  full: "All tables are taken: try again later.", message: "The server did not understand that.",
  storage: "The server has no room left to keep games: try again later.", silence: "The server does not answer: load this page again later.",
};

/** @param {string} id */
function select(id) {
  return /** @type {HTMLSelectElement} */ (byId(id));
}

/** @param {string} id @param {[string, string][]} options values and texts @param {string} [chosen] */
function fill(id, options, chosen = select(id).value) {
  select(id).replaceChildren(...options.map(([value, text]) => html("option", { value }, text)));
  if (options.some(([value]) => value === chosen)) select(id).value = chosen;
}

/** @param {PolicyOffer} policy @param {string} side */
function describe({ name, strength }, side) {
  const found = strength[side];
  return found ? `${name}: ${found.level}, ${found.points} points [${found.low}, ${found.high}]` : `${name}: not rated`;
}

/** @param {PolicyOffer[]} policies @param {string} side @returns {[string, string][]} */
function opponents(policies, side) {
  const able = policies.filter((policy) => policy.sides.includes(side));
  const points = (/** @type {PolicyOffer} */ policy) => policy.strength[side]?.points ?? -Infinity;
  const sorted = able.toSorted((a, b) => points(b) - points(a));
  return sorted.map((policy) => [`policy:${policy.name}`, describe(policy, side)]);
}

/** Show the choices that go with those made so far. @param {Game[]} games @param {PolicyOffer[]} policies */
function refresh(games, policies) {
  const game = games[Number(select("game").value)], me = select("me").value;
  fill("detectives", game.detectives.map((number) => [String(number), String(number)]));
  byId("mr-x-row").hidden = me === "mr_x" || me === "both";
  byId("others-row").hidden = me === "detectives" || me === "both";
  const people = me === "none" ? [] : /** @type {[string, string][]} */ ([["person", "a person, by a link"]]);
  const each = me === "none" ? [] : /** @type {[string, string][]} */ ([["persons", "people, a link for each"]]);
  fill("mr-x", [...opponents(policies, "mr_x"), ...people]);
  fill("others", [...opponents(policies, "detectives"), ...people, ...each]);
}

/** List who sits where, Mr. X first. @returns {string[]} */
function players() {
  const me = select("me").value, number = Number(select("detectives").value);
  const others = select("others").value, mrX = select("mr-x").value;
  const seats = (/** @type {(seat: number) => string} */ who) => Array.from({ length: number }, (_, index) => who(index + 1));
  if (me === "both") return ["person:1", ...seats(() => "person:1")];
  if (me === "detectives") return [mrX === "person" ? "person:2" : mrX, ...seats(() => "person:1")];
  const first = me === "mr_x" ? "person:1" : mrX;
  if (others === "persons") return [first, ...seats((seat) => `person:${seat + 1}`)];
  return [first, ...seats(() => (others === "person" ? "person:2" : others))];
}

/** @param {Game} game */
async function openTable(game) {
  const chosen = players();
  const practice = /** @type {HTMLInputElement} */ (byId("practice")).checked;
  const body = JSON.stringify({ board: game.board, rules: game.rules, players: chosen, practice });
  const answer = await fetch("api/1/tables", { method: "POST", headers: { "content-type": "application/json" }, body });
  const told = await answer.json();
  if (!answer.ok) {
    tellProblem(told.told ?? PROBLEMS[told.code]);
    return;
  }
  tellProblem("");
  if (new Set(chosen.filter((player) => player.startsWith("person"))).size <= 1) location.assign(`table#${told.table}/${told.tokens["person:1"] ?? ""}`);
  else invite(told.table, told.tokens, chosen);
}

/** Show a link for each person, and one for spectators. @param {string} table @param {Record<string, string>} tokens @param {string[]} chosen */
function invite(table, tokens, chosen) {
  const rows = Object.entries(tokens).map(([person, token]) => {
    const seats = chosen.flatMap((player, seat) => (player === person ? [seat] : []));
    const named = seats.length > 1 ? "The detectives" : seatName(seats[0]);
    return drawLink(person === "person:1" ? `${named} (you)` : named, `table#${table}/${token}`);
  });
  byId("invitations").replaceChildren(...rows, drawLink("Spectators", `table#${table}/`));
  byId("links").hidden = false;
  byId("links-title").scrollIntoView();
}

/** @param {string} title @param {string} address */
function drawLink(title, address) {
  const copy = html("button", { type: "button", "aria-label": `Copy the link for ${title}` }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(new URL(address, location.href).href);
    copy.textContent = "Copied";
  });
  return html("li", {}, html("b", {}, title), html("a", { href: address }, "open"), copy);
}

/** Ask what is offered, and let it be chosen. */
async function begin() {
  const { games, policies } = /** @type {{games: Game[], policies: PolicyOffer[]}} */ (await (await fetch("api/1/choices")).json());
  const usual = Math.max(0, games.findIndex((game) => game.board === "london" && game.rules === "classic"));
  fill("game", games.map((game, index) => [String(index), game.rules === game.board ? game.rules : `${game.rules} on ${game.board}`]), String(usual));
  refresh(games, policies);
  fill("detectives", games[usual].detectives.map((number) => [String(number), String(number)]), "5");
  byId("setup").addEventListener("change", () => refresh(games, policies));
  byId("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    openTable(games[Number(select("game").value)]).catch(() => tellProblem(PROBLEMS.silence));
  });
  byId("open").removeAttribute("disabled");
}

/** @param {string} text */
function tellProblem(text) {
  byId("problem").textContent = text;
}

showRules();
begin().catch(() => tellProblem(PROBLEMS.silence));
