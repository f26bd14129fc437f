"""astar_greedy: each detective heads for Mr. X's likeliest station by A*, along a path that its tickets pay for.

After "A* + Greedy Movement Algorithm for Detectives". Where it is silent or leaves a choice, what catches most decided;
what it says otherwise can be chosen.

* Mr. X's reachable stations: along the tickets he has shown since he was last seen, from his start cards if he never
  was; but not where a detective stood in the way or landed since. That is the exact possible set. The document has
  ``reachable="tickets"``, all that any tickets he may have had allow, whichever he showed and wherever detectives are.
* Base probability: uniform, not by the number of paths. Then alpha only says that the targets are the stations farthest
  from all detectives, and any above 0 plays the same; with 0 it is the nearest station.
* The detectives move one after the other, so each makes its map anew: the one before may have found a station empty.
  The document has ``map="round"``, one map before the first of them moves.
* The closest of several targets is counted in moves, tickets aside, or with ``tie_break="tickets"`` along paths that
  they pay for. At the same distance chance decides.
* Every detective has the target that is best for it, as in the document, so several may have the same; with
  ``targets="assigned"`` those yet to move get different ones.
* A path is legal if the tickets pay for all of it and its first move leads to no colleague; by the second he may be
  gone. If no path to the target is legal, the detective turns to the next best target; if there is none, it makes the
  legal move that ends nearest to the best.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.geometry.a_star import (
    NONE,
    UNPAYABLE,
    find_path,
    first_step,
    measure_lengths,
    new_scratch,
    shortest_path,
    write_first_steps,
)
from scotyard_baselines.geometry.assignment import assign_targets, path_lengths
from scotyard_baselines.geometry.reachable import EXACT, Reachable, weigh_possible, weigh_reachable
from scotyard_env.belief import Belief, top_stations
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.packing import UNREACHABLE
from scotyard_env.policy import Decision, Side, Weighed
from scotyard_env.ranges import Price, check_choices, check_ranges
from scotyard_env.rules import can_move, destination, may_move, move_action, pass_action
from scotyard_env.state import NOWHERE, count, discard
from scotyard_env.threats import distance_to_nearest, nearest_detective
from scotyard_env.view import View, Views

Base = Literal["uniform", "paths"]

MOST_CANDIDATES = 5  # targets that a decision tells of
SAME = 1e-9  # probabilities that differ by less than this share of them are the same


class Way(NamedTuple):
    """Where a detective is heading."""

    seat: int
    target: int  # NOWHERE = it has none that its tickets lead to
    path: list[int]  # the moves to the target, at least the next one


@dataclass(frozen=True)
class AStarGreedy(Explains):
    """Head for the likeliest station of Mr. X, the nearest if there are several, by A* within the tickets."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    alpha: Price = 0.5  # how much a station gains per move of distance from the closest detective
    base: Base = "uniform"  # base probability: the same for all, or by the number of "paths" that lead to a station
    reachable: Reachable = "exact"  # stations: all the table knows; what the tickets shown allow; any he may have had
    targets: Literal["shared", "assigned"] = "shared"  # each for itself, so that many may have one; or different ones
    tie_break: Literal["hops", "tickets"] = "hops"  # the closest target: tickets aside, or by what they pay for
    map: Literal["turn", "round"] = "turn"  # made anew for each detective, or once before the first of them moves

    def __post_init__(self) -> None:
        check_ranges(self)
        check_choices(self)

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the candidates are first steps to the likeliest stations, with how likely those are."""
        given, draws = self._assign(view), rng.random(1)
        action, target, probability = self._decide_one(view, given, draws)
        probabilities = self._weigh_actions(view, given, action)
        if target == NOWHERE:
            return Decision(action, probabilities=probabilities)
        stations = np.array(top_stations(probability, MOST_CANDIDATES))
        steps = np.empty_like(stations)
        write_first_steps(view.board.packed, view.states, new_scratch(), stations, steps)
        values = {action: float(probability[target])}
        for step, value in zip(steps.tolist(), probability[stations].tolist(), strict=True):
            values.setdefault(step, value)
        values.pop(NONE, None)
        candidates = sorted(values.items(), key=lambda one: -one[1])
        plan = [way.path[0] for way in self._find_ways(view, given, draws)] if given else []
        value, told = values[action], tuple(candidates)
        return Decision(action, value=value, candidates=told, probabilities=probabilities, plan=tuple(plan))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        targets = np.full(len(views), NOWHERE, np.int64)
        if self.targets == "assigned":
            each = (View(views.board, views.rules, state, int(state.seat)) for state in views.states)
            targets[:] = [self._assign(view).get(view.seat, NOWHERE) for view in each]
        return self._decide(views, targets, rng.random(len(views)))[0]

    def _assign(self, view: View) -> dict[int, int]:
        """Return the targets of all detectives yet to move, where they are given different ones."""
        return assign_targets(view, self.probability_map(view)) if self.targets == "assigned" else {}

    def _weigh_actions(self, view: View, given: dict[int, int], action: int) -> Weighed:
        """Return how likely each action is: a draw chooses among targets that tie, and again if none can be reached."""
        probability, here = self.probability_map(view), view.stations[view.seat]
        probability[here] = 0.0
        if view.seat in given or not probability.any():
            return ((action, 1.0),)
        lengths: NDArray[np.integer[Any]] = view.board.arrays.distance[here, : len(probability)]
        if self.tie_break == "tickets":
            lengths = path_lengths(view, [view.seat])[0]
        ties = list_ties(probability, lengths)
        steps = np.empty_like(ties)
        write_first_steps(view.board.packed, view.states, new_scratch(), ties, steps)
        shares = np.full(len(ties), 1 / len(ties))
        if NONE in steps:
            payable = np.where(path_lengths(view, [view.seat])[0] < UNPAYABLE, probability, 0.0)
            others = len(list_ties(payable, lengths)) if payable.any() else 1
            cuts = np.union1d(np.arange(len(ties) + 1) / len(ties), np.arange(others) / others)
            views = Views(view.board, view.rules, np.repeat(view.states, len(cuts) - 1))
            targets, middles = np.full(len(views), NOWHERE, np.int64), (cuts[1:] + cuts[:-1]) / 2
            steps, shares = self._decide(views, targets, middles)[0], np.diff(cuts)  # between two cuts all draws agree
        return tuple((step, float(shares[steps == step].sum())) for step in np.unique(steps).tolist())

    def _decide_one(self, view: View, given: dict[int, int], draws: NDArray[np.float64]) -> tuple[int, int, Belief]:
        """Choose an action and its target, the one that is given if any; return them and the map."""
        targets = np.array([given.get(view.seat, NOWHERE)])
        actions, probability = self._decide(Views(view.board, view.rules, view.states), targets, draws)
        return int(actions[0]), int(targets[0]), probability

    def _decide(
        self, views: Views, targets: NDArray[np.int64], draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Belief]:
        """Choose an action for each view, and a target where none is given; return the map of the last one too."""
        probability, paths = np.zeros((2, views.board.stations + 1))
        actions, by_tickets = np.empty(len(views), np.int64), self.tie_break == "tickets"
        maps = self._settings(), probability, paths
        decide_rows(views.board.packed, views.states, *maps, by_tickets, draws, new_scratch(), actions, targets)
        return actions, probability

    def find_ways(self, view: View, rng: np.random.Generator) -> list[Way]:
        """Return where each detective from the one to move on would go, and by which path, if nobody finds Mr. X."""
        return self._find_ways(view, self._assign(view), rng.random(1))

    def _find_ways(self, view: View, given: dict[int, int], draws: NDArray[np.float64]) -> list[Way]:
        """Let each detective decide when those before it have taken their first step."""
        table, ways = View(view.board, view.rules, view.state, view.viewer), []
        for seat in range(view.seat, len(view.stations)):
            table.state.seat = seat
            action, target, _ = self._decide_one(table, given, draws)
            path = None if target == NOWHERE else shortest_path(table, target)
            ways.append(Way(seat, target, path or [action]))
            if action != pass_action(view.board.arrays):
                take_step(table, seat, destination(action))
        return ways

    def probability_map(self, view: View) -> Belief:
        """Return how likely each station is to the detective to move, row 0 unused."""
        probability, paths = np.zeros((2, view.board.stations + 1))
        compute_probability_map(view.board.arrays, view.state, self._settings(), probability, paths)
        return probability

    def _settings(self) -> tuple[float, bool, int, bool]:
        """Return what the map depends on, as kernels read it."""
        return self.alpha, self.base == "paths", get_args(Reachable).index(self.reachable), self.map == "round"


def list_ties(probability: Belief, lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """List the likeliest stations that are the closest."""
    likeliest = np.flatnonzero(probability >= probability.max() * (1 - SAME))
    closest: NDArray[np.int64] = likeliest[lengths[likeliest] == lengths[likeliest].min()]
    return closest


def take_step(table: View, seat: int, to: int) -> None:
    """Put a detective on a station, and strike it out as the rules do if it is not the last where Mr. X can be."""
    table.state.station[seat] = to
    if count(table.state.possible) > 1:
        discard(table.state.possible, to)


@kernel
def decide_rows(boards, states, settings, probability, paths, by_tickets, draws, scratches, actions, targets):
    """Write for every view an action and the station it heads for; a target that stands there already is taken."""
    lengths = np.empty(boards[0].stations + 1, np.int64)
    for index in range(len(states)):
        view = states[index]
        if can_move(boards[0], view, view.seat, view.station[view.seat]):
            compute_probability_map(boards[0], view, settings, probability, paths)
            measure_closeness(boards[0], view, by_tickets, scratches[0], lengths)
            actions[index], targets[index] = head_for_target(
                boards[0], view, probability, lengths, targets[index], draws[index], scratches[0]
            )
        else:
            actions[index], targets[index] = pass_action(boards[0]), NOWHERE


@kernel
def head_for_target(board, view, probability, lengths, assigned, draw, scratch):
    """Return the first step to the target, and the target; the next best if the tickets do not lead to the best."""
    probability[view.station[view.seat]] = 0.0  # by tickets alone he may be where the detective stands, who must move
    target = choose_target(board, probability, lengths, draw) if assigned == NOWHERE else assigned
    last = find_path(board, view, target, scratch)
    if last == NONE:
        strike_out_unpayable(board, probability, scratch)
        payable = choose_target(board, probability, lengths, draw)
        if payable == NOWHERE:
            return nearest_move(board, view, target), NOWHERE
        target = payable
        last = find_path(board, view, target, scratch)
    return first_step(scratch, last), target


# --------------------------------------------------------------------------------------------------- probability map


@kernel
def compute_probability_map(board, view, settings, probability, paths):
    """Write how likely Mr. X is on each station: more so, the farther the closest detective."""
    alpha, by_paths, reachable, once = settings
    if reachable == EXACT and not once:
        weigh_possible(board, view, by_paths, probability, paths)
    else:
        weigh_reachable(board, view, by_paths, reachable, probability, paths)
    total = 0.0
    for station in range(1, board.stations + 1):
        if probability[station] > 0.0:
            probability[station] *= 1.0 + alpha * closest_detective(board, view, once, station)
            total += probability[station]
    for station in range(1, board.stations + 1):
        probability[station] /= total


@kernel
def closest_detective(board, view, once, station):
    """Return the moves that the closest detective needs to a station: now, or before the first moved this round."""
    if once:
        before = view.trail[view.rounds - 1, : view.seats - 1]
        return distance_to_nearest(board, before, station, UNREACHABLE)
    return nearest_detective(board, view, station)


# ------------------------------------------------------------------------------------------------------------ target


@kernel
def measure_closeness(board, view, by_tickets, scratch, lengths):
    """Write how many moves each station is away, tickets aside or along paths that the tickets pay for."""
    if by_tickets:
        measure_lengths(board, view, scratch, lengths)
    else:
        for station in range(1, board.stations + 1):
            lengths[station] = board.distance[view.station[view.seat], station]


@kernel
def choose_target(board, probability, lengths, draw):
    """Choose the station with maximum probability, of several the closest; a draw in [0, 1) breaks ties."""
    highest = 0.0
    for station in range(1, board.stations + 1):
        highest = max(highest, probability[station])
    closest, ties = UNPAYABLE, 0
    for station in range(1, board.stations + 1):
        if is_likeliest(probability, station, highest):
            if lengths[station] < closest:
                closest, ties = lengths[station], 0
            ties += lengths[station] == closest
    wanted = int(draw * ties)
    for station in range(1, board.stations + 1):
        if is_likeliest(probability, station, highest) and lengths[station] == closest:
            if wanted == 0:
                return station
            wanted -= 1
    return NOWHERE


@kernel
def is_likeliest(probability, station, highest):
    """Tell whether Mr. X is nowhere likelier than here."""
    return highest > 0.0 and probability[station] >= highest * (1.0 - SAME)


@kernel
def strike_out_unpayable(board, probability, scratch):
    """Strike out the stations to which no path can be paid for: a search that failed has been to all others."""
    for station in range(1, board.stations + 1):
        if scratch.newest[station] == NONE:
            probability[station] = 0.0


@kernel
def nearest_move(board, view, target):
    """Return the legal move that ends nearest to a station, tickets aside."""
    station = view.station[view.seat]
    best, nearest = pass_action(board), UNPAYABLE
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(view, view.seat, to, fare) and board.distance[to, target] < nearest:
            best, nearest = move_action(to, fare), int(board.distance[to, target])
    return best
