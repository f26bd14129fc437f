"""Worlds: games that the table cannot tell apart, made of the paths by which Mr. X may have come.

``Paths`` counts the paths of Mr. X that agree with all that the table saw, forward from his start cards; a path is then
drawn backward from where it ends, by these counts. A world is the game played again with such a path. OpenSpiel's
searches ask for one with ``state.resample_from_infostate`` or a ``Resampler``; from a view alone, which is all that a
policy of ours has, ``state_of`` makes a state of OpenSpiel.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from scotyard_env.belief import weigh
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.history import ANNOUNCED, Histories, play_again
from scotyard_env.openspiel.state import MR_X_PLAYER, ScotlandYardState
from scotyard_env.rules import destination, double_action, fare_of, move_action, pass_action
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, NO_FARE, NOWHERE, State, station_list
from scotyard_env.view import Position, View, Views, imagine

Path = list[int]  # the station of Mr. X before each of his decisions, and now
NO_ACTION = -1  # in place of one, at the end of a game that was played again


class Step(NamedTuple):
    """A decision of Mr. X as the table saw it."""

    before: State  # the public record before it, his station blank
    paid: int  # the fare that he showed, or ANNOUNCED


class Paths:
    """All paths of Mr. X that agree with what the table saw of his decisions, and with where he may be now."""

    def __init__(self, board: Board, rules: RuleSet, steps: list[Step], now: Iterable[int]) -> None:
        places = [station_list(step.before.possible) for step in steps] + [list(now)]
        self.counts: list[dict[int, int]] = [dict.fromkeys(places[0], 1)]  # of paths, by the station they lead to
        self.before: list[dict[int, list[int]]] = []  # by decision and station: those from which he came
        for step, allowed in zip(steps, places[1:], strict=True):
            came: dict[int, list[int]] = {station: [] for station in allowed}
            for station in self.counts[-1]:
                for to in _leads_to(board, rules, step, station):
                    if to in came:
                        came[to].append(station)
            self.before.append({to: stations for to, stations in came.items() if stations})
            counts = self.counts[-1]
            self.counts.append({to: sum(map(counts.__getitem__, came[to])) for to in self.before[-1]})

    def draw(self, end: int, rng: np.random.Generator) -> Path:
        """Draw one of the paths to a station, each as likely as the others."""
        path = [end]
        for counts, before in zip(reversed(self.counts[:-1]), reversed(self.before), strict=True):
            came = before[path[-1]]
            total = sum(map(counts.__getitem__, came))
            path.append(came[rng.choice(len(came), p=[counts[station] / total for station in came])])
        return path[::-1]

    def list_to(self, end: int) -> Iterator[Path]:
        """List all paths to a station."""
        yield from self._list(len(self.before), end)

    def _list(self, decisions: int, end: int) -> Iterator[Path]:
        if decisions == 0:
            yield [end]
            return
        for station in self.before[decisions - 1][end]:
            for path in self._list(decisions - 1, station):
                yield [*path, end]


def _leads_to(board: Board, rules: RuleSet, step: Step, station: int) -> list[int]:
    """List where a decision can have led from a station."""
    legal = Position(board, rules, imagine(step.before, station)).legal
    announcement = double_action(board.arrays)
    if step.paid == ANNOUNCED:
        return [station] if announcement in legal else []
    return [int(destination(action)) for action in legal if action < announcement and fare_of(action) == step.paid]


# ----------------------------------------------------------------------------------------------- of a game of OpenSpiel


def paths_of(game: Game) -> Paths:
    """Return the paths of Mr. X that agree with what the table saw of a game."""
    again, steps = Game.from_start(game.board, game.rules, game.start), []
    for action in game.actions:
        if again.seat == MR_X:
            steps.append(Step(again.view(1).state, _paid(game.board, action)))
        again.play(action)
    return Paths(game.board, game.rules, steps, game.possible)


def _paid(board: Board, action: int) -> int:
    return ANNOUNCED if action == double_action(board.arrays) else int(fare_of(action))


class Resampler:
    """Draws worlds that a player cannot tell from a state: ``bot.set_resampler(Resampler(seed=7))``.

    Where Mr. X ends up is drawn by a belief by its name (belief.py), how he got there among all paths to that station.
    He himself knows everything, so that his world is the state.
    """

    def __init__(self, seed: int | np.random.Generator | None = None, belief: str = "paths") -> None:
        self.belief = belief
        self._rng = np.random.default_rng(seed)
        self._last: tuple[tuple[Any, ...], Paths] | None = None  # a search asks for many worlds of one state

    def __call__(self, state: ScotlandYardState, player: int) -> ScotlandYardState:
        """Return a state of which the player knows the same."""
        if player == MR_X_PLAYER or not state.is_dealt:
            same: ScotlandYardState = state.clone()
            return same
        weights = weigh(state.view(player), self.belief)
        end = int(self._rng.choice(len(weights), p=weights))
        return _play_with(state, self._paths(state.game).draw(end, self._rng))

    def _paths(self, game: Game) -> Paths:
        key = (game.board, game.rules, game.start.tobytes(), *game.actions)
        if self._last is None or self._last[0] != key:
            self._last = key, paths_of(game)
        return self._last[1]


def _play_with(state: ScotlandYardState, path: Path) -> ScotlandYardState:
    """Play a game again with another path of Mr. X."""
    again: ScotlandYardState = state.get_game().new_initial_state()
    stations = iter(path[1:])
    again.deal((*state.cards[:-1], path[0]), imagine(state.game.start, path[0]))
    for action in state.game.actions:
        again.apply_action(_redirect(again.game, action, next(stations)) if again.game.seat == MR_X else action)
    return again


def _redirect(game: Game, action: int, station: int) -> int:
    paid = _paid(game.board, action)
    return action if paid == ANNOUNCED else int(move_action(station, paid))


# ------------------------------------------------------------------------------------------------------------ of a view


class Past:
    """What led to a view, as far as it can be told from the view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._told: Histories = play_again(Views(view.board, view.rules, view.states))
        self._decisions = int(self._told.counts[0])

    @property
    def steps(self) -> list[Step]:
        """Mr. X's decisions."""
        return [Step(self._told.states[0, at], int(self._told.paid[0, at])) for at in range(self._decisions)]

    def find_paths(self) -> Paths:
        """Return the paths that agree with the view; all of them end on his station if the viewer knows it."""
        station = self.view.stations[MR_X]
        now = self.view.possible if station == NOWHERE else [station]
        return Paths(self.view.board, self.view.rules, self.steps, now)

    def play(self, game: Any, path: Path) -> Iterator[tuple[ScotlandYardState, int]]:
        """Play the game again with a path of Mr. X; give the state before each action with it, at last NO_ACTION."""
        state = game.new_initial_state()
        detectives = self.view.state.trail[0, : self.view.rules.detectives].tolist()
        state.deal((*detectives, path[0]), imagine(self._told.states[0, 0], path[0]))
        decisions = iter(zip(self.steps, path[1:], strict=True))
        while (action := self._next_action(state.game, decisions)) is not None:
            yield state, action
            state.apply_action(action)
        yield state, NO_ACTION

    def _next_action(self, game: Game, decisions: Iterator[tuple[Step, int]]) -> int | None:
        """Return the action that was played at a moment; None if that is now."""
        if game.seat == MR_X:
            step, to = next(decisions, (None, NOWHERE))
            if step is None:
                return None
            announced = step.paid == ANNOUNCED
            return int(double_action(game.board.arrays) if announced else move_action(to, step.paid))
        to = int(self.view.state.trail[game.round, game.seat - 1])
        fare = int(self.view.state.fares[game.round, game.seat - 1])
        if to == NOWHERE:
            return None
        return int(pass_action(game.board.arrays) if fare == NO_FARE else move_action(to, fare))


def state_of(game: Any, view: View, rng: np.random.Generator) -> ScotlandYardState:
    """Return a state of OpenSpiel of which the viewer knows what is in a view; the rest of it is drawn."""
    past = Past(view)
    paths = past.find_paths()
    ends = list(paths.counts[-1])
    total = sum(paths.counts[-1].values())
    end = ends[rng.choice(len(ends), p=[paths.counts[-1][station] / total for station in ends])]
    *_, (state, _) = past.play(game, paths.draw(end, rng))
    return state
