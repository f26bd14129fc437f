// What stands around the map: seats with their tickets, the log, where Mr. X may be, why a move is played, the legend.

import { byId, html, seatName, svg } from "./dom.js";
import { drawLink, drawStop } from "./map.js";

/** @typedef {import("./types.js").Scene} Scene */

const KINDS = ["taxi", "bus", "underground", "black", "double"];
const MARKS = ["T", "B", "U", "K", "2x"];
const UNLIMITED = -1;
const BLACK = 3;

/** Show who stands where with which tickets. @param {Scene} scene */
export function showSeats(scene) {
  byId("seats").replaceChildren(...scene.stations.map((station, seat) => {
    const isNext = scene.winner === null && scene.seat === seat;
    const purse = seat === 0 ? scene.tickets[seat] : scene.tickets[seat].slice(0, BLACK);
    return html(
      "div", { class: `seat seat-${seat}${isNext ? " is-next" : ""}` },
      html("span", { class: "disc", "aria-hidden": "true" }, seat === 0 ? "X" : String(seat)),
      html("span", {}, seatName(seat)),
      html("span", { class: "tickets" }, ...purse.map(drawTicket)),
      html("b", { title: station ? `on ${station}` : "hidden" }, station ? String(station) : "?"),
    );
  }));
}

/** @param {number} count @param {number} kind */
function drawTicket(count, kind) {
  const shown = count === UNLIMITED ? "∞" : String(count), name = `kind-${kind}${count === 0 ? " is-empty" : ""}`;
  const title = count === UNLIMITED ? `${KINDS[kind]}: as many as he likes` : `${KINDS[kind]}: ${count}`;
  return html("span", { class: `ticket ${name}`, title }, html("small", {}, MARKS[kind]), shown);
}

/**
 * Show the log; an entry leads to its moment.
 * @param {Scene} scene
 * @param {number} entries
 * @param {number[]} reveals
 * @param {(entry: number) => void} go
 */
export function showLog(scene, entries, reveals, go) {
  byId("next-reveal").textContent = `${scene.log.length} of ${entries} entries, ${scene.next_reveal}`;
  byId("log").replaceChildren(...Array.from({ length: entries }, (_, index) => {
    const cell = html("li", { class: reveals.includes(index + 1) ? "reveals" : "" }, html("span", {}, String(index + 1)));
    if (index < scene.log.length) cell.append(drawEntry(scene, index, go));
    return cell;
  }));
}

/** @param {Scene} scene @param {number} index @param {(entry: number) => void} go */
function drawEntry({ log, log_rounds }, index, go) {
  const [mark, shown] = log[index].split("@"), kind = MARKS.indexOf(mark);
  const isFirst = log_rounds[index] === log_rounds[index + 1], isSecond = log_rounds[index] === log_rounds[index - 1];
  const said = [`Entry ${index + 1}: ${KINDS[kind]}`, shown && `shown on ${shown}`, (isFirst || isSecond) && "of a double move"];
  const button = html(
    "button", { type: "button", "aria-label": said.filter(Boolean).join(", "), class: isSecond ? "is-second" : isFirst ? "is-first" : "" },
    html("span", { class: `ticket kind-${kind}` }, mark), shown ?? "",
  );
  button.addEventListener("click", () => go(index + 1));
  return button;
}

/** Say where Mr. X may be, the likeliest stations first. @param {Scene} scene */
export function showPossible({ possible, belief }) {
  const stations = `${possible.length} station${possible.length === 1 ? "" : "s"}`;
  byId("possible-title").textContent = `Mr. X may be on ${stations}`;
  const order = possible.map((station, index) => /** @type {[number, number]} */ ([station, belief[index]])).sort((a, b) => b[1] - a[1]);
  byId("possible").textContent = order.map(([station, share]) => `${station} (${percent(share)})`).join(", ");
}

/** @param {number} thousandths */
function percent(thousandths) {
  return thousandths < 10 ? "<1 %" : `${Math.round(thousandths / 10)} %`;
}

/** Say why the next move is played, if that is known. @param {Scene} scene */
export function showWhy({ why }) {
  byId("why").hidden = why === null;
  byId("why-title").textContent = why?.title ?? "";
  byId("why-lines").replaceChildren(...(why?.lines ?? []).map((line) => html("p", {}, line)));
}

/** Explain the lines and signs of the map. */
export function drawLegend() {
  const lines = ["taxi", "bus", "underground", "ferry: black tickets only"].map((text, transport) =>
    drawSample(text, ...drawLink([[2, 13], [24, 13], [46, 13]], transport, 11), ...drawStop([24, 13], 7, new Set([transport]))));
  const glow = svg("circle", { cx: 24, cy: 13, r: 12, class: "glow is-hot" });
  glow.style.setProperty("--heat", "0.7");
  byId("legend").replaceChildren(
    ...lines,
    drawSample("Mr. X may be here: the hotter, the likelier", glow, ...drawStop([24, 13], 7, new Set())),
    drawSample("Mr. X was seen here last", svg("circle", { cx: 24, cy: 13, r: 11, class: "seen", "stroke-width": 1.6, "stroke-dasharray": "4 2.5" })),
    drawSample("a detective's last move", svg("path", { d: "M4 13H46", class: "dotted seat-1", "stroke-width": 4.5, "stroke-dasharray": "0 8" })),
  );
}

/** @param {string} text @param {SVGElement[]} signs */
function drawSample(text, ...signs) {
  return html("li", {}, svg("svg", { viewBox: "0 0 48 26", "aria-hidden": "true" }, ...signs), html("span", {}, text));
}
