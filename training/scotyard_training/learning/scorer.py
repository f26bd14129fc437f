"""The move scorer in torch: one network per side, shared by the five detectives, and its critic.

The actor is the network of ``scotyard_baselines/networks/move_scorer.py`` with the same names of weights. The critic is
privileged: while it trains, it is told where Mr. X really is, how far everybody is from him and against whom the game
is played. It is thrown away afterwards, so the player that ships knows nothing it should not.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from scotyard_baselines.networks.belief_features import COLUMNS, ROW_WIDTH
from scotyard_baselines.networks.inputs import FACTS_WIDTH
from scotyard_baselines.networks.weights import KnownWeights, Weights
from scotyard_env.state import MAX_SEATS
from scotyard_training.learning.embedding_sum import embedding_sum
from scotyard_training.learning.opponents import MAX_OPPONENTS
from scotyard_training.learning.privileged import PRIVILEGED_FEATURES

LINEAR_SKIP_INIT = {  # hand-set weights of columns of the rows, by which an untrained player plays
    "detectives": {
        "capture_value_over_best": 30.0,
        "team_belief_over_best": -10.0,
    },  # close in, then stay near as a team
    "mr_x": {  # tickets saved, safety, secrecy
        "black": -2.0,
        "double": -5.0,
        "is_threatened": -8.0,
        "possible_after": 2.0,
        "capture_value": -10.0,
        "belief_within_2": -4.0,
    },
}


class Minibatch(NamedTuple):
    """Decisions as tensors; the rows of all of them one after the other, ``owner`` says whose each is."""

    stations: Tensor  # (n, 6) with the offset of each place added
    belief: Tensor
    facts: Tensor
    rows: Tensor
    to: Tensor
    owner: Tensor  # (rows,) which decision
    slot: Tensor  # (rows,) which of its moves


class Actor(nn.Module):
    """Scores every legal move."""

    def __init__(self, stations: int, hidden_size: int) -> None:
        super().__init__()
        half = hidden_size // 2
        self.reads_own_posterior = False  # it reads the posterior under itself, not the evasive belief
        self.stations = nn.Parameter(torch.randn(MAX_SEATS * (stations + 1), hidden_size) * 0.05)
        self.belief = _matrix(stations, hidden_size)
        self.facts, self.facts_bias = _matrix(FACTS_WIDTH, hidden_size), _zeros(hidden_size)
        self.trunk, self.trunk_bias = _matrix(hidden_size, hidden_size), _zeros(hidden_size)
        self.context = _matrix(hidden_size, hidden_size)
        self.row, self.row_bias = _matrix(ROW_WIDTH, hidden_size), _zeros(hidden_size)
        self.destination = nn.Parameter(torch.randn(stations + 1, hidden_size) * 0.05)
        self.hidden, self.hidden_bias = _matrix(hidden_size, half), _zeros(half)
        self.logit = nn.Parameter(torch.zeros(half))
        self.linear_skip = nn.Parameter(torch.zeros(ROW_WIDTH))
        with torch.no_grad():
            self.stations[:: stations + 1] = 0.0

    def forward(self, batch: Minibatch) -> Tensor:
        """Return the log probabilities of every move, (n, most moves), minus infinity where there is none."""
        state = torch.addmm(self.facts_bias, batch.facts, self.facts).addmm_(batch.belief, self.belief)
        state = embedding_sum(state, self.stations, batch.stations)
        state = torch.addmm(self.trunk_bias, state, self.trunk).relu_()
        tables = torch.cat([torch.addmm(self.row_bias, state, self.context), self.destination])
        picks = torch.stack([batch.owner, batch.to + len(state)], dim=1)
        row = embedding_sum(batch.rows @ self.row, tables, picks)
        hidden = torch.addmm(self.hidden_bias, row, self.hidden).relu_()
        scores = hidden @ self.logit + batch.rows @ self.linear_skip
        padded = scores.new_full((int(batch.slot.max()) + 1, len(state)), -math.inf)  # this way round is faster
        return torch.log_softmax(padded.index_put((batch.slot, batch.owner), scores), dim=0).t()

    def weights(self) -> Weights:
        """Return the numbers for play without torch, in the actor's memory: they change as it learns."""
        kind = KnownWeights if self.reads_own_posterior else Weights
        return kind(**{name: getattr(self, name).detach().numpy() for name in Weights._fields})

    def init_linear_skip(self, side: str) -> None:
        """Begin with the hand-set weights of a side."""
        with torch.no_grad():
            for name, weight in LINEAR_SKIP_INIT[side].items():
                self.linear_skip[COLUMNS[side].index(name)] = weight

    def set_weights(self, weights: Weights) -> None:
        """Take numbers over; refuse those of a network that reads what this one is not shown."""
        if weights.reads_own_posterior and not self.reads_own_posterior:
            raise ValueError("the weights are of a network that reads its own posterior: train it with --own-posterior")
        if weights.belief.shape != self.belief.shape:
            theirs, own = (
                f"{stations} stations, {width} wide" for stations, width in (weights.belief.shape, self.belief.shape)
            )
            raise ValueError(f"the weights are for {theirs}, not {own}: give their --board and --hidden-size")
        with torch.no_grad():
            for name, value in weights._asdict().items():
                getattr(self, name).copy_(torch.tensor(value))  # a copy: what comes from a file cannot be written to


class Critic(nn.Module):
    """Values a position for the side that moves, in units of the reward."""

    def __init__(self, stations: int, hidden_size: int) -> None:
        super().__init__()
        self.stations = nn.Parameter(torch.randn((MAX_SEATS + 1) * (stations + 1), hidden_size) * 0.05)
        self.belief = _matrix(stations, hidden_size)
        self.facts, self.facts_bias = _matrix(FACTS_WIDTH + len(PRIVILEGED_FEATURES), hidden_size), _zeros(hidden_size)
        self.opponent = nn.Parameter(torch.zeros(MAX_OPPONENTS, hidden_size))
        self.trunk = nn.Sequential(nn.Linear(hidden_size, hidden_size), nn.ReLU(), nn.Linear(hidden_size, 1))

    def forward(
        self, stations: Tensor, belief: Tensor, facts: Tensor, privileged: Tensor, mr_x: Tensor, opponent: Tensor
    ) -> Tensor:
        """Return the value of every decision; ``mr_x`` is where he really is."""
        mr_x = mr_x + MAX_SEATS * (len(self.belief) + 1)
        places = torch.column_stack([stations, mr_x, opponent + len(self.stations)])
        state = torch.addmm(self.facts_bias, torch.cat([facts, privileged], dim=1), self.facts)
        state.addmm_(belief, self.belief)
        state = embedding_sum(state, torch.cat([self.stations, self.opponent]), places)
        return torch.tanh(self.trunk(state)).squeeze(1)


def _matrix(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) / math.sqrt(rows))


def _zeros(columns: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(columns))
