"""Rollouts without repetition: on small boards the same decisions recur, and each is evaluated only once.

Two decisions are the same to an actor and a critic if their views are, and the station where Mr. X really is. In such a
rollout, ``decisions`` has only the different ones, and ``which`` has the number of every decision among them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.move_scorer import draw_rows, score, softmax
from scotyard_baselines.networks.weights import Weights
from scotyard_env.kernel import kernel
from scotyard_env.view import Views
from scotyard_training.learning.rollout import Decisions, Rollout, join, mix_uniform
from scotyard_training.learning.side_games import SideGames

Integers = NDArray[np.int64]
FEW = 64  # decisions that there is room for at first
FREE = -1  # of a slot that no decision is in


class Picked(NamedTuple):
    """What was drawn for some decisions."""

    chosen: Integers  # which of its legal moves each chose
    actions: Integers
    probabilities: NDArray[np.float64]  # of what was chosen


class Numbers:
    """A number for every different key that has come up; a key is a row of words."""

    def __init__(self) -> None:
        self.count = 0
        self.keys = np.empty((FEW, 0), np.uint32)
        self.slots = np.empty(0, np.int64)  # numbers of keys, each near where its key belongs, or FREE

    def number(self, keys: NDArray[np.uint32]) -> Integers:
        """Return the number of every key; new ones get the next, in their order."""
        room, numbers = self.count + len(keys), np.empty(len(keys), np.int64)
        if room > len(self.keys) or not len(self.slots):
            kept, self.keys = self.keys[: self.count], np.empty((2 * room, keys.shape[1]), np.uint32)
            self.slots = np.full(1 << int(4 * room - 1).bit_length(), FREE)  # a power of 2, half of it free or more
            if self.count:
                number_keys(kept, self.keys, self.slots, 0, np.empty(self.count, np.int64))
        self.count = number_keys(keys, self.keys, self.slots, self.count, numbers)
        return numbers


class Known:
    """The different decisions since the last update of a network, and its probabilities there with the uniform mix."""

    def __init__(self, weights: Weights, uniform_mix: float) -> None:
        self.weights, self.uniform_mix = weights, uniform_mix
        self.numbers = Numbers()
        self.parts: list[Inputs] = []
        self.firsts, self.ids, self.probabilities = np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0)

    def number(self, views: Views, told: Integers | None = None) -> Integers:
        """Return the number of every decision, by its view and one more number; evaluate the new ones."""
        before, found = self.numbers.count, self.numbers.number(make_keys(views, told))
        if self.numbers.count > before:
            different, rows = np.unique(found, return_index=True)
            self.evaluate(Views(views.board, views.rules, views.states[rows[different >= before]]))
        return found

    def evaluate(self, views: Views) -> None:
        """Ask the network for its probabilities in views that are new."""
        inputs = make_inputs(views)
        probabilities = mix_uniform(inputs, softmax(inputs, score(self.weights, inputs)), self.uniform_mix)
        self.parts.append(inputs)
        self.firsts = np.concatenate([self.firsts, inputs.firsts[1:] + self.firsts[-1]])
        self.ids = np.concatenate([self.ids, inputs.ids])
        self.probabilities = np.concatenate([self.probabilities, probabilities])

    def draw(self, numbers: Integers, rng: np.random.Generator) -> Picked:
        """Draw a move for each of some decisions."""
        firsts, rows = list_rows(self.firsts, numbers)
        probabilities, picked = self.probabilities[rows], np.empty(len(numbers), np.int64)
        draw_rows(firsts, probabilities, rng.random(len(numbers)), picked)
        return Picked(picked - firsts[:-1], self.ids[rows[picked]], probabilities[picked])


def make_keys(views: Views, told: Integers | None = None) -> NDArray[np.uint32]:
    """Return keys of views, the same for the same views and numbers."""
    words = np.ascontiguousarray(views.states).view(np.uint32).reshape(len(views), -1)
    return words if told is None else np.column_stack([words, told.astype(np.uint32)])


def list_rows(firsts: Integers, numbers: Integers) -> tuple[Integers, Integers]:
    """Return where the rows of some decisions begin if they lie one after the other, and the rows."""
    counts = firsts[numbers + 1] - firsts[numbers]
    begins = np.concatenate([[0], np.cumsum(counts)])
    return begins, np.repeat(firsts[numbers] - begins[:-1], counts) + np.arange(begins[-1])


def collect_alike(
    games: SideGames, weights: Weights, steps: int, rng: np.random.Generator, uniform_mix: float
) -> Rollout:
    """Play all games on for some steps as ``collect`` does; the decisions of the rollout are the different ones."""
    shape, known = (steps, len(games)), Known(weights, uniform_mix)
    rewards, ended, log_probs = np.zeros(shape, np.float32), np.zeros(shape, np.bool_), np.empty(shape, np.float32)
    which, chosen, mr_x = (np.empty((steps + 1, len(games)), np.int64) for _ in range(3))
    for step in range(steps + 1):
        mr_x[step] = games.mr_x
        which[step] = known.number(games.batch.views(), mr_x[step])
        if step < steps:
            chosen[step], actions, probabilities = known.draw(which[step], rng)
            log_probs[step] = np.log(probabilities)
            rewards[step], ended[step] = games.step(actions)
    board, (_, firsts) = games.batch.board, np.unique(which, return_index=True)
    stations = mr_x.ravel()[firsts]
    decisions = Decisions.make(board, join(known.parts), stations, np.zeros_like(stations))
    after = pick(decisions, which[-1])
    return Rollout(decisions, chosen[:-1].ravel(), log_probs.ravel(), rewards, ended, after, which[:-1].ravel())


def pick(decisions: Decisions, numbers: Integers) -> Decisions:
    """Return some decisions, one after the other."""
    inputs = decisions.inputs
    firsts, rows = list_rows(inputs.firsts, numbers)
    every = (inputs.stations[numbers], inputs.belief[numbers], inputs.facts[numbers], firsts)
    return Decisions(Inputs(*every, inputs.rows[rows], inputs.ids[rows], inputs.to[rows]), *decisions.told(numbers))


@kernel
def number_keys(keys, kept, slots, count, numbers):
    """Write the number of every key among those that are kept, which new ones join; return how many these are then."""
    for row in range(len(keys)):
        mixed = 0
        for word in range(keys.shape[1]):
            mixed = (mixed * 8191 ^ int(keys[row, word])) & 0xFFFFFFFFFF
        slot = (mixed ^ mixed >> 17) & (len(slots) - 1)
        while slots[slot] != FREE and not is_same_key(kept, slots[slot], keys, row):
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] == FREE:
            slots[slot] = count
            for word in range(keys.shape[1]):
                kept[count, word] = keys[row, word]
            count += 1
        numbers[row] = slots[slot]
    return count


@kernel
def is_same_key(some, one, others, other):
    """Tell whether a key is another."""
    for word in range(some.shape[1]):
        if some[one, word] != others[other, word]:
            return False
    return True
