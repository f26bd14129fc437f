"""What everybody can do at a node: the choices of the detectives yet to move, and where Mr. X may flee to after them.

A **plan** gives every detective who has not moved in this round, its **pawns**, one of its choices. Plans are made one
after another by enumeration.py, and bettered pawn by pawn by coordinate_ascent.py.
"""

from scotyard_baselines.geometry.detours import ALL_KINDS
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_env.arrays import copy_values
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import move_action, pass_action
from scotyard_env.state import BLACK, FARES, MAX_SEATS, MAX_STATIONS, MR_X

MAX_CHOICES = 48  # moves of one seat that are looked at
MAX_REPLIES = MAX_PARTICLES * MAX_CHOICES
STAYS = -1  # as a fare: the detective is stuck and passes
NOBODY = -1  # as a seat that is left out
HERE = MAX_CHOICES  # as a choice: the detective stays where it stands, with the tickets that it has
NO_DETOUR = MAX_CHOICES + 1  # as a row of detours: there are none
STANDS = 1 << FARES  # among the bits of fares: Mr. X is judged where he is

CHOICES = record_type(
    [
        ("bonus", "f8", (MAX_SEATS, MAX_CHOICES)),  # worth of a choice by itself
        ("to", "i2", (MAX_SEATS, MAX_CHOICES)),  # by seat, ascending
        ("fare", "i2", (MAX_SEATS, MAX_CHOICES)),  # or STAYS
        ("count", "i8", (MAX_SEATS,)),  # choices of each seat
        ("plan", "i8", (MAX_SEATS,)),  # the choice of each pawn in the plan at hand
        ("landed", "i2", (MAX_SEATS,)),  # where each detective stands after it
        ("first_reply", "i8", (MAX_PARTICLES + 1,)),  # replies of particle p are rows first[p]..first[p + 1]
        ("reply", "i2", (MAX_REPLIES,)),  # stations that he may flee to, ascending
        ("ways", "i2", (MAX_REPLIES,)),  # tickets that take him there
        ("fares", "i2", (MAX_REPLIES,)),  # the kinds of these tickets, a bit each; or STANDS
        (
            "is_short",
            "u1",
            (MAX_SEATS, MAX_CHOICES + 1),
        ),  # 1 = after a choice, or where it stands, a pawn makes detours
        ("detour", "u1", (MAX_SEATS, MAX_CHOICES + 2, MAX_STATIONS + 1)),  # to each station, where it does; or 0
        ("exits", "i2", (MAX_STATIONS + 1,)),  # the stations of all replies
        ("exit_count", "i8"),
        ("is_exit", "u1", (MAX_STATIONS + 1,)),
    ]
)


# ------------------------------------------------------------------------------------------------------ the detectives


@kernel
def list_choices(board, node, choices, seat):
    """List the stations that a detective can go to, each with the ticket it has most of; or staying, if it is stuck."""
    station = node.station[seat]
    count = 0
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if fare == BLACK or node.tickets[seat, fare] == 0 or is_held(node, seat, to):
            continue
        if count > 0 and choices.to[seat, count - 1] == to:  # moves are sorted by station
            if node.tickets[seat, fare] > node.tickets[seat, choices.fare[seat, count - 1]]:
                choices.fare[seat, count - 1] = fare
        elif count < MAX_CHOICES:
            choices.to[seat, count] = to
            choices.fare[seat, count] = fare
            count += 1
    if count == 0:
        choices.to[seat, 0] = station
        choices.fare[seat, 0] = STAYS
        count = 1
    choices.count[seat] = count


@kernel
def is_held(node, seat, station):
    """Tell whether a station is held when a detective's turn comes: by one that has moved, or one that moves later."""
    for other in range(1, node.seats):
        if (other < node.seat or other > seat) and node.station[other] == station:
            return True
    return False


@kernel
def is_landing(node, choices, station, without):
    """Tell whether the plan at hand lets a pawn land on a station; one seat may be left out, else NOBODY."""
    for seat in range(node.seat, node.seats):
        if seat != without and choices.landed[seat] == station:
            return True
    return False


@kernel
def name_action(board, to, fare):
    """Return the action of a detective who goes to a station for a fare, or STAYS."""
    return pass_action(board) if fare == STAYS else move_action(to, fare)


@kernel
def write_actions(boards, choices, seat, actions):
    """Write the choices of a seat as actions."""
    for choice in range(choices[0].count[seat]):
        actions[choice] = name_action(boards[0], choices[0].to[seat, choice], choices[0].fare[seat, choice])


# ------------------------------------------------------------------------------------------------------------- tickets


@kernel
def list_detours(node, weights, choices, detours):
    """Write which detectives make detours for want of tickets after each of their choices, and as they stand."""
    for seat in range(1, node.seats):
        note_detour(node, weights, choices, detours, seat, HERE, node.station[seat], STAYS)
    for seat in range(node.seat, node.seats):
        for choice in range(choices.count[seat]):
            note_detour(
                node, weights, choices, detours, seat, choice, choices.to[seat, choice], choices.fare[seat, choice]
            )


@kernel
def note_detour(node, weights, choices, detours, seat, choice, station, fare):
    """Write the detours of a detective from a station, once it has paid a fare or stays."""
    kinds = ALL_KINDS
    if weights.counts_tickets:
        for kind in range(BLACK):
            if node.tickets[seat, kind] == (1 if kind == fare else 0):
                kinds &= ~(1 << kind)
    choices.is_short[seat, choice] = kinds != ALL_KINDS
    if kinds != ALL_KINDS:
        copy_values(detours[kinds, station], choices.detour[seat, choice])


@kernel
def detour_row(choices, seat, choice):
    """Return the row of the detours of a detective after a choice, or where it stands.

    Its number, since of arrays that kernels return references are counted, which is slow.
    """
    return choice if choices.is_short[seat, choice] else NO_DETOUR


# --------------------------------------------------------------------------------------------------------------- Mr. X


@kernel
def list_replies(board, node, weights, choices):
    """List for every particle the stations that Mr. X may be able to pay for from there, or only itself if he stays."""
    choices.is_exit[:] = 0
    choices.exit_count = 0
    row = 0
    for particle in range(node.particles):
        choices.first_reply[particle] = row
        if weights.has_replies:
            row = list_moves_from(board, node, weights, choices, node.particle[particle], row)
        else:
            row = add_reply(choices, row, node.particle[particle], STANDS)
    choices.first_reply[node.particles] = row


@kernel
def list_moves_from(board, node, weights, choices, station, row):
    """Add a reply for each station that Mr. X can reach from one; return the next row."""
    first = row
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if node.tickets[MR_X, fare] == 0 and not may_be_handed(node, weights, fare):
            continue
        if row > first and choices.reply[row - 1] == to:  # moves are sorted by station
            choices.ways[row - 1] += 1
            choices.fares[row - 1] |= 1 << fare
        elif row - first < MAX_CHOICES:
            row = add_reply(choices, row, to, 1 << fare)
    return row


@kernel
def may_be_handed(node, weights, fare):
    """Tell whether a pawn has a ticket of a kind, which a plan that uses it would hand to Mr. X."""
    if weights.hands_over:
        for seat in range(node.seat, node.seats):
            if node.tickets[seat, fare] != 0:
                return True
    return False


@kernel
def add_reply(choices, row, to, fares):
    """Add a station that Mr. X may flee to; return the next row."""
    choices.reply[row] = to
    choices.ways[row] = 1
    choices.fares[row] = fares
    if choices.is_exit[to] == 0:
        choices.is_exit[to] = 1
        choices.exits[choices.exit_count] = to
        choices.exit_count += 1
    return row + 1
