"""The replays of a tournament: a file for every match, in a folder for every pairing."""

import functools
import hashlib
import re
from pathlib import Path

from scotyard_env.arena.result import Key

REPLAYS = "replays"


def write_replay(folder: Path, key: Key, replay: str) -> None:
    """Write the replay of a match as it comes: until the match has its line, nobody minds if it is torn."""
    path = folder / replay_path(key)
    try:
        path.write_text(replay + "\n", encoding="utf-8")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(replay + "\n", encoding="utf-8")


def replay_path(key: Key) -> Path:
    """Name the file of a match's replay in its folder."""
    return Path(REPLAYS) / f"{file_name(key.mr_x)}-v-{file_name(key.detectives)}" / f"{key.number:05}.jsonl"


@functools.lru_cache(maxsize=1024)
def file_name(name: str) -> str:
    """Make a contender's name fit for a file: other names stay other names."""
    plain = re.sub(r"[^A-Za-z0-9_.=,+-]", "_", name)[:60]
    return (
        plain if plain == name else f"{plain}.{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
    )
