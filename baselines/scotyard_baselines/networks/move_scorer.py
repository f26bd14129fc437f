"""The network of the learned players without torch: it scores every legal move of a view, in NumPy.

    state = relu(trunk(relu(stations + belief + facts)))
    score = logit(relu(hidden(relu(context(state) + row + destination)))) + instinct(row)

Stations are sums of embedding rows, the belief and the facts come as numbers, a row is what scorer_inputs.py says of a
move. ``training/scorer.py`` is the same in torch, with the same names of weights. A network belongs to a board; on a
board with another number of stations it goes without what it knows by heart of stations and plays by the rest.
"""

import functools
import io
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import FACTS_WIDTH, ROW_WIDTH, Inputs, make_inputs
from scotyard_env.files import write_whole
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.state import MAX_SEATS
from scotyard_env.view import View, Views

DATA = Path(__file__).parent / "data"
Floats = NDArray[np.float32]


class Weights(NamedTuple):
    """The numbers of a network: units are H wide, the last layer of a row is half of that."""

    stations: Floats  # (6 * (stations + 1), H): embedding by place and station; the rows of station 0 are 0
    belief: Floats  # (stations, H)
    facts: Floats  # (FACTS_WIDTH, H)
    facts_bias: Floats  # (H,)
    trunk: Floats  # (H, H)
    trunk_bias: Floats
    context: Floats  # (H, H)
    row: Floats  # (ROW_WIDTH, H)
    row_bias: Floats
    destination: Floats  # (stations + 1, H): embedding of the destination
    hidden: Floats  # (H, H / 2)
    hidden_bias: Floats
    logit: Floats  # (H / 2,)
    instinct: Floats  # (ROW_WIDTH,): a straight line from a row to its score, which the rest corrects

    def save(self, path: str | PathLike[str]) -> None:
        """Write the weights to a file, whole or not at all."""
        file = io.BytesIO()
        np.savez_compressed(file, **self._asdict())
        write_whole(path, file.getvalue())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Weights":
        """Read weights from a file."""
        try:
            with np.load(path) as file:
                weights = cls(**{name: file[name].astype(np.float32) for name in cls._fields})
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{path} holds no weights of a learned player: {error}") from error
        if weights.row.shape[0] != ROW_WIDTH or weights.facts.shape[0] != FACTS_WIDTH:
            raise ValueError(f"{path} was made for other inputs: export the checkpoint again, or train anew")
        return weights


def score(weights: Weights, inputs: Inputs) -> Floats:
    """Score every legal move of many views."""
    state = inputs.facts @ weights.facts + weights.facts_bias
    knows_board = inputs.belief.shape[1] == weights.belief.shape[0]
    if knows_board:
        state += inputs.belief @ weights.belief
        places = np.arange(MAX_SEATS) * len(weights.destination)
        for place in range(MAX_SEATS):
            state += weights.stations[places[place] + inputs.stations[:, place]]
    state = _relu(_relu(state) @ weights.trunk + weights.trunk_bias)
    row = inputs.rows @ weights.row + weights.row_bias
    row += np.repeat(state @ weights.context, np.diff(inputs.firsts), axis=0)
    if knows_board:
        row += weights.destination[inputs.to]
    hidden = _relu(_relu(row) @ weights.hidden + weights.hidden_bias)
    scores: Floats = hidden @ weights.logit + inputs.rows @ weights.instinct
    return scores


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0, out=values)


@dataclass(frozen=True)
class ScorerPolicy:
    """A policy that draws its action by the probabilities of a network."""

    temperature: float = 1.0  # below 1 the likelier actions become likelier still

    def __post_init__(self) -> None:
        if not 0.01 <= self.temperature <= 10:
            raise ValueError(f"temperature is {self.temperature}: give a number from 0.01 to 10")

    @property
    def weights(self) -> Weights:
        """The numbers of the network."""
        raise NotImplementedError

    def probabilities(self, views: Views) -> tuple[Inputs, NDArray[np.float64]]:
        """Give the inputs of many views and the probability of every legal move."""
        inputs = make_inputs(views)
        return inputs, soften(inputs, score(self.weights, inputs) / np.float32(self.temperature))

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action; the candidates tell the probabilities of all."""
        inputs, chances = self.probabilities(Views(view.board, view.rules, view.states))
        action = int(inputs.ids[draw(inputs, chances, rng)[0]])
        ranked = sorted(zip(inputs.ids.tolist(), chances.tolist(), strict=True), key=lambda pair: -pair[1])
        gap = ranked[0][1] - ranked[1][1] if len(ranked) > 1 else None
        return Decision(action, confidence=gap, candidates=tuple(ranked))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        inputs, chances = self.probabilities(views)
        actions: NDArray[np.int64] = inputs.ids[draw(inputs, chances, rng)]
        return actions


@dataclass(frozen=True)
class FileScorer(ScorerPolicy):
    """A learned player from a file of weights, such as ``scotyard_training.export`` writes."""

    file: str = ""

    @property
    def weights(self) -> Weights:
        """The numbers in the file, read once in a process."""
        return load_weights(self.file)


@dataclass(frozen=True)
class ShippedScorer(ScorerPolicy):
    """A learned player that ships with us, trained on London by the classic rules with five detectives."""

    shipped: ClassVar[str]  # name of its file of weights

    @property
    def weights(self) -> Weights:
        """The numbers in its file, read once in a process."""
        return load_weights(str(DATA / self.shipped))


@functools.lru_cache(maxsize=64)
def load_weights(path: str) -> Weights:
    """Read weights from a file, once in a process."""
    return Weights.load(path)


def soften(inputs: Inputs, scores: Floats) -> NDArray[np.float64]:
    """Give the probability of every legal move by its score."""
    chances = np.empty(len(scores))
    soften_rows(inputs.firsts, scores, chances)
    return chances


def draw(inputs: Inputs, chances: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a row of every view by its probability."""
    picked = np.empty(len(inputs.firsts) - 1, np.int64)
    draw_rows(inputs.firsts, chances, rng.random(len(picked)), picked)
    return picked


@kernel
def soften_rows(firsts, scores, chances):
    """Turn the scores of every view into probabilities."""
    for index in range(len(firsts) - 1):
        first, end = firsts[index], firsts[index + 1]
        best = scores[first]
        for row in range(first, end):
            best = max(best, scores[row])
        total = 0.0
        for row in range(first, end):
            chances[row] = np.exp(float(scores[row] - best))
            total += chances[row]
        for row in range(first, end):
            chances[row] /= total


@kernel
def draw_rows(firsts, chances, draws, picked):
    """Pick a row of every view by a draw in [0, 1)."""
    for index in range(len(picked)):
        row, rest = firsts[index], draws[index]
        while row < firsts[index + 1] - 1 and rest >= chances[row]:
            rest -= chances[row]
            row += 1
        picked[index] = row
