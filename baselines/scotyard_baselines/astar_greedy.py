"""astar_greedy: each detective heads for Mr. X's likeliest station by A*, along a path that its tickets pay for.

After "A* + Greedy Movement Algorithm for Detectives". Where it is silent or leaves a choice, what catches most decided;
in brackets how many games of 100 a greedy Mr. X and a hider lose (London, classic rules, 4,000 games each).

* Mr. X's reachable stations: along the tickets he has shown since he was last seen, from his start cards if he never
  was; but not where a detective stood in the way or landed since. That is the exact possible set (79, 50); with all
  that the tickets alone allow, detectives run after stations where he cannot be (62, 33).
* Base probability: uniform (79, 50), not by the number of paths (80, 46). Then alpha only says that the targets are the
  stations farthest from all detectives, and any above 0 plays the same; with 0 it is the nearest station (74, 42).
* The detectives move one after the other, so each makes its map anew: the one before may have found a station empty.
* Several targets at the same distance: chance decides.
* A path is legal if the tickets pay for all of it and its first move leads to no colleague; by the second he may be
  gone. If no path to the target is legal, the detective turns to the next best target; if there is none, it makes the
  legal move that ends nearest to the best.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from scotyard_env.belief import Belief, top_stations, weigh_by_paths, weigh_uniformly
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.rules import can_move, is_taken, may_move, move_action, pass_action
from scotyard_env.state import BLACK, MAX_STATIONS, NOWHERE
from scotyard_env.threats import nearest_detective
from scotyard_env.view import View, Views

Base = Literal["uniform", "paths"]
BASES: tuple[Base, ...] = ("uniform", "paths")

NONE = -1  # no label, no path
MOST_CANDIDATES = 5  # targets that a decision tells of
SAME = 1e-9  # probabilities that differ by less than this share of them are the same
ROOM = 1 << 14  # for labels; on London no search needs more than 3,100, with 30 tickets of each kind to spend

SEARCH = np.dtype(  # scratch paper; a label is one way to a station, with what it leaves of the purse
    (
        np.record,
        np.dtype(
            [
                ("probability", "f8", (MAX_STATIONS + 1,)),  # that Mr. X is on a station
                ("scratch", "f8", (MAX_STATIONS + 1,)),
                ("labels", "i4"),  # how many there are
                ("newest", "i4", (MAX_STATIONS + 1,)),  # label of each station; NONE = tickets have not led there
                ("open", "i4", (2 * MAX_STATIONS + 2,)),  # newest label to go on from, by estimated length
                ("station", "i2", (ROOM,)),
                ("left", "i2", (ROOM, BLACK)),  # tickets left: taxi, bus, underground
                ("moves", "i2", (ROOM,)),  # made so far
                ("fare", "i1", (ROOM,)),  # paid for the last of them
                ("parent", "i4", (ROOM,)),  # label before the last of them; NONE = this is the start
                ("next_here", "i4", (ROOM,)),  # next older label of the same station
                ("next_open", "i4", (ROOM,)),  # next older label of the same estimated length
            ],
            align=True,
        ),
    )
)


def new_search() -> NDArray[np.void]:
    """Make a sheet of scratch paper, as an array of one record."""
    return np.zeros(1, SEARCH)


@dataclass(frozen=True)
class AStarGreedy:
    """Head for the likeliest station of Mr. X, the nearest if there are several, by A* within the tickets."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)
    alpha: float = 0.5  # how much a station gains per move of distance from the closest detective
    base: Base = "uniform"  # base probability: the same for all, or by the number of "paths" that lead to a station

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise ValueError(f"alpha is {self.alpha!r}: give a number of at least 0")
        if self.base not in BASES:
            raise ValueError(f"there is no base {self.base!r}: there are {', '.join(BASES)}")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the candidates are first steps to the likeliest stations, with how likely those are."""
        search = new_search()
        actions, targets = self._decide(Views(view.board, view.rules, view.states), search, rng.random(1))
        action, target = int(actions[0]), int(targets[0])
        if target == NOWHERE:
            return Decision(action)
        probability: Belief = search[0].probability[: view.board.stations + 1]
        stations = np.array(top_stations(probability, MOST_CANDIDATES))
        steps = np.empty_like(stations)
        write_first_steps(view.board.packed, view.states, search, stations, steps)
        values = {action: float(probability[target])}
        for step, value in zip(steps.tolist(), probability[stations].tolist(), strict=True):
            values.setdefault(step, value)
        values.pop(NONE, None)
        candidates = tuple(values.items())
        gap = candidates[0][1] - candidates[1][1] if len(candidates) > 1 else None
        return Decision(action, value=values[action], confidence=gap, candidates=candidates)

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self._decide(views, new_search(), rng.random(len(views)))[0]

    def _decide(
        self, views: Views, search: NDArray[np.void], draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Choose an action and its target for each view."""
        actions, targets = np.empty((2, len(views)), np.int64)
        by_paths = self.base == "paths"
        decide_rows(views.board.packed, views.states, search, float(self.alpha), by_paths, draws, actions, targets)
        return actions, targets


@kernel
def decide_rows(boards, states, searches, alpha, by_paths, draws, actions, targets):
    """Write for every view an action and the station it heads for."""
    for index in range(len(states)):
        view = states[index]
        if can_move(boards[0], view, view.seat, view.station[view.seat]):
            compute_probability_map(boards[0], view, alpha, by_paths, searches[0])
            actions[index], targets[index] = head_for_target(boards[0], view, draws[index], searches[0])
        else:
            actions[index], targets[index] = pass_action(boards[0]), NOWHERE


@kernel
def head_for_target(board, view, draw, search):
    """Give the first step to the target, and the target; the next best if the tickets do not lead to the best."""
    target = choose_target(board, view, draw, search)
    last = find_path(board, view, target, search)
    if last == NONE:
        strike_out_unpayable(board, search)
        payable = choose_target(board, view, draw, search)
        if payable == NOWHERE:
            return nearest_move(board, view, target), NOWHERE
        target = payable
        last = find_path(board, view, target, search)
    return first_step(search, last), target


# ---------------------------------------------------------------------------- probability map and choice of a target


def probability_map(view: View, alpha: float, base: Base) -> Belief:
    """Give the probability of every station, row 0 unused."""
    search = new_search()
    compute_probability_map(view.board.arrays, view.state, alpha, base == "paths", search[0])
    probability: Belief = search[0].probability[: view.board.stations + 1].copy()
    return probability


@kernel
def compute_probability_map(board, view, alpha, by_paths, search):
    """Write how likely Mr. X is on each station: more so, the farther the closest detective."""
    probability = search.probability
    if by_paths:
        weigh_by_paths(board, view, False, probability, search.scratch)
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
def choose_target(board, view, draw, search):
    """Choose the station with maximum probability, among several the closest, and then the one a draw points at."""
    here = board.distance[view.station[view.seat]]
    highest = 0.0
    for station in range(1, board.stations + 1):
        highest = max(highest, search.probability[station])
    closest, ties = 2 * MAX_STATIONS, 0
    for station in range(1, board.stations + 1):
        if is_likeliest(search, station, highest):
            if here[station] < closest:
                closest, ties = int(here[station]), 0
            ties += here[station] == closest
    wanted = int(draw * ties)
    for station in range(1, board.stations + 1):
        if is_likeliest(search, station, highest) and here[station] == closest:
            if wanted == 0:
                return station
            wanted -= 1
    return NOWHERE


@kernel
def is_likeliest(search, station, highest):
    """Tell whether Mr. X is nowhere likelier than here."""
    return highest > 0.0 and search.probability[station] >= highest * (1.0 - SAME)


# --------------------------------------------------------------------------------- A* over stations and what is left


def shortest_path(view: View, target: int) -> list[int] | None:
    """Give the moves of a shortest path that the detective to move can pay for; None if there is none."""
    search = new_search()
    moves = np.empty(MAX_STATIONS + 2, np.int64)  # all stations, and back to the start
    count = write_path(view.board.packed, view.states, search, target, moves)
    return None if count == NONE else moves[:count].tolist()


@kernel
def write_path(boards, states, searches, target, moves):
    """Write the moves of a shortest path; return how many."""
    label = find_path(boards[0], states[0], target, searches[0])
    if label == NONE:
        return NONE
    count = int(searches[0].moves[label])
    for place in range(count - 1, -1, -1):
        moves[place] = move_action(searches[0].station[label], searches[0].fare[label])
        label = searches[0].parent[label]
    return count


@kernel
def find_path(board, view, target, search):
    """Search by A* for a shortest path of the detective to move; give the label that ends it, NONE if there is none.

    The estimate of the way still to go is the distance with all tickets in the world, which is never too long.
    """
    search.newest[:] = search.open[:] = NONE
    search.labels = 0
    put_start(board, view, target, search)
    for length in range(len(search.open)):
        while search.open[length] != NONE:
            label = search.open[length]
            search.open[length] = search.next_open[label]
            if search.station[label] == target:
                return label
            go_on(board, view, target, search, label)
    return NONE


@kernel
def put_start(board, view, target, search):
    """Put down the label of the start: no moves, the purse untouched."""
    search.station[0] = view.station[view.seat]
    search.moves[0] = 0
    search.parent[0] = NONE
    for kind in range(BLACK):
        search.left[0, kind] = view.tickets[view.seat, kind]
    keep_label(board, target, search)
    search.newest[search.station[0]] = NONE  # it stands for no other label: who comes back may go where colleagues were


@kernel
def go_on(board, view, target, search, label):
    """Put down a label for every station one more move leads to; the first move, to none that a colleague holds."""
    station = search.station[label]
    is_first = search.parent[label] == NONE
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if fare == BLACK or search.left[label, fare] == 0 or search.labels == ROOM:
            continue
        if is_first and is_taken(view, to):
            continue
        new = search.labels
        search.station[new] = to
        search.moves[new] = search.moves[label] + 1
        search.fare[new] = fare
        search.parent[new] = label
        for kind in range(BLACK):
            search.left[new, kind] = search.left[label, kind] - (kind == fare)
        if not is_dominated(search, new):
            keep_label(board, target, search)


@kernel
def is_dominated(search, new):
    """Tell whether another way to the same station leaves as many tickets of every kind, hence is no longer either."""
    label = search.newest[search.station[new]]
    while label != NONE:
        if (
            search.left[label, 0] >= search.left[new, 0]
            and search.left[label, 1] >= search.left[new, 1]
            and search.left[label, 2] >= search.left[new, 2]
        ):
            return True
        label = search.next_here[label]
    return False


@kernel
def keep_label(board, target, search):
    """Keep the label just written: it belongs to its station, and is open."""
    new = search.labels
    station = search.station[new]
    length = search.moves[new] + board.distance[station, target]
    search.next_here[new] = search.newest[station]
    search.newest[station] = new
    search.next_open[new] = search.open[length]
    search.open[length] = new
    search.labels += 1


@kernel
def first_step(search, label):
    """Give the first move of the path that a label ends."""
    while search.moves[label] > 1:
        label = search.parent[label]
    return move_action(search.station[label], search.fare[label])


@kernel
def write_first_steps(boards, states, searches, stations, steps):
    """Write the first move on the way to each of some stations, NONE where no path can be paid for."""
    for index in range(len(stations)):
        last = find_path(boards[0], states[0], stations[index], searches[0])
        steps[index] = NONE if last == NONE else first_step(searches[0], last)


@kernel
def strike_out_unpayable(board, search):
    """Strike out the stations to which no path can be paid for: a search that failed has been to all others."""
    for station in range(1, board.stations + 1):
        if search.newest[station] == NONE:
            search.probability[station] = 0.0


@kernel
def nearest_move(board, view, target):
    """Give the legal move that ends nearest to a station, tickets aside."""
    station = view.station[view.seat]
    best, nearest = pass_action(board), 2 * MAX_STATIONS
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(view, view.seat, to, fare) and board.distance[to, target] < nearest:
            best, nearest = move_action(to, fare), int(board.distance[to, target])
    return best
