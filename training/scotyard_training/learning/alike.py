"""Decisions that come up again and again, as they do on small boards: each is worked out once, however often it is met.

What an actor and a critic are shown of two decisions is the same where the views are, and where Mr. X really is. A
rollout says by ``which`` of them a decision is one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.move_scorer import draw_rows, score, softmax
from scotyard_baselines.networks.weights import Weights
from scotyard_env.view import Views
from scotyard_training.learning.rollout import Decisions, Rollout, join, mix_uniform
from scotyard_training.learning.side_games import SideGames

Integers = NDArray[np.int64]
NEW = -1  # number of a decision that was not met before


class Picked(NamedTuple):
    """What was drawn for some decisions."""

    chosen: Integers  # which of its legal moves each chose
    actions: Integers
    probabilities: NDArray[np.float64]  # of what was chosen


class Known:
    """The different decisions met since a network learned last, with what it plays there, some moves drawn from all."""

    def __init__(self, weights: Weights, uniform_mix: float) -> None:
        self.weights, self.uniform_mix = weights, uniform_mix
        self.numbers: dict[bytes, int] = {}
        self.parts: list[Inputs] = []
        self.firsts, self.ids, self.probabilities = np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0)

    def number(self, views: Views, told: Integers | None = None) -> Integers:
        """Return the number of every decision by its view and a number told besides; learn the new ones."""
        keys, numbers = name(views, told), self.numbers
        found = np.array([numbers.get(key, NEW) for key in keys], np.int64)
        if len(rows := np.flatnonzero(found == NEW)):
            firsts = {keys[row]: row for row in reversed(rows.tolist())}
            numbers |= {key: len(numbers) + place for place, key in enumerate(firsts)}
            found[rows] = [numbers[keys[row]] for row in rows]
            self.learn(Views(views.board, views.rules, views.states[[*firsts.values()]]))
        return found

    def learn(self, views: Views) -> None:
        """Work out what the network plays in views that are new."""
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


def name(views: Views, told: Integers | None = None) -> list[bytes]:
    """Return names of views, the same for the same, and for the same number told besides."""
    columns = [np.ascontiguousarray(views.states).view(np.uint8).reshape(len(views), -1)]
    if told is not None:
        columns.append(told[:, None].view(np.uint8))
    names = np.concatenate(columns, axis=1)
    listed: list[bytes] = names.view(f"S{names.shape[1]}").ravel().tolist()
    return listed


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
