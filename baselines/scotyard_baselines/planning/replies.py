"""Mr. X's replies to the plan at hand: what he can pay for once its tickets are his, and his double moves.

What kinds of tickets pay for a move is one number, a bit for each kind, so that a reply is checked against his purse by
one operation.
"""

from typing import Any

import numpy as np

from scotyard_baselines.planning.choices import STANDS
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.value import HELD, value_exit
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, FARES, MR_X

MAX_DOUBLES = 192  # double moves from one particle that are looked at

REPLY_FIELDS: list[tuple[Any, ...]] = [  # of the scratch memory of enumeration
    ("payable", "i8"),  # kinds of tickets that Mr. X has after the plan at hand,
    ("payable_twice", "i8"),  # at least two of,
    ("scarce", "i8"),  # few of
    ("is_purse_open", "u1"),  # 1 = plans may change these by the tickets that they hand over
    ("double_share", "f8"),  # how often he replies with a double move where he can; 0 = never
    ("first_double", "i8", (MAX_PARTICLES + 1,)),  # double moves of particle p are rows first[p]..first[p + 1]
    ("double_over", "i2", (MAX_PARTICLES * MAX_DOUBLES,)),  # the station between
    ("double_to", "i2", (MAX_PARTICLES * MAX_DOUBLES,)),
    ("double_first", "i2", (MAX_PARTICLES * MAX_DOUBLES,)),  # kinds of tickets that pay for the first move,
    ("double_second", "i2", (MAX_PARTICLES * MAX_DOUBLES,)),  # and for the second
]

# ----------------------------------------------------------------------------------------------------------- his purse


@kernel
def open_purse(node, weights, scratch):
    """Note what Mr. X can pay with as it is, and whether a plan may change it by the tickets that it hands over."""
    scratch.payable, scratch.payable_twice, scratch.scarce, scratch.is_purse_open = STANDS, 0, 1 << BLACK, 0
    for fare in range(FARES):
        count_kind(scratch, fare, node.tickets[MR_X, fare])
        if weights.hands_over and 0 <= node.tickets[MR_X, fare] <= 1:  # more of what he has plenty of changes nothing
            scratch.is_purse_open = 1


@kernel
def count_purse(node, choices, scratch):
    """Note what he can pay with after the plan at hand, if that makes a difference."""
    if not scratch.is_purse_open:
        return
    scratch.payable, scratch.payable_twice, scratch.scarce = STANDS, 0, 1 << BLACK
    for fare in range(FARES):
        left = node.tickets[MR_X, fare]
        for seat in range(node.seat, node.seats):
            is_mover = choices.landed[seat] != node.station[seat]
            if left >= 0 and is_mover and choices.fare[seat, choices.plan[seat]] == fare:
                left += 1
        count_kind(scratch, fare, left)


@kernel
def count_kind(scratch, fare, left):
    """Note that Mr. X has so many tickets of a kind left."""
    if left != 0:
        scratch.payable |= 1 << fare
    if left == 1:
        scratch.scarce |= 1 << fare
    elif left != 0:
        scratch.payable_twice |= 1 << fare


@kernel
def can_pay_both(scratch, row):
    """Tell whether Mr. X can pay for both moves of a double move: by tickets of two kinds, or two of one kind."""
    first, second = scratch.double_first[row] & scratch.payable, scratch.double_second[row] & scratch.payable
    both = first | second
    has_two_kinds = both & (both - 1) != 0
    return first != 0 and second != 0 and (has_two_kinds or first & second & scratch.payable_twice != 0)


# -------------------------------------------------------------------------------------------------------- double moves


@kernel
def list_doubles(board, rules, node, weights, scratch):
    """List the double moves from every particle, if he has one left, in the order of the board."""
    scratch.double_share = share_of_doubles(rules, node) if weights.has_doubles and weights.has_replies else 0.0
    row = 0
    for particle in range(node.particles):
        scratch.first_double[particle] = row
        if scratch.double_share > 0.0:
            row = list_doubles_from(board, scratch, node.particle[particle], row)
    scratch.first_double[node.particles] = row


@kernel
def share_of_doubles(rules, node):
    """Return how often Mr. X doubles where he can: double tickets left over moves left, at most every second time."""
    moves = rules.log_entries - node.entries
    if node.doubles == 0 or moves < 2:
        return 0.0
    return 0.5 if node.doubles < 0 else min(0.5, node.doubles / moves)


@kernel
def list_doubles_from(board, scratch, station, row):
    """Add a double move for each way over another station; return the next row."""
    first = row
    for move in range(board.first[station], board.first[station + 1]):
        if board.fare[move] != BLACK:
            continue  # a black ticket pays for every link: each neighbour has one such move
        over = board.to[move]
        for onward in range(board.first[over], board.first[over + 1]):
            if board.fare[onward] == BLACK and row - first < MAX_DOUBLES:
                scratch.double_over[row], scratch.double_to[row] = over, board.to[onward]
                scratch.double_first[row] = find_fares(board, station, over)
                scratch.double_second[row] = find_fares(board, over, board.to[onward])
                row += 1
    return row


@kernel
def find_fares(board, station, to):
    """Return the kinds of tickets that pay for a move."""
    fares = 0
    for move in range(board.first[station], board.first[station + 1]):
        if board.to[move] == to:
            fares |= 1 << board.fare[move]
    return fares


# -------------------------------------------------------------------------------------------------- what is left to him


@kernel
def value_particle(weights, choices, scratch, time, near, particle):
    """Return the value of a particle by the exits that he may flee to: his best reply and the mean of all, mixed.

    Each station is a reply, and may cost him a scarce ticket. The mean counts his double moves by their share.
    """
    total, least, count = 0.0, np.inf, 0
    for row in range(choices.first_reply[particle], choices.first_reply[particle + 1]):
        fares = choices.fares[row] & scratch.payable
        value = value_exit(weights, time[choices.reply[row]], 0, near[choices.reply[row]])
        if fares != 0 and value != HELD:
            if fares & scratch.scarce == fares:
                value += weights.scarce_ticket
            total += value
            least = min(least, value)
            count += 1
    if count == 0:
        return weights.capture
    mean = total / count
    if scratch.double_share > 0.0:
        best, average = value_doubles(weights, scratch, time, near, particle)
        if best < np.inf:
            least = min(least, best)
            mean += scratch.double_share * (average - mean)
    return weights.worst_case_weight * least + (1.0 - weights.worst_case_weight) * mean


@kernel
def value_doubles(weights, scratch, time, near, particle):
    """Return the least and the mean value of the double moves from a particle; infinity if there are none."""
    total, least, count = 0.0, np.inf, 0
    for row in range(scratch.first_double[particle], scratch.first_double[particle + 1]):
        to = scratch.double_to[row]
        value = value_exit(weights, time[to], 0, near[to])
        if value != HELD and near[scratch.double_over[row]] != 0 and can_pay_both(scratch, row):
            value += weights.scarce_ticket
            total += value
            least = min(least, value)
            count += 1
    return least, total / max(1, count)
