"""The folder of best responses as it is resumed: the challenge, and the result of every finished run."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from scotyard_baselines.robustness.challenge import Challenge, read_count, read_field
from scotyard_baselines.robustness.response import RECORD
from scotyard_env.arena.content import digest_file
from scotyard_env.arena.folder import make_folder
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.wording import brief

CHALLENGE, RESULT, PLAYER = "challenge.json", "result.json", "player.npz"


class Trained(NamedTuple):
    """The result of a run."""

    wins: int  # of its player on the deals on which the runs are compared
    weights: bytes  # of that player, as its file has them


def agree(out: Path, challenge: Challenge) -> None:
    """Write the challenge of a new folder, or check that it is the one the folder was begun with."""
    path = out / CHALLENGE
    if path.exists():
        if problem := read_challenge(path).tell_apart(challenge):
            raise ValueError(f"{out} holds other responses, nothing was changed: {problem}; take another --out")
    elif (out / RECORD).exists():
        raise ValueError(f"{out} has {RECORD} but no {CHALLENGE}, so nothing can go on there: take another --out")
    else:
        make_folder(out)
        write_whole(path, json.dumps(challenge.to_json(), indent=2) + "\n")


def read_challenge(path: Path) -> Challenge:
    """Read the challenge of a folder."""
    try:
        return Challenge.from_json(read_field({"content": read_json(path)}, "content", dict))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{path} cannot be read: {brief(error)}; take another --out") from error


def keep(folder: Path, trained: Trained) -> None:
    """Save the result of a run: its player first, then its wins."""
    make_folder(folder)
    write_whole(folder / PLAYER, trained.weights)
    result = {"wins": trained.wins, "weights": digest_file(folder / PLAYER)}
    write_whole(folder / RESULT, json.dumps(result) + "\n")


def read_kept(folder: Path, games: int) -> Trained | None:
    """Return the result of a run, None if it is not finished; refuse what is damaged."""
    path = folder / RESULT
    if not path.exists():
        return None
    try:
        stored: Any = read_json(path)
        if not isinstance(stored, dict) or digest_file(folder / PLAYER) != read_field(stored, "weights", str):
            raise ValueError(f"it is not about the {PLAYER} beside it")
        return Trained(read_count("wins", stored.get("wins"), most=games), (folder / PLAYER).read_bytes())
    except (ValueError, OSError) as error:
        problem = f"{path} cannot be read: {brief(error)}"
        raise ValueError(f"{problem}; delete {folder}, and its run begins anew") from error
