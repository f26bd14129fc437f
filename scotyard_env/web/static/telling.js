// What a table says in words: who plays, who is here, what happened, what is wrong.

import { html, seatName } from "./dom.js";

/** @typedef {{board: string, rules: string, players: string[], practice: boolean, undos: number, may_swap: boolean, seats: number[], entries: number, reveals: number[], past: [string, string, number][]}} Welcome */

/** What is wrong, by its code. @type {Record<string, string>} */
export const PROBLEMS = {
  not_your_turn: "It is not your turn.", stale: "That came too late: the game has gone on.", illegal: "That move is not open to you now.",
  over: "The game is over.", not_practice: "Hints and undo are for practice games.", nothing_to_undo: "There is nothing to take back.",
  no_more_undo: "A table allows a hundred undos: no more can be taken back.", no_seat: "You are watching: you have no seat here.", no_hint: "There is no hint just now.",
  storage: "The server has no room left to keep games: the last move was not played. The game goes on when there is room again.",
  full: "All tables are taken: trying again.", no_swap: "Not everybody here can play the other side.", not_over: "The game is not over yet.",
  message: "The server did not understand that.", too_fast: "Slower, please.", hello: "The server waited in vain for a greeting.",
  unknown_table: "There is no such table.", no_entry: "This link opens no seat, or the table is full.",
};

/** Draw a line of the list of moves, under its round where that begins. @param {[string, string, number]} line @param {number} roundBefore */
export function drawLine([move, told, round], roundBefore) {
  const line = html("li", { class: "line" }, html("i", {}, move), html("span", {}, told));
  return round === roundBefore ? [line] : [html("li", { class: "round" }, `Round ${round}`), line];
}

/** @param {number[]} seats */
function describeSeats(seats) {
  if (seats.length === 1) return seatName(seats[0]);
  return seats.includes(0) ? "both sides" : "the detectives";
}

/** Say what is played and by whom. @param {Welcome} welcome */
export function describeTable({ board, rules, players, practice, seats }) {
  const game = rules === board ? rules : `${rules} on ${board}`, policies = [...new Set(players.filter((player) => player.startsWith("policy:")))];
  const named = policies.map((policy) => policy.slice(7)).join(" and "), role = seats.length ? `you are ${describeSeats(seats)}` : "you are watching";
  return [game, named && seats.length ? `${role} against ${named}` : [role, named].filter(Boolean).join(" "), practice && "practice"].filter(Boolean).join(", ");
}

/** Say whose turn it is. @param {{seat: number, owed: number}} frame @param {string[]} players @param {boolean} isMine */
export function describeTurn({ seat, owed }, players, isMine) {
  const left = owed ? ` (double move, ${owed} to go)` : "", player = players[seat];
  if (isMine) return `Your turn: ${seatName(seat)}${left}`;
  return `${seatName(seat)} is to move: ${player.startsWith("policy:") ? `${player.slice(7)} is thinking` : "a person"}`;
}

/** Say who else is here. @param {{seats: number[], watching: number}} presence @param {number[]} own */
export function describePresence({ seats: all, watching }, own) {
  const seats = all.filter((seat) => !own.includes(seat));
  const here = seats.length === 0 ? "" : seats.length > 1 && !seats.includes(0) ? `detectives ${seats.join(", ")}` : seats.map(seatName).join(", ");
  return [here && `${own.length ? "also " : ""}here: ${here}`, watching ? `${watching} watching` : ""].filter(Boolean).join("; ");
}
