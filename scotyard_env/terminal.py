"""What the commands show in a terminal of matches and replays."""

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from scotyard_env import render
from scotyard_env.explanation import Explanation, belief_of, indent
from scotyard_env.game import Game, Spectator
from scotyard_env.notation import action_text
from scotyard_env.policy import Decision, Policy, Side, side_of
from scotyard_env.replay import Moment, Replay
from scotyard_env.rules import double_action
from scotyard_env.state import MR_X, NOWHERE, SEATS
from scotyard_env.view import PublicMove, View

STEP_HELP = "Enter: next   b: back   number: go there   q: quit"


@contextlib.contextmanager
def progress_bar(what: str = "matches") -> Iterator[Callable[[int, int], None]]:
    """Show how many matches are played, or what else is done, with the time left, on the error stream."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=120) as progress:
        task = progress.add_task(f"{what}, first compiling what is new", total=None)
        first: list[int] = []  # how many were there at the start

        def show(done: int, total: int) -> None:
            first.extend([] if first else [done])
            progress.update(task, completed=done, total=total, description=what if done > first[0] else None)

        yield show


# A match as it goes


def print_action(game: Game, view: View, decision: Decision) -> None:
    """Print what one action did, for somebody who may know everything; the view is what its seat knew."""
    seat = view.seat
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


class Commentator:
    """Prints a match as it goes, if wanted with why every action is played, and keeps the explanations."""

    def __init__(self, players: dict[Side, tuple[str, Policy]], explains: bool) -> None:
        self.explanations: list[Explanation] = []
        self._players, self._explains = players, explains

    def __call__(self, game: Game, view: View, decision: Decision) -> None:
        """Tell of an action that was just played."""
        print_action(game, view, decision)
        if self._explains:
            name, policy = self._players[side_of(view)]
            self.explanations.append(Explanation.of(view, decision, name, belief_of(policy)))
            print("\n".join(indent(self.explanations[-1].lines(), 8)))


# A replay, step by step


def step_through(replay: Replay, viewer: int | None, at: int) -> None:
    """Show a replay moment by moment, as its reader asks for; without a viewer, as whoever moves next sees it."""
    lines = [f"the start of {len(replay)} actions", *tell(replay, viewer)]
    moments = list(replay.moments(viewer))
    print(_tell_practice(replay), end="")
    while True:
        print(f"\n{lines[at]}\n{render.text(moments[at].view)}\n")
        print("".join(f"{line}\n" for line in tell_why(replay, moments, at)), end="")
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


def print_all(replay: Replay, viewer: int | None) -> None:
    """Print every action of a replay and how it ends, for a reader who cannot be asked."""
    moments = list(replay.moments(viewer))
    print(_tell_practice(replay), end="")
    for at, line in enumerate(tell(replay, viewer)):
        print("\n".join([line, *indent(tell_why(replay, moments, at))]))
    print(f"\n{render.text(moments[-1].view)}")


def _tell_practice(replay: Replay) -> str:
    return "" if replay.practice is None else f"This was {replay.practice}.\n"


def tell_why(replay: Replay, moments: list[Moment], at: int) -> list[str]:
    """Say why the next action is what it is, if that is known."""
    explanation = moments[at].explanation
    if explanation is None:
        return []
    plays = "plays" if explanation.move == replay.moves[at] else "would play"
    return [f"{explanation.policy} {plays} {explanation.move}", *indent(explanation.lines())]


def tell(replay: Replay, viewer: int | None) -> list[str]:
    """Put every action of a replay into words, as the viewer saw it; without one, as its mover did."""
    game, table = replay.game(0), Announcer()
    game.spectators.append(table)
    for move in replay.moves:
        seat = game.seat
        game.play(move)
        if seat == MR_X and viewer in (MR_X, None):  # he knows where he goes
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
