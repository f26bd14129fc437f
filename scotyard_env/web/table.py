"""One live game: who may see what, who may do what now, and every change of it as an event that a journal can keep."""

import dataclasses
import hashlib
from typing import Any, Literal

import numpy as np

from scotyard_env.game import Game, deal
from scotyard_env.notation import PASS_TEXT
from scotyard_env.policy import SIDES, Side
from scotyard_env.replay import Practice, Replay
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.view import View
from scotyard_env.web.limits import UNDOS
from scotyard_env.web.seating import Setup

Code = Literal[
    "not_your_turn",
    "stale",
    "illegal",
    "over",
    "not_practice",
    "nothing_to_undo",
    "no_more_undo",
    "no_seat",
    "no_hint",
    "no_swap",
    "not_over",
    "full",
    "storage",
]
Event = dict[str, Any]  # {"move": "T45"}, {"undo": 2}, {"resign": "mr_x"} or {"forfeit": "mr_x", "reason": "late"}
# and notes, which change nothing in the game and are not counted: {"hint": 7}, {"rematch": "name of a table"}
Seats = frozenset[int]


class RefusedError(Exception):
    """Something that cannot be done now; its code is all that is told of it."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.code = code


class Table:
    """A game with its players: ``look`` is what seats may see, the other methods give the events they may cause."""

    def __init__(self, setup: Setup, secret: bytes, keys: dict[str, str], start: Replay) -> None:
        self.setup = setup
        self.secret = secret
        self.keys = keys  # digests of tokens by person
        self.start = start
        self.events: list[Event] = []  # without notes
        self._actors: list[int] = []  # by event: the seat that was to move
        self.lost: Side | None = None  # who resigned or forfeited
        self.reason = ""  # why: resigned, late or crashed
        self.rematch = ""  # the table where the same people play again
        self.practice = (start.practice or Practice()) if setup.practice else None  # the help that was given so far
        self._hinted = -1  # at which number of events a hint was given last
        self._game = start.game(0)
        self._before = self._game.clone()

    # What may be known

    @property
    def n(self) -> int:
        """The number of events so far, by which those who act say what they have seen."""
        return len(self.events)

    @property
    def winner(self) -> str | None:
        """The side that has won; None while the game goes on."""
        return self._game.winner if self.lost is None else SIDES[1 - SIDES.index(self.lost)]

    @property
    def seat(self) -> int:
        """The seat to move."""
        return self._game.seat

    @property
    def policy_to_move(self) -> str | None:
        """The name of the policy whose turn it is; None if it is a person's, or nobody's any more."""
        return None if self.winner is not None else self.setup.policy_of(self.seat)

    def viewer_of(self, seats: Seats) -> int:
        """Return the seat through whose eyes the holder of some seats looks: that to move, if it is one of them.

        Once the game is over everybody may see all that Mr. X saw.
        """
        if self.winner is not None:
            return MR_X
        if self.seat in seats:
            return self.seat
        return max(seats, default=SPECTATOR)

    def look(self, seats: Seats) -> View:
        """Return what the holder of some seats may know."""
        return self._game.view(self.viewer_of(seats))

    def look_back(self, seats: Seats) -> View:
        """Return what was to be known before the last action, by the viewer of now."""
        return self._before.view(self.viewer_of(seats))

    def look_at_past(self, seats: Seats) -> list[View]:
        """Return what was to be known at every moment so far, by the viewer of now, the start first."""
        return [moment.view for moment in self.replay().moments(self.viewer_of(seats))]

    def replay(self) -> Replay:
        """Return the game so far, with all that is hidden in it: for those who keep it."""
        return dataclasses.replace(Replay.of(self._game), practice=self.practice)

    def published(self) -> Replay | None:
        """Return the game for everybody, once it is over."""
        return None if self.winner is None else self.replay()

    def rng(self) -> np.random.Generator:
        """Return the chance of the policy to move: the same after a restart, and telling nothing of other moves."""
        return keyed_rng(self.secret, f"move {self.n}")

    # What may be done: each gives the events, which have yet to be applied

    def play(self, seats: Seats, n: int, text: str) -> list[Event]:
        """Play a move, judged by what its seat may know; one of their own that is sent again changes nothing."""
        if 0 <= n < self.n and self._actors[n] in seats and self.events[n] == {"move": text}:
            return []
        self._check(n)
        if self.seat not in seats:
            raise RefusedError("not_your_turn")
        if text not in self._game.view(self.seat).legal_moves:
            raise RefusedError("illegal")
        return [{"move": text}]

    def undo(self, seats: Seats, n: int) -> list[Event]:
        """Take back what was played since the last decision of these seats, in practice games only."""
        self._check(n)
        if not self.setup.practice:
            raise RefusedError("not_practice")
        game = self.start.game(0)
        own = [
            at for at, move in enumerate(self._game.moves) if _seat_then_play(game, move) in seats and move != PASS_TEXT
        ]
        if not own:
            raise RefusedError("nothing_to_undo")
        if not self.undos_left:
            raise RefusedError("no_more_undo")
        return [{"undo": len(self._game.moves) - own[-1]}]

    @property
    def undos_left(self) -> int:
        """How many times a move can still be taken back, so that no table grows for ever."""
        return 0 if self.practice is None else UNDOS - self.practice.undos

    def hint(self, seats: Seats, n: int) -> list[Event]:
        """Note that help is given to the seat to move, in practice games only; once is enough for a decision."""
        if self.practice is None:
            raise RefusedError("not_practice")
        self._check(n)
        if self.seat not in seats:
            raise RefusedError("not_your_turn")
        return [] if self._hinted == n else [{"hint": n}]

    def resign(self, seats: Seats, n: int) -> list[Event]:
        """Give the game up for the side of these seats, whatever happened since; of both, for the one to move."""
        self._check(self.n if 0 <= n <= self.n else n)
        if not seats:
            raise RefusedError("no_seat")
        return [{"resign": SIDES[self.viewer_of(seats) != MR_X]}]

    def forfeit(self, reason: str) -> list[Event]:
        """Take the game from the side to move, whose policy was late or crashed."""
        return [{"forfeit": SIDES[self.seat != MR_X], "reason": reason}]

    def passes(self) -> list[Event]:
        """Return the pass of a detective who is stuck, if one is to move: it is played without being asked for."""
        is_stuck = self.winner is None and self.seat != MR_X and self._game.view(self.seat).legal_moves == [PASS_TEXT]
        return [{"move": PASS_TEXT}] if is_stuck else []

    def _check(self, n: int) -> None:
        if self.winner is not None:
            raise RefusedError("over")
        if n != self.n:
            raise RefusedError("stale")

    # What happens

    def apply(self, event: Event) -> None:
        """Let an event happen, now or again after a restart; what cannot happen raises and changes nothing."""
        actor = self.seat
        if "hint" in event or "rematch" in event:
            self._note(event)
            return
        if "move" in event:
            before = self._game.clone()
            self._game.play(event["move"])
            self._before = before
        elif "undo" in event:
            moves = self._game.moves[: -_check_undo(event["undo"], len(self._game.moves))]
            self._game = Game.from_start(self.start.board, self.start.rules, self.start.game(0).start)
            for move in moves:
                self._before = self._game.clone()
                self._game.play(move)
            self._before = self._before if moves else self._game.clone()
            self._add_help(undos=1)
        else:
            self.lost = SIDES[SIDES.index(event["forfeit" if "forfeit" in event else "resign"])]
            self.reason = str(event.get("reason", "resigned"))
        self.events.append(event)
        self._actors.append(actor)

    def _note(self, event: Event) -> None:
        if "rematch" in event:
            self.rematch = str(event["rematch"])
        else:
            self._hinted = int(event["hint"])
            self._add_help(hints=1)

    def _add_help(self, undos: int = 0, hints: int = 0) -> None:
        if self.practice is not None:
            self.practice = Practice(self.practice.undos + undos, self.practice.hints + hints)


def _check_undo(count: object, played: int) -> int:
    """Return how many moves are taken back, which are one at least and all at most."""
    if type(count) is not int or not 1 <= count <= played:
        raise ValueError(f"{count!r} of {played} moves cannot be taken back")
    return count


def _seat_then_play(game: Game, move: str) -> int:
    """Return whose turn it is, then play on."""
    seat = game.seat
    game.play(move)
    return seat


def keyed_rng(secret: bytes, about: str) -> np.random.Generator:
    """Return a generator whose draws tell nothing of the secret, nor of generators for other purposes."""
    key = hashlib.sha256(secret + b"\0" + about.encode()).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key[:16], "little")))


def deal_table(setup: Setup, secret: bytes, keys: dict[str, str]) -> Table:
    """Deal a new game by a secret."""
    board, rules = setup.resolve()
    start = Game.from_start(board, rules, deal(board, rules, keyed_rng(secret, "deal")))
    return Table(setup, secret, keys, Replay.of(start))
