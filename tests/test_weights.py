"""A file of weights is read whole and sound, or refused in one sentence that names it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_baselines.networks.weights import Weights, shapes
from scotyard_env.policy import PolicyError, make_policy

STATIONS, HIDDEN = 4, 2


def make_weights() -> Weights:
    rng = np.random.default_rng(0)
    return Weights(**{name: rng.random(shape, np.float32) for name, shape in shapes(STATIONS, HIDDEN).items()})


def load_or_refuse(file: Path) -> bool:
    """Load a file; tell whether it was refused, and then in one sentence that names it."""
    try:
        weights = Weights.load(file)
    except ValueError as error:
        told = str(error)
    else:
        assert all(np.isfinite(array).all() for array in weights)
        assert {name: array.shape for name, array in weights._asdict().items()} == shapes(STATIONS, HIDDEN)
        return False
    assert told.startswith(str(file))
    assert "\n" not in told
    return True


def test_a_file_with_any_bytes_changed_is_refused_or_still_sound(tmp_path: Path) -> None:
    file, rng = tmp_path / "a.npz", np.random.default_rng(1)
    make_weights().save(file)
    whole, refused = file.read_bytes(), 0
    for _ in range(300):
        changed = bytearray(whole)
        place = int(rng.integers(len(whole)))
        match int(rng.integers(4)):
            case 0:
                changed[place] ^= 1 << int(rng.integers(8))
            case 1:
                changed = changed[:place]
            case 2:
                changed[place : place + 20] = rng.bytes(20)
            case 3:
                del changed[place : place + int(rng.integers(1, 50))]
        file.write_bytes(changed)
        refused += load_or_refuse(file)
    assert refused > 200


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trunk": None}, "trunk is missing, or no array of real numbers"),
        ({"trunk": np.zeros((2, 2), np.int32)}, "trunk is missing, or no array of real numbers"),
        ({"trunk": np.zeros((3, 2), np.float32)}, r"trunk has shape \(3, 2\), not \(2, 2\)"),
        ({"row": np.zeros((7, 2), np.float32)}, "was made for other inputs"),
        ({"belief": np.zeros((400, 2), np.float32)}, "is for 400 stations"),
        ({"belief": np.zeros(4, np.float32)}, "is for 0 stations"),
        ({"logit": np.array([np.nan], np.float32)}, "logit has numbers that are not finite"),
        ({"logit": np.array([1e300])}, "logit has numbers that are not finite"),
    ],
)
def test_weights_that_no_network_has_are_refused(
    change: dict[str, np.ndarray | None], message: str, tmp_path: Path
) -> None:
    arrays = {name: array for name, array in (make_weights()._asdict() | change).items() if array is not None}
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        Weights.load(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=message):
        FileScorer(file=str(tmp_path / "a.npz"))


def test_a_policy_of_a_missing_file_is_refused_when_it_is_made() -> None:
    with pytest.raises(PolicyError, match=r"none\.npz cannot be read: No such file"):
        make_policy("scotyard_baselines.networks.move_scorer:FileScorer:file=none.npz")


def test_what_is_not_finite_is_not_written_over_what_is(tmp_path: Path) -> None:
    good = make_weights()
    good.save(tmp_path / "a.npz")
    whole = (tmp_path / "a.npz").read_bytes()
    with pytest.raises(ValueError, match="trunk_bias has numbers that are not finite"):
        good._replace(trunk_bias=np.full(HIDDEN, np.inf, np.float32)).save(tmp_path / "a.npz")
    assert (tmp_path / "a.npz").read_bytes() == whole
