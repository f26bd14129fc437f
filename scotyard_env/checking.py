"""Records of games from elsewhere, such as a file: compiled code trusts a record, so it is checked beforehand."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import (
    DETECTIVES_WIN,
    FARES,
    MAX_LOG,
    MR_X,
    NO_FARE,
    NOWHERE,
    PLAYING,
    STATE,
    UNLIMITED,
    WORDS,
)

Checks = Iterator[tuple[str, Any]]  # what is looked at, and in which games it is wrong, (games,)


class StateError(ValueError):
    """A record that no game by these rules can have."""


def check_states(board: Board, rules: RuleSet, states: NDArray[np.void]) -> None:
    """Refuse records that compiled code could not read, or that the rules never lead to."""
    if states.dtype != STATE:
        raise StateError(f"records are {states.dtype}: give records of STATE")
    checks = itertools.chain(
        _check_turn(rules, states),
        _check_stations(board, rules, states),
        _check_tickets(rules, states),
        _check_log(board, states),
        _check_sets(board, states),
    )
    for what, wrong in checks:
        if wrong.any():
            game = int(np.flatnonzero(wrong)[0])
            raise StateError(f"{what} of game {game} cannot be by rule set {rules.name!r} on board {board.name!r}")


def _check_turn(rules: RuleSet, states: NDArray[np.void]) -> Checks:
    yield "the number of seats", states["seats"] != rules.detectives + 1
    yield "the seat to move", _outside(states["seat"], 0, rules.detectives)
    is_his = states["seat"] == MR_X
    yield "the moves owed", _outside(states["owed"], 0, np.where(is_his, 2, 0))
    yield "the winner", _outside(states["winner"], 0, DETECTIVES_WIN)
    yield "the round", _outside(states["rounds"], 0, states["entries"] + (states["owed"] == 2))  # each fills an entry
    room = rules.log_room - np.where(is_his & (states["winner"] == PLAYING), np.maximum(states["owed"], 1), 0)
    yield "the number of log entries", _outside(states["entries"], 0, room)
    yield "what is always 0", states["spare"].any(axis=1)


def _check_stations(board: Board, rules: RuleSet, states: NDArray[np.void]) -> Checks:
    seats = rules.detectives + 1
    yield "a station", _outside(states["station"][:, :seats], 1, board.stations).any(axis=1)
    yield "a station of nobody", (states["station"][:, seats:] != NOWHERE).any(axis=1)
    detectives = np.sort(states["station"][:, 1:seats], axis=1)
    yield "a station held twice", (detectives[:, 1:] == detectives[:, :-1]).any(axis=1)
    yield "a station of the trail", (states["trail"] > board.stations).any(axis=(1, 2))


def _check_tickets(rules: RuleSet, states: NDArray[np.void]) -> Checks:
    tickets, dealt = states["tickets"].astype(np.int64), np.zeros(states["tickets"].shape[1:], np.int64)
    dealt[: rules.detectives + 1] = rules.purses
    endless = dealt == UNLIMITED
    most = np.where(endless, UNLIMITED, dealt)
    most[MR_X] = np.where(endless[MR_X], UNLIMITED, np.maximum(dealt, 0).sum(axis=0))  # he may be handed all
    yield "what a detective paid", _outside(states["fares"], NO_FARE, FARES - 1).any(axis=(1, 2))
    yield "a count of tickets", _outside(tickets, np.where(endless, UNLIMITED, 0), most).any(axis=(1, 2))


def _check_log(board: Board, states: NDArray[np.void]) -> Checks:
    entries = states["entries"].astype(np.int64)
    is_filled = np.arange(MAX_LOG) < entries[:, None]
    log, rounds = states["log"], states["log_round"]
    yield "a log entry", np.where(is_filled, _outside(log, 0, FARES - 1), log != NO_FARE).any(axis=1)
    yield "the round of a log entry", np.where(is_filled, rounds > states["rounds"][:, None], rounds != 0).any(axis=1)
    yield "a station in the log", (states["log_shown"] > board.stations).any(axis=1)
    yield "the station seen last", _outside(states["seen"], NOWHERE, board.stations)
    yield "the entry seen last", _outside(states["seen_entry"], 0, entries)


def _check_sets(board: Board, states: NDArray[np.void]) -> Checks:
    on_board = np.arange(64 * WORDS) - 1 < board.stations
    on_board[NOWHERE] = False
    for name in ("start", "possible"):
        words = np.ascontiguousarray(states[name]).view(np.uint8).reshape(len(states), 8 * WORDS)
        members = np.unpackbits(words, axis=1, bitorder="little") != 0
        yield f"the set {name!r}", (members & ~on_board).any(axis=1)
    is_known = members[np.arange(len(states)), states["station"][:, MR_X]]  # stations were checked before
    yield "where Mr. X may be", ~is_known & (states["winner"] != DETECTIVES_WIN)


def _outside(values: Any, least: Any, most: Any) -> Any:
    return (values < least) | (values > most)
