"""Cards of policies that ship with files: what they are, how they were made, how strong they are and where they fail.

A policy tells where its card is (``card``, the path of a file of JSON beside the files it reads). What people know is
written into it by hand; sizes, digests and win rates are put in by ``python -m bench.cards`` and are never typed.
"""

import dataclasses
import json
import textwrap
from pathlib import Path
from typing import Any

from scotyard_env.arena.content import digest_file
from scotyard_env.arena.rating import Rate
from scotyard_env.files import read_arrays, write_whole
from scotyard_env.json_files import read_json
from scotyard_env.policy import SIDES
from scotyard_env.release import release
from scotyard_env.wording import brief

FORMAT = "scotyard-card-1"
RESPONSE = "response to "  # begins the name of an opponent who has studied a policy
WIDTH = 100  # characters of a line of a card that is printed


class CardError(ValueError):
    """A card that cannot be read."""


@dataclasses.dataclass(frozen=True)
class CardFile:
    """A file that a policy plays by."""

    name: str  # beside the card
    bytes: int
    numbers: int  # in its arrays: the parameters of a network
    digest: str

    @classmethod
    def of(cls, path: Path) -> "CardFile":
        """Take down a file as it is now."""
        numbers = sum(array.size for array in read_arrays(path).values())
        return cls(path.name, path.stat().st_size, numbers, digest_file(path))


@dataclasses.dataclass(frozen=True)
class Strength:
    """How often a policy wins against an opponent."""

    side: str  # that the policy plays
    opponent: str
    wins: int  # of the policy
    games: int
    version: str  # of the package that played

    def __str__(self) -> str:
        return f"{Rate(self.wins, self.games)} of {self.games:,} against {self.opponent} ({release(self.version)})"


@dataclasses.dataclass(frozen=True)
class Card:
    """What is known of a policy that ships with files."""

    policy: str
    what: str
    trained: tuple[str, ...]  # what was done, and the commands that did it
    data: str  # what it learned from
    weaknesses: tuple[str, ...]
    licence: str
    files: tuple[CardFile, ...] = ()
    measured: str | None = None  # content of the policy whose strength it is; None if it was not measured
    strength: tuple[Strength, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Write the card as JSON has it."""
        return {"format": FORMAT, **dataclasses.asdict(self)}

    def save(self, path: Path) -> None:
        """Write the card to a file."""
        write_whole(path, json.dumps(self.to_json(), indent=1) + "\n")

    def __str__(self) -> str:
        won = [str(one) for one in self.strength if not one.opponent.startswith(RESPONSE)]
        lost = [str(one) for one in self.strength if one.opponent.startswith(RESPONSE)]
        unknown = ["not measured with these files: python -m bench.tables, in a clone"]
        parts = {
            "what": [self.what],
            "how trained": list(self.trained),
            "data": [self.data],
            "strength (wins)": won or unknown,
            "robustness (wins against who has studied it)": lost or unknown,
            "known weaknesses": list(self.weaknesses),
            "licence": [self.licence],
            "files": [f"{one.name}: {one.bytes:,} bytes, {one.numbers:,} numbers, {one.digest}" for one in self.files],
        }
        lines = [f"{name}\n{''.join(map(_wrap, told))}" for name, told in parts.items()]
        return f"{self.policy}\n{'=' * len(self.policy)}\n\n" + "\n".join(lines)


def _wrap(sentence: str) -> str:
    if sentence.startswith("scotyard "):  # a command stays one line, to be copied
        return f"    {sentence}\n"
    return textwrap.fill(sentence, WIDTH, initial_indent="  ", subsequent_indent="  ") + "\n"


def read_card(path: Path) -> Card:
    """Read a card; ``CardError`` says what is wrong with it."""
    try:
        stored = read_json(path)
        if stored.pop("format", None) != FORMAT:
            raise ValueError(f'it lacks "format": "{FORMAT}"')
        lists = {name: tuple(stored[name]) for name in ("trained", "weaknesses")}
        files = tuple(CardFile(**one) for one in stored["files"])
        strength = tuple(Strength(**one) for one in stored["strength"])
        card = Card(**{**stored, **lists, "files": files, "strength": strength})
        _check(card)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CardError(f"{path} is no card that can be read: {brief(error)}") from error
    return card


def _check(card: Card) -> None:
    texts = (card.policy, card.what, card.data, card.licence, *card.trained, *card.weaknesses)
    if not all(isinstance(text, str) and text for text in texts):
        raise ValueError("a text of it is missing")
    for one in card.strength:
        if one.side not in SIDES or not 0 <= one.wins <= one.games:
            raise ValueError(f"its strength cannot be {one.wins} of {one.games} as {one.side}")


def find_card(policy: object) -> Path | None:
    """Return where the card of a policy is, if it has one."""
    path = getattr(policy, "card", None)
    return path if isinstance(path, Path) else None


def find_problems(card: Card, folder: Path) -> list[str]:
    """List what a card tells of its files that is not so."""
    problems = []
    for told in card.files:
        path = folder / told.name
        if not path.is_file():
            problems.append(f"{told.name} is not there")
        elif CardFile.of(path) != told:
            problems.append(f"{told.name} is another: {CardFile.of(path)}")
    return problems
