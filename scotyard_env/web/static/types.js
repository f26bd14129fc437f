/**
 * What a page is told: the shapes that chart.py and scenes.py write.
 *
 * @typedef {[number, number]} Point
 *
 * @typedef {object} Chart A board laid out
 * @property {string} name
 * @property {number} width
 * @property {number} height
 * @property {number} radius of a station
 * @property {Point[]} points centre of each station; row 0 unused
 * @property {[number, number, number[], Point][]} links two stations, their transports, where the curve leans to
 * @property {number[][]} rooms directions with room beside each station, in twelfths from the right upwards
 *
 * @typedef {object} Why Why the next action is what it is
 * @property {string} title
 * @property {string[]} lines
 * @property {[number, number, number][]} steps of the plan: seat, from where, to where
 * @property {Record<string, string>} numbers by station: what a move there is worth
 *
 * @typedef {object} Scene One moment of a game as the viewer knows it
 * @property {string} headline
 * @property {string} move
 * @property {string} told
 * @property {number} round
 * @property {number} seat
 * @property {number[]} stations
 * @property {number[][]} tickets
 * @property {string[]} log
 * @property {number[]} log_rounds
 * @property {string} next_reveal
 * @property {number} seen
 * @property {number} seen_entry
 * @property {number[]} possible
 * @property {number[]} belief
 * @property {string | null} winner
 * @property {Why | null} why
 *
 * @typedef {object} ReplayData
 * @property {string} about
 * @property {string} belief
 * @property {number} entries that the log has room for
 * @property {number[]} reveals
 * @property {number} at
 * @property {Chart} chart
 * @property {Partial<Scene>[]} scenes of each only what is not as in the one before
 * @property {AnalysisData} [analysis] what was found out about the game
 *
 * @typedef {[number, number, number]} Band a share in thousandths, with its interval
 *
 * @typedef {object} AnalysisData
 * @property {string} about
 * @property {number} done steps of the work
 * @property {number} planned
 * @property {(Band | null)[]} truth by moment: the detectives' chances from where Mr. X was
 * @property {(Band | null)[]} table and from where the table had to reckon with him
 * @property {{at: number, side: string, loss: Band, blunder: boolean, told: string}[]} judged
 * @property {string} account
 * @property {Record<string, [string, string][]>} opinions by moment: a sentence, and what the best moves are worth
 *
 * @typedef {"belief" | "possible" | "none"} Heat
 */

export {};
