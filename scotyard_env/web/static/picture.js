// A picture of the map as it is seen now, as a PNG file.

const COPIED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity", "visibility", "transform",
  "font-size", "font-weight", "font-family", "text-anchor", "dominant-baseline",
];
const LARGER = 2; // pixels of the picture for a pixel of the screen

/** Save the map as a picture of a given name. @param {SVGElement} board @param {string} name */
export async function savePicture(board, name) {
  const moving = board.getAnimations({ subtree: true }).filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(moving.map((animation) => animation.finished));
  const { width, height } = board.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [LARGER * width, LARGER * height];
  const paint = canvas.getContext("2d");
  if (paint === null) return;
  paint.fillStyle = getComputedStyle(document.body).backgroundColor;
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.drawImage(await toImage(board, canvas.width, canvas.height), 0, 0);
  const link = document.createElement("a");
  [link.href, link.download] = [canvas.toDataURL("image/png"), name];
  link.click();
}

/** @param {SVGElement} board @param {number} width @param {number} height */
async function toImage(board, width, height) {
  const copy = /** @type {SVGElement} */ (board.cloneNode(true));
  const [from, to] = [board, copy].map((root) => [root, .../** @type {NodeListOf<SVGElement>} */ (root.querySelectorAll("*"))]);
  for (const [index, element] of from.entries()) {
    const style = getComputedStyle(element);
    for (const property of COPIED) to[index].style.setProperty(property, style.getPropertyValue(property));
  }
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  return image;
}
