"""What the detectives can do in the rest of a round, and Mr. X after it: list the choices and put the good ones first.

A **sheet** is one detective layer of a search, worked out once: the particles (stations where Mr. X is likely to be,
with their weights), what every detective can do, and where Mr. X may flee to. A **plan** gives every detective who has
not moved in this round a station to go to; plan_counter.py makes them one after another.
"""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, MAX_DETECTIVES, MAX_SEATS, MAX_STATIONS, MR_X

MAX_PARTICLES = 64
MAX_CHOICES = 48  # moves of one detective that are looked at
NEAR = 12  # distances beyond this are all the same
LONG = 24  # and so are capture times

NODE = np.dtype(  # what the detectives think of Mr. X at a moment; the rest is a state with a hole
    (
        np.record,
        np.dtype(
            [
                ("weight", "f8", (MAX_PARTICLES,)),  # of each particle; they add up to 1 where detectives are to move
                ("particle", "i2", (MAX_PARTICLES,)),  # stations where Mr. X may be, likeliest first
                ("particles", "i8"),
            ],
            align=True,
        ),
    )
)

SHEET = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("bonus", "f8", (MAX_SEATS, MAX_CHOICES)),  # of a choice by itself
                ("promise", "f8", (MAX_SEATS, MAX_CHOICES)),  # how well a choice covers the exits: for ordering
                ("to", "i2", (MAX_SEATS, MAX_CHOICES)),
                ("fare", "i2", (MAX_SEATS, MAX_CHOICES)),  # -1 = stuck: the detective passes
                ("choices", "i8", (MAX_SEATS,)),
                ("pawn", "i8", (MAX_DETECTIVES,)),  # seats yet to move, in the order in which they are branched over
                ("pawns", "i8"),
                ("first_reply", "i8", (MAX_PARTICLES + 1,)),  # replies of particle p are rows first[p]..first[p+1]
                ("reply", "i2", (MAX_PARTICLES * MAX_CHOICES,)),  # index into exits
                ("is_scarce", "u1", (MAX_PARTICLES * MAX_CHOICES,)),  # 1 = it costs a ticket that he has few of
                ("exits", "i2", (MAX_STATIONS + 1,)),  # the stations he may flee to
                ("exit_weight", "f8", (MAX_STATIONS + 1,)),  # how likely that is if he picks any
                ("exit_index", "i2", (MAX_STATIONS + 1,)),  # of a station; -1 = he cannot flee there
                ("exit_count", "i8"),
                ("near", "u1", (MAX_SEATS, MAX_STATIONS + 1)),  # distance of each exit from the nearest detective, by
                ("time", "u1", (MAX_SEATS, MAX_STATIONS + 1)),  # pawns placed; rounds until two catch him there
                ("placed", "i8", (MAX_DETECTIVES,)),  # the seats placed so far
                ("plan", "i8", (MAX_SEATS,)),  # the choice of each seat in the plan at hand
                ("landed", "i2", (MAX_SEATS,)),  # where each seat stands after it
                ("cursor", "i8", (MAX_SEATS,)),  # the choice each pawn gets next
                ("is_blocked", "u1", (MAX_SEATS,)),  # 1 = the pawn has found no choice free so far
                ("width", "i8"),  # choices of a pawn that are looked at
                ("place", "i8"),  # the pawn that the counter has come to; -1 = all plans are made
                ("plans", "i8"),  # made in the whole search
                ("nodes", "i8"),  # particles valued under a plan in the whole search
                ("centroid", "i8"),  # the station with the least expected distance to Mr. X
                ("centre_distance", "f8"),
                ("entropy", "f8"),  # of the particles, in bits
                ("is_reveal", "u1"),  # 1 = he shows himself with his reply
            ],
            align=True,
        ),
    )
)

WEIGHTS = np.dtype(  # how plans are valued and which are looked at: the parameters of minimax
    (
        np.record,
        np.dtype(
            [
                ("lost", "f8", (LONG + 1, NEAR + 1)),  # worth of Mr. X on an exit, by capture time and distance
                ("scarce", "f8"),  # and more if he had to pay a scarce ticket
                ("ceiling", "f8"),  # no particle is worth more
                ("caution", "f8"),  # share of the best reply in a particle's worth; the rest is the average
                ("w_1", "f8"),
                ("w_2", "f8"),
                ("w_3", "f8"),
                ("w_4", "f8"),
                ("choke", "f8"),
                ("perimeter", "f8"),
                ("most_links", "f8"),
                ("has_replies", "u1"),  # 0 = the last layer is the detectives': Mr. X is judged where he is
                ("has_cuts", "u1"),
                ("has_pawn_order", "u1"),
                ("has_move_order", "u1"),
                ("has_dominance", "u1"),
            ],
            align=True,
        ),
    )
)


# ---------------------------------------------------------------------------------------------------- the possibilities


@kernel
def keep_likeliest(belief, particles, node):
    """Make particles of the likeliest stations of a belief, which is used up; the lower station first among equals."""
    node.particles = 0
    total = 0.0
    while node.particles < particles:
        station = np.argmax(belief)
        if belief[station] <= 0.0:
            break
        node.particle[node.particles] = station
        node.weight[node.particles] = belief[station]
        total += belief[station]
        belief[station] = 0.0
        node.particles += 1
    for particle in range(node.particles):
        node.weight[particle] /= total


@kernel
def list_replies(board, state, node, weights, sheet):
    """List for every particle the stations that Mr. X can pay for from there, or only itself where he stays."""
    sheet.exit_index[:] = -1
    sheet.exit_count = 0
    row = 0
    for particle in range(node.particles):
        sheet.first_reply[particle] = row
        station = node.particle[particle]
        if weights.has_replies == 0:
            row = add_reply(sheet, row, station, 0)
        else:
            row = list_moves_from(board, state, sheet, station, row)
        share = node.weight[particle] / max(1, row - sheet.first_reply[particle])
        for reply in range(sheet.first_reply[particle], row):
            sheet.exit_weight[sheet.reply[reply]] += share
    sheet.first_reply[node.particles] = row


@kernel
def list_moves_from(board, state, sheet, station, row):
    """Add Mr. X's moves from a station, one for each station that he can reach; moves are sorted by station."""
    first = row
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if state.tickets[MR_X, fare] == 0:
            continue
        is_scarce = 1 if is_scarce_ticket(state, fare) else 0
        if row > first and sheet.exits[sheet.reply[row - 1]] == to:
            sheet.is_scarce[row - 1] = min(sheet.is_scarce[row - 1], is_scarce)
        elif row - first < MAX_CHOICES:
            row = add_reply(sheet, row, to, is_scarce)
    return row


@kernel
def is_scarce_ticket(state, fare):
    """Tell whether Mr. X has few tickets of a kind: black ones, and what is down to the last."""
    return fare == BLACK or state.tickets[MR_X, fare] == 1


@kernel
def add_reply(sheet, row, to, is_scarce):
    """Add a station that Mr. X may flee to; return the next row."""
    if sheet.exit_index[to] < 0:
        sheet.exit_index[to] = sheet.exit_count
        sheet.exits[sheet.exit_count] = to
        sheet.exit_weight[sheet.exit_count] = 0.0
        sheet.exit_count += 1
    sheet.reply[row] = sheet.exit_index[to]
    sheet.is_scarce[row] = is_scarce
    return row + 1


@kernel
def list_choices(board, state, sheet, seat):
    """List the stations that a detective can go to, each with the ticket it has most of; or staying, if it is stuck."""
    station = state.station[seat]
    count = 0
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if fare == BLACK or state.tickets[seat, fare] == 0 or is_held(state, seat, to):
            continue
        if count > 0 and sheet.to[seat, count - 1] == to:  # moves are sorted by station
            if state.tickets[seat, fare] > state.tickets[seat, sheet.fare[seat, count - 1]]:
                sheet.fare[seat, count - 1] = fare
        elif count < MAX_CHOICES:
            sheet.to[seat, count] = to
            sheet.fare[seat, count] = fare
            count += 1
    if count == 0:
        sheet.to[seat, 0] = station
        sheet.fare[seat, 0] = -1
        count = 1
    sheet.choices[seat] = count


@kernel
def is_held(state, seat, station):
    """Tell whether a station is held when a detective's turn comes: by one that has moved, or one that moves later."""
    for other in range(1, state.seats):
        if (other < state.seat or other > seat) and state.station[other] == station:
            return True
    return False


# ------------------------------------------------------------------------------------------------------------- ordering


@kernel
def order_pawns(board, state, weights, sheet):
    """Put the most threatening pawn, the one nearest to the belief's centre, first.

    Before it come those whom the others could leave without a station, in the order of their turns.
    """
    sheet.pawns = state.seats - state.seat
    for place in range(sheet.pawns):
        seat = state.seat + place
        here = place
        while here > 0 and is_urgent(board, state, weights, sheet, seat, sheet.pawn[here - 1]):
            sheet.pawn[here] = sheet.pawn[here - 1]
            here -= 1
        sheet.pawn[here] = seat


@kernel
def is_urgent(board, state, weights, sheet, seat, other):
    """Tell whether a detective is branched over before another one, whose turn is earlier."""
    is_tight, is_other_tight = sheet.choices[seat] < sheet.pawns, sheet.choices[other] < sheet.pawns
    if is_tight or is_other_tight:
        return not is_other_tight
    if not weights.has_pawn_order:
        return False
    distance = board.distance[:, sheet.centroid]
    return distance[state.station[seat]] < distance[state.station[other]]


@kernel
def order_choices(sheet, seat, width, has_move_order):
    """Put the choices that cover the exits best first, or at least among the first so many."""
    if width < sheet.choices[seat] or has_move_order:
        sort_choices(sheet, seat, sheet.choices[seat], True)
    if not has_move_order:
        sort_choices(sheet, seat, min(width, sheet.choices[seat]), False)


@kernel
def sort_choices(sheet, seat, count, by_promise):
    """Sort the first choices of a detective by promise or, among equals and otherwise, by station."""
    for choice in range(1, count):
        here = choice
        while here > 0 and comes_before(sheet, seat, here, here - 1, by_promise):
            swap_choices(sheet, seat, here, here - 1)
            here -= 1


@kernel
def comes_before(sheet, seat, one, other, by_promise):
    """Tell which of two choices comes first."""
    if by_promise and sheet.promise[seat, one] != sheet.promise[seat, other]:
        return sheet.promise[seat, one] > sheet.promise[seat, other]
    return sheet.to[seat, one] < sheet.to[seat, other]


@kernel
def swap_choices(sheet, seat, one, other):
    """Let two choices of a detective change places."""
    to, fare = sheet.to[seat, one], sheet.fare[seat, one]
    bonus, promise = sheet.bonus[seat, one], sheet.promise[seat, one]
    sheet.to[seat, one], sheet.fare[seat, one] = sheet.to[seat, other], sheet.fare[seat, other]
    sheet.bonus[seat, one], sheet.promise[seat, one] = sheet.bonus[seat, other], sheet.promise[seat, other]
    sheet.to[seat, other], sheet.fare[seat, other] = to, fare
    sheet.bonus[seat, other], sheet.promise[seat, other] = bonus, promise
