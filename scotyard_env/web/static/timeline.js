// The way through a game: how many stations were possible along it, the slider under that, the list of moves.

import { byId, html, svg } from "./dom.js";

/** @typedef {import("./types.js").Scene} Scene */

/** Rebuild every moment from what changed since the one before. @param {Partial<Scene>[]} changes @returns {Scene[]} */
export function rebuild(changes) {
  /** @type {Scene[]} */
  const scenes = [];
  for (const change of changes) scenes.push(/** @type {Scene} */ ({ ...scenes[scenes.length - 1], ...change }));
  return scenes;
}

/** Return where each detective's last move began, at every moment; 0 = it has not moved. @param {Scene[]} scenes */
export function traceOrigins(scenes) {
  /** @type {number[][]} */
  const origins = [];
  for (const [at, scene] of scenes.entries()) {
    const before = scenes[Math.max(0, at - 1)];
    origins.push(scene.stations.map((station, seat) =>
      seat === 0 ? 0 : station !== before.stations[seat] ? before.stations[seat] : (origins[at - 1]?.[seat] ?? 0)));
  }
  return origins;
}

/** List the moments at which rounds begin, the start and the end among them. @param {Scene[]} scenes */
export function findRounds(scenes) {
  const begins = scenes.map((scene, at) => (at > 0 && scene.round !== scenes[at - 1].round ? at : -1)).filter((at) => at >= 0);
  return [0, ...begins, scenes.length - 1];
}

/** Find the moment at which an entry was written into the log. @param {Scene[]} scenes @param {number} entry */
export function findEntry(scenes, entry) {
  return scenes.findIndex((scene) => scene.log.length >= entry);
}

/** Draw how many stations were possible, with rounds and reveals. @param {Scene[]} scenes */
export function drawCurve(scenes) {
  const last = Math.max(1, scenes.length - 1), most = Math.max(...scenes.map((scene) => scene.possible.length));
  const height = (/** @type {Scene} */ scene) => (100 - (96 * scene.possible.length) / most).toFixed(1);
  const area = scenes.map((scene, at) => `${at ? "H" : "M0 100V"}${at ? `${at}V` : ""}${height(scene)}`).join("");
  const curve = byId("curve");
  curve.setAttribute("viewBox", `0 0 ${last} 100`);
  const rounds = findRounds(scenes).slice(1, -1).map((at) => drawMark(at, "round"));
  const reveals = scenes.flatMap((scene, at) => (at > 0 && scene.seen_entry !== scenes[at - 1].seen_entry ? [drawMark(at, "reveal")] : []));
  curve.replaceChildren(...rounds, svg("path", { d: `${area}V100Z`, class: "area" }), ...reveals);
}

/** @param {number} at @param {string} name */
function drawMark(at, name) {
  return svg("path", { d: `M${at} 0V100`, class: name });
}

/** List all moves, each a way to its moment; return their rows by moment. @param {Scene[]} scenes @param {(at: number) => void} go */
export function listMoves(scenes, go) {
  const list = byId("moves");
  return scenes.map((scene, at) => {
    if (at > 0 && scene.round !== scenes[at - 1].round) list.append(html("li", { class: "round" }, `Round ${scene.round}`));
    const button = html("button", { type: "button" }, html("i", {}, scene.move || "start"), html("span", {}, scene.told));
    button.addEventListener("click", () => go(at));
    const row = html("li", {}, button);
    list.append(row);
    return row;
  });
}

/** Mark the row of the moment that is shown, and bring it into sight. @param {HTMLElement[]} rows @param {number} at */
export function markRow(rows, at) {
  for (const [index, row] of rows.entries()) row.classList.toggle("is-now", index === at);
  const list = byId("moves"), row = rows[at];
  const isSeen = row.offsetTop >= list.scrollTop && row.offsetTop + row.offsetHeight <= list.scrollTop + list.clientHeight;
  if (!isSeen) list.scrollTop = row.offsetTop - list.clientHeight / 3;
}
