"""Playouts: how the games of a search go on from the edge of its tree, as Nijssen and Winands play them.

``"random"``: any legal action. ``"greedy"``: with probability epsilon any legal action; else Mr. X goes where the
nearest detective is farthest, of several such moves where he may be on the most stations, and a detective where the
distances to all possible stations add up to least. ``"chase"``: the same, but the detectives run for the station where
the search assumes Mr. X, which needs no possible set: shorter games, played faster. What they do not say: Mr. X doubles
only where every single move ends beside a detective.
"""

import numpy as np

from scotyard_baselines.mcts.detectives_playout import (
    chase_assumed_location,
    minimize_total_distance,
    strike_out_landing,
)
from scotyard_baselines.mcts.mr_x_playout import maximize_closest_distance
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rng import draw_below, draw_bits
from scotyard_env.rules import (
    apply,
    can_double,
    can_move_on,
    destination,
    double_action,
    legal_actions,
    may_move,
    move_action,
)
from scotyard_env.state import FARES, MAX_LOG, MAX_SEATS, MAX_STATIONS, MR_X, PLAYING, WORDS, clear

KINDS = ("greedy", "chase", "random")
GREEDY, CHASE, RANDOM = range(3)
MOST_ACTIONS = (MAX_LOG + 1) * (MAX_SEATS + 2)  # of one game: every round all seats, and Mr. X three times at most
TRIES = 6  # draws of a move before all legal ones are listed

PLAYOUT_PARAMETERS = record_type(
    [
        ("kinds", "i8", (2,)),  # GREEDY, CHASE or RANDOM, where Mr. X searches and where detectives do
        ("kind", "i8"),  # the one of this search
        ("epsilons", "i8", (2,)),  # of Mr. X and of the detectives: how many of 2**32 actions are random
        ("is_filtered", "u1"),  # Mr. X pays no black ticket where it hides nothing
        ("is_recorded", "u1"),  # record the actions played
    ]
)

PLAYOUT_SCRATCH = record_type(
    [
        ("legal", "i4", (FARES * MAX_STATIONS + 2,)),
        ("stations", "i2", (MAX_STATIONS,)),  # the possible set as a list
        ("totals", "u2", (MAX_STATIONS + 1,)),  # distances from each station to all possible ones, summed up
        ("totals_entry", "i8"),  # the log entry for which they are; -1 = none
        ("after", "u8", (WORDS,)),  # the possible set after a move
        ("nearest", "i2", (FARES * MAX_STATIONS,)),  # distance of the nearest detective after each legal move
        ("actions", "i4", (MOST_ACTIONS,)),  # the actions played
        ("seats", "i1", (MOST_ACTIONS,)),  # and by whom
        ("recorded", "i8"),  # how many they are
    ]
)


@kernel
def play_out(board, rules, state, parameters, scratch, rng_state):
    """Play a game to its end."""
    scratch.totals_entry = -1
    while state.winner == PLAYING:
        if parameters.kind != GREEDY:
            clear(state.possible)  # nobody asks, and keeping an empty set up to date takes no time
        action = choose(board, rules, state, parameters, scratch, rng_state)
        if parameters.is_recorded:
            record_action(state, action, scratch)
        if parameters.kind == GREEDY and state.seat != MR_X and action < double_action(board):
            strike_out_landing(board, state, destination(action), scratch)
        apply(board, rules, state, action)


@kernel
def record_action(state, action, scratch):
    """Record an action before it is played."""
    scratch.actions[scratch.recorded] = action
    scratch.seats[scratch.recorded] = state.seat
    scratch.recorded += 1


@kernel
def choose(board, rules, state, parameters, scratch, rng_state):
    """Choose an action of the seat to move."""
    side = 0 if state.seat == MR_X else 1
    if parameters.kind == RANDOM or draw_bits(rng_state) < parameters.epsilons[side]:
        return choose_any(board, rules, state, scratch, rng_state)
    if side == 0:
        is_possible_kept = parameters.kind == GREEDY
        return maximize_closest_distance(
            board, rules, state, parameters.is_filtered, is_possible_kept, scratch, rng_state
        )
    if parameters.kind == CHASE:
        return chase_assumed_location(board, state, rng_state)
    return minimize_total_distance(board, state, scratch, rng_state)


@kernel
def choose_any(board, rules, state, scratch, rng_state):
    """Choose any legal action: draw until one is legal, and list them all if that takes long."""
    seat = state.seat
    station = state.station[seat]
    first = board.first[station]
    size = board.first[station + 1] - first
    choices = size + 1 if seat == MR_X and state.owed == 0 else size
    for _ in range(TRIES):
        place = draw_below(rng_state, choices)
        if place == size:
            if can_double(board, rules, state, station):
                return np.int64(double_action(board))
            continue
        to, fare = board.to[first + place], board.fare[first + place]
        if may_move(state, seat, to, fare) and (state.owed != 2 or can_move_on(board, state, to, fare)):
            return np.int64(move_action(to, fare))
    legal = legal_actions(board, rules, state, scratch.legal)
    return np.int64(scratch.legal[draw_below(rng_state, legal)])
