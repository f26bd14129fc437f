"""A game that somebody plays, as a file: who plays whom and the game so far, enough to go on as it would have gone.

The file holds the whole game, where Mr. X is included. While it goes on that part is packed, so that nobody reads it by
accident; it is no lock. Once the game is over the file is a replay like any other.
"""

import base64
import binascii
import dataclasses
import itertools
import json
import re
import shlex
import zlib
from pathlib import Path
from typing import Any

from scotyard_env.arena.folder import make_folder
from scotyard_env.files import write_whole
from scotyard_env.json_files import LONGEST, read_json
from scotyard_env.policy import POLICIES, SIDES, Side
from scotyard_env.replay import FORMAT as REPLAY
from scotyard_env.replay import SAVED_GAME, Replay
from scotyard_env.wording import brief

PLAIN = re.compile(r"(\w+)(:\w+=-?\w+(\.\d+)?(,\w+=-?\w+(\.\d+)?)*)?", re.ASCII)  # hider, minimax:depth=2
TEXTS = ("side", "against", "adviser", "key", "game")  # fields of the file beside its format


class SavedGameError(ValueError):
    """A file from which no game can go on."""


@dataclasses.dataclass(frozen=True)
class SavedGame:
    """Who plays whom, and the game so far."""

    side: Side  # the person's
    against: str  # the policy of the other side, by its name
    adviser: str  # the policy that gives hints, by its name; "" if there are none
    key: str  # what the other side draws is drawn by this and by the number of the action
    replay: Replay

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        if self.replay.winner is not None:
            self.replay.save(path)
            return
        fields = {"side": self.side, "against": self.against, "adviser": self.adviser, "key": self.key}
        sealed = {"format": SAVED_GAME, **fields, "game": seal(self.replay.to_line())}
        write_whole(path, json.dumps(sealed) + "\n")

    def check_trust(self, against: str | None, adviser: str | None) -> None:
        """Refuse names of players that lead to any code or program unless their user has given the same."""
        for option, named, given in (("--against", self.against, against), ("--hints", self.adviser, adviser)):
            if given is not None and given != named:
                raise SavedGameError(f"goes on with the game as it was begun: {option} was {named!r}, not {given!r}")
            if given is None and named and not is_plain(named):
                trusted = f"give {option} {shlex.quote(named)} too if you trust it"
                raise SavedGameError(f"names {named!r}, which is no installed policy and may be any program: {trusted}")

    def resume_line(self, path: Path) -> str:
        """Return the command that goes on with the game, with the names that a file alone is not trusted with."""
        names = (("--against", self.against), ("--hints", self.adviser))
        given = [word for option, name in names if name and not is_plain(name) for word in (option, name)]
        return shlex.join(["scotyard", "play", "--resume", str(path), *given])

    @classmethod
    def load(cls, path: Path) -> "SavedGame":
        """Read a file whose game is not over; else say what is wrong with it."""
        try:
            fields = read_json(path)
            _check_fields(fields)
            replay = Replay.from_line(unseal(fields["game"]))
        except SavedGameError as error:
            raise SavedGameError(f"{path} {error}") from error
        except ValueError as error:
            raise SavedGameError(
                f"{path} cannot be read as a game that scotyard play has saved: {brief(error)}"
            ) from error
        return cls(fields["side"], fields["against"], fields["adviser"], fields["key"], replay)


def is_plain(policy: str) -> bool:
    """Tell whether a name is that of an installed policy, with parameters that are numbers or words if any."""
    found = PLAIN.fullmatch(policy)
    return found is not None and (found[2] is None or found[1] in POLICIES.find())


def _check_fields(fields: Any) -> None:
    if isinstance(fields, dict) and fields.get("format") == REPLAY:
        raise SavedGameError("is a replay and has nobody who goes on with it: scotyard watch shows it")
    if not isinstance(fields, dict) or fields.get("format") != SAVED_GAME:
        raise SavedGameError("is no game that scotyard play has saved")
    if not all(isinstance(fields.get(name), str) for name in TEXTS) or fields["side"] not in SIDES:
        raise SavedGameError("is damaged: it does not say who plays whom")


def seal(text: str) -> str:
    """Pack a text so that it cannot be read by accident."""
    return base64.b64encode(zlib.compress(text.encode())).decode()


def unseal(sealed: str) -> str:
    """Unpack a text, at most as long as any line may be."""
    try:
        return zlib.decompressobj().decompress(base64.b64decode(sealed, validate=True), LONGEST).decode()
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"its game is damaged ({error})") from error


def claim_file(folder: Path) -> Path:
    """Make an empty file for a new game in a folder, beside those of the games before."""
    make_folder(folder)
    for number in itertools.count(1):
        path = folder / f"game_{number}.jsonl"
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError  # numbers have no end
