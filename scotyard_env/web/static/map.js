// The map: links and stations, drawn once, and on them heat, the last moves, the plan and the pawns of a moment.

import { svg } from "./dom.js";

/** @typedef {import("./types.js").Chart} Chart */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Heat} Heat */

const TRANSPORTS = ["taxi", "bus", "underground", "ferry"];
const WIDTHS = [0.18, 0.4, 0.78, 0.28]; // of links, in radii of a station: each lies on a wider one
const BUS = 1, UNDERGROUND = 2, FERRY = 3;
const DRAWN = [UNDERGROUND, BUS, 0, FERRY]; // in this order
const ALONG = Array.from({ length: 41 }, (_, step) => step / 40); // where a curve is looked at

export class BoardMap {
  /** @param {Chart} chart @param {number} seats */
  constructor(chart, seats) {
    this.chart = chart;
    this.middles = new Map(chart.links.map(([a, b, , middle]) => [`${a}-${b}`, middle]));
    this.glows = chart.points.map((point) => disc(point, 1.55 * chart.radius, "glow"));
    this.stations = chart.points.map((_, station) => drawStation(chart, station));
    this.trails = svg("g");
    this.seen = svg("g");
    this.plan = svg("g");
    this.pawns = Array.from({ length: seats }, (_, seat) => new Pawn(chart, seat));
    this.element = svg(
      "svg", { class: "board", role: "img", "aria-label": `Map of ${chart.name}; what happens on it is told in words` },
      drawLinks(chart), this.trails, svg("g", {}, ...this.glows.slice(1)), svg("g", {}, ...this.stations.slice(1)),
      this.seen, svg("g", {}, ...this.pawns.map((pawn) => pawn.element).reverse()), this.plan,
    );
  }

  /**
   * Show a moment.
   * @param {Scene} scene
   * @param {number[]} origins where each seat's last move began; 0 = nowhere
   * @param {Heat} heat
   */
  show(scene, origins, heat) {
    this.showHeat(scene, heat);
    this.showPawns(scene);
    this.trails.replaceChildren(...origins.flatMap((from, seat) => this.drawTrail(seat, from, scene.stations[seat])));
    this.plan.replaceChildren(...this.drawPlan(scene));
  }

  /** @param {Scene} scene @param {Heat} heat */
  showHeat(scene, heat) {
    const heats = new Map(heatOf(scene, heat));
    for (const [station, glow] of this.glows.entries()) {
      for (const element of [glow, this.stations[station]]) {
        element.classList.toggle("is-hot", heats.has(station));
        element.style.setProperty("--heat", String(heats.get(station) ?? 0));
      }
    }
  }

  /** Put the pawns beside each other, and the mark where Mr. X was seen. @param {Scene} scene */
  showPawns(scene) {
    const given = new Map();
    const take = (/** @type {number} */ station) => {
      const count = given.get(station) ?? 0;
      given.set(station, count + 1);
      return direction(this.chart.rooms[station][Math.min(count, this.chart.rooms[station].length - 1)]);
    };
    for (const [seat, pawn] of this.pawns.entries()) {
      const station = scene.stations[seat];
      pawn.element.classList.toggle("is-next", scene.winner === null && scene.seat === seat);
      pawn.put(station, station === 0 ? [0, 0] : take(station));
    }
    this.seen.replaceChildren(...(scene.seen ? drawSeen(this.chart, scene.seen, scene.seen_entry, take(scene.seen)) : []));
  }

  /** @param {number} from @param {number} to */
  path(from, to) {
    const middle = this.middles.get(`${Math.min(from, to)}-${Math.max(from, to)}`);
    return middle === undefined ? null : [this.chart.points[from], middle, this.chart.points[to]];
  }

  /** @param {number} seat @param {number} from @param {number} to @returns {SVGElement[]} */
  drawTrail(seat, from, to) {
    const path = this.path(from, to), { radius } = this.chart;
    if (path === null) return [];
    const dashes = `0 ${0.75 * radius}`;
    return [
      svg("path", { d: curve(path), class: "edge-of-line", "stroke-width": 0.6 * radius }),
      svg("path", { d: curve(path), class: `dotted seat-${seat}`, "stroke-width": 0.45 * radius, "stroke-dasharray": dashes }),
    ];
  }

  /** @param {Scene} scene */
  drawPlan({ why }) {
    if (why === null) return [];
    const arrows = why.steps.flatMap(([seat, from, to]) => this.drawArrow(seat, from, to));
    const [seat, , chosen] = why.steps[0];
    const signs = Object.entries(why.numbers).flatMap(([station, text]) =>
      drawSign(this.chart, Number(station), text, Number(station) === chosen ? ` is-chosen seat-${seat}` : ""));
    return [...arrows.reverse(), ...signs];
  }

  /** @param {number} seat @param {number} from @param {number} to @returns {SVGElement[]} */
  drawArrow(seat, from, to) {
    const path = this.path(from, to), { radius, points } = this.chart;
    if (path === null) return [];
    const clear = Math.min(1.6 * radius, 0.3 * distance(points[from], points[to]));
    const shown = ALONG.map((t) => along(path, t))
      .filter((point) => Math.min(distance(point, points[from]), distance(point, points[to])) >= clear);
    const line = shown.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    return [
      svg("polygon", { points: head(shown, radius), class: `head seat-${seat}`, "stroke-width": 0.15 * radius }),
      svg("polyline", { points: line, class: `arrow seat-${seat}`, "stroke-width": 0.42 * radius }),
      svg("polyline", { points: line, class: "edge-of-line", "stroke-width": 0.75 * radius }),
    ];
  }
}

/** A magnifying glass: its lens lies on the station, its handle says whose it is. */
class Pawn {
  /** @param {Chart} chart @param {number} seat */
  constructor(chart, seat) {
    const { radius } = chart;
    this.chart = chart;
    this.edge = svg("line", { class: "handle edge", "stroke-width": 0.95 * radius });
    this.handle = svg("line", { class: "handle", "stroke-width": 0.55 * radius });
    this.number = label([0, 0], "", sizeOfNumbers(chart), "number");
    this.grip = svg(
      "g", { class: "grip" }, disc([0, 0], 1.08 * radius, "rim"),
      disc([0, 0], 0.85 * radius, "badge", 0.26 * radius), label([0, 0], seat === 0 ? "X" : String(seat), radius, "name"),
    );
    this.element = svg(
      "g", { class: `pawn seat-${seat}`, visibility: "hidden" }, this.edge, disc([0, 0], 1.42 * radius, "rim"),
      this.handle, disc([0, 0], 1.25 * radius, "lens", 0.25 * radius), this.number, this.grip,
    );
  }

  /** Put the pawn on a station, its handle that way; from the board if the station is 0. @param {number} station @param {Point} way */
  put(station, [x, y]) {
    this.element.setAttribute("visibility", station === 0 ? "hidden" : "visible");
    if (station === 0) return;
    const point = this.chart.points[station], far = 2.1 * this.chart.radius;
    this.element.style.transform = `translate(${point[0]}px, ${point[1]}px)`;
    this.grip.style.transform = `translate(${far * x}px, ${far * y}px)`;
    for (const line of [this.edge, this.handle]) {
      line.setAttribute("x2", String(far * x));
      line.setAttribute("y2", String(far * y));
    }
    this.number.textContent = String(station);
  }
}

/** Return how hot stations are, 1 at most; by the root, so that the unlikely ones are seen too. @param {Scene} scene @param {Heat} heat @returns {[number, number][]} */
function heatOf({ possible, belief }, heat) {
  if (heat === "none") return [];
  const most = Math.max(1, ...belief);
  return possible.map((station, index) => [station, heat === "belief" ? Math.sqrt(belief[index] / most) : 0.7]);
}

/** @param {Chart} chart */
function drawLinks({ links, points, radius }) {
  const group = svg("g");
  for (const transport of DRAWN) {
    for (const [a, b, transports, middle] of links) {
      if (transports.includes(transport)) group.append(...drawLink([points[a], middle, points[b]], transport, radius));
    }
  }
  return group;
}

/** Draw a link; the widest have a bright edge, so that it is seen where each of them goes. @param {Point[]} path @param {number} transport @param {number} radius */
export function drawLink(path, transport, radius) {
  const width = WIDTHS[transport] * Math.min(radius, 13), d = curve(path);
  const dashes = transport === FERRY ? `${2.2 * width} ${1.8 * width}` : "none";
  const line = svg("path", { d, class: `link ${TRANSPORTS[transport]}`, "stroke-width": width, "stroke-dasharray": dashes });
  return transport === UNDERGROUND ? [svg("path", { d, class: "link edge", "stroke-width": width + 1.2 }), line] : [line];
}

/** @param {Chart} chart @param {number} station */
function drawStation(chart, station) {
  const stops = new Set(chart.links.flatMap(([a, b, by]) => (a === station || b === station ? by : [])));
  return svg(
    "g", { class: "station" }, ...drawStop(chart.points[station], chart.radius, stops),
    label(chart.points[station], String(station), sizeOfNumbers(chart)),
  );
}

/** Draw a station without its number: a ring if the bus stops there, on a square if the underground does. @param {Point} point @param {number} radius @param {Set<number>} stops */
export function drawStop(point, radius, stops) {
  const half = 1.22 * radius, corner = { x: point[0] - half, y: point[1] - half, rx: 0.3 * half };
  const square = svg("rect", { ...corner, width: 2 * half, height: 2 * half, class: "square" });
  const ring = stops.has(BUS) ? disc(point, 0.9 * radius, "face has-bus", 0.22 * radius) : disc(point, 0.96 * radius, "face", 0.1 * radius);
  return stops.has(UNDERGROUND) ? [square, ring] : [ring];
}

/** @param {Chart} chart @param {number} station @param {number} entry @param {Point} way */
function drawSeen({ points, radius }, station, entry, [x, y]) {
  const [at, up] = points[station], place = /** @type {Point} */ ([at + 2.3 * radius * x, up + 2.3 * radius * y]);
  const ring = disc(points[station], 1.75 * radius, "seen", 0.19 * radius);
  ring.setAttribute("stroke-dasharray", "4 2.5");
  const box = { x: place[0] - 0.9 * radius, y: place[1] - 0.7 * radius, width: 1.8 * radius, height: 1.4 * radius, rx: 0.3 * radius };
  return [ring, svg("rect", { ...box, class: "entry" }), label(place, String(entry), 0.95 * radius, "entry-number")];
}

/** @param {Chart} chart @param {number} station @param {string} text @param {string} mark */
function drawSign({ points, radius, height }, station, text, mark) {
  const size = 0.95 * radius, width = size * (0.62 * text.length + 0.6), [x, middle] = points[station];
  const y = middle + (middle + 2.6 * radius > height ? -1.75 : 1.75) * radius; // above a station at the lower edge
  const box = { x: x - width / 2, y: y - 0.75 * size, width, height: 1.5 * size, rx: 0.4 * size };
  return [svg("rect", { ...box, class: `sign${mark}` }), label([x, y], text, size, mark)];
}

/** @param {Point[]} shown @param {number} radius */
function head(shown, radius) {
  const [x, y] = shown[shown.length - 1], [fromX, fromY] = shown[Math.max(0, shown.length - 4)];
  const length = Math.hypot(x - fromX, y - fromY) || 1, [wayX, wayY] = [(x - fromX) / length, (y - fromY) / length];
  const corners = [[0.75, 0], [-0.45, 0.7], [-0.45, -0.7]].map(([on, side]) =>
    [x + radius * (on * wayX - side * wayY), y + radius * (on * wayY + side * wayX)]);
  return corners.map((corner) => corner.map((value) => value.toFixed(1)).join(",")).join(" ");
}

/** @param {Point} point @param {number} radius @param {string} name @param {number} [stroke] */
function disc([cx, cy], radius, name, stroke = 0) {
  return svg("circle", { cx, cy, r: radius, class: name, "stroke-width": stroke });
}

/** @param {Point} point @param {string} text @param {number} size @param {string} [name] */
function label([x, y], text, size, name = "") {
  return svg("text", { x, y, "font-size": size, class: name }, text);
}

/** @param {Chart} chart */
function sizeOfNumbers({ points, radius }) {
  return radius * (points.length > 100 ? 0.88 : 1);
}

/** @param {number} twelfth @returns {Point} */
function direction(twelfth) {
  return [Math.cos((twelfth * Math.PI) / 6), -Math.sin((twelfth * Math.PI) / 6)];
}

/** @param {Point[]} path */
function curve([[x, y], [x1, y1], [x2, y2]]) {
  return `M${x} ${y}Q${x1} ${y1} ${x2} ${y2}`;
}

/** @param {Point[]} path @param {number} t @returns {Point} */
function along([a, b, c], t) {
  const mix = (/** @type {0 | 1} */ axis) => (1 - t) ** 2 * a[axis] + 2 * t * (1 - t) * b[axis] + t ** 2 * c[axis];
  return [mix(0), mix(1)];
}

/** @param {Point} a @param {Point} b */
function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
