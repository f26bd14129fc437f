"""The network of the learned players without torch: it scores every legal move of a view, in NumPy.

    state = relu(trunk(relu(stations + belief + facts)))
    score = logit(relu(hidden(relu(context(state) + row + destination)))) + linear_skip(row)

Stations are sums of embedding rows, the belief and the facts come as numbers, a row is what inputs.py says of a move.
``scotyard_training.learning.scorer`` is the same in torch, with the same names of weights. A network belongs to a
board; on a board with another number of stations it plays without its embeddings of stations, by the rest.
"""

import functools
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.posterior import Answers
from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.own_posterior import OwnPosterior
from scotyard_baselines.networks.weights import DATA, Floats, KnownWeights, Weights, load_weights
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.ranges import Range, check_ranges
from scotyard_env.state import MAX_SEATS, MR_X
from scotyard_env.view import View, Views

CHUNK = 256  # views that are scored at a time: what is made of them stays in the processor's cache


def score(weights: Weights, inputs: Inputs) -> Floats:
    """Return the score of every legal move of many views."""
    scores = np.empty(len(inputs.rows), np.float32)
    for first in range(0, len(inputs.facts), CHUNK):
        _score_chunk(weights, inputs, slice(first, first + CHUNK), scores)
    return scores


def read_views(weights: Weights, views: Views) -> Inputs:
    """Return many views as a network reads them."""
    if isinstance(weights, KnownWeights) and (views.states["seat"] == MR_X).any():
        return make_inputs(views, own_posterior(weights).tell(views))
    return make_inputs(views)


def own_posterior(weights: KnownWeights) -> OwnPosterior:
    """Return the posterior under a network that reads it, the same object each time."""
    if weights.posterior is None:
        weights.posterior = OwnPosterior(functools.partial(answer, weights))
    return weights.posterior


def answer(weights: Weights, views: Views, beliefs: NDArray[np.float64] | None = None) -> Answers:
    """Return the probability of each legal action in many views by a network, which reads these beliefs if given."""
    inputs = make_inputs(views, beliefs)
    return Answers(inputs.firsts, softmax(inputs, score(weights, inputs))[np.newaxis])


def _score_chunk(weights: Weights, inputs: Inputs, part: slice, scores: Floats) -> None:
    """Write the scores of the legal moves of some views."""
    firsts = inputs.firsts[part.start : part.stop + 1]
    moves = slice(firsts[0], firsts[-1])
    rows = inputs.rows[moves]
    state: Floats = inputs.facts[part] @ weights.facts
    state += weights.facts_bias
    knows_board = inputs.belief.shape[1] == weights.belief.shape[0]
    if knows_board:
        state += inputs.belief[part] @ weights.belief
        places = inputs.stations[part] + np.arange(MAX_SEATS) * len(weights.destination)
        add_embeddings(state, weights.stations, places)
    else:
        _relu(state)
    trunk: Floats = state @ weights.trunk
    trunk += weights.trunk_bias
    context = _relu(trunk) @ weights.context
    row: Floats = rows @ weights.row
    row += weights.row_bias
    destination, to = weights.destination, inputs.to[moves]
    if not knows_board:  # one row of nothing for all
        destination, to = 0 * destination[:1], 0 * to
    add_context(row, context, destination, firsts - firsts[0], to)
    hidden: Floats = row @ weights.hidden
    hidden += weights.hidden_bias
    np.matmul(_relu(hidden), weights.logit, out=scores[moves])
    scores[moves] += rows @ weights.linear_skip


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0, out=values)


def softmax(inputs: Inputs, scores: Floats) -> NDArray[np.float64]:
    """Return the probability of every legal move by its score."""
    probabilities = np.empty(len(scores))
    softmax_rows(inputs.firsts, scores, probabilities)
    return probabilities


def draw(inputs: Inputs, probabilities: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a row of every view, drawn by its probability."""
    picked = np.empty(len(inputs.firsts) - 1, np.int64)
    draw_rows(inputs.firsts, probabilities, rng.random(len(picked)), picked)
    return picked


@kernel
def add_embeddings(result, table, places):
    """Add to every row those of a table that are picked, then ReLU, in place."""
    for index in range(len(result)):
        for place in range(places.shape[1]):
            row = places[index, place]
            for unit in range(result.shape[1]):
                result[index, unit] += table[row, unit]
        for unit in range(result.shape[1]):
            result[index, unit] = max(result[index, unit], np.float32(0.0))


@kernel
def add_context(rows, context, destination, firsts, to):
    """Add to the row of every move the context of its decision and its destination's embedding, then ReLU, in place."""
    for index in range(len(context)):
        for row in range(firsts[index], firsts[index + 1]):
            place = to[row]
            for unit in range(rows.shape[1]):
                total = rows[row, unit] + context[index, unit] + destination[place, unit]
                rows[row, unit] = max(total, np.float32(0.0))


@kernel
def softmax_rows(firsts, scores, probabilities):
    """Turn the scores of every view into probabilities."""
    for index in range(len(firsts) - 1):
        first, end = firsts[index], firsts[index + 1]
        best = scores[first]
        for row in range(first, end):
            best = max(best, scores[row])
        total = 0.0
        for row in range(first, end):
            probabilities[row] = np.exp(np.float64(scores[row] - best))
            total += probabilities[row]
        for row in range(first, end):
            probabilities[row] /= total


@kernel
def draw_rows(firsts, probabilities, draws, picked):
    """Pick a row of every view by a draw in [0, 1)."""
    for index in range(len(picked)):
        row, rest = firsts[index], draws[index]
        while row < firsts[index + 1] - 1 and rest >= probabilities[row]:
            rest -= probabilities[row]
            row += 1
        picked[index] = row


@dataclass(frozen=True)
class ScorerPolicy(Explains):
    """A policy that draws its action by the probabilities of a network."""

    temperature: Annotated[float, Range(0.01, 10)] = 1.0  # below 1 the likelier actions become likelier still

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def weights(self) -> Weights:
        """The numbers of the network."""
        raise NotImplementedError

    def probabilities(self, views: Views) -> tuple[Inputs, NDArray[np.float64]]:
        """Return the inputs of many views and the probability of every legal move."""
        inputs = read_views(self.weights, views)
        return inputs, softmax(inputs, score(self.weights, inputs) / np.float32(self.temperature))

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action; the decision tells the probabilities of all."""
        inputs, probabilities = self.probabilities(Views(view.board, view.rules, view.states))
        action = int(inputs.ids[draw(inputs, probabilities, rng)[0]])
        ranked = sorted(zip(inputs.ids.tolist(), probabilities.tolist(), strict=True), key=lambda pair: -pair[1])
        return Decision(action, probabilities=tuple(ranked))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        inputs, probabilities = self.probabilities(views)
        actions: NDArray[np.int64] = inputs.ids[draw(inputs, probabilities, rng)]
        return actions


@dataclass(frozen=True)
class FileScorer(ScorerPolicy):
    """A learned player from a file of weights, such as ``scotyard train export`` writes."""

    file: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        load_weights(self.file)  # say at once what is wrong with it

    @property
    def files(self) -> tuple[str, ...]:
        """The file whose content decides how it plays."""
        return (self.file,)

    @property
    def weights(self) -> Weights:
        """The numbers in the file, read once in a process."""
        return load_weights(self.file)


@dataclass(frozen=True)
class ShippedScorer(ScorerPolicy):
    """A learned player that ships with us, trained on London by the classic rules with five detectives."""

    shipped: ClassVar[str]  # name of its file of weights

    @property
    def files(self) -> tuple[str, ...]:
        """The file whose content decides how it plays."""
        return (_shipped(self.shipped),)

    @property
    def weights(self) -> Weights:
        """The numbers in its file, read once in a process."""
        return load_weights(_shipped(self.shipped))


@functools.lru_cache(maxsize=8)
def _shipped(file: str) -> str:
    """Return the path of a file of weights that ships with us."""
    return str(DATA / file)


def shipped_scorer(name: str) -> FileScorer:
    """Return a network that ships with us, such as ``"ppo_mr_x"``: ask it for ``probabilities(views)``."""
    return FileScorer(file=_shipped(f"{name}.npz"))
