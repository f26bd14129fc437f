"""Playouts: how the games of a search go on from the edge of its tree, as Nijssen and Winands play them.

``"random"``: any legal action. ``"greedy"``: with probability epsilon any legal action; else Mr. X goes where the
nearest detective is farthest, among equals where he may be on the most stations, and a detective where the distances to
all possible stations add up to least. ``"chase"``: the same, but the detectives run for the station where the search
assumes Mr. X, which needs no possible set: shorter games, played faster. What they do not say: Mr. X doubles only where
every single move ends beside a detective.
"""

import numpy as np

from scotyard_baselines.mcts.detectives_playout import chase, strike_out, surround
from scotyard_baselines.mcts.mr_x_playout import run_away
from scotyard_env.kernel import kernel
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

STYLE = np.dtype(  # how playouts are played
    (
        np.record,
        np.dtype(
            [
                ("kinds", "i8", (2,)),  # GREEDY, CHASE or RANDOM, where Mr. X searches and where detectives do
                ("kind", "i8"),  # the one of this search
                ("epsilons", "i8", (2,)),  # of Mr. X and of the detectives: how many of 2**32 actions are random
                ("is_filtered", "u1"),  # Mr. X pays no black ticket where it hides nothing
                ("is_noted", "u1"),  # note the actions played
            ],
            align=True,
        ),
    )
)

SHEET = np.dtype(  # scratch paper of the playouts
    (
        np.record,
        np.dtype(
            [
                ("legal", "i4", (FARES * MAX_STATIONS + 2,)),
                ("stations", "i2", (MAX_STATIONS,)),  # the possible set as a list
                ("totals", "u2", (MAX_STATIONS + 1,)),  # distances from each station to all possible ones, summed up
                ("totals_entry", "i8"),  # the log entry for which they are; -1 = none
                ("after", "u8", (WORDS,)),
                ("nearest", "i2", (FARES * MAX_STATIONS,)),  # distance of the nearest detective after each legal move
                ("notes", "i4", (MOST_ACTIONS,)),  # the actions played
                ("seats", "i1", (MOST_ACTIONS,)),  # and by whom
                ("noted", "i8"),
            ],
            align=True,
        ),
    )
)


@kernel
def play_out(board, rules, state, style, sheet, chances):
    """Play a game to its end."""
    sheet.totals_entry = -1
    while state.winner == PLAYING:
        if style.kind != GREEDY:
            clear(state.possible)  # nobody asks, and keeping an empty set up to date takes no time
        action = choose(board, rules, state, style, sheet, chances)
        if style.is_noted:
            note(state, action, sheet)
        if style.kind == GREEDY and state.seat != MR_X and action < double_action(board):
            strike_out(board, state, destination(action), sheet)
        apply(board, rules, state, action)


@kernel
def note(state, action, sheet):
    """Note an action before it is played."""
    sheet.notes[sheet.noted] = action
    sheet.seats[sheet.noted] = state.seat
    sheet.noted += 1


@kernel
def choose(board, rules, state, style, sheet, chances):
    """Choose an action of the seat to move."""
    side = 0 if state.seat == MR_X else 1
    if style.kind == RANDOM or draw_bits(chances) < style.epsilons[side]:
        return choose_any(board, rules, state, sheet, chances)
    if side == 0:
        return run_away(board, rules, state, style.is_filtered, style.kind == GREEDY, sheet, chances)
    if style.kind == CHASE:
        return chase(board, state, state.station[MR_X], chances)
    return surround(board, state, sheet, chances)


@kernel
def choose_any(board, rules, state, sheet, chances):
    """Choose any legal action: draw until one is legal, and list them all if that takes long."""
    seat = state.seat
    station = state.station[seat]
    first = board.first[station]
    size = board.first[station + 1] - first
    choices = size + 1 if seat == MR_X and state.owed == 0 else size
    for _ in range(TRIES):
        place = draw_below(chances, choices)
        if place == size:
            if can_double(board, rules, state, station):
                return np.int64(double_action(board))
            continue
        to, fare = board.to[first + place], board.fare[first + place]
        if may_move(state, seat, to, fare) and (state.owed != 2 or can_move_on(board, state, to, fare)):
            return np.int64(move_action(to, fare))
    legal = legal_actions(board, rules, state, sheet.legal)
    return np.int64(sheet.legal[draw_below(chances, legal)])
