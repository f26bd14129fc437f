// Elements of a page, made without a line of HTML text: whatever a name or an explanation holds stays text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return the element of the page with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * Make an SVG element.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  return /** @type {SVGElement} */ (furnish(made, attributes, children));
}

/**
 * Make an HTML element.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function html(name, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (furnish(document.createElement(name), attributes, children));
}

/**
 * @param {Element} element
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Show the help from its top, however long it is. */
export function showHelp() {
  /** @type {HTMLDialogElement} */ (byId("help")).showModal();
  byId("help-title").focus();
}

/** Name a seat for people. @param {number} seat */
export function seatName(seat) {
  return seat === 0 ? "Mr. X" : `Detective ${seat}`;
}

/** Whether this person wants things to stand still. */
export function wantsStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
