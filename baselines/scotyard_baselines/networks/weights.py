"""The numbers of a move scorer, and the files that hold them."""

import functools
import io
import os
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.networks.belief_features import ROW_WIDTH, TICKET_FEATURES
from scotyard_baselines.networks.inputs import FACTS_WIDTH
from scotyard_baselines.networks.own_posterior import OwnPosterior
from scotyard_env.files import read_arrays, write_whole
from scotyard_env.packing import freeze
from scotyard_env.state import MAX_SEATS, MAX_STATIONS

DATA = Path(__file__).parent / "data"  # the networks that ship with us
OLD_NAMES = {"linear_skip": "instinct"}  # what version 0.1.0 called it in its files
OLD_ROW_WIDTH = ROW_WIDTH - len(TICKET_FEATURES)  # of networks made before there were ticket features
MOST_HIDDEN = 4096  # width of the layers of a network
OWN_POSTERIOR = "reads_own_posterior"  # in a file: the network reads the posterior under itself
REMEDY = "export its checkpoint again, or train anew"
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

    @property
    def reads_own_posterior(self) -> bool:
        """Whether the network reads the posterior under itself, not the evasive belief."""
        return False

    def save(self, path: str | PathLike[str]) -> None:
        """Write the weights to a file, whole or not at all; what is not finite is refused, and the old file stays."""
        self.check(path)
        file, arrays = io.BytesIO(), self._asdict()
        if self.reads_own_posterior:
            arrays[OWN_POSTERIOR] = np.ones(1)
        np.savez_compressed(file, **arrays)
        write_whole(path, file.getvalue())

    def sharpen(self, temperature: float) -> "Weights":
        """Return the network that plays at temperature 1 as this one does at another; the lower, the surer it is."""
        return self._replace(
            logit=self.logit / np.float32(temperature), linear_skip=self.linear_skip / np.float32(temperature)
        )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Weights":
        """Read weights from a file; one that is damaged, or not of such a network, is refused."""
        try:
            found = read_arrays(path)
        except OSError as error:
            raise ValueError(f"{os.fspath(path)} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)} holds no weights of a learned player: {error}; {REMEDY}") from error
        names = {name: name if name in found else OLD_NAMES.get(name, name) for name in cls._fields}
        for name, key in names.items():
            if key not in found or found[key].dtype.kind != "f":
                problem = f"{name} is missing, or no array of real numbers"
                raise ValueError(f"{os.fspath(path)} holds no weights of a learned player: {problem}; {REMEDY}")
        with np.errstate(over="ignore"):  # what is too large becomes infinite, which is refused
            kind = KnownWeights if OWN_POSTERIOR in found else cls
            weights = kind(**{name: found[key].astype(np.float32, copy=False) for name, key in names.items()})
        weights = weights.widen()
        weights.check(path)
        return weights

    def widen(self) -> "Weights":
        """Return the weights of a network made before the ticket features for rows that have them: it ignores them."""
        more = ROW_WIDTH - OLD_ROW_WIDTH
        shapes = self.linear_skip.shape, self.row.shape[:1], self.facts.shape[:1], self.row.ndim, self.facts.ndim
        if shapes != ((OLD_ROW_WIDTH,), (OLD_ROW_WIDTH,), (FACTS_WIDTH - 2 * more,), 2, 2):
            return self
        pooled = len(self.facts) - 2 * OLD_ROW_WIDTH
        places = np.repeat([pooled + OLD_ROW_WIDTH, pooled + 2 * OLD_ROW_WIDTH], more)
        return self._replace(
            facts=np.insert(self.facts, places, 0, axis=0),
            row=np.pad(self.row, ((0, more), (0, 0))),
            linear_skip=np.pad(self.linear_skip, (0, more)),
        )

    def check(self, path: str | PathLike[str]) -> None:
        """Refuse weights of a file that do not fit together, are for other inputs, or are not finite."""
        stations, hidden_size = self.belief.shape if self.belief.ndim == 2 else (0, 0)
        if not 1 <= stations <= MAX_STATIONS or not 2 <= hidden_size <= MOST_HIDDEN:
            raise ValueError(f"{os.fspath(path)} is for {stations} stations, {hidden_size} wide: {REMEDY}")
        for name, shape in shapes(stations, hidden_size).items():
            array = getattr(self, name)
            if array.shape != shape:
                problem = f"{name} has shape {array.shape}, not {shape}"
                raise ValueError(f"{os.fspath(path)} was made for other inputs ({problem}): {REMEDY}")
            if not np.isfinite(array).all():
                raise ValueError(f"{os.fspath(path)}: {name} has numbers that are not finite: {REMEDY}")


class KnownWeights(Weights):
    """The numbers of a network of Mr. X that reads the posterior under itself (own_posterior.py)."""

    posterior: OwnPosterior | None = None  # made when it is first needed

    @property
    def reads_own_posterior(self) -> bool:
        """Whether the network reads the posterior under itself, not the evasive belief."""
        return True


def shapes(stations: int, hidden_size: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a network for so many stations whose layers are so wide."""
    half, places = hidden_size // 2, MAX_SEATS * (stations + 1)
    return {
        "stations": (places, hidden_size),
        "belief": (stations, hidden_size),
        "facts": (FACTS_WIDTH, hidden_size),
        "facts_bias": (hidden_size,),
        "trunk": (hidden_size, hidden_size),
        "trunk_bias": (hidden_size,),
        "context": (hidden_size, hidden_size),
        "row": (ROW_WIDTH, hidden_size),
        "row_bias": (hidden_size,),
        "destination": (stations + 1, hidden_size),
        "hidden": (hidden_size, half),
        "hidden_bias": (half,),
        "logit": (half,),
        "linear_skip": (ROW_WIDTH,),
    }


@functools.lru_cache(maxsize=64)
def load_weights(path: str) -> Weights:
    """Return the weights in a file, read once in a process."""
    weights = Weights.load(path)
    return type(weights)(*map(freeze, weights))
