"""Checkpoints: all that decides how learning goes on, in one file that is written whole or not at all.

What is read from one is believed only as far as it is built like what the learner would write itself: a damaged or
foreign file is refused before torch or a kernel goes on with it.
"""

import io
import math
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from scotyard_env.batch import PART, part_rngs
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES

FORMAT = 2  # of the files; those of version 0.1.0 have no number
REMEDY = "begin anew with another --out, from its last.npz by --init-weights"

OTHERS = {  # what a checkpoint was made for if not for the same game
    "board": "another board: give the --board that it began with",
    "rules": "other rules: give the --rules that it began with",
}
Content = dict[str, Any]
T = TypeVar("T")


def save_checkpoint(path: Path, content: Content) -> None:
    """Write a checkpoint."""
    file = io.BytesIO()
    torch.save({"format": FORMAT} | content, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, file.getvalue())


def resume(path: Path, made_for: Content, restore: Callable[[Content], T]) -> T:
    """Go on from a checkpoint; refuse what is none, was made for something else, or cannot be restored."""
    content = load_checkpoint(path, made_for)
    try:
        return restore(content)
    except (ValueError, TypeError, KeyError, AttributeError, RuntimeError, OverflowError) as error:
        told = " ".join(str(error).split())
        raise ValueError(f"{path} cannot be continued: {told}; {REMEDY}") from error


def load_checkpoint(path: Path, made_for: Content) -> Content:
    """Read a checkpoint; refuse what is none, or was made for something else."""
    if not path.exists():
        raise ValueError(f"there is no checkpoint {path}: leave --resume out to begin anew")
    content = read_checkpoint(path)
    check_made_for(path, content["made_for"], made_for)
    return content


def check_made_for(path: Path, found: Content, made_for: Content) -> None:
    """Refuse a checkpoint that was made for something else."""
    found = {"processes": 1} | found  # which is not said where there was one
    for name, value in ({"reads_own_posterior": None} | made_for).items():
        there = found.get(name)
        if isinstance(there, dict) and isinstance(value, dict):  # of a side
            check_made_for(path, there, value)
        elif there != value:
            told = f"{name} {there!r}, not {value!r}"
            raise ValueError(f"{path} was made for {OTHERS.get(name, told)}")


def read_checkpoint(path: Path) -> Content:
    """Read a checkpoint whatever it was made for."""
    try:
        check_archive(path)
        content: Content = torch.load(path, map_location="cpu", weights_only=True)
        if "format" not in content:
            content = upgrade(content)
        made_for, number = content["made_for"], content["format"]
    except Exception as error:  # whatever torch and pickle make of a strange file
        told = " ".join(str(error).split())
        raise ValueError(f"{path} is no checkpoint of this script, or a damaged one: {told}; {REMEDY}") from error
    if not isinstance(made_for, dict) or number != FORMAT:
        raise ValueError(f"{path} is a checkpoint of format {number!r}: this version reads {FORMAT}")
    return content


def check_archive(path: Path) -> None:
    """Refuse a file that torch has not written so: one that is damaged, or that would unpack to more than it is."""
    with zipfile.ZipFile(path) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise ValueError("it is compressed")
        if damaged := archive.testzip():
            raise ValueError(f"{damaged} in it is damaged")


def check_like(kept: Any, own: Any, name: str = "it") -> None:
    """Refuse what was kept unless it is built like our own: the same names, types and shapes, and finite numbers."""
    if isinstance(own, dict):
        if not isinstance(kept, dict) or kept.keys() != own.keys():
            raise ValueError(f"{name} does not hold {', '.join(map(str, own)) or 'nothing'}")
        _check_all((kept[key], own[key], f"{name}: {key}") for key in own)
    elif isinstance(own, list | tuple):
        if not isinstance(kept, list | tuple) or len(kept) != len(own):
            raise ValueError(f"{name} is no list of {len(own)}")
        _check_all(zip(kept, own, [name] * len(own), strict=True))
    elif isinstance(own, Tensor):
        _check_tensor(kept, own, name)
    elif isinstance(own, float):
        if not isinstance(kept, int | float) or not math.isfinite(kept):
            raise ValueError(f"{name} is {kept!r}, no finite number")
    elif type(kept) is not type(own):
        raise ValueError(f"{name} is {kept!r}, not of type {type(own).__name__}")


def _check_all(parts: Iterable[tuple[Any, Any, str]]) -> None:
    for kept, own, name in parts:
        check_like(kept, own, name)


def _check_tensor(kept: Any, own: Tensor, name: str) -> None:
    is_like = isinstance(kept, Tensor) and kept.shape == own.shape and kept.dtype == own.dtype
    if not is_like or kept.layout != own.layout:
        raise ValueError(f"{name} is no tensor of {own.dtype}, {tuple(own.shape)}")
    if kept.is_floating_point() and not kept.isfinite().all():
        raise ValueError(f"{name} has numbers that are not finite")


def check_optimizer(kept: Any, optimizer: torch.optim.Optimizer) -> Content:
    """Return the state that an optimizer of the Adam family goes on with: moments as kept, settings of its own."""
    own = optimizer.state_dict()
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    moments: dict[int, Content] = {}
    if not isinstance(kept, dict) or not isinstance(kept.get("state"), dict):
        raise ValueError("it: optimizer does not hold its state")
    if kept["state"]:  # before its first step it has none
        names = ("exp_avg", "exp_avg_sq")
        for number, parameter in enumerate(parameters):
            moments[number] = {"step": torch.zeros(())} | dict.fromkeys(names, parameter.detach())
    check_like(kept["state"], moments, "it: optimizer")
    return {"state": kept["state"], "param_groups": own["param_groups"]}


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
    made_for["num_envs"] = len(playing)
    parts = range(math.ceil(len(playing) / PART))
    _, *others = [rng.bit_generator.state for part in parts for rng in part_rngs(0, part)]  # all had one rng then
    games = {
        "states": content.pop("games")[0],
        "rngs": [deals, *others],
        "playing": playing,
        "deciders": deciders,
    }
    return {"format": FORMAT} | content | {"rng": rng, "games": games, "results": results}
