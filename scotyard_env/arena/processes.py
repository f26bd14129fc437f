"""Matches on the cores of this machine: worker processes, and somebody who looks after them.

Code that is not ours may do anything to the process that it runs in, so it is never in one process with another
stranger's matches, and its matches are taken down here, by the rules as they are here. Every worker notes in shared
memory what it is about: a policy that never comes back is stopped, a process that ends is replaced, and it is known
which match was under way and who was thinking.
"""

import dataclasses
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from pathlib import Path

from scotyard_env.arena.forfeit import ForfeitError, late
from scotyard_env.arena.guard import GRACE, POLL
from scotyard_env.arena.match import Clock
from scotyard_env.arena.member import Lane, Member
from scotyard_env.arena.referee import HANGS, Hangs, Outcome, Setting, take_down
from scotyard_env.arena.result import Key
from scotyard_env.arena.worker import (
    ACTIONS,
    AWAY,
    HAS_CLOSED,
    IS_START,
    IS_THINKING,
    MATCH,
    PLAYED,
    SIDE,
    Task,
)
from scotyard_env.policy import SIDES

BUNDLE = 8  # matches that a worker is handed at once, at most
SILENCE = 600.0  # seconds that a move may take where no limit was set
FALSE_STARTS = 3  # workers in a row that end before they are ready


_NO_START = (
    "worker processes end before they begin to play: what they print says why; a script that starts them must do so"
    ' under if __name__ == "__main__", and policies must be such as can be imported or pickled'
)


class WorkerError(ValueError):
    """Worker processes that cannot be started, or not with these policies."""


def _pack(setting: Setting) -> Setting:
    """Return a setting as it is sent to workers; refuse policies that cannot be."""
    try:
        for one in (*setting.mr_x, *setting.detectives):
            if getattr(one.source, "__module__", "") == "__main__" and not hasattr(sys.modules["__main__"], "__file__"):
                raise ValueError(f"{one.name} is defined in no module, but in a notebook or at the prompt")
        mr_x, detectives = (tuple(one.pack() for one in side) for side in setting.sides)
        return dataclasses.replace(setting, mr_x=mr_x, detectives=detectives)
    except Exception as error:  # whatever a policy's own way to be pickled may raise
        raise WorkerError(
            f"these policies cannot be sent to worker processes, play them in this one: {error}"
        ) from error


class Crew:
    """Plays matches in worker processes, whatever becomes of them."""

    def __init__(self, setting: Setting, keys: Iterable[Key], workers: int, folder: Path | None = None) -> None:
        self._setting = setting
        self._sent = _pack(setting)
        self._places = tuple({one.name: place for place, one in enumerate(side)} for side in setting.sides)
        self._folder = None if folder is None else folder.absolute()  # where the workers write replays
        self._workers = workers
        self._keys = list(keys)
        self._lanes: dict[Lane, deque[int]] = {}  # matches that wait
        for match, key in enumerate(self._keys):
            self._lanes.setdefault(setting.lane(key), deque()).append(match)
        self._members: list[Member] = []
        self._deaths: Counter[int | tuple[str, str]] = Counter()  # of workers, by match and by side and name
        self._hangs = Hangs()
        self._false_starts = 0
        self._limit = SILENCE if setting.move_limit is None else setting.move_limit

    def play(self) -> Iterator[Outcome]:
        """Play all matches, and give each as it ends."""
        try:
            while self._members or any(self._lanes.values()):
                self._staff()
                wait([one for member in self._members for one in (member.connection, member.process.sentinel)], POLL)
                for member in list(self._members):
                    yield from self._attend(member)
        finally:
            for member in self._members:
                member.stop()

    def _staff(self) -> None:
        """Let workers go whose lane is done, and start others where there is most left to do."""
        for member in list(self._members):
            if member.is_ready and not member.handed and not self._lanes[member.lane]:
                self._members.remove(member)
                member.retire()
        while len(self._members) < self._workers:
            starting = Counter(member.lane for member in self._members if not member.is_ready)
            staff = Counter(member.lane for member in self._members)
            needy = [lane for lane, waiting in self._lanes.items() if len(waiting) > starting[lane]]
            if not needy:
                break
            lane = max(needy, key=lambda lane: len(self._lanes[lane]) / (1 + staff[lane]))
            self._members.append(Member(lane, self._sent, self._folder))

    def _hand_out(self, member: Member) -> None:
        """Keep a worker busy: a bundle to play and one to go on with, small if matches are slow or few are left."""
        waiting = self._lanes[member.lane]
        size = max(1, min(BUNDLE, int(AWAY / max(member.pace, 1e-6)), len(waiting) // (4 * self._workers)))
        while waiting and len(member.handed) <= size:
            member.hand([self._task(waiting.popleft()) for _ in range(min(size, len(waiting)))])

    def _task(self, match: int) -> Task:
        key = self._keys[match]
        return Task(match, self._places[0][key.mr_x], self._places[1][key.detectives], key.number)

    def _attend(self, member: Member) -> Iterator[Outcome]:
        """Take what a worker has played, and see whether it is well."""
        done = member.hear()
        for match, told in done or ():
            member.handed.remove(match)
            self._false_starts = 0
            self._hangs.note(self._keys[match], None)
            yield told if isinstance(told, Outcome) else take_down(self._setting, self._keys[match], *told)
        if done is None:
            yield from self._bury(member)
        elif member.is_silent(self._limit):
            yield from self._interrupt(member)
        elif member.is_ready:
            self._hand_out(member)

    def _bury(self, member: Member) -> Iterator[Outcome]:
        """Replace a worker that has ended: its match is played again, and forfeited if that ends the same way."""
        member.process.join(GRACE)  # it may have lost only the connection, and be about to say why
        how = member.process.exitcode
        match, note = self._dismiss(member), list(member.note)
        if match is None:
            self._false_starts += 1
            if self._false_starts >= FALSE_STARTS:
                raise WorkerError(_NO_START)
            return
        side = self._setting.blame(self._keys[match], note[SIDE])
        player = (side, self._keys[match].player(side))
        self._deaths[match] += 1
        if not note[HAS_CLOSED] and self._deaths[match] == 1 and not self._deaths[player]:
            self._lanes[member.lane].appendleft(match)
            return
        self._deaths[player] += 1
        reason = "closed the connection of its process" if note[HAS_CLOSED] else f"ended its process ({_tell(how)})"
        yield self._forfeit(match, note, ForfeitError(side, reason))

    def _interrupt(self, member: Member) -> Iterator[Outcome]:
        """Stop a worker in which somebody thinks for far too long; who does so at its start does not get another."""
        match, note = self._dismiss(member), list(member.note)
        if match is None:
            raise WorkerError(_NO_START)
        key, side = self._keys[match], note[SIDE]
        blamed = SIDES[side] if note[IS_THINKING] else self._setting.blame(key, side)
        forfeit = ForfeitError(blamed, late(self._limit), is_hang=True)
        self._hangs.note(key, forfeit, HANGS if note[IS_START] else 1)
        yield self._forfeit(match, note, forfeit)
        for waiting in self._lanes.values():
            for other in list(waiting):
                if known := self._hangs.find(self._keys[other]):
                    waiting.remove(other)
                    yield take_down(self._setting, self._keys[other], [], Clock(), known)

    def _dismiss(self, member: Member) -> int | None:
        """End a worker, and take back what it was handed but for the match that was under way, which is returned."""
        self._members.remove(member)
        member.stop()
        match = int(member.note[MATCH])
        if match not in member.handed:  # it was between two
            if not member.handed:
                return None
            match = member.handed[0]
            member.note[PLAYED] = 0
        member.handed.remove(match)
        self._lanes[member.lane].extendleft(reversed(member.handed))
        return match

    def _forfeit(self, match: int, note: list[int], forfeit: ForfeitError) -> Outcome:
        actions = note[ACTIONS : ACTIONS + note[PLAYED]]
        return take_down(self._setting, self._keys[match], actions, Clock(), forfeit)


def _tell(exit_code: int | None) -> str:
    """Say how a process ended."""
    if exit_code is None:
        return "it had to be stopped"
    return f"exit code {exit_code}" if exit_code >= 0 else signal.Signals(-exit_code).name
