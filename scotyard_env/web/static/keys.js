// Keys of a page, and the buttons that mean the same.

/** @typedef {Record<string, () => void>} Keys what each key does */

/** Listen to keys, which may change, and to buttons, each by the key that it stands for. @param {() => Keys} list @param {Record<string, string>} buttons by their ids */
export function listenToKeys(list, buttons) {
  for (const [id, key] of Object.entries(buttons)) document.getElementById(id)?.addEventListener("click", () => list()[key]());
  document.addEventListener("keydown", (event) => {
    const keys = list();
    if (!isForPage(event) || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

/** Whether a key is meant for the page, not for what has the focus or for the browser. @param {KeyboardEvent} event */
function isForPage(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") !== null) return false;
  const { tagName = "", type = "" } = /** @type {Partial<HTMLInputElement>} */ (event.target ?? {});
  if (tagName === "SELECT" || (tagName === "INPUT" && type !== "range")) return event.key === "Escape";
  return !(event.key === " " && tagName === "BUTTON");
}
