// A replay on its page: which moment is shown, how it goes on, and the keys and buttons for it.

import { AnalysisPanel } from "./analysis.js";
import { Camera } from "./camera.js";
import { byId, showHelp } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { BoardMap } from "./map.js";
import { drawLegend, showLog, showPossible, showSeats, showWhy } from "./panels.js";
import { savePicture } from "./picture.js";
import { drawCurve, findEntry, findRounds, listMoves, markRow, rebuild, traceOrigins } from "./timeline.js";

/** @typedef {import("./types.js").ReplayData} ReplayData */
/** @typedef {import("./types.js").Heat} Heat */

const PACE = 1000; // milliseconds a move

/** Show a replay and let it be played. @param {ReplayData} data */
export function play(data) {
  new Player(data).begin();
}

class Player {
  /** @param {ReplayData} data */
  constructor(data) {
    this.data = data;
    this.scenes = rebuild(data.scenes);
    this.origins = traceOrigins(this.scenes);
    this.rounds = findRounds(this.scenes);
    this.map = new BoardMap(data.chart, this.scenes[0].stations.length);
    byId("map").prepend(this.map.element);
    this.camera = new Camera(this.map.element, data.chart.width, data.chart.height);
    this.rows = listMoves(this.scenes, (at) => this.go(at));
    this.slider = /** @type {HTMLInputElement} */ (byId("slider"));
    this.heat = /** @type {HTMLSelectElement} */ (byId("heat"));
    this.speed = /** @type {HTMLSelectElement} */ (byId("speed"));
    this.panel = data.analysis && new AnalysisPanel(this.scenes.length - 1, (at) => this.go(at));
    this.at = 0;
    this.timer = 0;
  }

  get last() {
    return this.scenes.length - 1;
  }

  /** Set the page up and show the first moment: that of the address (#25), or the one the page was written for. */
  begin() {
    byId("about").textContent = this.data.about;
    this.heat.options[0].text = this.data.belief === "paths" ? "how likely" : this.data.belief;
    this.slider.max = String(this.last);
    drawCurve(this.scenes);
    drawLegend();
    this.panel?.update(this.data.analysis ?? {});
    this.listen();
    const asked = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : this.data.at;
    this.camera.makeLegible(this.data.chart.radius);
    this.show(Math.min(asked, this.last));
  }

  /** Go to a moment and stop there. @param {number} at */
  go(at) {
    this.pause();
    this.show(at);
  }

  /** @param {number} at */
  show(at) {
    this.at = Math.min(this.last, Math.max(0, at));
    const scene = this.scenes[this.at], place = `Moment ${this.at} of ${this.last}`;
    byId("headline").textContent = scene.headline;
    byId("told").textContent = scene.told;
    byId("moment").textContent = place;
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", `${place}: ${scene.told}`);
    showSeats(scene);
    showLog(scene, this.data.entries, this.data.reveals, (entry) => this.go(findEntry(this.scenes, entry)));
    showPossible(scene);
    showWhy(scene);
    markRow(this.rows, this.at);
    this.panel?.show(this.at);
    this.map.show(scene, this.origins[this.at], /** @type {Heat} */ (this.heat.value));
    this.follow();
  }

  /** Look at the pawn that has just moved, or where Mr. X was seen last if it was he. */
  follow() {
    const scene = this.scenes[this.at], mover = this.scenes[Math.max(0, this.at - 1)].seat;
    const station = scene.stations[mover] || scene.seen || scene.stations[1];
    this.camera.follow(this.data.chart.points[station]);
  }

  /** Go to the round before or after. @param {1 | -1} way */
  skip(way) {
    const found = way > 0 ? this.rounds.find((at) => at > this.at) : this.rounds.findLast((at) => at < this.at);
    this.go(found ?? this.at);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.at === this.last) this.show(0);
    byId("play").classList.add("is-playing");
    byId("play").setAttribute("aria-label", "Pause");
    return this.schedule();
  }

  schedule() {
    this.timer = setTimeout(() => {
      this.show(this.at + 1);
      if (this.at === this.last) this.pause();
      else this.schedule();
    }, PACE / Number(this.speed.value));
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    byId("play").classList.remove("is-playing");
    byId("play").setAttribute("aria-label", "Play");
  }

  turnHeat() {
    this.heat.selectedIndex = (this.heat.selectedIndex + 1) % this.heat.options.length;
    this.show(this.at);
  }

  openHelp() {
    this.pause();
    showHelp();
  }

  /** What keys do. @returns {import("./keys.js").Keys} */
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
      " ": () => this.toggle(),
      h: () => this.turnHeat(),
      p: () => savePicture(this.map.element, `moment-${this.at}.png`),
      "+": () => this.camera.step(1),
      "=": () => this.camera.step(1),
      "-": () => this.camera.step(-1),
      0: () => this.camera.fit(),
      "?": () => this.openHelp(),
    };
  }

  listen() {
    listenToKeys(() => this.keys, {
      first: "Home", "round-before": "[", before: "ArrowLeft", play: " ", next: "ArrowRight", "round-next": "]", last: "End",
      "zoom-in": "+", "zoom-out": "-", "zoom-fit": "0", "open-help": "?", picture: "p",
    });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.heat.addEventListener("change", () => this.show(this.at));
    new ResizeObserver(() => this.camera.look()).observe(this.map.element);
  }
}
