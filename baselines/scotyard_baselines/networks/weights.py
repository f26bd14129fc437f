"""The numbers of a move scorer, and the files that hold them."""

import functools
import io
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.belief_features import ROW_WIDTH
from scotyard_baselines.networks.inputs import FACTS_WIDTH
from scotyard_env.files import write_whole

DATA = Path(__file__).parent / "data"  # the networks that ship with us
OLD_NAMES = {"linear_skip": "instinct"}  # what version 0.1.0 called it in its files
Floats = NDArray[np.float32]


class Weights(NamedTuple):
    """The numbers of a network: layers are H wide, the last layer of a row is half of that."""

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
    linear_skip: Floats  # (ROW_WIDTH,): from a row straight to its score, which the rest corrects

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
                names = {name: name if name in file else OLD_NAMES.get(name, name) for name in cls._fields}
                weights = cls(**{name: file[key].astype(np.float32) for name, key in names.items()})
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{path} holds no weights of a learned player: {error}") from error
        if weights.row.shape[0] != ROW_WIDTH or weights.facts.shape[0] != FACTS_WIDTH:
            raise ValueError(f"{path} was made for other inputs: export the checkpoint again, or train anew")
        return weights


@functools.lru_cache(maxsize=64)
def load_weights(path: str) -> Weights:
    """Return the weights in a file, read once in a process."""
    return Weights.load(path)
