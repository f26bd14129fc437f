// A table whose game is over: every moment can be looked at again, and what the server finds out about it is shown.

import { AnalysisPanel } from "./analysis.js";
import { byId } from "./dom.js";
import { findRounds, listMoves, markRow, rebuild, traceOrigins } from "./timeline.js";

/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {Pick<Scene, "headline" | "told" | "winner">} Ending how the game ended, also where a side gave up */

/** What is wrong while it is listened to, by its code. @type {Record<string, string>} */
const PROBLEMS = { busy: "Other games are being analysed: try again later.", no_analysis: "The server could not analyse this game." };
const LOST = "The connection was lost: analyse again to go on.";

export class Review {
  /** @param {string} table @param {Ending} ending @param {(scene: Scene, origins: number[]) => void} draw */
  constructor(table, ending, draw) {
    this.table = table;
    this.ending = ending;
    this.draw = draw;
    this.at = 0;
  }

  /** Fetch the game, then listen to what is found out about it. */
  async begin() {
    const answer = await fetch(`api/1/tables/${this.table}/replay.json`);
    if (!answer.ok) return;
    const { scenes } = await answer.json();
    this.scenes = rebuild(scenes);
    this.scenes[this.last] = { ...this.scenes[this.last], ...this.ending };
    this.origins = traceOrigins(this.scenes);
    this.rounds = findRounds(this.scenes);
    this.panel = new AnalysisPanel(this.last, (at) => this.go(at));
    this.list();
    await this.listen();
  }

  /** List the moves so that they lead to their moments, and show the one that was shown last. */
  list() {
    if (this.scenes === undefined) return;
    byId("moves").replaceChildren();
    this.rows = listMoves(this.scenes, (at) => this.go(at));
    this.go(this.at || this.last);
  }

  get last() {
    return (this.scenes?.length ?? 1) - 1;
  }

  /** @param {number} at */
  go(at) {
    if (this.scenes === undefined || this.origins === undefined || this.rows === undefined) return;
    this.at = Math.min(this.last, Math.max(0, at));
    this.draw(this.scenes[this.at], this.origins[this.at]);
    markRow(this.rows, this.at);
    this.panel?.show(this.at);
  }

  /** Go to the round before or after. @param {1 | -1} way */
  skip(way) {
    const rounds = this.rounds ?? [];
    this.go((way > 0 ? rounds.find((at) => at > this.at) : rounds.findLast((at) => at < this.at)) ?? this.at);
  }

  /** What keys do while a game is looked at again. @returns {Record<string, () => void>} */
  get keys() {
    return {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      "[": () => this.skip(-1),
      "]": () => this.skip(1),
      b: () => this.go(this.panel?.seek(this.at, 1) ?? this.at),
      B: () => this.go(this.panel?.seek(this.at, -1) ?? this.at),
    };
  }

  /** Hear what the server finds out, line by line. */
  async listen() {
    this.panel?.say("Asking the server.");
    try {
      const answer = await fetch(`api/1/tables/${this.table}/analysis`, { method: "POST" });
      if (!answer.ok || answer.body === null) return this.panel?.say((await answer.json()).told);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = "", next = await reader.read(); !next.done; next = await reader.read()) {
        const lines = (rest + next.value).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.hear(JSON.parse(line));
      }
      const told = this.panel?.told;
      if (told && told.done < told.planned) this.panel?.say(LOST);
    } catch {
      this.panel?.say(LOST);
    }
    return undefined;
  }

  /** @param {any} message */
  hear({ type, ...told }) {
    if (type === "queued") this.panel?.say(told.ahead ? `Waiting: ${told.ahead} before this game.` : "The judges are taking their seats.");
    else if (type === "analysis") this.panel?.update(told);
    else this.panel?.say(PROBLEMS[told.code] ?? PROBLEMS.no_analysis);
  }
}
