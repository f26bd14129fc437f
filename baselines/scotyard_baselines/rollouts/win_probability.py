"""The odds that Mr. X gets away: a logistic guess from a handful of features, learned from games against hunters.

``python -m scotyard_baselines.rollouts.win_probability`` plays games and prints weights. Those in here are rounded between two such fits to 2,026
positions of 120 games of ``phantom:rollouts=100``: who got away in the end, and who was free four rounds later. The
weight of doubles is halved by hand: who still has them has had an easy game, and would keep them for ever. They were
fitted with an earlier suspicion, against the hunters of then. Against weights that were all set by hand they took
``phantom:rollouts=50`` from 35 to 52 escapes from hunters in 100 games.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.choice_model import CHOICE_SCRATCH, infer_belief
from scotyard_baselines.capture.times import capture_times
from scotyard_env.batch import Batch
from scotyard_env.board import Board
from scotyard_env.duel import decide
from scotyard_env.kernel import kernel
from scotyard_env.policy import make_policy
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import BLACK, DOUBLE, MR_X, MR_X_WINS, PLAYING, UNLIMITED, count
from scotyard_env.threats import count_exits, count_safe_exits

FEATURES = (
    "one",
    "is_cornered",  # every single move ends where a detective could step at once
    "has_one_exit",  # or all but one
    "safe_exits",
    "exits",
    "nearest",  # distance of the nearest detective
    "second",  # and of the second
    "mean",  # and on average
    "time",  # rounds until two detectives would catch him if they saw him
    "possible",  # logarithm of the number of stations where he may be
    "suspected",  # root of the suspicion (suspicion.py) that he is where he is
    "around",  # suspicion that he is there or beside it
    "doubles",
    "blacks",
    "entries_left",
    "to_reveal",  # entries until he shows himself
    "can_double_out",  # cornered, but with a double
)
WEIGHTS = (1.8, -1.0, -0.2, 1.0, 0.8, 0.0, 0.8, 0.8, 0.4, 0.2, -0.8, -0.6, 1.0, 0.3, -4.5, 1.0, 1.0)  # by feature


@kernel
def guess_odds(board, rules, times, state, belief, weights, row):
    """Guess the chance that Mr. X, who is to move, gets away; belief is the detectives'."""
    describe(board, rules, times, state, belief, row)
    total = 0.0
    for feature in range(len(weights)):
        total += weights[feature] * row[feature]
    return 1.0 / (1.0 + np.exp(-total))


@kernel
def describe(board, rules, times, state, belief, row):
    """Write the features of a position in which Mr. X is to move."""
    here = state.station[MR_X]
    safe, exits = count_safe_exits(board, state, here), count_exits(board, state, here)
    row[0] = 1.0
    row[1] = 1.0 if safe == 0 else 0.0
    row[2] = 1.0 if safe == 1 else 0.0
    row[3] = min(safe, 6) / 6.0
    row[4] = min(exits, 8) / 8.0
    write_distances(board, state, here, row)
    row[8] = min(soonest(times, state, here), 16) / 16.0
    row[9] = np.log(count(state.possible)) / 5.0
    row[10] = np.sqrt(belief[here])
    row[11] = belief_around(board, belief, here)
    doubles, blacks = state.tickets[MR_X, DOUBLE], state.tickets[MR_X, BLACK]
    row[12] = 1.0 if doubles == UNLIMITED else min(doubles, 2) / 2.0
    row[13] = 1.0 if blacks == UNLIMITED else min(blacks, 5) / 5.0
    row[14] = (rules.log_entries - state.entries) / 24.0
    row[15] = entries_to_reveal(rules, state) / 5.0
    row[16] = row[1] if doubles != 0 else 0.0


@kernel
def write_distances(board, state, station, row):
    """Write how far the nearest detective is, the second, and all on average."""
    nearest, second, total = 99, 99, 0.0
    for seat in range(1, state.seats):
        distance = min(board.distance[state.station[seat], station], 10)
        total += distance
        if distance < nearest:
            nearest, second = distance, nearest
        elif distance < second:
            second = distance
    row[5] = min(nearest, 5) / 5.0
    row[6] = min(second, 6) / 6.0
    row[7] = total / (state.seats - 1) / 8.0


@kernel
def soonest(times, state, station):
    """Tell in how many rounds two detectives would catch Mr. X on a station if they saw him."""
    least = 255
    for one in range(1, state.seats):
        for other in range(1, one):
            least = min(least, times[state.station[one], state.station[other], station])
    return least


@kernel
def belief_around(board, belief, station):
    """Add up the belief on a station and its neighbours."""
    total = belief[station]
    for move in range(board.first[station], board.first[station + 1]):
        if board.fare[move] == BLACK:
            total += belief[board.to[move]]
    return total


@kernel
def entries_to_reveal(rules, state):
    """Count the entries up to the next reveal, at most 5."""
    for ahead in range(1, 5):
        if state.entries + ahead <= rules.log_entries and rules.reveals[state.entries + ahead]:
            return ahead
    return 5


# ---------------------------------------------------------------------------------------------------- learn weights


def collect(mr_x: str, detectives: str, games: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Play games; give the features of every position in which Mr. X was to move, and whether he got away."""
    players = make_policy(mr_x, side="mr_x"), make_policy(detectives, side="detectives")
    batch, kept, owners = Batch(games, seed=seed), [], []
    while len(open_games := np.flatnonzero(batch.winners == PLAYING)):
        for side, player in enumerate(players):
            theirs = open_games[(batch.seats[open_games] != MR_X) == side]
            if side == 0:
                deciding = theirs[batch.states["owed"][theirs] == 0]
                kept.append(describe_games(batch.board, batch.rules, batch.states, deciding))
                owners.append(deciding)
            if len(theirs):
                batch.play(theirs, decide(player, batch.views(theirs), batch.rng))
    return np.concatenate(kept), (batch.winners == MR_X_WINS)[np.concatenate(owners)]


def describe_games(
    board: Board, rules: RuleSet, states: NDArray[np.void], games: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give the features of some games in which Mr. X is to move."""
    rows = np.zeros((len(games), len(FEATURES)))
    packed = board.packed, rules.packed(board), capture_times(board)
    describe_rows(*packed, states, games, np.zeros(1, CHOICE_SCRATCH), rows)
    return rows


@kernel
def describe_rows(boards, rules, times, states, games, suspicions, rows):
    """Write the features of some games."""
    for index in range(len(games)):
        infer_belief(boards[0], times, states[games[index]], suspicions[0])
        describe(boards[0], rules[0], times, states[games[index]], suspicions[0].belief, rows[index])


def fit(rows: NDArray[np.float64], won: NDArray[np.bool_], ridge: float = 1.0) -> NDArray[np.float64]:
    """Fit a logistic regression by Newton's method; ridge keeps weights of rare features small."""
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        guess = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (won - guess) - ridge * weights
        bend = (rows * (guess * (1.0 - guess))[:, None]).T @ rows + ridge * np.eye(len(weights))
        weights += np.linalg.solve(bend, slope)
    return weights


def main() -> None:
    """Learn weights and print them, with how well they tell who got away."""
    parser = argparse.ArgumentParser(
        prog="scotyard_baselines.rollouts.win_probability", description="Learn the odds that Mr. X gets away."
    )
    parser.add_argument("--mr-x", default="phantom:rollouts=64", help="the Mr. X who is watched")
    parser.add_argument("--detectives", default="hunters", help="whom he plays against")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows, won = collect(options.mr_x, options.detectives, options.games, options.seed)
    weights = fit(rows, won)
    guess = 1.0 / (1.0 + np.exp(-rows @ weights))
    print(f"{len(rows)} positions, {won.mean():.1%} won; squared error {np.mean((guess - won) ** 2):.4f}")
    print(", ".join(f"{weight:.2f}" for weight in weights))


if __name__ == "__main__":
    main()
