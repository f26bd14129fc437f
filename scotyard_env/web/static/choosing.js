// Choosing a move: by its button, by its station on the map, by typing it; then it is confirmed.

import { byId, html, svg } from "./dom.js";

/** @typedef {import("./map.js").BoardMap} BoardMap */
/** @typedef {import("./camera.js").Camera} Camera */

/** @type {Record<string, string>} */
const FARES = { T: "Taxi", B: "Bus", U: "Underground", K: "Black ticket" };
/** @type {Record<string, string>} */
const NAMES = { T: "taxi", B: "bus", U: "underground", K: "black" }; // as they are typed
const NEAR = 44; // pixels from a station within which a tap is meant for it
const STILL = 6; // pixels that a finger may stray in a tap

/** Say a move in words. @param {string} move */
export function describeMove(move) {
  if (move === "2x") return "Double move";
  return move === "--" ? "Pass" : `${FARES[move[0]]} to ${move.slice(1)}`;
}

/** Return the legal moves that a text means: "T45", "taxi 45", "45" for every ticket that pays, "2x". @param {string} text @param {string[]} legal */
export function readMoves(text, legal) {
  const typed = text.toLowerCase().replaceAll(/\s/g, ""), named = /^([a-z]*)(\d+)$/.exec(typed);
  if (["2x", "double", "--", "pass"].includes(typed)) return legal.filter((move) => move === (typed === "double" ? "2x" : typed === "pass" ? "--" : typed));
  if (named === null) return [];
  const [, fare, station] = named;
  return legal.filter((move) => move.slice(1) === station && ("" === fare || move[0].toLowerCase() === fare || NAMES[move[0]] === fare));
}

export class Chooser {
  /** @param {BoardMap} map @param {Camera} camera @param {(move: string) => void} play */
  constructor(map, camera, play) {
    this.map = map;
    this.camera = camera;
    this.play = play;
    /** @type {string[]} */
    this.legal = [];
    this.listenToMap();
  }

  /** Offer some moves, or none. @param {string[]} legal */
  offer(legal) {
    this.legal = legal;
    this.cancel();
    const groups = Object.keys(FARES).map((fare) => legal.filter((move) => move[0] === fare)).filter((moves) => moves.length > 0);
    const double = legal.includes("2x") ? [this.drawButton("2x", "Double move")] : [];
    byId("choices").replaceChildren(...double, ...groups.map((moves) => this.drawGroup(moves)));
    for (const [station, element] of this.map.stations.entries()) this.mark(element, station);
  }

  /** Ring a station that can be reached. @param {SVGElement} element @param {number} station */
  mark(element, station) {
    const { points, radius } = this.map.chart, isLegal = this.movesTo(station).length > 0;
    element.classList.toggle("is-legal", isLegal);
    element.querySelector(".reach")?.remove();
    if (isLegal) element.append(svg("circle", { cx: points[station][0], cy: points[station][1], r: 1.5 * radius, class: "reach", "stroke-width": 0.3 * radius }));
  }

  /** @param {number} station */
  movesTo(station) {
    return this.legal.filter((move) => move.slice(1) === String(station));
  }

  /** @param {string[]} moves */
  drawGroup(moves) {
    const fare = FARES[moves[0][0]], mark = html("span", { class: `ticket kind-${"TBUK".indexOf(moves[0][0])}` }, fare);
    return html("div", { class: "fares", role: "group", "aria-label": fare }, mark, ...moves.map((move) => this.drawButton(move, move.slice(1))));
  }

  /** @param {string} move @param {string} text */
  drawButton(move, text) {
    const button = html("button", { type: "button", "aria-label": describeMove(move) }, text);
    button.addEventListener("click", () => this.choose([move]));
    return button;
  }

  /** Ask whether one of these moves shall be played. @param {string[]} moves */
  choose(moves) {
    const station = Number(moves[0].slice(1));
    for (const [number, element] of this.map.stations.entries()) element.classList.toggle("is-picked", number === station);
    const final = moves[0] === "2x" ? "Everybody sees it, and it is final:" : "";
    const buttons = moves.map((move) => this.drawConfirmation(move));
    const cancel = html("button", { type: "button" }, "Choose again");
    cancel.addEventListener("click", () => this.cancel());
    byId("chosen").replaceChildren(final, ...buttons, cancel);
    byId("chosen").hidden = false;
    buttons[0].focus();
  }

  /** @param {string} move */
  drawConfirmation(move) {
    const button = html("button", { type: "button", class: "go" }, move === "2x" ? "Announce a double move" : `Play ${describeMove(move)}`);
    button.addEventListener("click", () => {
      this.cancel();
      this.play(move);
    });
    return button;
  }

  cancel() {
    byId("chosen").hidden = true;
    for (const element of this.map.stations) element.classList.remove("is-picked");
  }

  /** A tap means the nearest station that can be reached. */
  listenToMap() {
    const board = this.map.element;
    let [fromX, fromY] = [0, 0];
    board.addEventListener("pointerdown", (event) => { [fromX, fromY] = [event.clientX, event.clientY]; });
    board.addEventListener("click", (event) => {
      const { clientX, clientY } = /** @type {MouseEvent} */ (event);
      if (Math.hypot(clientX - fromX, clientY - fromY) > STILL) return;
      const station = this.nearest(this.camera.locate([clientX, clientY]));
      if (station > 0) this.choose(this.movesTo(station));
    });
  }

  /** Return the station nearest to a point of the map that can be reached; 0 if none is near. @param {[number, number]} point */
  nearest([x, y]) {
    const { points } = this.map.chart;
    const far = (/** @type {number} */ station) => Math.hypot(points[station][0] - x, points[station][1] - y);
    const open = points.map((_, station) => station).filter((station) => station > 0 && this.movesTo(station).length > 0);
    const best = open.toSorted((a, b) => far(a) - far(b))[0] ?? 0;
    return best && far(best) * this.camera.pixelsPerUnit() <= NEAR / 2 + this.map.chart.radius ? best : 0;
  }
}
