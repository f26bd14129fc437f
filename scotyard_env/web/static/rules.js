// The rules in one minute, open for who comes for the first time.

import { byId, html } from "./dom.js";

const VISITED = "scotyard-visited";
const RULES = [
  "Mr. X moves about the map unseen; the detectives see only which ticket he pays with. Now and then he has to show where he is: those entries of his log are framed.",
  "In every round Mr. X moves first, then each detective, always along a link to the next station of that transport: taxis on thin yellow links, buses on green ones, the underground on thick red ones. Every move costs a ticket, and no two detectives stand on one station.",
  "Mr. X also has black tickets, which hide what he takes and pay for the ferry, and double moves: two moves in one turn.",
  "The detectives win if one of them comes to his station, or if he cannot move. Mr. X wins if he is still free when his log is full, or when no detective can move any more.",
];

/** Write the rules under their summary; they stay closed for who has been here before. */
export function showRules() {
  byId("rules").append(...RULES.map((rule) => html("p", {}, rule)));
  byId("rules").toggleAttribute("open", isFirstVisit());
}

function isFirstVisit() {
  try {
    const isFirst = localStorage.getItem(VISITED) === null;
    localStorage.setItem(VISITED, "yes");
    return isFirst;
  } catch {
    return true;
  }
}
