// What a player types and asks for beside the map: a move in words, a hint, an undo, to give up, a link for others.

import { readMoves } from "./choosing.js";
import { copyText } from "./copying.js";
import { byId } from "./dom.js";
import { PROBLEMS } from "./telling.js";

/** @typedef {import("./live.js").Live} Live */

/** Listen to what is typed and asked for at a table. @param {Live} live */
export function listenToForm(live) {
  const sure = /** @type {HTMLDialogElement} */ (byId("sure"));
  byId("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    playTyped(live);
  });
  byId("hint").addEventListener("click", () => askForHint(live));
  byId("undo").addEventListener("click", () => live.ask("undo"));
  byId("resign").addEventListener("click", () => sure.showModal());
  sure.addEventListener("close", () => { if (sure.returnValue === "yes") live.ask("resign"); });
  byId("share").addEventListener("click", () => share(live));
}

/** Choose what is typed, or say what would be right. @param {Live} live */
function playTyped(live) {
  const field = /** @type {HTMLInputElement} */ (byId("text")), typed = field.value.trim();
  const legal = live.isMine ? (live.frame?.legal ?? []) : [], moves = readMoves(typed, legal);
  if (moves.length > 0) {
    field.value = "";
    live.tellProblem("");
    live.chooser?.choose(moves);
  } else live.tellProblem(live.isMine ? `${typed || "Nothing"} cannot be played now: open to you are ${legal.join(", ")}` : PROBLEMS.not_your_turn);
}

/** @param {Live} live */
function askForHint(live) {
  if (live.ask("hint") && live.isMine) byId("told").textContent = "A policy is thinking of a hint ...";
}

/** Copy the link for spectators, or show it. @param {Live} live */
async function share(live) {
  const address = new URL(`#${live.table}/`, location.href).href;
  if (await copyText(address)) byId("share").textContent = "Link copied";
  else live.tellProblem(address);
}
