// Where tables are opened: which game, who plays whom, and the links for those who come.

import { copyText } from "./copying.js";
import { byId, html, seatName } from "./dom.js";
import { requestTable } from "./opening.js";
import { showRules } from "./rules.js";

/**
 * @typedef {{board: string, rules: string, detectives: number[]}} Game
 * @typedef {{points: number, low: number, high: number, level: string}} Strength
 * @typedef {{name: string, sides: string[], about: string, strength: Record<string, Strength>}} PolicyOffer
 */

const SILENCE = "The server does not answer: load this page again later.";

/** @typedef {[string, string, string?]} Choice its value, its text, and the group that it is listed in */

/** @param {string} id */
function select(id) {
  return /** @type {HTMLSelectElement} */ (byId(id));
}

/** @param {string} id @param {Choice[]} options @param {string} [chosen] */
function fill(id, options, chosen = select(id).value) {
  const groups = [...new Set(options.map(([, , group]) => group))];
  select(id).replaceChildren(...groups.flatMap((name) => {
    const found = options.filter(([, , group]) => group === name).map(([value, text]) => html("option", { value }, text));
    return name === undefined ? found : [html("optgroup", { label: name }, ...found)];
  }));
  if (options.some(([value]) => value === chosen)) select(id).value = chosen;
}

/** @param {PolicyOffer} policy @param {string} side */
function describe({ name, strength }, side) {
  const found = strength[side];
  return found ? `${name}: ${found.level}, ${found.points} points [${found.low}, ${found.high}]` : name;
}

/** List who may play a side: policies, the strongest first, those that nobody has measured by themselves. @param {PolicyOffer[]} policies @param {string} side @returns {Choice[]} */
function opponents(policies, side) {
  const able = policies.filter((policy) => policy.sides.includes(side));
  const measured = able.filter((policy) => policy.strength[side]).toSorted((a, b) => b.strength[side].points - a.strength[side].points);
  const others = able.filter((policy) => !policy.strength[side]);
  const list = (/** @type {PolicyOffer[]} */ found, /** @type {string} */ group) => found.map((policy) => /** @type {Choice} */ ([`policy:${policy.name}`, describe(policy, side), group]));
  return [...list(measured, "Policies, the strongest first"), ...list(others, "Policies without a rating so far")];
}

/** Show the choices that go with those made so far. @param {Game[]} games @param {PolicyOffer[]} policies */
function refresh(games, policies) {
  const game = games[Number(select("game").value)], me = select("me").value;
  fill("detectives", game.detectives.map((number) => [String(number), String(number)]));
  byId("mr-x-row").hidden = me === "mr_x" || me === "both";
  byId("others-row").hidden = me === "detectives" || me === "both";
  const people = me === "none" ? [] : /** @type {Choice[]} */ ([["person", "a person, by a link", "People"]]);
  const each = me === "none" ? [] : /** @type {Choice[]} */ ([["persons", "people, a link for each", "People"]]);
  fill("mr-x", [...opponents(policies, "mr_x"), ...people]);
  fill("others", [...opponents(policies, "detectives"), ...people, ...each]);
  for (const id of ["mr-x", "others"]) byId(`${id}-about`).textContent = policies.find(({ name }) => `policy:${name}` === select(id).value)?.about ?? "";
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
  const { table, tokens, told } = await requestTable({ board: game.board, rules: game.rules, players: chosen, practice });
  tellProblem(told);
  if (table === "") return;
  if (Object.keys(tokens).length <= 1) location.assign(`table#${table}/${tokens["person:1"] ?? ""}`);
  else invite(table, tokens, chosen);
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
    const whole = new URL(address, location.href).href;
    if (await copyText(whole)) copy.textContent = "Copied";
    else copy.replaceWith(whole);
  });
  return html("li", {}, html("b", {}, title), html("a", { href: address }, "open"), copy);
}

/** Ask what is offered, and let it be chosen. */
async function begin() {
  const { games, policies, usual } = /** @type {{games: Game[], policies: PolicyOffer[], usual: Record<string, string>}} */ (await (await fetch("api/1/choices")).json());
  const first = Math.max(0, games.findIndex((game) => game.board === "london" && game.rules === "classic"));
  fill("game", games.map((game, index) => [String(index), game.rules === game.board ? game.rules : `${game.rules} on ${game.board}`]), String(first));
  fill("mr-x", opponents(policies, "mr_x"), `policy:${usual.mr_x}`);
  fill("others", opponents(policies, "detectives"), `policy:${usual.detectives}`);
  refresh(games, policies);
  fill("detectives", games[first].detectives.map((number) => [String(number), String(number)]), "5");
  byId("setup").addEventListener("change", () => refresh(games, policies));
  byId("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    openTable(games[Number(select("game").value)]).catch(() => tellProblem(SILENCE));
  });
  byId("open").removeAttribute("disabled");
}

/** @param {string} text */
function tellProblem(text) {
  byId("problem").textContent = text;
}

showRules();
begin().catch(() => tellProblem(SILENCE));
