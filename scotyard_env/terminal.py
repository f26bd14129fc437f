"""What the commands show in a terminal, and the person who plays there."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from scotyard_env import render
from scotyard_env.game import Game, Spectator
from scotyard_env.notation import action_text
from scotyard_env.policy import Decision, Side
from scotyard_env.replay import Replay
from scotyard_env.rules import double_action
from scotyard_env.state import MR_X, NOWHERE, SEATS
from scotyard_env.view import PublicMove, View

STEP_HELP = "Enter: next   b: back   number: go there   q: quit"
PLAY_HELP = "write a move such as T45 (taxi), B58 (bus), U46 (underground), K115 (black), 2x (double); q quits"


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Show how many matches are played, with the time left, on the error stream."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=120) as progress:
        task = progress.add_task("matches, first compiling what is new", total=None)
        first: list[int] = []  # how many were there at the start

        def show(done: int, total: int) -> None:
            first.extend([] if first else [done])
            progress.update(task, completed=done, total=total, description="matches" if done > first[0] else None)

        yield show


# A match as it goes


def print_action(game: Game, seat: int, decision: Decision) -> None:
    """Print what one action did, for somebody who may know everything."""
    if seat == MR_X:
        print(f"round {game.round}, log entry {game.state.entries}")
    words = [f"  {SEATS[seat]:12} {action_text(game.board, decision.action):5}"]
    is_move = decision.action != double_action(game.board.arrays)
    if seat == MR_X and is_move and "@" in game.log[-1]:
        words.append(f"shows himself on {game.stations[MR_X]}")
    if decision.confidence is not None:
        words.append(f"confidence {decision.confidence:.2f}")
    words.append(f"{len(game.possible)} possible")
    print("  ".join(words))


# A replay, step by step


def step_through(replay: Replay, viewer: int, at: int) -> None:
    """Show a replay moment by moment, as its reader asks for."""
    lines = [f"the start of {len(replay)} actions", *tell(replay, viewer)]
    while True:
        print(f"\n{lines[at]}\n{render.text(replay.game(at).view(viewer))}\n")
        try:
            answer = input(f"[{at} of {len(replay)}]  {STEP_HELP} > ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return
        if answer == "q" or (answer == "" and at == len(replay)):
            return
        at = _next_moment(answer, at, len(replay))


def _next_moment(answer: str, at: int, last: int) -> int:
    if answer == "":
        return at + 1
    if answer == "b":
        return max(0, at - 1)
    if answer.isdecimal() and int(answer) <= last:
        return int(answer)
    print(f"{answer!r} is no moment: there are 0 (the start) to {last}")
    return at


def print_all(replay: Replay, viewer: int) -> None:
    """Print every action of a replay and how it ends, for a reader who cannot be asked."""
    print("\n".join(tell(replay, viewer)))
    print(f"\n{render.text(replay.game().view(viewer))}")


def tell(replay: Replay, viewer: int) -> list[str]:
    """Put every action of a replay into words, as the viewer saw it."""
    game, table = replay.game(0), Announcer()
    game.spectators.append(table)
    for move in replay.moves:
        seat = game.seat
        game.play(move)
        if viewer == seat == MR_X:  # he knows where he goes
            table.lines[-1] = f"{SEATS[MR_X]:12} {move}"
    return table.lines


class Announcer(Spectator):
    """Puts into words what the table sees."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def move_made(self, move: PublicMove) -> None:
        """Take down an action."""
        shown = f"  shows himself on {move.station}" if move.seat == MR_X and move.station != NOWHERE else ""
        self.lines.append(f"{SEATS[move.seat]:12} {move.text}{shown}")


# A person at the table


class Person:
    """A policy that asks somebody at the terminal, and shows no more than the seat to move may know."""

    def __init__(self, picture: Path | None = None) -> None:
        self.has_left = False
        self._picture = picture  # file that has the board as this person sees it

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Ask for an action until a legal one is given; who leaves raises ``KeyboardInterrupt``."""
        if self._picture is not None:
            render.save(view, self._picture)
        texts = view.legal_moves
        print(f"\n{render.text(view)}\n")
        print(f"{SEATS[view.seat]} may play: {', '.join(texts)}")
        while True:
            answer = self._ask(view)
            if answer in texts:
                return Decision(view.legal[texts.index(answer)])
            print(f"{answer!r} cannot be played: {PLAY_HELP}")

    def _ask(self, view: View) -> str:
        try:
            answer = input(f"{SEATS[view.seat]} > ").strip()
        except EOFError:
            answer = "q"
        if answer.lower() in ("q", "quit"):
            self.has_left = True
            raise KeyboardInterrupt
        return _tidy(answer)


def _tidy(answer: str) -> str:
    """Take capitals and small letters for the same: 2x is small, the fares are not."""
    return answer.lower() if answer[:1] == "2" else answer.upper()


class Crier(Announcer):
    """Says at once what the table sees of the side that the person does not play."""

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side

    def move_made(self, move: PublicMove) -> None:
        """Print an action of the other side."""
        super().move_made(move)
        if (move.seat == MR_X) != (self._side == "mr_x"):
            print(self.lines[-1])
