"""Joint plans of the detectives: what they can do together in the rest of a round, and what it is worth.

A node is a moment as the detectives see it: where they stand, what they can pay, and the particles, stations where
Mr. X is likely to be with their weights. A plan gives every detective who has not moved yet a station to go to. Its
worth is the weight of the particles it catches plus, for every other, how lost Mr. X is where he may flee to from it.
"""

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import kernel
from scotyard_env.rules import move_action, pass_action
from scotyard_env.state import BLACK, FARES, MAX_DETECTIVES, MAX_STATIONS, MR_X

MAX_PARTICLES = 64
MAX_CHOICES = 48  # moves of one detective that are looked at
MAX_REPLIES = MAX_PARTICLES * MAX_CHOICES
NEAR = 12  # distances beyond this are all the same
LONG = 24  # and so are capture times

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("weight", "f8", (MAX_PARTICLES,)),  # of each particle; they add up to at most 1
                ("particle", "i2", (MAX_PARTICLES,)),  # stations where Mr. X may be
                ("particles", "i2"),
                ("station", "i2", (MAX_DETECTIVES,)),
                ("tickets", "i2", (MAX_DETECTIVES, BLACK)),
                ("mr_x_tickets", "i2", (FARES,)),
                ("detectives", "i2"),
                ("mover", "i2"),  # the first detective who has not moved yet
            ],
            align=True,
        ),
    )
)

TABLE = np.dtype(  # what there is to choose from at one node, worked out once
    (
        np.record,
        np.dtype(
            [
                (
                    "bonus",
                    "f8",
                    (MAX_DETECTIVES, MAX_CHOICES),
                ),  # of a choice by itself: how far it is from the particles
                ("to", "i2", (MAX_DETECTIVES, MAX_CHOICES)),
                ("fare", "i1", (MAX_DETECTIVES, MAX_CHOICES)),
                ("choices", "i2", (MAX_DETECTIVES,)),
                ("pawn", "i2", (MAX_DETECTIVES,)),  # detectives in the order in which they are branched over
                ("first_reply", "i4", (MAX_PARTICLES + 1,)),  # replies of particle p are rows first[p]..first[p+1]
                ("reply", "i2", (MAX_REPLIES,)),  # index into `exits`
                ("exits", "i2", (MAX_STATIONS + 1,)),  # the stations he may flee to
                ("exit_count", "i2"),
                (
                    "near",
                    "u1",
                    (MAX_DETECTIVES + 1, MAX_STATIONS + 1),
                ),  # distance of each exit from the nearest pawn, by
                (
                    "time",
                    "u1",
                    (MAX_DETECTIVES + 1, MAX_STATIONS + 1),
                ),  # pawns placed; rounds until two catch him there
                ("order_placed", "i2", (MAX_DETECTIVES,)),  # the detectives placed so far
                ("placed", "i2"),
                ("plan", "i2", (MAX_DETECTIVES,)),  # the choice of each pawn of the plan at hand
                ("landed", "i2", (MAX_DETECTIVES,)),  # where every detective stands after it
                ("cursor", "i2", (MAX_DETECTIVES + 1,)),  # the choice each pawn gets next
                ("is_blocked", "i1", (MAX_DETECTIVES + 1,)),  # 1 = the pawn has found no choice free so far
            ],
            align=True,
        ),
    )
)

WEIGHTS = np.dtype(  # how a plan is valued
    (
        np.record,
        np.dtype(
            [
                ("nearness", "f8", (LONG + 1, NEAR + 1)),  # of an exit, by capture time and distance of the nearest
                ("approach", "f8"),  # price of a move of distance of each detective to the particles
            ],
            align=True,
        ),
    )
)


def make_weights(discount: float, approach: float) -> NDArray[np.void]:
    """Value an exit by the discount to the power of its capture time; without a pair, of twice the distance."""
    weights = np.zeros(1, WEIGHTS)
    time, near = np.ogrid[: LONG + 1, : NEAR + 1]
    weights[0].nearness[:] = discount ** np.where(time < LONG, time, np.minimum(2 * near + 1, LONG))
    weights[0].approach = approach
    return weights


# ---------------------------------------------------------------------------------------------------- the possibilities


@kernel
def look_at(view, belief, particles, node):
    """Take down a moment as the detectives see it, with the likeliest stations of a belief; the belief is used up."""
    look_at_pawns(view, node)
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
def look_at_pawns(view, node):
    """Take down what everybody sees: where the detectives stand, whose turn it is, and all tickets."""
    node.detectives, node.mover = view.seats - 1, view.seat - 1
    for detective in range(node.detectives):
        node.station[detective] = view.station[detective + 1]
        for fare in range(BLACK):
            node.tickets[detective, fare] = view.tickets[detective + 1, fare]
    for fare in range(FARES):
        node.mr_x_tickets[fare] = view.tickets[MR_X, fare]


@kernel
def prepare(board, node, weights, table):
    """Work out what the detectives can do at a node and where Mr. X may flee to."""
    list_replies(board, node, table)
    for detective in range(node.mover, node.detectives):
        list_choices(board, node, weights, table, detective)
    order_pawns(board, node, table)


@kernel
def list_replies(board, node, table):
    """List for every particle the moves that Mr. X can pay for from there."""
    index_of = table.near[0]  # borrowed: which exit a station is, 0 = none yet
    index_of[:] = 0
    table.exit_count = 0
    row = 0
    for particle in range(node.particles):
        table.first_reply[particle] = row
        station = node.particle[particle]
        for move in range(board.first[station], board.first[station + 1]):
            to, fare = board.to[move], board.fare[move]
            if node.mr_x_tickets[fare] == 0 or row == MAX_REPLIES:
                continue
            if index_of[to] == 0:
                table.exits[table.exit_count] = to
                table.exit_count += 1
                index_of[to] = table.exit_count
            table.reply[row] = index_of[to] - 1
            row += 1
    table.first_reply[node.particles] = row


@kernel
def list_choices(board, node, weights, table, detective):
    """List the stations that a detective can go to, each with the ticket it has most of; or staying, if it is stuck."""
    station = node.station[detective]
    count = 0
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if fare == BLACK or node.tickets[detective, fare] == 0 or count == MAX_CHOICES:
            continue
        if is_held(node, detective, to):
            continue
        if count > 0 and table.to[detective, count - 1] == to:  # moves are sorted by station
            if node.tickets[detective, fare] > node.tickets[detective, table.fare[detective, count - 1]]:
                table.fare[detective, count - 1] = fare
            continue
        table.to[detective, count] = to
        table.fare[detective, count] = fare
        count += 1
    if count == 0:
        table.to[detective, 0] = station
        table.fare[detective, 0] = -1
        count = 1
    table.choices[detective] = count
    for choice in range(count):
        table.bonus[detective, choice] = -weights.approach * expected_distance(board, node, table.to[detective, choice])


@kernel
def is_held(node, detective, station):
    """Tell whether a station is held when a detective's turn comes: by one that has moved, or one that moves later."""
    for other in range(node.detectives):
        if (other < node.mover or other > detective) and node.station[other] == station:
            return True
    return False


@kernel
def expected_distance(board, node, station):
    """Measure how far a station is from the particles, by their weight."""
    total = 0.0
    for particle in range(node.particles):
        total += node.weight[particle] * board.distance[station, node.particle[particle]]
    return total


@kernel
def order_pawns(board, node, table):
    """Put the most threatening pawn, the one nearest to the particles, first."""
    for place in range(node.mover, node.detectives):
        far = expected_distance(board, node, node.station[place])
        here = place
        while here > node.mover and far < expected_distance(board, node, node.station[table.pawn[here - 1]]):
            table.pawn[here] = table.pawn[here - 1]
            here -= 1
        table.pawn[here] = place


# ----------------------------------------------------------------------------------------------------- what it is worth


@kernel
def place_settled(board, times, node, table):
    """Begin a plan with the detectives who have moved already."""
    for index in range(table.exit_count):
        table.near[0, index] = NEAR
        table.time[0, index] = LONG
    table.placed = 0
    for detective in range(node.mover):
        place_detective(board, times, table, detective, node.station[detective], 0, 0)


@kernel
def place_detective(board, times, table, detective, station, before, after):
    """Put one more detective on a station and write for every exit how near and how lost Mr. X is there now."""
    table.landed[detective] = station
    for index in range(table.exit_count):
        table.near[after, index] = min(table.near[before, index], board.distance[station, table.exits[index]])
        table.time[after, index] = table.time[before, index]
    for other in range(table.placed):
        pair = times[station, table.landed[table.order_placed[other]]]
        for index in range(table.exit_count):
            table.time[after, index] = min(table.time[after, index], pair[table.exits[index]])
    table.order_placed[table.placed] = detective
    table.placed += 1


@kernel
def is_landing(node, table, station):
    """Tell whether the plan at hand lets a detective land on a station."""
    for detective in range(node.mover, node.detectives):
        if table.landed[detective] == station:
            return True
    return False


@kernel
def value_plan(node, weights, table, level):
    """Value the plan at hand: 1 for every particle caught, for the others how lost Mr. X is where he may flee to."""
    value = 0.0
    for particle in range(node.particles):
        if is_landing(node, table, node.particle[particle]):
            value += node.weight[particle]
        else:
            value += node.weight[particle] * value_particle(table, weights, particle, level)
    for detective in range(node.mover, node.detectives):
        value += table.bonus[detective, table.plan[detective]]
    return value


@kernel
def value_particle(table, weights, particle, level):
    """Value how lost Mr. X is on average where he may flee to from a particle; 1 if he cannot."""
    total, open_replies = 0.0, 0
    for row in range(table.first_reply[particle], table.first_reply[particle + 1]):
        exit_ = table.reply[row]
        if table.near[level, exit_] > 0:  # else a detective stands there
            total += weights.nearness[table.time[level, exit_], table.near[level, exit_]]
            open_replies += 1
    return total / open_replies if open_replies > 0 else 1.0


# ---------------------------------------------------------------------------------------------------------- all of them

BEST = np.dtype(  # the best plan for each choice of the detective to move
    (
        np.record,
        np.dtype(
            [
                ("value", "f8", (MAX_CHOICES,)),
                ("plan", "i2", (MAX_CHOICES, MAX_DETECTIVES)),  # the choice of each detective
                ("action", "i8", (MAX_CHOICES,)),  # that it begins with
                ("count", "i8"),
            ],
            align=True,
        ),
    )
)


@kernel
def find_plans(board, times, node, weights, table, best):
    """Value every plan there is and keep the best for each choice of the detective to move.

    Pawns get their choices one after the other, the last one fastest, as the digits of a counter. (Written as a loop: a
    compiled function that calls itself does not survive being cached on disk.)
    """
    prepare(board, node, weights, table)
    place_settled(board, times, node, table)
    clear_best(board, node, table, best)
    place = node.mover
    table.cursor[place] = 0
    while place >= node.mover:
        if place == node.detectives:
            keep(best, node, table.plan, value_plan(node, weights, table, place - node.mover))
            place -= 1
        elif give_next(board, times, node, table, place):
            place += 1
            table.cursor[place] = 0
        else:
            place -= 1


@kernel
def give_next(board, times, node, table, place):
    """Give the pawn at this place its next choice that no earlier pawn has; let it stay if it has none at all."""
    detective = table.pawn[place]
    if table.cursor[place] == 0:
        table.is_blocked[place] = 1
    while table.cursor[place] < table.choices[detective]:
        choice = table.cursor[place]
        table.cursor[place] += 1
        to = table.to[detective, choice]
        if not is_promised(node, table, place, to):
            table.is_blocked[place] = 0
            give(board, times, node, table, detective, choice, to, place - node.mover)
            return True
    if table.is_blocked[place] == 1:
        table.is_blocked[place] = 0
        give(board, times, node, table, detective, 0, node.station[detective], place - node.mover)
        return True
    return False


@kernel
def give(board, times, node, table, detective, choice, to, level):
    """Send a detective to a station in the plan at hand, after the pawns placed before it."""
    table.plan[detective] = choice
    table.placed = node.mover + level
    place_detective(board, times, table, detective, to, level, level + 1)


@kernel
def is_promised(node, table, place, station):
    """Tell whether a pawn placed earlier in the plan goes to a station."""
    for earlier in range(node.mover, place):
        if table.landed[table.pawn[earlier]] == station:
            return True
    return False


@kernel
def clear_best(board, node, table, best):
    """Begin with no plan for any choice of the detective to move."""
    best.count = table.choices[node.mover]
    for choice in range(best.count):
        fare = table.fare[node.mover, choice]
        best.action[choice] = pass_action(board) if fare < 0 else move_action(table.to[node.mover, choice], fare)
        best.value[choice] = -np.inf


@kernel
def keep(best, node, plan, value):
    """Keep a plan if it is the best for its choice of the detective to move."""
    choice = plan[node.mover]
    if value > best.value[choice]:
        best.value[choice] = value
        for detective in range(node.mover, node.detectives):
            best.plan[choice, detective] = plan[detective]
