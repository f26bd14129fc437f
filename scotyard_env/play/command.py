"""The command ``scotyard play``."""

import dataclasses
import secrets
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from scotyard_env.commands import FORFEITED
from scotyard_env.play.levels import ADVISERS, DEFAULT, OPPONENTS, Level

if TYPE_CHECKING:
    from scotyard_env.play.saved_game import SavedGame
    from scotyard_env.policy import Policy

FOLDER = Path("play")
TOGETHER = ("resume", "against", "hints", "web")  # what may be given with --resume
OPTIONS = {"side": "--as"}  # by their fields, where the name is another


@dataclasses.dataclass(frozen=True)
class Command:
    """Play against a policy in the terminal, or in a browser; you see what your side may know, and no more.

    Every move is saved at once, and --resume continues a saved game.
    Moves are written 88, t88 or taxi 88; ? tells the rest.
    """

    side: Annotated[Literal["mr_x", "detectives"] | None, tyro.conf.arg(name="as")] = None
    """Your side; mr_x by default."""
    level: Level | None = None
    """How strong the other side is, by measured ratings; normal by default. From easy to best, the detectives are
    last_known, astar_greedy, minimax:belief=evasive and bayes, and Mr. X is greedy, hider, pimbot and phantom."""
    against: str | None = None
    """The policy that plays the other side, in place of a level."""
    board: str | None = None
    """Name of a board, or a file such as my_board.json; by default the board of the rules."""
    rules: str | None = None
    """Name of a rule set, or a file such as my_rules.json; by default the rules of the board."""
    seed: int | None = None
    """Seed of the deal and of the other side, for a reproducible game; random by default."""
    practice: bool = False
    """Allow undo and hints; the replay says how many there were."""
    hints: str | None = None
    """In practice games, the policy that gives hints; by default bayes or phantom, depending on your side."""
    resume: Path | None = None
    """Go on with the game in this file; players in it that are not installed have to be named again by --against and
    --hints."""
    out: Path | None = None
    """Folder for game_1.jsonl, game_2.jsonl, ... and pictures of the board as you see it; play by default."""
    web: bool = False
    """Play in a browser, on a server of its own on this machine; the game is saved in the same file."""

    def run(self) -> None:
        """Let the person play."""
        if self.web:
            self._play_in_browser()
        else:
            self._play_in_terminal()

    def _play_in_browser(self) -> None:
        from scotyard_env.play.browser import play_in_browser

        saved = self._find_game()
        opponent, adviser = _make_players(saved)
        path = self._find_file()
        _greet(saved, path)
        play_in_browser(saved, path, opponent, adviser)

    def _play_in_terminal(self) -> None:
        from scotyard_env.arena.forfeit import ForfeitError
        from scotyard_env.play.person import LeavingError
        from scotyard_env.play.sitting import Sitting
        from scotyard_env.status_line import Announced, StatusLine

        saved = self._find_game()
        opponent, adviser = _make_players(saved)
        path = self._find_file()
        _greet(saved, path, "Write a move such as 88, t88 or taxi 88; ? tells the rules and more, q leaves.")
        announced = Announced(opponent, saved.against, StatusLine())  # when it thinks for long
        sitting = Sitting(saved, path, announced, adviser)
        quoted = shlex.quote(str(path))
        try:
            sitting.play()
        except (LeavingError, KeyboardInterrupt):
            print(f"The game is saved: {saved.resume_line(path)} goes on.")
        except ForfeitError as error:
            print(f"scotyard: forfeit: {error}; the game is saved in {quoted}", file=sys.stderr)
            sys.exit(FORFEITED)
        else:
            print(f"scotyard watch {quoted} shows the game again.")

    def _find_file(self) -> Path:
        """Return the file of the game, a new one for a new game."""
        from scotyard_env.play.saved_game import claim_file

        return claim_file(self.out or FOLDER) if self.resume is None else self.resume

    def _find_game(self) -> "SavedGame":
        """Return the game to be played, dealt or left before; what does not go together is refused."""
        if self.resume is not None:
            return self._take_up(self.resume)
        if self.level is not None and self.against is not None:
            raise ValueError("--level and --against both name who plays the other side: leave one of them out")
        if self.hints is not None and not self.practice:
            raise ValueError("--hints is for practice games: give --practice too")
        return self._deal()

    def _take_up(self, path: Path) -> "SavedGame":
        """Return the game in a file; players that are not installed are to be named again: anybody may write a file."""
        from scotyard_env.play.saved_game import SavedGame, SavedGameError

        given = [OPTIONS.get(name, f"--{name}") for name in _given(self) if name not in TOGETHER]
        if given:
            raise ValueError(f"--resume goes on with the game as it was begun: leave out {', '.join(given)}")
        saved = SavedGame.load(path)
        try:
            saved.check_trust(self.against, self.hints)
        except SavedGameError as error:
            raise SavedGameError(f"{path} {error}") from error
        return saved

    def _deal(self) -> "SavedGame":
        from scotyard_env.game import Game
        from scotyard_env.play.saved_game import SavedGame
        from scotyard_env.policy import SIDES, Side
        from scotyard_env.replay import Practice, Replay

        side: Side = self.side or "mr_x"
        other = SIDES[1 - SIDES.index(side)]
        replay = Replay.of(Game(self.board, self.rules, seed=self.seed))
        return SavedGame(
            side=side,
            against=self.against or OPPONENTS[other][self.level or DEFAULT],
            adviser=self.hints or ADVISERS[side][0] if self.practice else "",
            key=secrets.token_hex(16) if self.seed is None else str(self.seed),
            replay=dataclasses.replace(replay, practice=Practice() if self.practice else None),
        )


def _given(command: Command) -> list[str]:
    """List the fields that are not as they are when left out."""
    return [field.name for field in dataclasses.fields(command) if getattr(command, field.name) != field.default]


def _make_players(saved: "SavedGame") -> "tuple[Policy, Policy | None]":
    """Return the opponent, and the adviser if there is one."""
    from scotyard_env.policy import SIDES, check_fit, make_policy

    other = SIDES[1 - SIDES.index(saved.side)]
    opponent = make_policy(saved.against, side=other)
    check_fit(opponent, saved.replay.board, saved.replay.rules, other)
    if not saved.adviser:
        return opponent, None
    adviser = make_policy(saved.adviser, side=saved.side)
    check_fit(adviser, saved.replay.board, saved.replay.rules, saved.side)
    return opponent, adviser


def _greet(saved: "SavedGame", path: Path, *how: str) -> None:
    """Say who plays whom, how to play and where the game is kept."""
    from scotyard_env.wording import short_name

    who = "Mr. X" if saved.side == "mr_x" else "the detectives"
    rules, board = short_name(saved.replay.rules.name), short_name(saved.replay.board.name)
    print(f"You are {who} against {short_name(saved.against)}, {rules} rules on {board}.")
    if saved.adviser:
        print(f"This is practice: hint asks {short_name(saved.adviser)}, undo takes a move back.")
    print(*how, f"Every move is saved at once in {path}.", sep="\n")
