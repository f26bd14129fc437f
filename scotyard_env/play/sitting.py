"""A game between a person at the terminal and a policy, saved after every action."""

import dataclasses
from pathlib import Path

from scotyard_env import render
from scotyard_env.arena.forfeit import ForfeitError
from scotyard_env.arena.guard import Guard
from scotyard_env.game import Game, IllegalMoveError
from scotyard_env.play.person import Person
from scotyard_env.play.reading import is_stuck
from scotyard_env.play.saved_game import SavedGame
from scotyard_env.play.table import tell_own, tell_public, tell_searched
from scotyard_env.policy import SIDES, Policy
from scotyard_env.render.captions import why_over
from scotyard_env.replay import Practice, Replay
from scotyard_env.rng import policy_rng
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.view import View, public_move


class Sitting:
    """One person, one policy, one game, one file."""

    def __init__(self, saved: SavedGame, path: Path, opponent: Policy, adviser: Policy | None) -> None:
        self._saved, self._path, self._opponent = saved, path, opponent
        advice = None if adviser is None else (saved.adviser, adviser)
        self._person = Person(path.with_suffix(".svg"), advice, self._note_hint)
        self._planned: list[int] = []  # what the person has said of the turns to come
        self._game = saved.replay.game()

    def play(self) -> None:
        """Play to the end, which is told; who leaves raises ``LeavingError``, a policy that fails ``ForfeitError``."""
        self._save()
        while True:
            while self._game.winner is None:
                self._take_turn()
            self._tell_end()
            if self._saved.replay.practice is None or not self._person.wants_undo():
                return
            self._undo()

    # Turns

    def _is_own(self, seat: int) -> bool:
        return (seat == MR_X) == (self._saved.side == "mr_x")

    def _take_turn(self) -> None:
        view = self._game.view(self._game.seat)
        if not self._is_own(view.seat):
            self._play_theirs(view)
        elif is_stuck(view):
            self._play_own(view, view.legal[0])
        elif self._planned:
            self._play_own(view, self._planned.pop(0))
        elif (answer := self._person.decide(view)) == "undo":
            self._undo()
        else:
            self._planned = list(answer)

    def _play_theirs(self, view: View) -> None:
        """Play what the policy plays; its rng depends on nothing but the key and the number of the action."""
        side = 0 if view.seat == MR_X else 1
        rng = policy_rng(self._saved.key, SIDES[side], len(self._game.actions))
        with Guard() as guard:
            decision, _ = guard.ask(side, self._opponent, view, rng)
        try:
            self._game.play(decision.action)
        except IllegalMoveError as error:
            raise ForfeitError(SIDES[side], f"played an illegal move: {error}") from error
        self._save()
        self._print(tell_public(public_move(self._game.board, self._game.state, view.seat, decision.action)))

    def _play_own(self, view: View, action: int) -> None:
        self._game.play(action)
        self._save()
        searched = "" if self._game.winner is not None else tell_searched(view, action)
        self._print(f"{tell_own(view, action)}{searched}")

    # Undo and hints

    def _undo(self) -> None:
        """Go back to the person's last decision."""
        replay = self._saved.replay
        earlier = [at for at, game in enumerate(replay.games()) if at < len(replay) and self._is_decision(game)]
        if not earlier:
            self._print("There is nothing to take back.")
            return
        self._print(f"Taken back: {replay.moves[earlier[-1]]} and what came after it.")
        self._game = replay.game(earlier[-1])
        self._note_help(undos=1)

    def _is_decision(self, game: Game) -> bool:
        return self._is_own(game.seat) and not is_stuck(game.view(game.seat))

    def _note_hint(self) -> None:
        self._note_help(hints=1)

    def _note_help(self, undos: int = 0, hints: int = 0) -> None:
        """Take down at once what help was given."""
        before = self._saved.replay.practice or Practice()
        practice = Practice(before.undos + undos, before.hints + hints)
        self._saved = dataclasses.replace(
            self._saved, replay=dataclasses.replace(self._saved.replay, practice=practice)
        )
        self._save()

    # Saving and telling

    def _save(self) -> None:
        replay = dataclasses.replace(Replay.of(self._game), practice=self._saved.replay.practice)
        self._saved = dataclasses.replace(self._saved, replay=replay)
        self._saved.save(self._path)

    def _tell_end(self) -> None:
        self._planned = []  # of a line whose first moves ended the game
        end = self._game.view(SPECTATOR)
        render.save(end, self._path.with_suffix(".svg"))
        self._person.show_table(end)
        self._print(f"{'You win' if end.winner == self._saved.side else 'You lose'}. {why_over(end)}")
        if self._saved.replay.practice is not None:
            self._print(f"This was {self._saved.replay.practice}.")

    def _print(self, text: str) -> None:
        self._person.console.print(text)
