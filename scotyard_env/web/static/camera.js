// What part of the map is seen: zoom by wheel, pinch, buttons and keys, pan by dragging.

import { wantsStillness } from "./dom.js";

/** @typedef {import("./types.js").Point} Point */

const CLOSEST = 6; // times as large as the whole map
const STEP = 1.4;
const GLIDE = 250; // milliseconds
const STRIP = 44; // pixels at the right that the buttons for zooming cover
const TOO_SMALL = 7, LEGIBLE = 10; // pixels of the radius of a station

export class Camera {
  /** @param {SVGElement} board @param {number} width @param {number} height */
  constructor(board, width, height) {
    this.board = board;
    this.width = width;
    this.height = height;
    this.zoom = 1;
    /** @type {Point} */
    this.middle = [width / 2, height / 2];
    /** @type {Map<number, Point>} */
    this.fingers = new Map();
    this.gliding = 0;
    board.addEventListener("wheel", (event) => this.turnWheel(event), { passive: false });
    board.addEventListener("pointerdown", (event) => this.touch(event));
    board.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      board.addEventListener(end, (event) => this.fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }
    this.look();
  }

  get isClose() {
    return this.zoom > 1.001;
  }

  /** Show all of the map. */
  fit() {
    this.zoom = 1;
    this.look();
  }

  /** Come closer, or step back, keeping a point of the map where it is. @param {number} factor @param {Point} [at] */
  zoomBy(factor, at = this.middle) {
    const before = this.zoom;
    this.zoom = Math.min(CLOSEST, Math.max(1, before * factor));
    const kept = before / this.zoom;
    this.middle = [at[0] + (this.middle[0] - at[0]) * kept, at[1] + (this.middle[1] - at[1]) * kept];
    this.look();
  }

  /** Step in or out by one step. @param {1 | -1} way */
  step(way) {
    this.zoomBy(STEP ** way);
  }

  /** Come so close that stations can be read, if the whole map makes them too small for that. @param {number} radius */
  makeLegible(radius) {
    const shown = radius * this.pixelsPerUnit();
    if (shown > 0 && shown < TOO_SMALL) this.zoomBy(LEGIBLE / shown);
  }

  /** Glide to where a point is seen well, if it is not. @param {Point} point */
  follow(point) {
    const [width, height] = this.size();
    const isSeen = Math.abs(point[0] - this.middle[0]) < 0.4 * width && Math.abs(point[1] - this.middle[1]) < 0.4 * height;
    cancelAnimationFrame(this.gliding);
    if (!this.isClose || isSeen) return;
    const from = this.middle, begun = performance.now(), time = wantsStillness() ? 1 : GLIDE;
    const glide = (/** @type {number} */ now) => {
      const share = Math.min(1, Math.max(0, now - begun) / time), eased = share * (2 - share);
      this.middle = [from[0] + (point[0] - from[0]) * eased, from[1] + (point[1] - from[1]) * eased];
      this.look();
      if (share < 1) this.gliding = requestAnimationFrame(glide);
    };
    this.gliding = requestAnimationFrame(glide);
  }

  /** How much is seen, across and down: all of the map beside the buttons, and what the window's shape adds. @returns {Point} */
  size() {
    const { width, height } = this.board.getBoundingClientRect(), isDrawn = width > STRIP && height > 0;
    const [across, down] = isDrawn ? [width, height] : [this.width + STRIP, this.height];
    const whole = Math.max(this.height, (this.width * down) / (across - STRIP));
    return [(whole * across) / down / this.zoom, whole / this.zoom];
  }

  pixelsPerUnit() {
    return this.board.getBoundingClientRect().width / this.size()[0];
  }

  /** Look where the camera is, without leaving the map; its right end can be seen beside the buttons. */
  look() {
    const [width, height] = this.size(), right = this.width + STRIP / this.pixelsPerUnit();
    this.middle = [keepInside(this.middle[0], width, right), keepInside(this.middle[1], height, this.height)];
    const [x, y] = [this.middle[0] - width / 2, this.middle[1] - height / 2];
    this.board.setAttribute("viewBox", `${x.toFixed(2)} ${y.toFixed(2)} ${width.toFixed(2)} ${height.toFixed(2)}`);
    this.board.classList.toggle("is-close", this.isClose);
  }

  /** Where on the map a place of the screen is. @param {Point} place @returns {Point} */
  locate([x, y]) {
    const box = this.board.getBoundingClientRect(), [width, height] = this.size();
    return [
      this.middle[0] - width / 2 + ((x - box.left) / box.width) * width,
      this.middle[1] - height / 2 + ((y - box.top) / box.height) * height,
    ];
  }

  /** The wheel zooms, unless the page needs it to scroll. @param {WheelEvent} event */
  turnWheel(event) {
    const page = document.documentElement;
    if (!event.ctrlKey && page.scrollHeight > page.clientHeight + 1) return;
    event.preventDefault();
    this.zoomBy(Math.exp(-event.deltaY / (event.ctrlKey ? 120 : 400)), this.locate([event.clientX, event.clientY]));
  }

  /** @param {PointerEvent} event */
  touch(event) {
    cancelAnimationFrame(this.gliding);
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  /** One finger or the mouse pans, two fingers zoom. @param {PointerEvent} event */
  drag(event) {
    const before = this.fingers.get(event.pointerId), now = /** @type {Point} */ ([event.clientX, event.clientY]);
    if (before === undefined) return;
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    this.fingers.set(event.pointerId, now);
    if (others.length === 1) {
      const apart = (/** @type {Point} */ place) => Math.hypot(place[0] - others[0][0], place[1] - others[0][1]) || 1;
      this.zoomBy(apart(now) / apart(before), this.locate(others[0]));
    } else if (others.length === 0 && this.isClose) {
      this.board.setPointerCapture(event.pointerId);
      const scale = this.pixelsPerUnit();
      this.middle = [this.middle[0] - (now[0] - before[0]) / scale, this.middle[1] - (now[1] - before[1]) / scale];
      this.look();
    }
  }
}

/** @param {number} middle @param {number} seen @param {number} all */
function keepInside(middle, seen, all) {
  return seen >= all ? all / 2 : Math.min(all - seen / 2, Math.max(seen / 2, middle));
}
