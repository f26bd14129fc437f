"""The inputs of the move scorer in arrays of fixed shapes, for libraries that keep observations in buffers."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor

from scotyard_baselines.networks.belief_features import ROW_WIDTH
from scotyard_baselines.networks.inputs import FACTS_WIDTH, Inputs, make_inputs
from scotyard_env.board import Board
from scotyard_env.encode.features import most_moves
from scotyard_env.rules import action_count
from scotyard_env.state import MAX_SEATS
from scotyard_env.vector import Arrays
from scotyard_env.view import Views
from scotyard_training.learning.privileged import PRIVILEGED_FEATURES
from scotyard_training.learning.rollout import offset_places
from scotyard_training.learning.scorer import Actor, Critic, Minibatch


def pad_inputs(views: Views) -> Arrays:
    """Return views as the scorer reads them, with as many rows for each as there can be at most; ids there are -1."""
    return pad(views.board, make_inputs(views))


def pad(board: Board, inputs: Inputs) -> Arrays:
    """Return inputs in arrays of fixed shapes."""
    most = most_moves(board)
    counts = np.diff(inputs.firsts)
    owner = np.repeat(np.arange(len(counts)), counts)
    slot = np.arange(len(owner)) - inputs.firsts[owner]
    padded: Arrays = {
        "rows": np.zeros((len(counts), most, ROW_WIDTH), np.float32),
        "destinations": np.zeros((len(counts), most), np.int64),
        "ids": np.full((len(counts), most), -1, np.int64),
    }
    for array, values in zip(padded.values(), (inputs.rows, inputs.to, inputs.ids), strict=True):
        array[owner, slot] = values
    return {"stations": offset_places(inputs), "belief": inputs.belief, "facts": inputs.facts, **padded}


def padded_space(board: Board) -> spaces.Dict:
    """Return the space of one view as ``pad_inputs`` writes it."""
    most, rows = most_moves(board), MAX_SEATS * (board.stations + 1)
    shown: dict[str, spaces.Space[Any]] = {
        "stations": spaces.Box(0, rows - 1, (MAX_SEATS,), np.int64),
        "belief": spaces.Box(0, 1, (board.stations,), np.float32),
        "facts": spaces.Box(-10, 10, (FACTS_WIDTH,), np.float32),
        "rows": spaces.Box(-10, 10, (most, ROW_WIDTH), np.float32),
        "destinations": spaces.Box(0, board.stations, (most,), np.int64),
        "ids": spaces.Box(-1, int(action_count(board.arrays)) - 1, (most,), np.int64),
    }
    return spaces.Dict(shown)


def score_moves(actor: Actor, shown: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the actions of padded views and their log probabilities, (n, moves) each."""
    ids = shown["ids"].long()
    owner, slot = (ids >= 0).nonzero(as_tuple=True)
    places = (shown["stations"].long(), shown["belief"], shown["facts"])
    rows = (shown["rows"][owner, slot], shown["destinations"].long()[owner, slot], owner, slot)
    log_probs = actor(Minibatch(*places, *rows))
    return ids[:, : log_probs.shape[1]], log_probs


def value_views(
    critic: Critic, shown: dict[str, Tensor], mr_x: Tensor | None = None, privileged: Tensor | None = None
) -> Tensor:
    """Return the values of padded views, (n,), by a critic that is told where Mr. X really is, or nothing."""
    nothing = torch.zeros(len(shown["facts"]), dtype=torch.int64)
    if mr_x is None or privileged is None:
        mr_x, privileged = nothing, shown["facts"].new_zeros(len(nothing), len(PRIVILEGED_FEATURES))
    values: Tensor = critic(shown["stations"].long(), shown["belief"], shown["facts"], privileged, mr_x.long(), nothing)
    return values
