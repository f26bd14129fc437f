// Copying a link, also where a browser keeps its clipboard to pages that came by TLS.

import { html } from "./dom.js";

/** Copy a text; tell whether that could be done. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copy as if somebody had selected a text and done it. @param {string} text */
function copySelected(text) {
  const field = /** @type {HTMLTextAreaElement} */ (html("textarea")), focused = /** @type {HTMLElement | null} */ (document.activeElement);
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return isCopied;
}
