"""Finding a match in a folder: that of one match, or that of a tournament."""

from pathlib import Path

from scotyard_env.arena.folder import CONFIG, FolderError
from scotyard_env.arena.replays import REPLAYS, replay_path
from scotyard_env.arena.report import read
from scotyard_env.arena.result import Result
from scotyard_env.arena.summary import Pairing, pair_up
from scotyard_env.wording import one_line, short_name

REPLAY = "replay.jsonl"  # in the folder of one match


def choose_replay(path: Path, pairing: int | None, match: int | None) -> Path | str:
    """Return the file of a replay that is named by itself or by a folder; else what there is to choose from."""
    if path.is_dir():
        return find_replay(path, pairing, match)
    if pairing is not None or match is not None:
        raise ValueError(f"{path} is no folder of a tournament, where --pairing and --match choose")
    return path


def find_replay(folder: Path, pairing: int | None, match: int | None) -> Path | str:
    """Return the file of a folder's replay; of a tournament's, what there is to choose from unless it is chosen."""
    if not (folder / CONFIG).exists():
        if not (folder / REPLAY).exists():
            raise FolderError(f"{folder} has neither {REPLAY}, as a match leaves it, nor a tournament's {CONFIG}")
        return folder / REPLAY
    pairings = [one for one in pair_up(*read(folder)) if one.results]
    if not pairings or not (folder / REPLAYS).is_dir():
        raise FolderError(f"{folder} has no replays: nothing was played yet, or it was played with --no-replays")
    if pairing is None and (len(pairings) > 1 or match is None):
        return _list_pairings(folder, pairings)
    number = 1 if pairing is None else pairing
    if not 1 <= number <= len(pairings):
        raise FolderError(f"there is no pairing {number} in {folder}: there are 1 to {len(pairings)}")
    chosen = pairings[number - 1]
    if match is None:
        return _list_matches(folder, number, chosen)
    for result in chosen.results:
        if result.number == match:
            return folder / replay_path(result.key)
    numbers = [result.number for result in chosen.results]
    raise FolderError(f"there is no match {match} of pairing {number}: there are {min(numbers)} to {max(numbers)}")


def _list_pairings(folder: Path, pairings: list[Pairing]) -> str:
    lines = [
        f"{number:4}  {short_name(one.mr_x)} v {short_name(one.detectives)}: detectives win {one.rate.wins}"
        f" of {one.rate.games}, matches {one.results[0].number} to {one.results[-1].number}"
        for number, one in enumerate(pairings, start=1)
    ]
    hint = f"choose one: {folder} --pairing 1 --match {pairings[0].results[0].number}"
    return "\n".join([f"{folder} has the matches of {len(pairings)} pairings", *lines, hint])


def _list_matches(folder: Path, number: int, pairing: Pairing) -> str:
    lines = [f"{result.number:6}  {_tell(result)}" for result in pairing.results]
    hint = f"choose one: {folder} --pairing {number} --match {pairing.results[0].number}"
    return "\n".join([f"{short_name(pairing.mr_x)} v {short_name(pairing.detectives)}", *lines, hint])


def _tell(result: Result) -> str:
    told = f"{result.winner} won in round {result.round}"
    return told if result.forfeit is None else f"{told}: {result.forfeit} {one_line(result.reason or 'forfeited', 80)}"
