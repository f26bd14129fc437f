"""The move scorer in torch: one network per side, shared by the five detectives, and its critic.

The actor is the network of ``baselines/scorer_net.py`` with the same names of weights. The critic is privileged: while
it trains, it is told where Mr. X really is, how far everybody is from him and against whom the game is played. It is
thrown away afterwards, so the player that ships knows nothing it should not.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from scotyard_baselines.networks.belief_features import MR_X_FIRST
from scotyard_baselines.networks.inputs import FACTS_WIDTH, ROW_WIDTH
from scotyard_baselines.networks.move_scorer import Weights
from scotyard_env.encode.features import MOVE_WIDTH
from scotyard_env.state import MAX_SEATS
from scotyard_training.embedding_sum import add_picked

SECRETS = 2 + MAX_SEATS  # numbers that only the critic is told: see rollout.tell_secrets
MOST_OPPONENTS = 64  # members of a pool the critic can tell apart

INSTINCTS = {  # what an untrained player goes by, as weights of columns of its rows; blank players take hours longer
    "detectives": {MOVE_WIDTH + 9: 30.0, MOVE_WIDTH + 10: -10.0},  # hunt, then stay near as a team
    "mr_x": {3: -2.0, 4: -5.0, 16: -8.0, 20: 2.0, MR_X_FIRST: -10.0, MR_X_FIRST + 4: -4.0},  # thrift, safety, secrecy
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

    def __init__(self, stations: int, units: int) -> None:
        super().__init__()
        half = units // 2
        self.stations = nn.Parameter(torch.randn(MAX_SEATS * (stations + 1), units) * 0.05)
        self.belief = _matrix(stations, units)
        self.facts, self.facts_bias = _matrix(FACTS_WIDTH, units), _zeros(units)
        self.trunk, self.trunk_bias = _matrix(units, units), _zeros(units)
        self.context = _matrix(units, units)
        self.row, self.row_bias = _matrix(ROW_WIDTH, units), _zeros(units)
        self.destination = nn.Parameter(torch.randn(stations + 1, units) * 0.05)
        self.hidden, self.hidden_bias = _matrix(units, half), _zeros(half)
        self.logit = nn.Parameter(torch.zeros(half))
        self.instinct = nn.Parameter(torch.zeros(ROW_WIDTH))
        with torch.no_grad():
            self.stations[:: stations + 1] = 0.0

    def forward(self, batch: Minibatch) -> Tensor:
        """Give the log probabilities of every move, (n, most moves), minus infinity where there is none."""
        state = torch.addmm(self.facts_bias, batch.facts, self.facts).addmm_(batch.belief, self.belief)
        state = add_picked(state, self.stations, batch.stations)
        state = torch.addmm(self.trunk_bias, state, self.trunk).relu_()
        tables = torch.cat([torch.addmm(self.row_bias, state, self.context), self.destination])
        picks = torch.stack([batch.owner, batch.to + len(state)], dim=1)
        row = add_picked(batch.rows @ self.row, tables, picks)
        hidden = torch.addmm(self.hidden_bias, row, self.hidden).relu_()
        scores = hidden @ self.logit + batch.rows @ self.instinct
        padded = scores.new_full((int(batch.slot.max()) + 1, len(state)), -math.inf)  # this way round is faster
        return torch.log_softmax(padded.index_put((batch.slot, batch.owner), scores), dim=0).t()

    def weights(self) -> Weights:
        """Lend the numbers out, for play without torch."""
        return Weights(**{name: getattr(self, name).detach().numpy() for name in Weights._fields})

    def set_instinct(self, side: str) -> None:
        """Begin with what a side goes by untrained."""
        with torch.no_grad():
            for column, weight in INSTINCTS[side].items():
                self.instinct[column] = weight

    def set_weights(self, weights: Weights) -> None:
        """Take numbers over."""
        with torch.no_grad():
            for name, value in weights._asdict().items():
                getattr(self, name).copy_(torch.from_numpy(value))


class Critic(nn.Module):
    """Values a position for the side that moves, in units of the reward."""

    def __init__(self, stations: int, units: int) -> None:
        super().__init__()
        self.stations = nn.Parameter(torch.randn((MAX_SEATS + 1) * (stations + 1), units) * 0.05)
        self.belief = _matrix(stations, units)
        self.facts, self.facts_bias = _matrix(FACTS_WIDTH + SECRETS, units), _zeros(units)
        self.opponent = nn.Parameter(torch.zeros(MOST_OPPONENTS, units))
        self.trunk = nn.Sequential(nn.Linear(units, units), nn.ReLU(), nn.Linear(units, 1))

    def forward(
        self, stations: Tensor, belief: Tensor, facts: Tensor, secrets: Tensor, hidden: Tensor, opponent: Tensor
    ) -> Tensor:
        """Give the value of every decision; ``hidden`` is where Mr. X really is."""
        hidden = hidden + MAX_SEATS * (len(self.belief) + 1)
        places = torch.column_stack([stations, hidden, opponent + len(self.stations)])
        state = torch.addmm(self.facts_bias, torch.cat([facts, secrets], dim=1), self.facts)
        state.addmm_(belief, self.belief)
        state = add_picked(state, torch.cat([self.stations, self.opponent]), places)
        return torch.tanh(self.trunk(state)).squeeze(1)


def _matrix(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) / math.sqrt(rows))


def _zeros(columns: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(columns))
