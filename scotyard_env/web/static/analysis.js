// The analysis of a finished game: how the chances moved, what gave much away, what others would have played.

import { byId, html, svg } from "./dom.js";

/** @typedef {import("./types.js").AnalysisData} AnalysisData */
/** @typedef {import("./types.js").Band} Band */

const HIGH = 132; // pixels of the chart
const EDGE = { left: 40, right: 10, top: 12, bottom: 8 };
const WAYS = ["truth", "table"];
const LEGEND = { truth: "truth: from where he was", table: "table: from where he might have been" };

export class AnalysisPanel {
  /** @param {number} last moment of the game @param {(at: number) => void} go */
  constructor(last, go) {
    this.last = Math.max(1, last);
    this.go = go;
    /** @type {AnalysisData | null} */
    this.told = null;
    this.at = 0;
    this.chart = svg("svg", { class: "swing", role: "img", "aria-label": "Chances of the detectives" });
    this.words = html("div");
    this.state = html("p", { class: "faint", role: "status" });
    this.progress = /** @type {HTMLProgressElement} */ (html("progress", { "aria-label": "Progress of the analysis" }));
    this.blunders = html("div", { class: "blunders", role: "group", "aria-label": "Blunders" });
    this.account = html("p", { class: "faint" });
    this.furnish();
  }

  furnish() {
    const title = html("h2", { id: "analysis-title" }, "Analysis: the detectives' chances");
    const left = html("div", { class: "curves" }, html("div", { class: "row" }, title, ...WAYS.map(drawKey), this.progress), this.chart, this.blunders, this.account);
    const panel = byId("analysis");
    panel.replaceChildren(left, html("div", { class: "said", tabindex: 0, role: "group", "aria-label": "What is said of this moment" }, this.words, this.state));
    panel.hidden = false;
    this.chart.addEventListener("click", (event) => this.go(this.momentAt(/** @type {MouseEvent} */ (event).clientX)));
    new ResizeObserver(() => this.draw()).observe(left);
  }

  /** Say something in place of curves. @param {string} text */
  say(text) {
    this.state.textContent = text;
    if (text) this.progress.hidden = true;
  }

  /** Take in what is newly known. @param {Partial<AnalysisData>} news */
  update(news) {
    const told = this.told = /** @type {AnalysisData} */ ({ ...this.told, ...news });
    this.progress.hidden = told.done === told.planned;
    this.progress.max = told.planned;
    this.progress.value = told.done;
    this.state.textContent = told.about;
    this.account.textContent = told.account;
    this.listBlunders();
    this.draw();
    this.show(this.at);
  }

  get marked() {
    return (this.told?.judged ?? []).filter((one) => one.blunder);
  }

  /** Return the next blunder after a moment, or before it; round and round. @param {number} at @param {1 | -1} way */
  seek(at, way) {
    const found = this.marked.map((one) => one.at);
    const next = way > 0 ? found.find((one) => one > at) : found.findLast((one) => one < at);
    return next ?? found.at(way > 0 ? 0 : -1) ?? at;
  }

  listBlunders() {
    const { told, marked } = this;
    const none = told !== null && told.done === told.planned ? "No decision was worse than chance explains." : "";
    this.blunders.replaceChildren(...(marked.length ? marked.map((one) => this.drawButton(one)) : [none]));
  }

  /** @param {AnalysisData["judged"][0]} one */
  drawButton(one) {
    const button = html("button", { type: "button" }, svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, drawTriangle(6, 10, 5)), one.told);
    button.addEventListener("click", () => this.go(one.at));
    return button;
  }

  /** Tell of the moment that is shown. @param {number} at */
  show(at) {
    this.at = at;
    this.words.replaceChildren(...this.describe(at));
    this.drawCursor();
  }

  /** @param {number} at */
  describe(at) {
    const { told } = this;
    if (told === null) return [];
    const truth = told.truth[at], table = told.table[at], judged = told.judged.find((one) => one.at === at);
    const chances = truth && table ? [html("p", {}, `Moment ${at}: ${tellBand(truth)} by the truth, ${tellBand(table)} for the table.`)] : [html("p", { class: "faint" }, `Moment ${at}: not played on yet.`)];
    const verdict = judged ? [html("p", { class: judged.blunder ? "blunder" : "" }, `${judged.blunder ? "Blunder. " : ""}${judged.told}.`)] : [];
    const opinions = (told.opinions?.[at] ?? []).map(([sentence, numbers]) => html("p", {}, html("b", {}, `${sentence}.`), html("small", {}, ` ${numbers}`)));
    return [...chances, ...verdict, ...opinions];
  }

  /** @param {number} at */
  x(at) {
    return EDGE.left + ((this.width - EDGE.left - EDGE.right) * at) / this.last;
  }

  /** @param {number} share in thousandths */
  y(share) {
    return HIGH - EDGE.bottom - ((HIGH - EDGE.top - EDGE.bottom) * share) / 1000;
  }

  get width() {
    return Math.max(200, this.chart.parentElement?.clientWidth ?? 600);
  }

  /** @param {number} clientX */
  momentAt(clientX) {
    const { left } = this.chart.getBoundingClientRect(), wide = this.width - EDGE.left - EDGE.right;
    return Math.min(this.last, Math.max(0, Math.round(((clientX - left - EDGE.left) / wide) * this.last)));
  }

  draw() {
    this.chart.setAttribute("viewBox", `0 0 ${this.width} ${HIGH}`);
    this.chart.setAttribute("aria-label", this.summary);
    const told = this.told;
    const curves = told === null ? [] : [...this.drawCurve(told.table, "table"), ...this.drawCurve(told.truth, "truth")];
    this.chart.replaceChildren(...this.drawGrid(), ...curves, ...this.drawMarks());
    this.drawCursor();
  }

  drawGrid() {
    return [0, 500, 1000].flatMap((share) => [
      svg("path", { d: `M${EDGE.left} ${this.y(share)}H${this.width - EDGE.right}`, class: "grid" }),
      svg("text", { x: EDGE.left - 5, y: this.y(share) }, `${share / 10} %`),
    ]);
  }

  /** @param {(Band | null)[]} bands @param {string} name */
  drawCurve(bands, name) {
    const known = bands.flatMap((band, at) => (band ? [{ at, band }] : []));
    if (known.length === 0) return [];
    const path = (/** @type {number} */ which) => known.map(({ at, band }) => `${this.x(at).toFixed(1)} ${this.y(band[which]).toFixed(1)}`);
    const area = `M${path(1).join("L")}L${path(2).reverse().join("L")}Z`;
    return [svg("path", { d: area, class: `band ${name}-band` }), svg("path", { d: `M${path(0).join("L")}`, class: `line-of ${name}-line` })];
  }

  drawMarks() {
    const told = this.told;
    return this.marked.map((one) => {
      const bands = told === null ? [] : one.side === "detectives" ? told.table : told.truth;
      return drawTriangle(this.x(one.at), this.y(bands[one.at]?.[0] ?? 0) - 3, 6);
    });
  }

  drawCursor() {
    this.chart.querySelector(".cursor")?.remove();
    this.chart.append(svg("path", { d: `M${this.x(this.at).toFixed(1)} ${EDGE.top - 6}V${HIGH - EDGE.bottom}`, class: "cursor" }));
  }

  get summary() {
    const told = this.told, truth = told?.truth.filter(Boolean) ?? [], first = truth[0], last = truth.at(-1);
    if (!first || !last) return "Chances of the detectives: nothing is known yet";
    return `Chances of the detectives, from ${tellBand(first)} to ${tellBand(last)} by the truth; ${this.marked.length} blunders`;
  }
}

/** @param {Band} band */
function tellBand([share, low, high]) {
  return `${Math.round(share / 10)} % [${Math.round(low / 10)}, ${Math.round(high / 10)}]`;
}

/** @param {number} x @param {number} y @param {number} size */
function drawTriangle(x, y, size) {
  return svg("path", { d: `M${x} ${y}l${-size} ${-size * 1.6}h${2 * size}Z`, class: "mark" });
}

/** @param {string} name */
function drawKey(name) {
  const sample = svg("svg", { viewBox: "0 0 28 10", "aria-hidden": "true" }, svg("path", { d: "M1 5H27", class: `line-of ${name}-line` }));
  return html("span", { class: "key" }, sample, LEGEND[/** @type {"truth" | "table"} */ (name)]);
}
