"""Write the player in a checkpoint as a small file of weights that plays without torch.

python -m scotyard_training.export runs/detectives/last.pt baselines/scotyard_baselines/networks/data/ppo_detectives.npz
"""

import dataclasses
from pathlib import Path
from typing import Annotated

import torch
import tyro

from scotyard_baselines.networks.move_scorer import Weights

MOST_BYTES = 3_000_000  # that the file of a shipped player may have


@dataclasses.dataclass(frozen=True)
class Args:
    """Write the player in a checkpoint as a file of weights."""

    checkpoint: Annotated[Path, tyro.conf.Positional]  # last.pt of scotyard_training.ppo or scotyard_training.selfplay
    out: Annotated[Path, tyro.conf.Positional]
    side: str = ""  # which of the two sides, in a checkpoint of a league


def read_player(checkpoint: Path, side: str = "") -> Weights:
    """Read the weights of the player in a checkpoint, or in a file of weights."""
    if checkpoint.suffix == ".npz":
        return Weights.load(checkpoint)
    try:
        content = torch.load(checkpoint, weights_only=True)
        actor = (content[side] if side else content)["actor"]
        return Weights(**{name: actor[name].numpy() for name in Weights._fields})
    except KeyError as error:
        raise ValueError(f"{checkpoint} has no player under {error}: a league has --side mr_x or detectives") from error


def main(args: Args) -> None:
    """Write the file."""
    read_player(args.checkpoint, args.side).save(args.out)
    size = args.out.stat().st_size
    print(f"{args.out}: {size / 1e6:.2f} MB" + (", too much to ship" if size > MOST_BYTES else ""))


if __name__ == "__main__":
    main(tyro.cli(Args))
