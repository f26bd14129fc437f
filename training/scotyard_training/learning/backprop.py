"""Forward and backward passes of the networks, derived by hand, some hundred decisions at a time.

The same as ``forward`` in scorer.py and its gradients by autograd, faster: activations of so few decisions stay in the
processor's cache until the backward pass, embedding sums are one pass over memory, and nothing is padded. Gradients are
added to ``weights.grad``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scotyard_baselines.networks.inputs import Inputs
from scotyard_baselines.networks.move_scorer import add_context, add_embeddings
from scotyard_env.kernel import kernel
from scotyard_env.state import MAX_SEATS
from scotyard_training.learning.embedding_sum import spread_embeddings
from scotyard_training.learning.rollout import offset_places
from scotyard_training.learning.scorer import Actor, Critic

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
SIZE = 512  # decisions of a chunk


class Chunk(NamedTuple):
    """Some decisions; ``rows`` and ``to`` of decision i are firsts[i]..firsts[i + 1]."""

    facts: Tensor  # (n, FACTS_WIDTH)
    belief: Tensor  # (n, stations)
    places: Integers  # (n, 6): rows of the table of stations
    firsts: Integers  # (n + 1,)
    rows: Tensor  # (legal moves, ROW_WIDTH)
    to: Integers  # (legal moves,)


def split(part: Integers) -> Iterator[Integers]:
    """Split the numbers of decisions into those of chunks."""
    return (part[first : first + SIZE] for first in range(0, len(part), SIZE))


def take_chunk(inputs: Inputs, part: Integers) -> Chunk:
    """Return some decisions as a chunk."""
    firsts = np.concatenate([[0], np.cumsum(inputs.firsts[part + 1] - inputs.firsts[part])])
    rows, to = np.empty((firsts[-1], inputs.rows.shape[1]), np.float32), np.empty(firsts[-1], np.int64)
    copy_rows(inputs.firsts, inputs.rows, inputs.to, part, firsts, rows, to)
    facts, belief = torch.from_numpy(inputs.facts[part]), torch.from_numpy(inputs.belief[part])
    places = offset_places(inputs._replace(stations=inputs.stations[part]))
    return Chunk(facts, belief, places, firsts, torch.from_numpy(rows), to)


class ActorPass:
    """The scores of all moves of a chunk, and then the gradients of the actor's weights."""

    def __init__(self, actor: Actor) -> None:
        self.weights, self.gradients = _by_name(actor)

    def forward(self, chunk: Chunk) -> Tensor:
        """Return the score of every legal move."""
        of = self.weights
        first = torch.addmm(of["facts_bias"], chunk.facts, of["facts"]).addmm_(chunk.belief, of["belief"])
        add_embeddings(*_arrays(first, of["stations"]), chunk.places)
        state = torch.addmm(of["trunk_bias"], first, of["trunk"]).relu_()
        context = torch.addmm(of["row_bias"], state, of["context"])
        row = chunk.rows @ of["row"]
        add_context(*_arrays(row, context, of["destination"]), chunk.firsts, chunk.to)
        hidden = torch.addmm(of["hidden_bias"], row, of["hidden"]).relu_()
        self.kept = chunk, first, state, row, hidden
        return torch.mv(hidden, of["logit"]).addmv_(chunk.rows, of["linear_skip"])

    def backward(self, to_scores: Tensor) -> None:
        """Add up the gradients of the weights, given those of the scores."""
        of, to, (chunk, first, state, row, hidden) = self.weights, self.gradients, self.kept
        del self.kept
        to["linear_skip"].addmv_(chunk.rows.t(), to_scores)
        to["logit"].addmv_(hidden.t(), to_scores)
        to_hidden = torch.outer(to_scores, of["logit"])
        cut(*_arrays(to_hidden, hidden))
        to["hidden"].addmm_(row.t(), to_hidden)
        to["hidden_bias"].add_(to_hidden.sum(0))
        to_row, to_context = to_hidden @ of["hidden"].t(), torch.zeros_like(state)
        spread_context(*_arrays(to_row, row, to_context, to["destination"]), chunk.firsts, chunk.to)
        to["row"].addmm_(chunk.rows.t(), to_row)
        to["row_bias"].add_(to_context.sum(0))
        to["context"].addmm_(state.t(), to_context)
        to_state = to_context @ of["context"].t()
        cut(*_arrays(to_state, state))
        to["trunk"].addmm_(first.t(), to_state)
        to["trunk_bias"].add_(to_state.sum(0))
        to_first = to_state @ of["trunk"].t()
        spread_embeddings(*_arrays(to_first, first, to["stations"]), chunk.places)
        to["belief"].addmm_(chunk.belief.t(), to_first)
        to["facts"].addmm_(chunk.facts.t(), to_first)
        to["facts_bias"].add_(to_first.sum(0))


class CriticPass:
    """The values of a chunk, and then the gradients of the critic's weights."""

    def __init__(self, critic: Critic) -> None:
        self.weights, self.gradients = _by_name(critic)

    def forward(
        self, facts: Tensor, belief: Tensor, places: Integers, mr_x: Integers, opponent: Integers, privileged: Floats
    ) -> Tensor:
        """Return the value of every decision."""
        of = self.weights
        facts, others = torch.cat([facts, torch.from_numpy(privileged)], dim=1), torch.from_numpy(opponent)
        places = np.column_stack([places, mr_x + MAX_SEATS * (len(of["belief"]) + 1)])
        first = torch.addmm(of["facts_bias"], facts, of["facts"]).addmm_(belief, of["belief"])
        add_embeddings(*_arrays(first.add_(of["opponent"][others]), of["stations"]), places)
        state = torch.addmm(of["trunk.0.bias"], first, of["trunk.0.weight"].t()).relu_()
        values = torch.addmm(of["trunk.2.bias"], state, of["trunk.2.weight"].t()).tanh_().squeeze(1)
        self.kept = facts, belief, others, places, first, state, values
        return values

    def backward(self, to_values: Tensor) -> None:
        """Add up the gradients of the weights, given those of the values."""
        of, to, (facts, belief, others, places, first, state, values) = self.weights, self.gradients, self.kept
        del self.kept
        to_last = (to_values * (1 - values * values))[:, None]
        to["trunk.2.weight"].addmm_(to_last.t(), state)
        to["trunk.2.bias"].add_(to_last.sum(0))
        to_state = to_last * of["trunk.2.weight"]
        cut(*_arrays(to_state, state))
        to["trunk.0.weight"].addmm_(to_state.t(), first)
        to["trunk.0.bias"].add_(to_state.sum(0))
        to_first = to_state @ of["trunk.0.weight"]
        spread_embeddings(*_arrays(to_first, first, to["stations"]), places)
        to["belief"].addmm_(belief.t(), to_first)
        to["opponent"].index_add_(0, others, to_first)
        to["facts"].addmm_(facts.t(), to_first)
        to["facts_bias"].add_(to_first.sum(0))


def _by_name(network: nn.Module) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return the weights of a network and their gradients by name, not copied."""
    named = dict(network.named_parameters())
    gradients = {name: weights.grad for name, weights in named.items() if weights.grad is not None}
    return {name: weights.detach() for name, weights in named.items()}, gradients


def _arrays(*tensors: Tensor) -> Iterator[NDArray[np.float32]]:
    return (tensor.numpy() for tensor in tensors)


# --------------------------------------------------------------------------------------------------------- kernels
@kernel
def copy_rows(all_firsts, all_rows, all_to, part, firsts, rows, to):
    """Copy the rows of some decisions."""
    for index in range(len(part)):
        shift = all_firsts[part[index]] - firsts[index]
        for row in range(firsts[index], firsts[index + 1]):
            to[row] = all_to[row + shift]
            for column in range(rows.shape[1]):
                rows[row, column] = all_rows[row + shift, column]


@kernel
def spread_context(gradients, rows, to_context, to_destination, firsts, to):
    """Backpropagate through the ReLU and the sum of ``add_context``: to rows, contexts and destinations."""
    for index in range(len(to_context)):
        for row in range(firsts[index], firsts[index + 1]):
            place = to[row]
            for unit in range(rows.shape[1]):
                gradient = gradients[row, unit] if rows[row, unit] > 0.0 else np.float32(0.0)
                gradients[row, unit] = gradient
                to_context[index, unit] += gradient
                to_destination[place, unit] += gradient


@kernel
def cut(gradients, result):
    """Backpropagate through a ReLU in place: the gradient is 0 where its result was."""
    for row in range(len(result)):
        for unit in range(result.shape[1]):
            gradients[row, unit] = gradients[row, unit] if result[row, unit] > 0.0 else np.float32(0.0)
