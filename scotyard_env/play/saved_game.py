"""A game that somebody plays, as a file: who plays whom and the game so far, enough to go on as it would have gone.

The file holds the whole game, where Mr. X is included. While it goes on that part is packed, so that nobody reads it by
accident; it is no lock. Once the game is over the file is a replay like any other.
"""

import base64
import binascii
import dataclasses
import itertools
import json
import zlib
from pathlib import Path
from typing import Any

from scotyard_env.files import write_whole
from scotyard_env.json_files import LONGEST, read_json
from scotyard_env.policy import SIDES, Side
from scotyard_env.replay import FORMAT as REPLAY
from scotyard_env.replay import SAVED_GAME, Replay
from scotyard_env.wording import brief

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
            raise SavedGameError(f"{path} cannot be read: {brief(error)}") from error
        return cls(fields["side"], fields["against"], fields["adviser"], fields["key"], replay)


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
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        path = folder / f"game_{number}.jsonl"
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError  # numbers have no end
