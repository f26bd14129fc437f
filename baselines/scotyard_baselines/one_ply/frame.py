"""The frame of the policies that look one move ahead: score every legal action, play the best, ties at random."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_env.encode.features import most_moves
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.view import View, Views


class Scores(NamedTuple):
    """The legal actions of many views, one row each, and what they are worth to their seat."""

    actions: NDArray[np.int64]  # (views, most)
    values: NDArray[np.float64]  # (views, most)
    counts: NDArray[np.int64]  # (views,) how many of a row are filled


def new_scores(views: Views) -> Scores:
    """Return room for the scores of some views."""
    shape = (len(views), most_moves(views.board))
    return Scores(np.empty(shape, np.int64), np.empty(shape), np.empty(len(views), np.int64))


@dataclass(frozen=True)
class OnePly(Explains):
    """A policy that scores every legal action; a subclass says how."""

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        raise NotImplementedError

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action; the decision tells the scores of all."""
        scores = self.score(Views(view.board, view.rules, view.states))
        action = int(pick(scores.actions[0], scores.values[0], scores.counts[0], rng.random()))
        weighed = zip(scores.actions[0, : scores.counts[0]], scores.values[0, : scores.counts[0]], strict=True)
        candidates = tuple(sorted(((int(a), float(v)) for a, v in weighed), key=lambda pair: -pair[1]))
        best = candidates[0][1]
        equals = [other for other, value in candidates if value == best]
        return Decision(action, best, candidates, tuple((other, 1 / len(equals)) for other in equals))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        scores = self.score(views)
        chosen = np.empty(len(views), np.int64)
        pick_rows(scores.actions, scores.values, scores.counts, rng.random(len(views)), chosen)
        return chosen


@kernel
def pick(actions, values, count, draw):
    """Return the best action; a draw in [0, 1) breaks ties."""
    best = values[0]
    equals = 0
    for index in range(count):
        if values[index] > best:
            best = values[index]
            equals = 1
        elif values[index] == best:
            equals += 1
    wanted = int(draw * equals)
    for index in range(count):
        if values[index] == best:
            if wanted == 0:
                return actions[index]
            wanted -= 1
    return actions[0]


@kernel
def pick_rows(actions, values, counts, draws, chosen):
    """Pick the best action of every row."""
    for index in range(len(counts)):
        chosen[index] = pick(actions[index], values[index], counts[index], draws[index])
