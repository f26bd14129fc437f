// A table: what its player may see now, whose turn it is, and what can be done.

import { openAnother, showAfter, showRematch } from "./after.js";
import { listenToForm } from "./asking.js";
import { Camera } from "./camera.js";
import { Chooser, describeMove } from "./choosing.js";
import { byId, showHelp } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { BoardMap } from "./map.js";
import { drawLegend, showLog, showPossible, showSeats, showWhy } from "./panels.js";
import { savePicture } from "./picture.js";
import { Review } from "./review.js";
import { showRules } from "./rules.js";
import { TableSocket } from "./socket.js";
import { describePresence, describeTable, describeTurn, drawLine, PROBLEMS } from "./telling.js";

/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Heat} Heat */
/** @typedef {Scene & {n: number, viewer: number, owed: number, legal: string[]}} Frame */
/** @typedef {import("./telling.js").Welcome} Welcome */

const DEAD_ENDS = ["unknown_table", "no_entry"];

export class Live {
  /** @param {string} table @param {string} token */
  constructor(table, token) {
    this.table = table;
    this.token = token;
    this.hasAsked = false; // for a rematch
    /** @type {Welcome | null} */
    this.welcome = null;
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {number[]} */
    this.origins = [];
    this.pending = ""; // a move that is sent and not acknowledged yet
    this.pendingAt = -1;
    this.shownTo = ""; // the side that sees the board at a hot seat
    /** @type {Promise<void> | undefined} */
    this.ready = undefined;
    this.isOver = false;
    /** @type {Frame | null} */
    this.ending = null; // the last frame of a game that is over
    /** @type {Review | undefined} */
    this.review = undefined;
    this.heat = /** @type {HTMLSelectElement} */ (byId("heat"));
    this.listen();
    drawLegend();
    showRules();
    this.socket = new TableSocket(table, token, (message) => this.hear(message), (isOpen) => this.tellConnection(isOpen));
  }

  /** @param {any} message */
  async hear(message) {
    if (message.type === "welcome") this.ready = this.begin(message).catch(() => this.socket.hangUp());
    await this.ready;
    if (message.type === "frame") this.show({ ...message, belief: message.belief.map((/** @type {number} */ share) => Math.round(1000 * share)), why: null });
    else if (message.type === "hint" && message.n === this.frame?.n) this.showHint(message);
    else if (message.type === "presence") byId("presence").textContent = describePresence(message, this.welcome?.seats ?? []);
    else if (message.type === "over") this.end();
    else if (message.type === "rematch") showRematch(message.table, this.token, this.hasAsked);
    else if (message.type === "error" && DEAD_ENDS.includes(message.code)) turnAway(PROBLEMS[message.code]);
    else if (message.type === "error") this.tellProblem(PROBLEMS[message.code]);
  }

  /** @param {Welcome} welcome */
  async begin(welcome) {
    this.welcome = welcome;
    this.origins = welcome.players.map(() => 0);
    this.frame = null;
    byId("about").textContent = byId("about").title = describeTable(welcome);
    byId("moves").replaceChildren(...welcome.past.flatMap((line, at) => drawLine(line, welcome.past[at - 1]?.[2] ?? 0)));
    for (const id of ["hint", "undo"]) byId(id).hidden = !welcome.practice;
    byId("undo").title = `Take your last move back (${welcome.undos} left)`;
    if (this.map === undefined) await this.drawBoard(welcome);
  }

  /** @param {Welcome} welcome */
  async drawBoard(welcome) {
    const chart = await (await fetch(`api/1/boards/${welcome.board}`)).json();
    this.map = new BoardMap(chart, welcome.players.length);
    byId("map").prepend(this.map.element);
    this.camera = new Camera(this.map.element, chart.width, chart.height);
    this.camera.makeLegible(chart.radius);
    this.chooser = new Chooser(this.map, this.camera, (move) => this.play(move));
    new ResizeObserver(() => this.camera?.look()).observe(this.map.element);
  }

  /** @param {Frame} frame */
  show(frame) {
    const before = this.frame;
    this.frame = frame;
    if (before !== null && frame.n > before.n) {
      this.origins = frame.stations.map((station, seat) => (seat > 0 && station !== before.stations[seat] ? before.stations[seat] : this.origins[seat]));
      byId("moves").append(...drawLine([frame.move, frame.told, frame.round], before.round));
    }
    byId("moves").scrollTop = byId("moves").scrollHeight;
    if (this.pending && this.isMine) this.sendAgain();
    this.tellProblem("");
    this.coverIfNeeded();
    this.draw();
    this.offer();
  }

  get isMine() {
    return !this.isOver && this.frame !== null && this.frame.winner === null && (this.welcome?.seats.includes(this.frame.seat) ?? false);
  }

  draw() {
    const { frame, welcome, map } = this;
    if (frame === null || welcome === null || map === undefined) return;
    byId("headline").textContent = frame.headline;
    byId("told").textContent = frame.told;
    showSeats(frame);
    showLog(frame, welcome.entries, welcome.reveals, () => {});
    showPossible(frame);
    showWhy(frame);
    map.show(frame, this.origins, /** @type {Heat} */ (this.heat.value));
    const station = frame.stations[frame.seat] || frame.seen || frame.stations[1];
    this.camera?.follow(map.chart.points[station]);
  }

  /** Say whose turn it is, and offer the moves if it is ours. */
  offer() {
    const { frame, welcome } = this;
    if (frame === null || welcome === null) return;
    byId("turn").textContent = this.isOver ? "" : describeTurn(frame, welcome.players, this.isMine);
    byId("turn").classList.toggle("is-mine", this.isMine);
    document.title = this.isMine ? "Your turn: Scotland Yard" : `Scotland Yard: ${frame.headline}`;
    byId("typed").hidden = welcome.seats.length === 0 || this.isOver;
    this.chooser?.offer(this.isMine ? frame.legal : []);
  }

  /** At a hot seat, hide the board until the next player is there. */
  coverIfNeeded() {
    const seats = this.welcome?.seats ?? [], frame = this.frame;
    const isHot = seats.includes(0) && seats.length > 1;
    if (!isHot || frame === null || this.isOver || frame.winner !== null) return;
    const side = frame.viewer === 0 ? "Mr. X" : "The detectives";
    if (this.shownTo === side) return;
    this.shownTo = side;
    byId("cover-title").textContent = `${side} to move: take the screen`;
    const cover = /** @type {HTMLDialogElement} */ (byId("cover"));
    if (!cover.open) cover.showModal();
  }

  /** @param {string} move */
  play(move) {
    if (this.frame === null) return;
    this.pending = move;
    this.pendingAt = this.frame.n;
    this.chooser?.offer([]);
    this.socket.say({ type: "move", n: this.frame.n, move });
  }

  /** After a lost connection: a move that did not arrive is sent again. */
  sendAgain() {
    const move = this.pending;
    this.pending = "";
    if (this.frame?.n === this.pendingAt) this.play(move);
  }

  end() {
    const { welcome, table } = this;
    if (welcome === null) return;
    this.isOver = true;
    this.ending = this.review === undefined ? this.frame : this.ending;
    showAfter({
      table, isSeated: welcome.seats.length > 0, maySwap: welcome.may_swap, hasPeople: welcome.players.some((player) => player.startsWith("person")),
      ask: (swap) => { this.hasAsked = this.socket.say({ type: "rematch", swap }); this.tellConnection(this.hasAsked); },
      open: () => openAnother(welcome).catch(() => this.tellConnection(false)), analyse: () => this.analyse(),
    });
    this.offer();
    this.review?.list();
  }

  /** Look at the game again, with what the server finds out about it. */
  analyse() {
    if (this.ending === null) return;
    const { headline, told, winner } = this.ending;
    this.review = new Review(this.table, { headline, told, winner }, (scene, origins) => {
      if (this.frame === null) return;
      this.frame = { ...this.frame, ...scene };
      this.origins = origins;
      this.draw();
    });
    this.review.begin().catch(() => this.tellConnection(false));
  }

  /** @param {Frame["why"] & {move: string}} hint */
  showHint({ title, lines, steps, numbers, move }) {
    if (this.frame === null) return;
    this.frame = { ...this.frame, why: { title, lines, steps, numbers } };
    this.draw();
    byId("told").textContent = `Hint: ${describeMove(move)}`;
  }

  /** @param {boolean} isOpen */
  tellConnection(isOpen) {
    byId("problem").textContent = isOpen ? "" : "The connection is lost: trying again.";
  }

  /** @param {string | undefined} text */
  tellProblem(text) {
    byId("problem").textContent = text ?? "";
    if (text) this.pending = "";
    if (!text) return;
    this.draw();
    this.offer();
  }

  /** Ask the server for something that counts only now; tell whether it could be asked. @param {"hint" | "undo" | "resign"} type */
  ask(type) {
    const isSaid = this.frame !== null && this.socket.say({ type, n: this.frame.n });
    if (!isSaid) this.tellConnection(false);
    return isSaid;
  }

  listen() {
    listenToForm(this);
    byId("cover").addEventListener("cancel", (event) => event.preventDefault());
    this.heat.addEventListener("change", () => this.draw());
    listenToKeys(() => ({ ...this.keys, ...this.review?.keys }), { "zoom-in": "+", "zoom-out": "-", "zoom-fit": "0", "open-help": "?", picture: "p" });
  }

  /** What keys do. @returns {import("./keys.js").Keys} */
  get keys() {
    return {
      m: () => { this.chooser?.cancel(); byId("text").focus(); },
      h: () => { this.heat.selectedIndex = (this.heat.selectedIndex + 1) % 3; this.draw(); },
      "+": () => this.camera?.step(1), "=": () => this.camera?.step(1), "-": () => this.camera?.step(-1), 0: () => this.camera?.fit(),
      p: () => { if (this.map !== undefined) savePicture(this.map.element, `move-${this.frame?.n ?? 0}.png`); },
      Escape: () => this.chooser?.cancel(),
      "?": showHelp,
    };
  }
}

/** Say that this link leads nowhere, and where tables are opened. @param {string} why */
function turnAway(why) {
  byId("headline").textContent = why;
  byId("away").hidden = false;
  document.body.classList.add("is-away");
}

const [table, token = ""] = location.hash.slice(1).split("/");
if (/^[\w-]+$/.test(table)) new Live(table, token);
else turnAway(PROBLEMS.unknown_table);
