"""astar_greedy: each detective heads for Mr. X's likeliest station by A*, along a path that its tickets pay for.

After "A* + Greedy Movement Algorithm for Detectives". Where it is silent or leaves a choice, what catches most decided.

* Mr. X's reachable stations: along the tickets he has shown since he was last seen, from his start cards if he never
  was; but not where a detective stood in the way or landed since. That is the exact possible set; with all that the
  tickets alone allow, detectives run after stations where he cannot be.
* Base probability: uniform, not by the number of paths. Then alpha only says that the targets are the stations farthest
  from all detectives, and any above 0 plays the same; with 0 it is the nearest station.
* The detectives move one after the other, so each makes its map anew: the one before may have found a station empty.
* Several targets at the same distance: ties are broken at random.
* A path is legal if the tickets pay for all of it and its first move leads to no colleague; by the second he may be
  gone. If no path to the target is legal, the detective turns to the next best target; if there is none, it makes the
  legal move that ends nearest to the best.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.geometry.a_star import NONE, find_path, first_step, new_scratch, write_first_steps
from scotyard_env.belief import Belief, top_stations, weigh_by_paths, weigh_uniformly
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.ranges import Price, check_ranges
from scotyard_env.rules import can_move, may_move, move_action, pass_action
from scotyard_env.state import MAX_STATIONS, NOWHERE
from scotyard_env.threats import nearest_detective
from scotyard_env.view import View, Views

Base = Literal["uniform", "paths"]
BASES: tuple[Base, ...] = ("uniform", "paths")

MOST_CANDIDATES = 5  # targets that a decision tells of
SAME = 1e-9  # probabilities that differ by less than this share of them are the same


@dataclass(frozen=True)
class AStarGreedy(Explains):
    """Head for the likeliest station of Mr. X, the nearest if there are several, by A* within the tickets."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    alpha: Price = 0.5  # how much a station gains per move of distance from the closest detective
    base: Base = "uniform"  # base probability: the same for all, or by the number of "paths" that lead to a station

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.base not in BASES:
            raise ValueError(f"there is no base {self.base!r}: there are {', '.join(BASES)}")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the candidates are first steps to the likeliest stations, with how likely those are."""
        scratch, probability = new_scratch(), np.zeros(view.board.stations + 1)
        views = Views(view.board, view.rules, view.states)
        actions, targets = self._decide(views, scratch, probability, rng.random(1))
        action, target = int(actions[0]), int(targets[0])
        if target == NOWHERE:
            return Decision(action)
        stations = np.array(top_stations(probability, MOST_CANDIDATES))
        steps = np.empty_like(stations)
        write_first_steps(view.board.packed, view.states, scratch, stations, steps)
        values = {action: float(probability[target])}
        for step, value in zip(steps.tolist(), probability[stations].tolist(), strict=True):
            values.setdefault(step, value)
        values.pop(NONE, None)
        candidates = tuple(values.items())
        return Decision(action, value=values[action], candidates=candidates)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self._decide(views, new_scratch(), np.zeros(views.board.stations + 1), rng.random(len(views)))[0]

    def _decide(
        self, views: Views, scratch: NDArray[np.void], probability: Belief, draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Choose an action and its target for each view; probability is that of the last view in the end."""
        actions, targets = np.empty((2, len(views)), np.int64)
        maps = float(self.alpha), self.base == "paths", probability, np.zeros_like(probability)
        decide_rows(views.board.packed, views.states, *maps, draws, scratch, actions, targets)
        return actions, targets


@kernel
def decide_rows(boards, states, alpha, by_paths, probability, paths, draws, scratches, actions, targets):
    """Write for every view an action and the station it heads for."""
    for index in range(len(states)):
        view = states[index]
        if can_move(boards[0], view, view.seat, view.station[view.seat]):
            compute_probability_map(boards[0], view, alpha, by_paths, probability, paths)
            actions[index], targets[index] = head_for_target(boards[0], view, probability, draws[index], scratches[0])
        else:
            actions[index], targets[index] = pass_action(boards[0]), NOWHERE


@kernel
def head_for_target(board, view, probability, draw, scratch):
    """Return the first step to the target, and the target; the next best if the tickets do not lead to the best."""
    target = choose_target(board, view, probability, draw)
    last = find_path(board, view, target, scratch)
    if last == NONE:
        strike_out_unpayable(board, probability, scratch)
        payable = choose_target(board, view, probability, draw)
        if payable == NOWHERE:
            return nearest_move(board, view, target), NOWHERE
        target = payable
        last = find_path(board, view, target, scratch)
    return first_step(scratch, last), target


def probability_map(view: View, alpha: float, base: Base) -> Belief:
    """Return the probability of every station, row 0 unused."""
    probability, paths = np.zeros((2, view.board.stations + 1))
    compute_probability_map(view.board.arrays, view.state, alpha, base == "paths", probability, paths)
    return probability


@kernel
def compute_probability_map(board, view, alpha, by_paths, probability, paths):
    """Write how likely Mr. X is on each station: more so, the farther the closest detective."""
    if by_paths:
        weigh_by_paths(board, view, False, probability, paths)
    else:
        weigh_uniformly(board, view, probability)
    total = 0.0
    for station in range(1, board.stations + 1):
        if probability[station] > 0.0:
            probability[station] *= 1.0 + alpha * nearest_detective(board, view, station)
            total += probability[station]
    for station in range(1, board.stations + 1):
        probability[station] /= total


@kernel
def choose_target(board, view, probability, draw):
    """Choose the station with maximum probability, of several the closest; a draw in [0, 1) breaks ties."""
    here = board.distance[view.station[view.seat]]
    highest = 0.0
    for station in range(1, board.stations + 1):
        highest = max(highest, probability[station])
    closest, ties = 2 * MAX_STATIONS, 0
    for station in range(1, board.stations + 1):
        if is_likeliest(probability, station, highest):
            if here[station] < closest:
                closest, ties = int(here[station]), 0
            ties += here[station] == closest
    wanted = int(draw * ties)
    for station in range(1, board.stations + 1):
        if is_likeliest(probability, station, highest) and here[station] == closest:
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
    best, nearest = pass_action(board), 2 * MAX_STATIONS
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(view, view.seat, to, fare) and board.distance[to, target] < nearest:
            best, nearest = move_action(to, fare), int(board.distance[to, target])
    return best
