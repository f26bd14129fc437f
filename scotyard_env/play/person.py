"""A person at the terminal, who is asked for moves and can ask back; shown what a seat may know, and no more."""

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from rich.console import Console

from scotyard_env import render
from scotyard_env.explanation import explain
from scotyard_env.play.advice import COMMANDS, OTHER_NAMES, tell_help
from scotyard_env.play.keyboard import Complete, accept_anything, ask, complete_line
from scotyard_env.play.reading import FARE_WORDS, LONGEST_SHOWN, MisreadError, read_moves
from scotyard_env.play.street_map import LEGEND, draw_map, tell_links
from scotyard_env.play.table import draw_legal, draw_table, prompt_of
from scotyard_env.policy import Policy, PolicyError
from scotyard_env.render.captions import coming_round
from scotyard_env.view import View
from scotyard_env.wording import brief, one_line

FEWEST_LINES = 12  # of a map
NEEDS_PRACTICE = "is for practice games, which are marked in their replay: begin one with --practice"
AFTER_THE_END = "undo takes your last move back, Enter leaves > "
Answer = list[int] | Literal["undo"]  # the actions of a line, or to take the last move back


class LeavingError(Exception):
    """The person has had enough for now."""


class Person:
    """Somebody at the terminal; with an adviser, a policy and its name, it is practice: hints are given, undo is."""

    def __init__(
        self, picture: Path, adviser: tuple[str, Policy] | None = None, hint_given: Callable[[], None] = lambda: None
    ) -> None:
        accept_anything()
        self.console = Console(highlight=False, markup=False)
        self._picture, self._adviser, self._hint_given = picture, adviser, hint_given
        self._shown_round = 0  # the last one that began with the whole table
        self._told: dict[str, Callable[[View, str], None]] = {
            "?": self._help,
            "table": self.show_table,
            "map": self._show_map,
            "hint": self._hint,
        }

    def decide(self, view: View) -> Answer:
        """Show how the game stands, and ask until there is an answer; who leaves raises ``LeavingError``."""
        render.save(view, self._picture)
        if coming_round(view) == self._shown_round:
            self.console.print(draw_legal(view))
        else:
            self._shown_round = coming_round(view)
            self.show_table(view)
        while True:
            try:
                answer = self._read(view, self._ask(prompt_of(view), lambda typed: complete_line(view, typed)))
            except MisreadError as error:
                self.console.print(str(error))
            else:
                if answer is not None:
                    return answer

    def _ask(self, prompt: str, complete: Complete) -> str:
        try:
            return ask(prompt, complete)
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise LeavingError from None

    def _read(self, view: View, line: str) -> Answer | None:
        """Return the answer that a line is; None if it asked for something, which it was told."""
        word, _, rest = (line or "table").partition(" ")
        name = OTHER_NAMES.get(word.lower(), word.lower())
        if name == "q":
            raise LeavingError
        if name == "undo":
            self._check_practice(name)
            self._shown_round = 0
            return "undo"
        if name not in self._told:
            _refuse_typo(name)
            return read_moves(view, line)
        self._told[name](view, rest.strip())
        return None

    def wants_undo(self) -> bool:
        """Ask after the end of a practice game whether the last move shall be taken back; who leaves says no."""
        try:
            return self._ask(AFTER_THE_END, lambda _: ["undo"]).lower() == "undo"
        except LeavingError:
            return False

    # What can be asked for

    def show_table(self, view: View, rest: str = "") -> None:
        """Show all that there is to know."""
        self.console.print()
        self.console.print(draw_table(view, self.console.width))
        if view.winner is None:
            self.console.print(draw_legal(view))

    def _help(self, view: View, rest: str) -> None:
        self.console.print(tell_help(view))
        self.console.print(draw_legal(view))

    def _show_map(self, view: View, rest: str) -> None:
        around = _read_station(view, rest) if rest else None
        height = max(FEWEST_LINES, self.console.height - 4)
        self.console.print(draw_map(view, self.console.width, height, around))
        self.console.print(LEGEND, style="dim")
        self.console.print(f"As a picture: {self._picture}" if around is None else tell_links(view, around))

    def _hint(self, view: View, rest: str) -> None:
        name, adviser = self._check_practice("hint")
        try:
            hint = explain(adviser, view, name=name)
        except PolicyError as error:
            raise MisreadError(f"there is no hint: {brief(error)}") from error
        self._hint_given()
        self.console.print(str(hint))
        render.save(view, self._picture, explanation=hint)

    def _check_practice(self, what: str) -> tuple[str, Policy]:
        """Return the adviser; outside of practice games there is none."""
        if self._adviser is None:
            raise MisreadError(f"{what} {NEEDS_PRACTICE}")
        return self._adviser


def _read_station(view: View, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 3 and 1 <= int(text) <= view.board.stations):
        shown = one_line(text, LONGEST_SHOWN)
        raise MisreadError(f"map takes a station from 1 to {view.board.stations}, and not {shown!r}")
    return int(text)


def _refuse_typo(name: str) -> None:
    """Refuse what looks like a command that is written wrongly."""
    commands = [known for known in (*COMMANDS, *OTHER_NAMES) if len(known) > 2]
    close = difflib.get_close_matches(name, commands, n=1)
    if close and name not in FARE_WORDS:
        raise MisreadError(f"{one_line(name, LONGEST_SHOWN)!r} is no command: did you mean {close[0]}?")
