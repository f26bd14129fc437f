"""Checkpoints: all that decides how learning goes on, in one file that is written whole or not at all."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scotyard_env.batch import Batch
from scotyard_env.duel import Duel
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES

FORMAT = 2  # of the files; those of version 0.1.0 have no number

Content = dict[str, Any]


def save_checkpoint(path: Path, content: Content) -> None:
    """Write a checkpoint."""
    file = io.BytesIO()
    torch.save({"format": FORMAT} | content, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, file.getvalue())


def load_checkpoint(path: Path, made_for: Content) -> Content:
    """Read a checkpoint; refuse what is none, or was made for something else."""
    if not path.exists():
        raise ValueError(f"there is no checkpoint {path}: leave --resume out to begin anew")
    content = read_checkpoint(path)
    found = content["made_for"]
    for name, value in made_for.items():
        if found.get(name) != value:
            raise ValueError(f"{path} was made for {name} {found.get(name)!r}, not {value!r}")
    return content


def read_checkpoint(path: Path) -> Content:
    """Read a checkpoint whatever it was made for."""
    try:
        content: Content = torch.load(path, weights_only=True)
        if "format" not in content:
            content = upgrade(content)
        made_for, number = content["made_for"], content["format"]
    except Exception as error:  # whatever torch and pickle make of a strange file
        raise ValueError(f"{path} is no checkpoint of this script: {error}") from error
    if not isinstance(made_for, dict) or number != FORMAT:
        raise ValueError(f"{path} is a checkpoint of format {number}: this version reads {FORMAT}")
    return content


def upgrade(content: Content) -> Content:
    """Return a checkpoint of version 0.1.0 as one of today."""
    made_for = content["made_for"]
    if any(side in content for side in SIDES):
        sides = {side: upgrade(content[side]) for side in SIDES if side in content}
        return {"format": FORMAT, "made_for": {side: one["made_for"] for side, one in sides.items()}} | sides
    if "actor" not in content:
        raise ValueError(
            "it is of version 0.1.0, whose models of MaskablePPO cannot be continued; last.npz still plays"
        )
    content["actor"]["linear_skip"] = content["actor"].pop("instinct")
    made_for["hidden_size"] = made_for.pop("units")
    rng, deals = content.pop("rngs")
    playing, deciders, results = content.pop("duel")
    games = {"states": content.pop("games")[0], "rng": deals, "playing": playing, "deciders": deciders}
    return {"format": FORMAT} | content | {"rng": rng, "games": games, "results": results}


def pack_games(batch: Batch, duel: Duel) -> Content:
    """Return games in progress, and the rngs of their deals and opponents, for a checkpoint."""
    return {
        "states": torch.frombuffer(bytearray(batch.states.tobytes()), dtype=torch.uint8),
        "rng": batch.rng.bit_generator.state,
        "rngs": [rng.bit_generator.state for rng in batch.rngs],
        "playing": torch.from_numpy(duel.playing.copy()),
        "deciders": torch.from_numpy(duel.deciders.copy()),
    }


def unpack_games(batch: Batch, duel: Duel, kept: Content) -> None:
    """Go on with the games of a checkpoint."""
    if len(kept["playing"]) != len(batch):
        raise ValueError(f"the checkpoint has {len(kept['playing'])} games: give --num-envs {len(kept['playing'])}")
    if kept["states"].numel() != batch.states.nbytes:
        raise ValueError("the games in the checkpoint are of another version: begin anew, from its last.npz")
    batch.states[:] = np.frombuffer(kept["states"].numpy().tobytes(), batch.states.dtype)
    batch.rng.bit_generator.state = kept["rng"]
    for rng, state in zip(batch.rngs, kept.get("rngs", ()), strict=False):  # checkpoints of old have none
        rng.bit_generator.state = state
    duel.playing[:], duel.deciders[:] = kept["playing"].numpy(), kept["deciders"].numpy()
