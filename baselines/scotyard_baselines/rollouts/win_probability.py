"""The value function: the probability that Mr. X gets away, by logistic regression on a handful of features.

``scotyard fit win_probability`` plays games and prints weights. Those in here are rounded between two such fits, to who
got away in the end and to who was free four rounds later. The weight of doubles is halved by hand: who still has them
has had an easy game, and would keep them for ever.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.choice_model import CHOICE_SCRATCH, infer_belief
from scotyard_baselines.capture.times import NEVER, capture_times
from scotyard_env.board import Board
from scotyard_env.kernel import kernel
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import BLACK, DOUBLE, MR_X, UNLIMITED, count
from scotyard_env.threats import count_exits, count_safe_exits

WEIGHTS = {  # by feature
    "intercept": 1.8,
    "is_cornered": -1.0,  # every single move ends where a detective could step at once
    "has_one_exit": -0.2,  # or all but one
    "safe_exits": 1.0,
    "exits": 0.8,
    "nearest": 0.0,  # distance of the nearest detective
    "second": 0.8,  # and of the second
    "mean": 0.8,  # and on average
    "capture_time": 0.4,  # rounds until two detectives would catch him if they saw him
    "possible": 0.2,  # logarithm of the number of stations where he may be
    "belief_here": -0.8,  # root of the probability, by the choice model, that he is where he is
    "belief_around": -0.6,  # that he is there or beside it
    "doubles": 1.0,
    "blacks": 0.3,
    "entries_left": -4.5,
    "to_reveal": 1.0,  # entries until he shows himself
    "can_double_out": 1.0,  # cornered, but with a double
}
FEATURES = tuple(WEIGHTS)
INTERCEPT = FEATURES.index("intercept")
IS_CORNERED = FEATURES.index("is_cornered")
HAS_ONE_EXIT = FEATURES.index("has_one_exit")
SAFE_EXITS = FEATURES.index("safe_exits")
EXITS = FEATURES.index("exits")
NEAREST = FEATURES.index("nearest")
SECOND = FEATURES.index("second")
MEAN = FEATURES.index("mean")
CAPTURE_TIME = FEATURES.index("capture_time")
POSSIBLE = FEATURES.index("possible")
BELIEF_HERE = FEATURES.index("belief_here")
BELIEF_AROUND = FEATURES.index("belief_around")
DOUBLES = FEATURES.index("doubles")
BLACKS = FEATURES.index("blacks")
ENTRIES_LEFT = FEATURES.index("entries_left")
TO_REVEAL = FEATURES.index("to_reveal")
CAN_DOUBLE_OUT = FEATURES.index("can_double_out")
FARTHEST_REVEAL = 5  # entries ahead: farther ones count as this far


@kernel
def win_probability(board, rules, times, state, belief, weights, row):
    """Return the probability that Mr. X, who is to move, gets away; belief is the detectives', row scratch memory."""
    describe(board, rules, times, state, belief, row)
    total = 0.0
    for feature in range(len(weights)):
        total += weights[feature] * row[feature]
    return 1.0 / (1.0 + np.exp(-total))


def win_probabilities(
    board: Board, rules: RuleSet, states: NDArray[np.void], games: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability that Mr. X gets away in each of some games in which he is to move."""
    rows = describe_games(board, rules, states, games)
    probabilities: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-rows @ np.array(list(WEIGHTS.values()))))
    return probabilities


def describe_games(
    board: Board, rules: RuleSet, states: NDArray[np.void], games: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the features, (games, features), of some games in which Mr. X is to move."""
    rows = np.zeros((len(games), len(FEATURES)))
    packed = board.packed, rules.packed(board), capture_times(board)
    describe_rows(*packed, states, games, np.zeros(1, CHOICE_SCRATCH), rows)
    return rows


@kernel
def describe_rows(boards, rules, times, states, games, models, rows):
    """Write the features of some games."""
    for index in range(len(games)):
        infer_belief(boards[0], times, states[games[index]], models[0])
        describe(boards[0], rules[0], times, states[games[index]], models[0].belief, rows[index])


@kernel
def describe(board, rules, times, state, belief, row):
    """Write the features of a position in which Mr. X is to move."""
    here = state.station[MR_X]
    safe, exits = count_safe_exits(board, state, here), count_exits(board, state, here)
    row[INTERCEPT] = 1.0
    row[IS_CORNERED] = 1.0 if safe == 0 else 0.0
    row[HAS_ONE_EXIT] = 1.0 if safe == 1 else 0.0
    row[SAFE_EXITS] = min(safe, 6) / 6.0
    row[EXITS] = min(exits, 8) / 8.0
    write_distances(board, state, here, row)
    row[CAPTURE_TIME] = min(soonest_capture(times, state, here), 16) / 16.0
    row[POSSIBLE] = np.log(count(state.possible)) / 5.0
    row[BELIEF_HERE] = np.sqrt(belief[here])
    row[BELIEF_AROUND] = belief_around(board, belief, here)
    doubles, blacks = state.tickets[MR_X, DOUBLE], state.tickets[MR_X, BLACK]
    row[DOUBLES] = 1.0 if doubles == UNLIMITED else min(doubles, 2) / 2.0
    row[BLACKS] = 1.0 if blacks == UNLIMITED else min(blacks, 5) / 5.0
    row[ENTRIES_LEFT] = (rules.log_entries - state.entries) / 24.0
    row[TO_REVEAL] = entries_to_reveal(rules, state) / 5.0
    row[CAN_DOUBLE_OUT] = row[IS_CORNERED] if doubles != 0 else 0.0


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
    row[NEAREST] = min(nearest, 5) / 5.0
    row[SECOND] = min(second, 6) / 6.0
    row[MEAN] = total / (state.seats - 1) / 8.0


@kernel
def soonest_capture(times, state, station):
    """Return in how many rounds two detectives would catch Mr. X on a station if they saw him."""
    least = NEVER
    for one in range(1, state.seats):
        for other in range(1, one):
            least = min(least, times[state.station[one], state.station[other], station])
    return least


@kernel
def belief_around(board, belief, station):
    """Return the belief on a station and its neighbours."""
    total = belief[station]
    for move in range(board.first[station], board.first[station + 1]):
        if board.fare[move] == BLACK:
            total += belief[board.to[move]]
    return total


@kernel
def entries_to_reveal(rules, state):
    """Count the entries up to the next reveal, at most FARTHEST_REVEAL."""
    for ahead in range(1, FARTHEST_REVEAL):
        if state.entries + ahead <= rules.log_entries and rules.reveals[state.entries + ahead]:
            return ahead
    return FARTHEST_REVEAL
