"""Utilities of the choice model, fitted to games: ``scotyard fit choice_model``.

A conditional logit by maximum likelihood: the probability of the move that Mr. X made among those that he could make.
Every fourth game is held out; prints how well the shipped and the fitted utilities predict his moves there, and the
fitted ones as beliefs/choice_model.py takes them. The belief of detectives, who do not know his true station, is better
with smaller utilities, hence ``--scale``.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.choice_model import (
    CALM,
    COLOURED,
    DANGER,
    DARK,
    FAR,
    MANY,
    UTILITY_EXIT,
    UTILITY_SAFE,
    UTILITY_SECOND,
    UTILITY_TIME,
)
from scotyard_baselines.capture.times import LONG, capture_times
from scotyard_env.arena.contenders import split_names
from scotyard_env.arena.engine import check_count
from scotyard_env.batch import Batch, Games
from scotyard_env.board import Board
from scotyard_env.commands import run_module
from scotyard_env.duel import play_batch
from scotyard_env.policy import make_policy
from scotyard_env.rules import may_move
from scotyard_env.state import BLACK, DOUBLE, MAX_LOG, MR_X, TAXI, count

Array = NDArray[np.float64]
Move = tuple[int, int]  # a station and the fare to it

NAMES = ("UTILITY_SAFE", "UTILITY_TIME", "UTILITY_SECOND", "UTILITY_EXIT", "COLOURED", "DARK")
SHIPPED = np.array([UTILITY_SAFE, UTILITY_TIME, UTILITY_SECOND, UTILITY_EXIT, np.log(COLOURED), np.log(DARK)])
HELD_OUT = 4  # every so-many-th game
STEPS = 30  # of Newton's method


@dataclass(frozen=True)
class Command:
    """Fit the utilities by which Mr. X is taken to choose his moves to games."""

    mr_x: str = "pimbot,ppo_mr_x,hider,phantom:rollouts=64"
    """Those who are watched, with commas between them; all count alike."""
    detectives: str = "hunters"
    """Whom they play against."""
    games: int = 200
    """Games of each."""
    seed: int = 0
    scale: float = 0.85
    """Share of the fitted utilities that is taken, 1 for all."""

    def run(self) -> None:
        """Play, fit and print."""
        check_count("games", self.games)
        if self.games < 2 * HELD_OUT:
            raise ValueError(f"games is {self.games}: give at least {2 * HELD_OUT}, of which some are held out")
        if not 0.0 < self.scale <= 1.0:
            raise ValueError(f"scale is {self.scale}: give a number above 0 and at most 1")
        watched = Watched()
        for place, name in enumerate(split_names(self.mr_x)):
            watch(name, self.detectives, self.games, self.seed + place, watched)
        print("\n".join(tell(watched, self.scale)))


@dataclass
class Watched:
    """The moves that Mr. X made, each with those that he could have made; and when he doubled."""

    rows: list[Array] = field(default_factory=list)  # (moves, features) of each decision
    chosen: list[int] = field(default_factory=list)  # the row that was played
    is_held_out: list[bool] = field(default_factory=list)
    doubled: NDArray[np.int64] = field(default_factory=lambda: np.zeros((2, 2), np.int64))  # [calm, turns or doubles]

    def choose(self, is_held_out: bool) -> "Choices":
        """Return the decisions of one kind of games."""
        kept = [index for index, held in enumerate(self.is_held_out) if held == is_held_out]
        rows = [self.rows[index] for index in kept]
        firsts = np.concatenate([[0], np.cumsum([len(one) for one in rows])[:-1]]).astype(np.int64)
        return Choices(np.concatenate(rows), firsts, np.array([self.chosen[index] for index in kept]))

    @property
    def calm(self) -> float:
        """How often he doubles without a detective as near as DANGER, by how often with one."""
        shares = (self.doubled[:, 1] + 0.5) / (self.doubled[:, 0] + 1.0)
        return float(shares[1] / shares[0])


@dataclass(frozen=True)
class Choices:
    """Decisions between moves, laid out one after the other."""

    rows: Array  # (all moves, features)
    firsts: NDArray[np.int64]  # where the moves of each decision begin
    chosen: NDArray[np.int64]  # which of them was made

    def probabilities(self, weights: Array) -> Array:
        """Return how likely each move is by some utilities."""
        counts = np.diff(np.append(self.firsts, len(self.rows)))
        utilities = self.rows @ weights
        utilities -= np.repeat(np.maximum.reduceat(utilities, self.firsts), counts)
        shares = np.exp(utilities)
        return np.asarray(shares / np.repeat(np.add.reduceat(shares, self.firsts), counts))

    def log_likelihood(self, weights: Array) -> float:
        """Return the mean log-likelihood of the moves that were made."""
        return float(np.log(self.probabilities(weights)[self.firsts + self.chosen]).mean())


def fit(choices: Choices, ridge: float = 1.0) -> Array:
    """Return the likeliest utilities, by Newton's method; ridge keeps those of rare features small."""
    weights = np.zeros(choices.rows.shape[1])
    made = choices.rows[choices.firsts + choices.chosen].sum(axis=0)
    for _ in range(STEPS):
        shares = choices.probabilities(weights)[:, None]
        means = np.add.reduceat(shares * choices.rows, choices.firsts, axis=0)
        gradient = made - means.sum(axis=0) - ridge * weights
        hessian = (shares * choices.rows).T @ choices.rows - means.T @ means + ridge * np.eye(len(weights))
        weights += np.linalg.solve(hessian, gradient)
    return weights


def tell(watched: Watched, scale: float) -> list[str]:
    """Fit, and write the utilities and how well they predict the moves of the games that were held out."""
    learned, held_out = watched.choose(is_held_out=False), watched.choose(is_held_out=True)
    fitted = fit(learned)
    lines = [f"{len(learned.chosen)} moves to learn from, {len(held_out.chosen)} held out; mean log-likelihood there:"]
    for name, weights in {
        "any move alike": np.zeros(len(NAMES)),
        "shipped": SHIPPED,
        "fitted": fitted,
        f"{scale:g} of the fitted": scale * fitted,
    }.items():
        lines.append(f"    {name:20} {held_out.log_likelihood(weights):.4f}")
    shown = zip(NAMES, as_constants(scale * fitted), as_constants(SHIPPED), strict=True)
    lines += [f"{name} = {number:.2f}  # shipped {old:.2f}" for name, number, old in shown]
    return [*lines, f"CALM = {watched.calm:.2f}  # shipped {CALM:.2f}"]


def as_constants(weights: Array) -> list[float]:
    """Return utilities as the module has them: those of tickets as exp(utility)."""
    named = zip(NAMES, weights.tolist(), strict=True)
    return [weight if name.startswith("UTILITY") else float(np.exp(weight)) for name, weight in named]


def watch(mr_x: str, detectives: str, games: int, seed: int, watched: Watched) -> None:
    """Play games, and record every move of Mr. X but the first halves of doubles."""
    players = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    batch = Batch(games, seed=seed)
    watcher = Watcher(batch, watched)
    play_batch(batch, *players, batch.rngs, before=watcher.ask, after=watcher.hear)


class Watcher:
    """Observes a batch while it is played: before Mr. X decides, and after he has moved."""

    def __init__(self, batch: Batch, watched: Watched) -> None:
        self.batch, self.watched = batch, watched
        self.times = capture_times(batch.board)
        self._asked: dict[int, tuple[Array, list[Move], int]] = {}  # by game: features, moves, length of the log

    def ask(self, side: str, games: Games) -> None:
        """Note the moves that Mr. X can make, and count whether he could double, or does."""
        for game in games.tolist() if side == "mr_x" else ():
            state = self.batch.states[game]
            calm = int(is_calm(self.batch.board, state))
            if state["owed"] == 2:
                self.watched.doubled[calm, 1] += 1
                continue
            if state["owed"] == 0 and state["tickets"][MR_X, DOUBLE] != 0:
                self.watched.doubled[calm, 0] += 1
            moves = list_moves(self.batch.board, state)
            self._asked[game] = describe(self.batch.board, self.times, state, moves), moves, int(state["entries"])

    def hear(self, side: str, games: Games) -> None:
        """Record the move that he made; the announcement of a double is none."""
        for game in games.tolist() if side == "mr_x" else ():
            rows, moves, entries = self._asked.pop(game, (np.empty(0), [], MAX_LOG))
            state = self.batch.states[game]
            if state["entries"] > entries:
                made = int(state["station"][MR_X]), int(state["log"][entries])
                self.watched.rows.append(rows)
                self.watched.chosen.append(moves.index(made))
                self.watched.is_held_out.append(game % HELD_OUT == 0)


def list_moves(board: Board, state: NDArray[np.void]) -> list[Move]:
    """List where Mr. X could go from where he is, each with its fare."""
    arrays, at = board.arrays, int(state["station"][MR_X])
    rows = range(int(arrays.first[at]), int(arrays.first[at + 1]))
    moves = [(int(arrays.to[row]), int(arrays.fare[row])) for row in rows]
    return [(to, fare) for to, fare in moves if may_move(state, MR_X, to, fare)]


def describe(board: Board, times: NDArray[np.uint8], state: NDArray[np.void], moves: list[Move]) -> Array:
    """Return the features of moves: safe, time, second, exits, coloured, dark."""
    arrays, team = board.arrays, state["station"][1 : int(state["seats"])].astype(np.int64)
    stations, fares = np.array([to for to, _ in moves]), np.array([fare for _, fare in moves])
    distances = np.sort(np.minimum(arrays.distance[team][:, stations], FAR), axis=0)
    one, other = np.triu_indices(len(team), 1)
    if len(one):
        time = np.minimum(times[team[one], team[other]][:, stations], LONG).mean(axis=0)
    else:
        time = np.zeros(len(stations))
    second = distances[1] if len(team) > 1 else np.full(len(stations), FAR)
    exits = [min(int(count(arrays.reach[BLACK, station])), MANY) for station in stations]
    dark = fares == BLACK
    columns = (distances[0] > 1, time, second, exits, (fares != TAXI) & ~dark, dark)
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def is_calm(board: Board, state: NDArray[np.void]) -> bool:
    """Tell whether no detective is as near to Mr. X as DANGER."""
    team = state["station"][1 : int(state["seats"])]
    return bool(board.arrays.distance[team, int(state["station"][MR_X])].min() > DANGER)


if __name__ == "__main__":
    run_module(Command)
