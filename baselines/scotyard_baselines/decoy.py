"""decoy: a Mr. X who takes risks on purpose, to mislead, while nobody is near and he need not show himself soon.

After "Decoy Movement Algorithm for Mr. X". One function judges risk and safety alike: ``field_score``, high where it is
risky. The document names what goes into it and leaves open how. Here, each part being from 0 to 1:

    w_r  risk             1 / moves that the nearest detective needs to the station
    w_e  escape routes    1 / (1 + free neighbours of the station that no detective could step to at once)
    w_o  occupation       share of the detectives within 3 moves of the station

It is also silent on these:

* A turn is an entry of the log. Within 2 turns of a reveal means that it comes with his next move or the one after.
* Of more than ``candidate_limit`` neighbours, the riskiest are left out.
* The defensive move goes where no detective has a link and a ticket to step to at once, then where the nearest one is
  farthest, then where there are most escape routes.
* Double moves are defensive: for emergencies only. Of several tickets to a station he takes the one after which he may
  be on the most stations, a black one only where it hides something.

Against good detectives the wheel seldom turns, since one of them is near or a reveal: what it weighs hardly matters.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_baselines.geometry.escape import SAFE, best_second_half, is_double_due
from scotyard_env.encode.features import look_ahead, most_moves, new_scratch
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Price, Range, check_ranges
from scotyard_env.rules import destination, double_action, fare_of, legal_actions
from scotyard_env.state import BLACK, MAX_STATIONS, MR_X
from scotyard_env.threats import count_safe_exits, is_threatened, nearest_detective
from scotyard_env.view import View, Views

TOO_NEAR = 2  # fields: no decoy with a detective within so many
TOO_SOON = 2  # turns: nor with the next reveal within so many
CLOSING_IN = 3  # moves from a station within which a detective counts as closing in on it
EXIT = 1e-3  # what an escape route is worth to a defensive move, in moves of distance
TICKET = 1e-6  # and the ticket that hides him best
NO_CANDIDATE = -1.0  # in place of a score


class Wheels(NamedTuple):
    """The legal actions of many views, one row each, and their shares of the roulette wheel."""

    actions: NDArray[np.int64]  # (views, most)
    shares: NDArray[np.float64]  # (views, most) how likely each is; they add up to 1
    counts: NDArray[np.int64]  # (views,) how many of a row are filled
    scores: NDArray[np.float64]  # (views,) field_score of where Mr. X stands


@dataclass(frozen=True)
class Decoy(Explains):
    """Choose among neighbouring stations by a roulette wheel that favours risk; where that is too dangerous, run."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    candidate_limit: Annotated[int, Range(1, MAX_STATIONS)] = 5  # neighbours to consider, at most
    w_r: Price = 0.5  # weight of the risk: how near the nearest detective is
    w_e: Price = 0.3  # of the lack of escape routes
    w_o: Price = 0.2  # of the detectives that close in
    current_score_max: Finite = 0.3  # no decoy if the score of where he stands is above this
    candidate_score_max: Finite = 0.4  # nor to a station with a score above this

    def __post_init__(self) -> None:
        check_ranges(self)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the probabilities are the shares of the wheel."""
        actions, shares, counts, scores = self.make_wheels(Views(view.board, view.rules, view.states))
        action = int(spin(actions[0], shares[0], counts[0], rng.random()))
        on_wheel = np.flatnonzero(shares[0, : counts[0]] > 0)
        on_wheel = on_wheel[np.argsort(-shares[0, on_wheel], kind="stable")]
        probabilities = zip(actions[0, on_wheel].tolist(), shares[0, on_wheel].tolist(), strict=True)
        return Decision(action, value=-float(scores[0]), probabilities=tuple(probabilities))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        wheels = self.make_wheels(views)
        chosen = np.empty(len(views), np.int64)
        spin_rows(wheels.actions, wheels.shares, wheels.counts, rng.random(len(views)), chosen)
        return chosen

    def make_wheels(self, views: Views) -> Wheels:
        """Return the share of the wheel of every legal action of every view."""
        size, most = len(views), most_moves(views.board)
        wheels = Wheels(
            np.empty((size, most), np.int64), np.empty((size, most)), np.empty(size, np.int64), np.empty(size)
        )
        weights = float(self.w_r), float(self.w_e), float(self.w_o)
        limits = int(self.candidate_limit), float(self.current_score_max), float(self.candidate_score_max)
        rules = views.rules.packed(views.board)
        make_rows(views.board.packed, rules, views.states, new_scratch(), weights, limits, *wheels)
        return wheels


@kernel
def make_rows(boards, rules, states, scratches, weights, limits, actions, shares, counts, scores):
    """Make the wheel of every view."""
    board, scratch = boards[0], scratches[0]
    candidate_limit, current_score_max, candidate_score_max = limits
    for index in range(len(states)):
        view, row, wheel = states[index], actions[index], shares[index]
        scratch.sizes[:] = 0
        count = counts[index] = legal_actions(board, rules[0], view, row)
        scores[index] = field_score(board, view, view.station[MR_X], weights)
        may_decoy = not is_decoy_disabled(board, rules[0], view) and scores[index] <= current_score_max
        if may_decoy:
            score_candidates(board, rules[0], view, scratch, weights, row, wheel, count)
            limit_candidates(candidate_limit, wheel, count)
            remove_risky(candidate_score_max, wheel, count)
        if not may_decoy or not normalize(wheel, count):
            defend(board, rules[0], view, scratch, row, wheel, count)


# -------------------------------------------------------------------------------------------------------- fail-safes


@kernel
def is_decoy_disabled(board, rules, view):
    """Tell whether a decoy is out of the question: a detective is near, or a reveal, or he is on the run already."""
    return view.owed > 0 or is_detective_near(board, view) or is_reveal_near(rules, view)


@kernel
def is_detective_near(board, view):
    """Tell whether a detective is within 2 fields of Mr. X."""
    return nearest_detective(board, view, view.station[MR_X]) <= TOO_NEAR


@kernel
def is_reveal_near(rules, view):
    """Tell whether Mr. X must show himself within 2 turns."""
    for entry in range(view.entries + 1, min(view.entries + TOO_SOON, rules.log_entries) + 1):
        if rules.reveals[entry]:
            return True
    return False


@kernel
def field_score(board, view, station, weights):
    """Return how risky a station is: by the nearest detective, by escape routes, by the detectives that close in."""
    w_r, w_e, w_o = weights
    risk = 1.0 / max(1, nearest_detective(board, view, station))
    enclosure = 1.0 / (1.0 + count_safe_exits(board, view, station))
    closing_in = 0
    for seat in range(1, view.seats):
        if board.distance[view.station[seat], station] <= CLOSING_IN:
            closing_in += 1
    return w_r * risk + w_e * enclosure + w_o * closing_in / (view.seats - 1)


# ------------------------------------------------------------------------------------------------------------- decoy


@kernel
def score_candidates(board, rules, view, scratch, weights, actions, scores, count):
    """Score every neighbouring station, by its best ticket; all other actions are no candidates."""
    wasted = hides_nothing(board, rules, view)
    for index in range(count):
        if actions[index] != double_action(board) and is_best_ticket(
            board, view, scratch, wasted, actions, index, count
        ):
            scores[index] = field_score(board, view, destination(actions[index]), weights)
        else:
            scores[index] = NO_CANDIDATE


@kernel
def limit_candidates(candidate_limit, scores, count):
    """Leave out the riskiest candidates until there are no more than the limit."""
    candidates = 0
    for index in range(count):
        if scores[index] != NO_CANDIDATE:
            candidates += 1
    for _ in range(candidate_limit, candidates):
        scores[np.argmax(scores[:count])] = NO_CANDIDATE


@kernel
def remove_risky(candidate_score_max, scores, count):
    """Remove the candidates whose score is above the maximum allowed."""
    for index in range(count):
        if scores[index] > candidate_score_max:
            scores[index] = NO_CANDIDATE


@kernel
def normalize(scores, count):
    """Turn the scores of the candidates into shares of the wheel; tell whether there are any.

    Should all of them score 0, the shares are equal.
    """
    total, candidates = 0.0, 0
    for index in range(count):
        if scores[index] != NO_CANDIDATE:
            total += scores[index]
            candidates += 1
    for index in range(count):
        if scores[index] == NO_CANDIDATE:
            scores[index] = 0.0
        else:
            scores[index] = scores[index] / total if total > 0.0 else 1.0 / candidates
    return candidates > 0


@kernel
def is_best_ticket(board, view, scratch, wasted, actions, index, count):
    """Tell whether no other ticket to the same station would hide Mr. X better; of equal ones the first counts."""
    own = ticket_value(board, view, scratch, wasted, fare_of(actions[index]))
    for other in range(count):
        is_same_station = other != index and actions[other] != double_action(board)
        if is_same_station and destination(actions[other]) == destination(actions[index]):
            value = ticket_value(board, view, scratch, wasted, fare_of(actions[other]))
            if value > own or (value == own and other < index):
                return False
    return True


@kernel
def ticket_value(board, view, scratch, wasted, fare):
    """Return the number of stations where Mr. X may be after paying with a ticket; -1 for black that hides nothing."""
    if fare == BLACK and wasted:
        return -1
    look_ahead(board, view, scratch, fare)
    return scratch.sizes[fare]


# ----------------------------------------------------------------------------------------------------- defensive move


@kernel
def defend(board, rules, view, scratch, actions, shares, count):
    """Share the wheel equally among the moves that get Mr. X farthest away from the detectives."""
    wasted = hides_nothing(board, rules, view)
    best, equals = -1.0, 0
    for index in range(count):
        if actions[index] == double_action(board):
            shares[index] = 2.0 * SAFE if is_double_due(board, view) else -2.0 * SAFE
        else:
            shares[index] = retreat_value(board, view, destination(actions[index]), fare_of(actions[index]))
            if is_best_ticket(board, view, scratch, wasted, actions, index, count):
                shares[index] += TICKET
        if shares[index] > best:
            best, equals = shares[index], 0
        if shares[index] == best:
            equals += 1
    for index in range(count):
        shares[index] = 1.0 / equals if shares[index] == best else 0.0


@kernel
def retreat_value(board, view, to, fare):
    """Return a move's distance from the detectives; of the first half of a double, what the second can reach."""
    if view.owed == 2:
        return best_second_half(board, view, to, fare)
    safety = 0.0 if is_threatened(board, view, to) else SAFE
    return safety + nearest_detective(board, view, to) + EXIT * count_safe_exits(board, view, to)


# ------------------------------------------------------------------------------------------------------------- wheel


@kernel
def spin(actions, shares, count, draw):
    """Return the action at which a draw in [0, 1) stops the wheel."""
    last = 0
    for index in range(count):
        if shares[index] > 0.0:
            last = index
            draw -= shares[index]
            if draw < 0.0:
                break
    return actions[last]


@kernel
def spin_rows(actions, shares, counts, draws, chosen):
    """Spin every wheel."""
    for index in range(len(counts)):
        chosen[index] = spin(actions[index], shares[index], counts[index], draws[index])
