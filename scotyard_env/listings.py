"""The commands that list what there is: scotyard policies, boards and rules."""

import dataclasses
import inspect
from pathlib import Path

from scotyard_env.board import Board
from scotyard_env.cards import find_card, read_card
from scotyard_env.parameters import parameters_of
from scotyard_env.policy import POLICIES, SCHEMES, PolicyError, is_made, policy_factory, policy_sides
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import TRANSPORTS


@dataclasses.dataclass(frozen=True)
class Policies:
    """List the installed policies with their sides and parameters, or print their cards."""

    cards: tuple[str, ...] | None = None
    """Print the cards of these policies: what they are, how they were trained, how strong they are; of all for none."""

    def run(self) -> None:
        """Print the list, or cards."""
        if self.cards is None:
            self.list()
        else:
            print("\n\n".join(str(read_card(path)) for path in find_cards(self.cards)), end="")

    def list(self) -> None:
        """Print the list."""
        for name, policy in POLICIES.load_all().items():
            print(f"{name:20} {' and '.join(policy_sides(policy)):22} {_first_line(policy)}")
            parameters = {} if is_made(policy) else parameters_of(policy)
            if parameters:
                print(f"{'':20} {', '.join(map(_tell, parameters.values()))}")
        for name, scheme in SCHEMES.load_all().items():
            first, *others = parameters_of(scheme).values()
            print(f"{f'{name}:{first.name.upper()}':43} {_first_line(scheme)}")
            if others:
                print(f"{'':20} {', '.join(map(_tell, others))}")


def find_cards(names: tuple[str, ...]) -> list[Path]:
    """Return where the cards of some policies are, of all that have one for none; refuse those that have none."""
    cards = {name: card for name, policy in POLICIES.load_all().items() if (card := find_card(policy)) is not None}
    for name in names:
        policy_factory(name)  # says which there are, if it is none of them
        if name not in cards:
            raise PolicyError(f"{name} has no card, as it ships with no files: {', '.join(cards)} have one")
    return [cards[name] for name in names or cards]


def _first_line(policy: object) -> str:
    return next(iter((inspect.getdoc(policy) or "").splitlines()), "")


def _tell(parameter: inspect.Parameter) -> str:
    """Write a parameter with its default, if it has one."""
    return parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default}"


@dataclasses.dataclass(frozen=True)
class Boards:
    """List the boards of the package with their stations, links and rules."""

    def run(self) -> None:
        """Print the list."""
        for name in Board.names():
            board = Board.named(name)
            counts = [sum(link.transport == transport for link in board.links) for transport in TRANSPORTS]
            links = ", ".join(
                f"{count} {transport}" for count, transport in zip(counts, TRANSPORTS, strict=True) if count
            )
            print(f"{name:28} {board.stations:3} stations  {links}  (rules: {RuleSet.for_board(board).name})")
        print("\n--board takes one of these names, or a file that Board.save has written: my_board.json")


@dataclasses.dataclass(frozen=True)
class Rules:
    """List the rule sets of the package with their numbers."""

    def run(self) -> None:
        """Print the list."""
        for name in RuleSet.names():
            rules = RuleSet.named(name)
            numbers = {field: value for field, value in rules.to_dict().items() if field not in ("name", "board")}
            print(f"{name:20} on {rules.board}")
            print("\n".join(f"{'':20} {field} = {_tell_number(field, value)}" for field, value in numbers.items()))
        print("\n--rules takes one of these names, or a file that RuleSet.save has written: my_rules.json")


def _tell_number(field: str, value: object) -> str:
    """Return a number of a rule set as text; of a deck, how many cards it has."""
    if field.endswith("_starts"):
        return f"{len(value)} stations" if isinstance(value, tuple) else "every station"
    return "none" if value is None else str(value).replace("'", "")
