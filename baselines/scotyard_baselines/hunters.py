"""hunters: detectives who plan the rest of the round together against a Mr. X who runs.

The worth of a joint plan is the weight of the stations it catches him on plus, for every other station where he may
be, 0.9 ** T for where he flees to: T is the exact time that two detectives would need to catch him there if they saw
him (capture.py), of the soonest pair and of all pairs on average, half and half; his best reply counts for 0.8, the
mean over all of them for the rest. The plan is found by coordinate ascent (ascent.py) and made anew after every pawn,
since a miss is information too. The belief is that of a rational Mr. X (suspicion.py), and then, a random number of
times, of one who knows what they would do (wariness.py): a Mr. X who knows this code cannot tell what they will do.

Classic London, share caught in the arena with 95 % Wilson interval: greedy 99.6 % [99.0, 99.8], hider 99.1 % [98.3,
99.5], ppo_mr_x 66.2 % [63.2, 69.1] and ``pimbot:iterations=1000`` 88.0 % [85.8, 89.9] of 1,000 games each,
``pimbot:iterations=10000`` 88.0 % [82.8, 91.8] of 200, phantom 57.8 % [52.9, 62.5] of 400; their exploiter 67.5 %
[58.7, 75.2] of 120.

How the settings were chosen (batches; caught of 400 games of ``pimbot:iterations=1000``, of 1,000 of ppo_mr_x, and in
the arena of 60 of ``exploiter:samples=4``):

- a belief that weighs stations, not choices; caution 0.5, wariness 3: 331, 546
- the belief of suspicion.py, at 75 % of the fitted weights: 363, 622, and the exploiter in 20 of 40
- the same with wariness 6: 342, 589, 44; with thoughts 8: 342, 580, 41
- with pairs 0.5 and caution 0.8: 358, 663, 41; hider in 986 of 1,000, before 967
- at 85 % of the weights, wariness 4 (so they play): 366, 677, 41; at 100 %, wariness 5: 358, 702, 38

A second layer, a plan for the round after from the best few of this one, took five times the time and moved neither
hider nor pimbot, with the belief of the first line.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.choice_model import SUSPICION, suspect, suspect_on
from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.planning.choices import MAX_PARTICLES
from scotyard_baselines.planning.coordinate_ascent import CLIMB, climb
from scotyard_baselines.planning.hedge import outthink
from scotyard_baselines.planning.plans import NODE, TABLE, list_choices, look_at, look_at_pawns, make_weights
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.state import MAX_DETECTIVES, MR_X, count, has
from scotyard_env.view import View, Views

SHARES = 3  # levels of doubt that a decision draws from: none, half, all


@dataclass(frozen=True)
class Hunters:
    """Make the joint plan that leaves Mr. X the least time to run, wherever he may be."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)
    particles: int = MAX_PARTICLES  # likeliest stations of Mr. X that are looked at
    discount: float = 0.9  # what a round more until he is caught leaves of a plan's worth
    approach: float = 0.002  # price of a move of distance of each detective from where he may be
    pairs: float = 0.5  # share of all pairs of detectives in that time, against the soonest pair
    caution: float = 0.8  # share of Mr. X's best reply, against the mean of all
    thrift: float = 0.004  # price of a detective's last ticket of a kind; of one of several, that divided
    doubt: float = 0.0  # largest share of the uniform belief; a decision draws 0, half of it, or all
    starts: int = 4  # plans that the ascent begins with: the nearest one, the others at random
    thoughts: int = 4  # at most, of a Mr. X who knows the plan; a decision draws 0 to all (wariness.py)
    wariness: float = 4.0  # how much he shuns in each of them what the plan is worth

    def __post_init__(self) -> None:
        if not 1 <= self.particles <= MAX_PARTICLES:
            raise ValueError(f"particles is {self.particles}: give 1 to {MAX_PARTICLES}")
        if not 0.0 < self.discount < 1.0:
            raise ValueError(f"discount is {self.discount}: give a number between 0 and 1")
        if not 0.0 <= self.doubt <= 1.0:
            raise ValueError(f"doubt is {self.doubt}: give a share from 0 to 1")
        if not 0.0 <= self.pairs <= 1.0:
            raise ValueError(f"pairs is {self.pairs}: give a share from 0 to 1")
        if not 0.0 <= self.caution <= 1.0:
            raise ValueError(f"caution is {self.caution}: give a share from 0 to 1")
        if not self.thrift >= 0.0:
            raise ValueError(f"thrift is {self.thrift}: give a number of at least 0")
        if not 0 <= self.thoughts <= 100:
            raise ValueError(f"thoughts is {self.thoughts}: give a whole number from 0 to 100")
        if not 0.0 <= self.wariness <= 100.0:
            raise ValueError(f"wariness is {self.wariness}: give a number from 0 to 100")
        if self.starts < 1:
            raise ValueError(f"starts is {self.starts}: give a whole number of at least 1")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan; its confidence is the gap to the best plan that begins otherwise."""
        _, actions, values = self._plan(Views(view.board, view.rules, view.states), rng)
        weighed = ((int(action), float(value)) for action, value in zip(actions, values, strict=True))
        candidates = sorted((pair for pair in weighed if np.isfinite(pair[1])), key=lambda pair: -pair[1])
        gap = candidates[0][1] - candidates[1][1] if len(candidates) > 1 else None
        return Decision(candidates[0][0], value=candidates[0][1], confidence=gap, candidates=tuple(candidates))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self._plan(views, rng)[0]

    def _plan(
        self, views: Views, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Plan for each of many views; give the first moves, and the mover's actions and values in the last view."""
        chosen = np.empty(len(views), np.int64)
        nodes, tables, sheets = np.zeros(1, NODE), np.zeros(1, TABLE), np.zeros(1, CLIMB)
        doubts = self.doubt * np.floor(SHARES * rng.random(len(views))) / (SHARES - 1)
        draws = rng.random((len(views), self.starts - 1, MAX_DETECTIVES))
        thoughts = rng.integers(0, self.thoughts + 1, len(views))
        weights = (self.discount, self.approach, self.thrift, self.caution, self.pairs)
        plan_rows(
            views.board.packed,
            capture_times(views.board),
            views.states,
            self.particles,
            doubts,
            thoughts,
            self.wariness,
            draws,
            np.zeros(1, SUSPICION),
            make_weights(*weights, detectives=views.rules.detectives),
            nodes,
            tables,
            sheets,
            chosen,
        )
        return chosen, sheets[0].action[: sheets[0].count], sheets[0].value[: sheets[0].count]


@kernel
def plan_rows(
    boards,
    times,
    states,
    particles,
    doubts,
    thoughts,
    wariness,
    draws,
    suspicions,
    weights,
    nodes,
    tables,
    sheets,
    chosen,
):
    """Write the first move of the best plan for each view, after so many thoughts of a Mr. X who would evade it."""
    board, node, table, sheet, belief = boards[0], nodes[0], tables[0], sheets[0], suspicions[0].belief
    for index in range(len(states)):
        suspect(board, times, states[index], suspicions[0])
        mix_in_uniform(board, states[index], belief, doubts[index])
        look_around(board, states[index], particles, belief, weights[0], node, table)
        outthink(board, times, node, weights[0], table, sheet, draws[index], thoughts[index], wariness)
        chosen[index] = sheet.action[climb(board, times, node, weights[0], table, sheet, draws[index])]


@kernel
def choose_action(board, times, view, particles, doubt, draws, suspicion, weights, node, table, sheet):
    """Choose the first move of the best plan; the first detective of a round suspects anew, the others after it."""
    if view.seat == MR_X + 1:
        suspect(board, times, view, suspicion)
    else:
        suspect_on(board, view, suspicion)
    mix_in_uniform(board, view, suspicion.belief, doubt)
    return choose_by_belief(board, times, view, particles, draws, suspicion.belief, weights, node, table, sheet)


@kernel
def choose_by_belief(board, times, view, particles, draws, belief, weights, node, table, sheet):
    """Choose the first move of the best plan for a belief; the belief is used up."""
    look_around(board, view, particles, belief, weights, node, table)
    return sheet.action[climb(board, times, node, weights, table, sheet, draws)]


@kernel
def look_around(board, view, particles, belief, weights, node, table):
    """Take down a moment as the detectives see it, and what they can do; the belief is used up."""
    if count(view.possible) > particles:
        look_at(view, belief, particles, node)
    else:
        look_at_pawns(view, node)
        keep_all(board, belief, node)
    for detective in range(node.mover, node.detectives):
        list_choices(board, node, weights, table, detective)


@kernel
def keep_all(board, belief, node):
    """Make particles of all the stations of a belief."""
    node.particles = 0
    for station in range(1, board.stations + 1):
        if belief[station] > 0.0:
            node.particle[node.particles] = station
            node.weight[node.particles] = belief[station]
            node.particles += 1


@kernel
def mix_in_uniform(board, state, belief, share):
    """Give a share of a belief to all possible stations alike."""
    each = share / count(state.possible)
    for station in range(1, board.stations + 1):
        if has(state.possible, station):
            belief[station] = (1.0 - share) * belief[station] + each
