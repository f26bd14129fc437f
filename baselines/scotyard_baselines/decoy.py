"""decoy: a Mr. X who takes risks on purpose, to mislead, while nobody is near and he need not show himself soon.

After "Decoy Movement Algorithm for Mr. X". One function judges risk and safety alike: ``field_score``, high where it is
risky. The document names what goes into it and leaves open how. Here, each part being from 0 to 1:

    w_r  risk             1 / moves that the nearest detective needs to the station
    w_e  escape routes    1 / (1 + free neighbours of the station that no detective could step to at once)
    w_o  occupation       share of the detectives within ``near_moves`` of the station

With ``risk="believed"`` the first is 1 / moves to the station from where the detectives take him to be, by the number
of paths that lead there: wherever they stand, that is where they are going.

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
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.geometry.black_tickets import hides_nothing
from scotyard_baselines.geometry.field_score import field_score, list_believed, write_terms
from scotyard_baselines.geometry.retreat import EXIT, defend, is_best_ticket
from scotyard_env.encode.features import most_moves, new_scratch
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Finite, Price, Range, check_choices, check_ranges
from scotyard_env.rules import destination, double_action, has_reveal, legal_actions
from scotyard_env.state import BLACK, MAX_LOG, MAX_STATIONS, MR_X, UNLIMITED
from scotyard_env.threats import nearest_detective
from scotyard_env.view import View, Views

NO_CANDIDATE = -1.0  # in place of a score

REASONS = (  # why the wheel does not turn: the first that holds
    "turns",
    "switched off",
    "double move",
    "detective near",
    "reveal near",
    "current score",
    "no candidate",
)
TURNS, SWITCHED_OFF, DOUBLE_MOVE, DETECTIVE_NEAR, REVEAL_NEAR, CURRENT_SCORE, NOBODY_LEFT = range(len(REASONS))

Fields = Annotated[int, Range(0, MAX_STATIONS)]


class Wheels(NamedTuple):
    """The legal actions of many views, one row each, and their shares of the roulette wheel."""

    actions: NDArray[np.int64]  # (views, most)
    shares: NDArray[np.float64]  # (views, most) how likely each is; they add up to 1
    counts: NDArray[np.int64]  # (views,) how many of a row are filled
    scores: NDArray[np.float64]  # (views,) field_score of where Mr. X stands
    reasons: NDArray[np.int64]  # (views,) why the move is a defensive one, by its number in REASONS; TURNS = it is not


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
    near_fields: Fields = 2  # no decoy with a detective within so many fields; 0 = wherever they are
    near_turns: Annotated[int, Range(0, MAX_LOG)] = 2  # nor with the next reveal within so many turns; 0 = whenever
    near_moves: Fields = 3  # a detective within so many moves of a station closes in on it
    risk: Literal["detectives", "believed"] = "detectives"  # is near to them, or to where they believe he is
    use_tickets: bool = True  # detectives can step only where their tickets take them; else along every link
    escape_routes: bool = True  # they count, in the score and in a defensive move
    wheel: bool = True  # it turns; else every move is a defensive one

    def __post_init__(self) -> None:
        check_ranges(self)
        check_choices(self)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the probabilities are the shares of the wheel, the terms those of where it leads."""
        wheels = self.make_wheels(Views(view.board, view.rules, view.states))
        actions, shares = wheels.actions[0], wheels.shares[0]
        action = int(spin(actions, shares, wheels.counts[0], rng.random()))
        on_wheel = np.flatnonzero(shares[: wheels.counts[0]] > 0)
        on_wheel = on_wheel[np.argsort(-shares[on_wheel], kind="stable")]
        probabilities = tuple(zip(actions[on_wheel].tolist(), shares[on_wheel].tolist(), strict=True))
        is_double = action == double_action(view.board.arrays)
        terms = self.score_terms(view, view.stations[MR_X] if is_double else destination(action))
        return Decision(action, value=sum(terms.values()), probabilities=probabilities, terms=tuple(terms.items()))

    def score_terms(self, view: View, station: int) -> dict[str, float]:
        """Return the parts of a station's field_score, less than 0 since risk is bad."""
        terms = np.empty(3)
        settings = self._weights(), self.near_moves, self.risk == "believed"
        states = view.states if self.use_tickets else fill_purses(view.states)
        write_terms(view.board.packed, states, station, *settings, terms)
        return dict(zip(("w_r", "w_e", "w_o"), (0.0 - terms).tolist(), strict=True))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        wheels = self.make_wheels(views)
        chosen = np.empty(len(views), np.int64)
        spin_rows(wheels.actions, wheels.shares, wheels.counts, rng.random(len(views)), chosen)
        return chosen

    def make_wheels(self, views: Views) -> Wheels:
        """Return the share of the wheel of every legal action of every view."""
        size, most = len(views), most_moves(views.board)
        filled = np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64)
        wheels = Wheels(np.empty((size, most), np.int64), np.empty((size, most)), *filled)
        limits = self.candidate_limit, self.current_score_max, self.candidate_score_max
        near = self.near_fields, self.near_turns, self.near_moves
        switches = self.wheel, self.risk == "believed", EXIT if self.escape_routes else 0.0
        states = views.states if self.use_tickets else fill_purses(views.states)
        packed = views.board.packed, views.rules.packed(views.board), states, new_scratch()
        make_rows(*packed, self._weights(), limits, near, switches, *wheels)
        return wheels

    def _weights(self) -> tuple[float, float, float]:
        return self.w_r, self.w_e if self.escape_routes else 0.0, self.w_o


def fill_purses(states: NDArray[np.void]) -> NDArray[np.void]:
    """Return views in which no detective ever runs out of tickets."""
    filled = states.copy()
    filled["tickets"][:, MR_X + 1 :, :BLACK] = UNLIMITED
    return filled


@kernel
def make_rows(
    boards, rules, states, scratches, weights, limits, near, switches, actions, shares, counts, scores, reasons
):
    """Make the wheel of every view."""
    board, scratch = boards[0], scratches[0]
    candidate_limit, current_score_max, candidate_score_max = limits
    turns, by_belief, exit_worth = switches
    belief, paths = np.zeros(board.stations + 1), np.zeros(board.stations + 1)
    stations = np.zeros(board.stations, np.int64)
    for index in range(len(states)):
        view, row, wheel = states[index], actions[index], shares[index]
        scratch.sizes[:] = 0
        count = counts[index] = legal_actions(board, rules[0], view, row)
        believed = stations[: list_believed(board, view, belief, paths, stations) if by_belief else 0]
        scores[index] = field_score(board, view, view.station[MR_X], weights, near[2], believed)
        reasons[index] = find_fail_safe(board, rules[0], view, turns, near, scores[index] > current_score_max)
        if reasons[index] == TURNS:
            score_candidates(board, rules[0], view, scratch, weights, near[2], believed, row, wheel, count)
            limit_candidates(candidate_limit, wheel, count)
            remove_risky(candidate_score_max, wheel, count)
            reasons[index] = TURNS if normalize(wheel, count) else NOBODY_LEFT
        if reasons[index] != TURNS:
            defend(board, rules[0], view, scratch, exit_worth, row, wheel, count)


# -------------------------------------------------------------------------------------------------------- fail-safes


@kernel
def find_fail_safe(board, rules, view, turns, near, is_current_risky):
    """Return why a decoy is out of the question where Mr. X stands; TURNS = it is not."""
    near_fields, near_turns, _ = near
    if not turns:
        return SWITCHED_OFF
    if view.owed > 0:
        return DOUBLE_MOVE
    if nearest_detective(board, view, view.station[MR_X]) <= near_fields:
        return DETECTIVE_NEAR
    if has_reveal(rules, view.entries + 1, view.entries + near_turns):
        return REVEAL_NEAR
    return CURRENT_SCORE if is_current_risky else TURNS


# ------------------------------------------------------------------------------------------------------------- decoy


@kernel
def score_candidates(board, rules, view, scratch, weights, radius, believed, actions, scores, count):
    """Score every neighbouring station, by its best ticket; all other actions are no candidates."""
    wasted = hides_nothing(board, rules, view)
    for index in range(count):
        if actions[index] != double_action(board) and is_best_ticket(
            board, view, scratch, wasted, actions, index, count
        ):
            scores[index] = field_score(board, view, destination(actions[index]), weights, radius, believed)
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
