// A table: what its player may see now, whose turn it is, and what can be done.

import { Camera } from "./camera.js";
import { Chooser, describeMove } from "./choosing.js";
import { byId, html, seatName } from "./dom.js";
import { BoardMap } from "./map.js";
import { drawLegend, showLog, showPossible, showSeats, showWhy } from "./panels.js";
import { savePicture } from "./picture.js";
import { Review } from "./review.js";
import { TableSocket } from "./socket.js";

/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Heat} Heat */
/** @typedef {Scene & {n: number, viewer: number, owed: number, legal: string[]}} Frame */
/** @typedef {{board: string, rules: string, players: string[], practice: boolean, seats: number[], entries: number, reveals: number[], past: [string, string, number][]}} Welcome */

/** @type {Record<string, string>} */
const PROBLEMS = {
  not_your_turn: "It is not your turn.", stale: "That came too late: the game has gone on.", illegal: "That move is not open to you now.",
  over: "The game is over.", not_practice: "Hints and undo are for practice games.", nothing_to_undo: "There is nothing to take back.",
  no_seat: "You are watching: you have no seat here.", no_hint: "There is no hint just now.", storage: "The server could not keep that: it was not played.",
  message: "The server did not understand that.", too_fast: "Slower, please.", hello: "The server waited in vain for a greeting.",
  unknown_table: "There is no such table.", no_entry: "This link opens no seat, or the table is full.",
};
/** @type {Record<string, string>} */
const REASONS = { played: "", resigned: "the other side gave up.", late: "the other side's policy took too long and forfeits.", crashed: "the other side's policy failed and forfeits." };

class Live {
  /** @param {string} table @param {string} token */
  constructor(table, token) {
    this.table = table;
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
    /** @type {Review | undefined} */
    this.review = undefined;
    this.heat = /** @type {HTMLSelectElement} */ (byId("heat"));
    this.text = /** @type {HTMLInputElement} */ (byId("text"));
    this.listen();
    drawLegend();
    this.socket = new TableSocket(table, token, (message) => this.hear(message), (isOpen) => this.tellConnection(isOpen));
  }

  /** @param {any} message */
  async hear(message) {
    if (message.type === "welcome") await (this.ready = this.begin(message));
    await this.ready;
    if (message.type === "frame") this.show({ ...message, belief: message.belief.map((/** @type {number} */ share) => Math.round(1000 * share)), why: null });
    else if (message.type === "hint" && message.n === this.frame?.n) this.showHint(message);
    else if (message.type === "presence") byId("presence").textContent = describePresence(message);
    else if (message.type === "over") this.end(message);
    else if (message.type === "error") this.tellProblem(PROBLEMS[message.code]);
  }

  /** @param {Welcome} welcome */
  async begin(welcome) {
    const isFirst = this.welcome === null;
    this.welcome = welcome;
    this.origins = welcome.players.map(() => 0);
    this.frame = null;
    byId("about").textContent = `${welcome.rules} on ${welcome.board}, ${welcome.seats.length ? `you are ${describeSeats(welcome.seats)}` : "you are watching"}${welcome.practice ? ", practice" : ""}`;
    byId("moves").replaceChildren(...welcome.past.flatMap((line, at) => drawLine(line, welcome.past[at - 1]?.[2] ?? 0)));
    for (const id of ["hint", "undo"]) byId(id).hidden = !welcome.practice;
    if (isFirst) await this.drawBoard(welcome);
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
    const player = welcome.players[frame.seat], who = player.startsWith("policy:") ? player.slice(7) : "a person";
    const owed = frame.owed ? ` (double move, ${frame.owed} to go)` : "";
    byId("turn").textContent = this.isOver ? "" : this.isMine ? `Your turn: ${seatName(frame.seat)}${owed}` : `${seatName(frame.seat)} is to move: ${who}`;
    byId("turn").classList.toggle("is-mine", this.isMine);
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

  /** @param {{winner: string, reason: string}} over */
  end({ winner, reason }) {
    this.isOver = true;
    const side = winner === "mr_x" ? "Mr. X wins" : "The detectives win";
    byId("headline").textContent = side;
    byId("told").textContent = [reason === "played" ? this.frame?.told : "", reason === "played" ? "" : `${side}: ${REASONS[reason] ?? ""}`].join("");
    const page = html("a", { href: `api/1/tables/${this.table}/replay.html`, download: "game.html" }, "Replay (page)");
    const file = html("a", { href: `api/1/tables/${this.table}/replay.jsonl`, download: "game.jsonl" }, "Replay (file)");
    const again = html("button", { type: "button" }, "Play again");
    again.addEventListener("click", () => this.playAgain());
    const analyse = html("button", { type: "button" }, "Analyse");
    analyse.addEventListener("click", () => this.analyse());
    byId("after").replaceChildren(again, analyse, html("a", { href: "./" }, "Another table"), page, file);
    byId("after").hidden = false;
    this.offer();
    this.review?.list();
  }

  /** Look at the game again, with what the server finds out about it. */
  analyse() {
    this.review = new Review(this.table, (scene, origins) => {
      if (this.frame === null) return;
      this.frame = { ...this.frame, ...scene };
      this.origins = origins;
      this.draw();
    });
    this.review.begin();
  }

  /** Open a table with the same players; where there are several people, the lobby has the links for them. */
  async playAgain() {
    if (this.welcome === null) return;
    const { board, rules, players, practice } = this.welcome, people = new Set(players.filter((player) => player.startsWith("person")));
    if (people.size > 1) return location.assign("./");
    const headers = { "content-type": "application/json" }, body = JSON.stringify({ board, rules, players, practice });
    const answer = await fetch("api/1/tables", { method: "POST", headers, body });
    if (!answer.ok) return this.tellProblem("No other table can be opened just now.");
    const told = await answer.json();
    location.hash = `${told.table}/${told.tokens["person:1"] ?? ""}`;
    return location.reload();
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
    if (text && this.frame !== null) this.offer();
  }

  /** Play what is typed, or say what would be right. */
  playTyped() {
    const typed = this.text.value.trim(), move = typed.startsWith("2") ? typed.toLowerCase() : typed.toUpperCase();
    const legal = this.isMine ? (this.frame?.legal ?? []) : [];
    if (legal.includes(move)) {
      this.text.value = "";
      this.chooser?.choose([move]);
    } else this.tellProblem(this.isMine ? `${typed || "Nothing"} cannot be played now: open to you are ${legal.join(", ")}` : PROBLEMS.not_your_turn);
  }

  /** @param {"hint" | "undo" | "resign"} type */
  ask(type) {
    if (this.frame !== null) this.socket.say({ type, n: this.frame.n });
  }

  async share() {
    const address = new URL(`#${this.table}/`, location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      byId("share").textContent = "Link copied";
    } catch {
      this.tellProblem(address);
    }
  }

  listen() {
    const sure = /** @type {HTMLDialogElement} */ (byId("sure"));
    byId("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.playTyped();
    });
    byId("hint").addEventListener("click", () => this.ask("hint"));
    byId("undo").addEventListener("click", () => this.ask("undo"));
    byId("resign").addEventListener("click", () => sure.showModal());
    sure.addEventListener("close", () => { if (sure.returnValue === "yes") this.ask("resign"); });
    byId("share").addEventListener("click", () => this.share());
    byId("cover").addEventListener("cancel", (event) => event.preventDefault());
    this.heat.addEventListener("change", () => this.draw());
    this.listenToKeys();
  }

  listenToKeys() {
    /** @type {Record<string, () => void>} */
    const keys = {
      m: () => this.text.focus(),
      h: () => { this.heat.selectedIndex = (this.heat.selectedIndex + 1) % 3; this.draw(); },
      "+": () => this.camera?.step(1), "=": () => this.camera?.step(1), "-": () => this.camera?.step(-1), 0: () => this.camera?.fit(),
      p: () => { if (this.map !== undefined) savePicture(this.map.element, `move-${this.frame?.n ?? 0}.png`); },
      Escape: () => this.chooser?.cancel(),
      "?": () => /** @type {HTMLDialogElement} */ (byId("help")).showModal(),
    };
    for (const [id, key] of Object.entries({ "zoom-in": "+", "zoom-out": "-", "zoom-fit": "0", "open-help": "?", picture: "p" })) byId(id).addEventListener("click", () => keys[key]());
    document.addEventListener("keydown", (event) => {
      const { tagName = "" } = /** @type {Partial<Element>} */ (event.target ?? {});
      const isTaken = event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") !== null;
      const all = { ...keys, ...this.review?.keys };
      if (isTaken || (["INPUT", "SELECT"].includes(tagName) && event.key !== "Escape") || !(event.key in all)) return;
      event.preventDefault();
      all[event.key]();
    });
  }
}

/** @param {[string, string, number]} line @param {number} roundBefore */
function drawLine([move, told, round], roundBefore) {
  const line = html("li", { class: "line" }, html("i", {}, move), html("span", {}, told));
  return round === roundBefore ? [line] : [html("li", { class: "round" }, `Round ${round}`), line];
}

/** @param {number[]} seats */
function describeSeats(seats) {
  if (seats.length === 1) return seatName(seats[0]);
  return seats.includes(0) ? "both sides" : "the detectives";
}

/** @param {{seats: number[], watching: number}} presence */
function describePresence({ seats, watching }) {
  const here = seats.length === 0 ? "" : seats.length > 1 && !seats.includes(0) ? `detectives ${seats.join(", ")}` : seats.map(seatName).join(", ");
  return [here && `here: ${here}`, watching ? `${watching} watching` : ""].filter(Boolean).join("; ");
}

const [table, token = ""] = location.hash.slice(1).split("/");
new Live(table, token);
