"""A file of scores: the pairings of one game that were played so far, small enough to be kept in a repository.

The policies stand in it with their parameters, the digest of their files and a fingerprint of what they decide
(fingerprint.py). Scores of a policy that has changed are not its scores any more: they are dropped when the file is
brought up to date. Times are told, but are no part of the checksum: all else is the same on every machine.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scotyard_env.arena.config import read_board, write_board
from scotyard_env.arena.contenders import Contender, Description
from scotyard_env.arena.fingerprint import take_fingerprint
from scotyard_env.arena.score import Score
from scotyard_env.board import Board
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.policy import SIDES, Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.wording import brief, one_line

FORMAT = "scotyard-scores-1"
TIMES = "seconds"  # the field that differs from machine to machine
Pair = tuple[str, str]  # Mr. X's policy and that of the detectives, by name


class ScoreFileError(ValueError):
    """A file that holds no scores, damaged ones, or those of another game."""


@dataclasses.dataclass(frozen=True)
class Player:
    """A policy as it was when its scores were played."""

    description: Description
    fingerprint: str | None  # of what it decides; None of a policy that is not ours

    @classmethod
    def of(cls, contender: Contender, board: Board, rules: RuleSet) -> "Player":
        """Take down a policy as it is now."""
        return cls(contender.describe(), take_fingerprint(contender, board, rules))

    def plays_like(self, other: "Player") -> bool:
        """Tell whether a policy is the same as it was."""
        return (self.description.essence, self.fingerprint) == (other.description.essence, other.fingerprint)

    def plays_like_one_named(self, name: str, other: "Player") -> bool:
        """Tell whether a policy is the same as another one, which goes by another name here."""
        return self.plays_like(
            dataclasses.replace(other, description=dataclasses.replace(other.description, name=name))
        )

    def to_json(self) -> dict[str, Any]:
        """Write the policy as JSON has it."""
        return {**self.description.to_json(), "fingerprint": self.fingerprint}

    @classmethod
    def from_json(cls, stored: Any) -> "Player":
        """Read a policy."""
        if not isinstance(stored, dict) or not isinstance(stored.get("fingerprint"), str | None):
            raise ValueError(f"a policy of it cannot be {one_line(repr(stored), 80)}")
        return cls(Description.from_json(stored), stored.get("fingerprint"))


@dataclasses.dataclass
class Scores:
    """The scores of one game: a board, rules and a seed that deals."""

    board: Board
    rules: RuleSet
    seed: int
    players: dict[Side, dict[str, Player]] = dataclasses.field(default_factory=lambda: {side: {} for side in SIDES})
    pairs: dict[Pair, Score] = dataclasses.field(default_factory=dict)

    def games(self, pair: Pair) -> int:
        """Return how many games of a pairing there are."""
        return self.pairs[pair].games if pair in self.pairs else 0

    def welcome(self, contenders: Iterable[Contender]) -> list[str]:
        """Take down policies as they are now; drop the scores of those that have changed, and say so."""
        words = []
        for contender in contenders:
            side, name = contender.side, contender.name
            now = Player.of(contender, self.board, self.rules)
            there = self.players[side].get(name)
            if there is not None and not there.plays_like(now):
                place = SIDES.index(side)
                dropped = [pair for pair in self.pairs if pair[place] == name]
                for pair in dropped:
                    del self.pairs[pair]
                words.append(f"{name} ({side}) does not play as it did: {len(dropped)} pairings are played again")
            self.players[side][name] = now
        return words

    def take_over(self, other: "Scores", wanted: Mapping[Pair, int]) -> None:
        """Take over what another file has of pairings wanted here: same game, deals and players, whatever their names.

        Of each pairing the file with more games counts, unless it has more than are wanted.
        """
        if (self.board, self.rules, self.seed) != (other.board, other.rules, other.seed):
            return
        for pair, games in wanted.items():
            for score in other.pairs.values():
                if self.games(pair) < score.games <= games and self._has_players_of(pair, other, score):
                    self.pairs[pair] = dataclasses.replace(score, mr_x=pair[0], detectives=pair[1])

    def to_json(self) -> dict[str, Any]:
        """Write the scores as JSON has them; players that have none are left out."""
        return {
            **write_board(self.board),
            "rules": json.loads(json.dumps(self.rules.to_dict())),
            "seed": self.seed,
            **{side: [self.players[side][name].to_json() for name in self._names(side)] for side in SIDES},
            "scores": [self.pairs[pair].to_json() for pair in sorted(self.pairs)],
        }

    @classmethod
    def from_json(cls, stored: Any) -> "Scores":
        """Read scores; ValueError says what is wrong with them."""
        try:
            scores = cls(
                read_board(stored["board"], stored["board_signature"]),
                RuleSet.from_dict(stored["rules"]),
                stored["seed"],
            )
            for side in SIDES:
                players = [Player.from_json(one) for one in stored[side]]
                scores.players[side] = {one.description.name: one for one in players}
            read = [Score.from_json(one) for one in stored["scores"]]
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"it is not whole: {type(error).__name__} {error}") from error
        scores.pairs = {(one.mr_x, one.detectives): one for one in read}
        names = [set(scores.players[side]) for side in SIDES]
        is_known = all(mr_x in names[0] and detectives in names[1] for mr_x, detectives in scores.pairs)
        if type(scores.seed) is not int or scores.seed < 0 or len(scores.pairs) != len(read) or not is_known:
            raise ValueError("its seed, policies and scores do not fit together")
        return scores

    def _has_players_of(self, pair: Pair, other: "Scores", score: Score) -> bool:
        return all(
            self.players[side][name].plays_like_one_named(name, other.players[side][score.player(side)])
            for side, name in zip(SIDES, pair, strict=True)
        )

    def _names(self, side: Side) -> list[str]:
        place = SIDES.index(side)
        return sorted({pair[place] for pair in self.pairs})


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Write a record with its checksum, a line for each thing in it, so that a change is a changed line."""
    whole = {**record, "checksum": checksum(record)}
    parts = [f" {json.dumps(name)}: {_lay_out(value)}" for name, value in whole.items()]
    write_whole(path, "{\n" + ",\n".join(parts) + "\n}\n")


def read_record(path: Path, form: str) -> dict[str, Any]:
    """Read a record of a format; one that is damaged, or was changed by hand, is refused."""
    try:
        stored = read_json(path)
    except ValueError as error:
        raise ScoreFileError(f"{path} cannot be read: {brief(error)}") from error
    if not isinstance(stored, dict) or stored.get("format") != form:
        raise ScoreFileError(f'{path} lacks "format": "{form}"')
    if stored.pop("checksum", None) != checksum(stored):
        raise ScoreFileError(f"{path} was changed after it was written: its checksum is another")
    return stored


def checksum(record: dict[str, Any]) -> str:
    """Return a short text that differs for different records; times do not count."""
    text = json.dumps(_without_times(record), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def read_scores(path: Path) -> Scores:
    """Read a file of scores."""
    stored = read_record(path, FORMAT)
    try:
        return Scores.from_json(stored)
    except ValueError as error:
        raise ScoreFileError(f"{path} holds no scores that can be read: {brief(error)}") from error


def write_scores(path: Path, scores: Scores) -> None:
    """Write a file of scores."""
    write_record(path, {"format": FORMAT, **scores.to_json()})


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_times(one) for name, one in value.items() if name != TIMES}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def _lay_out(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return "[\n" + ",\n".join(f"  {json.dumps(one, separators=(',', ':'))}" for one in value) + "\n ]"
    return json.dumps(value)
