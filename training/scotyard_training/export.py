"""Write the player in a checkpoint as a small file of weights that plays without torch.

scotyard train export runs/detectives/last.pt baselines/scotyard_baselines/networks/data/ppo_detectives.npz
"""

import dataclasses
from pathlib import Path
from typing import Annotated

import torch
import tyro
from torch import Tensor

from scotyard_baselines.networks.weights import REMEDY, KnownWeights, Weights
from scotyard_env.commands import run_module
from scotyard_env.policy import Side
from scotyard_env.render.images import check_ending
from scotyard_training.learning.checkpoint import read_checkpoint

MAX_BYTES = 3_000_000  # that the file of a shipped player may have


@dataclasses.dataclass(frozen=True)
class Command:
    """Export the player of a checkpoint as a file of weights that plays without torch."""

    checkpoint: Annotated[Path, tyro.conf.Positional]  # last.pt of scotyard train ppo, imitate or selfplay
    out: Annotated[Path, tyro.conf.Positional]  # file of weights, .npz
    side: Side | None = None  # which of the two sides, in a checkpoint of a league

    def run(self) -> None:
        """Write the file."""
        check_ending(self.out, (".npz",))  # no other file is a player, and none is replaced by mistake
        if self.checkpoint.suffix == ".npz" and self.side is not None:
            raise ValueError(f"{self.checkpoint} is a file of weights, which holds one player: leave --side out")
        weights = read_player(self.checkpoint, self.side)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        weights.save(self.out)
        size = self.out.stat().st_size
        print(f"{self.out}: {size / 1e6:.2f} MB" + (", too much to ship" if size > MAX_BYTES else ""))


def read_player(path: Path, side: Side | None = None) -> Weights:
    """Read the weights of the player in a checkpoint, of a side in that of a league, or in a file of weights."""
    if path.suffix == ".npz":
        return Weights.load(path)
    if not path.exists():
        raise ValueError(f"there is no checkpoint {path}")
    content = read_checkpoint(path)
    if "actor" not in content and side is not None and isinstance(content.get(side), dict):
        content = content[side]
    if not isinstance(content.get("actor"), dict):
        raise ValueError(f"{path} has no one player: a league has --side mr_x or --side detectives")
    of = content["made_for"].get("side") if isinstance(content.get("made_for"), dict) else None
    if side not in (None, of):
        raise ValueError(f"{path} holds a player of {of}, not of {side}")
    tensors = {name: content["actor"].get(name) for name in Weights._fields}
    if not all(isinstance(tensor, Tensor) and tensor.dtype == torch.float32 for tensor in tensors.values()):
        raise ValueError(f"{path} holds no weights of a learned player: {REMEDY}")
    kind = KnownWeights if content["made_for"].get("reads_own_posterior") else Weights
    weights = kind(**{name: tensor.numpy() for name, tensor in tensors.items()})
    weights.check(path)
    return weights


if __name__ == "__main__":
    run_module(Command)
