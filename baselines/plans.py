"""Joint plans of the detectives: what they can do together in the rest of a round, and what it is worth.

A node is a moment as the detectives see it: where they stand, what they can pay, and the particles, stations where Mr. X is
likely to be with their weights. A plan gives every detective who has not moved yet a station to go to. Its worth is the
weight of the particles it catches plus, for every other particle, how near the detectives are to where he may flee from it.
"""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK, MAX_DETECTIVES, MAX_STATIONS, NOWHERE, TRANSPORTS

MAX_PARTICLES = 64
MAX_CHOICES = 48  # moves of one detective that are looked at
MAX_REPLIES = MAX_PARTICLES * MAX_CHOICES
NEAR = 12  # distances beyond this are all the same

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
                ("mr_x_tickets", "i2", (BLACK + 1,)),
                ("detectives", "i2"),
                ("mover", "i2"),  # the first detective who has not moved yet
                ("entries", "i2"),  # log entries filled
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
                ("bonus", "f8", (MAX_DETECTIVES, MAX_CHOICES)),  # of a choice by itself: choke point, ticket
                ("order", "f8", (MAX_DETECTIVES, MAX_CHOICES)),  # coverage by that choice alone, for ordering
                ("to", "i2", (MAX_DETECTIVES, MAX_CHOICES)),
                ("fare", "i1", (MAX_DETECTIVES, MAX_CHOICES)),
                ("choices", "i2", (MAX_DETECTIVES,)),
                ("pawn", "i2", (MAX_DETECTIVES,)),  # detectives in the order in which they are branched over
                ("first_reply", "i4", (MAX_PARTICLES + 1,)),  # replies of particle p are rows first[p]..first[p+1]
                ("reply", "i2", (MAX_REPLIES,)),  # index into `exits`
                ("reply_fare", "i1", (MAX_REPLIES,)),
                ("exits", "i2", (MAX_STATIONS + 1,)),  # the stations he may flee to
                ("exit_count", "i2"),
                ("near_1", "u1", (MAX_DETECTIVES + 1, MAX_STATIONS + 1)),  # distance of each exit from the nearest and
                ("near_2", "u1", (MAX_DETECTIVES + 1, MAX_STATIONS + 1)),  # next detective placed, by pawns placed
                ("plan", "i2", (MAX_DETECTIVES,)),  # the choice of each pawn of the plan at hand
                ("landed", "i2", (MAX_DETECTIVES,)),  # where every detective stands after it
                ("best", "i2", (MAX_DETECTIVES,)),  # the choices of the best plan so far
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
                ("nearness", "f8", (NEAR + 1, NEAR + 1)),  # by the distances of the nearest and the next detective
                ("best_reply", "f8"),  # share of his best reply in what a particle is worth; the rest is his mean one
                ("entropy", "f8"),
                ("clustering", "f8"),
                ("choke", "f8"),
                ("ticket", "f8", (BLACK,)),  # price of handing this ticket over
            ],
            align=True,
        ),
    )
)


# ------------------------------------------------------------------------------------------------- the possibilities


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
    index_of = table.near_1[0]  # borrowed: which exit a station is, 0 = none yet
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
            table.reply_fare[row] = fare
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
        to, fare = table.to[detective, choice], table.fare[detective, choice]
        links = 0
        for transport in range(len(TRANSPORTS)):
            links += board.links[to, transport]
        price = weights.ticket[fare] if fare >= 0 else 0.0
        table.bonus[detective, choice] = weights.choke * min(links, 12) / 12.0 - price
        table.order[detective, choice] = expected_nearness(board, node, to)


@kernel
def is_held(node, detective, station):
    """Tell whether a station is held when a detective's turn comes: by one that has moved, or one that moves later."""
    for other in range(node.detectives):
        if (other < node.mover or other > detective) and node.station[other] == station:
            return True
    return False


@kernel
def expected_nearness(board, node, station):
    """Measure how near a station is to the particles: the sum of weight over distance."""
    total = 0.0
    for particle in range(node.particles):
        total += node.weight[particle] / (1.0 + board.distance[station, node.particle[particle]])
    return total


@kernel
def order_pawns(board, node, table):
    """Put the most threatening pawn, the one nearest to the particles, first."""
    for place in range(node.mover, node.detectives):
        table.pawn[place] = place
        threat = expected_nearness(board, node, node.station[place])
        here = place
        while here > node.mover and threat > expected_nearness(board, node, node.station[table.pawn[here - 1]]):
            table.pawn[here] = table.pawn[here - 1]
            here -= 1
        table.pawn[here] = place


# ------------------------------------------------------------------------------------------------------ what it is worth


@kernel
def place_settled(board, node, table):
    """Begin a plan with the detectives who have moved already."""
    for index in range(table.exit_count):
        table.near_1[0, index] = NEAR
        table.near_2[0, index] = NEAR
    for detective in range(node.mover):
        table.landed[detective] = node.station[detective]
        merge_distances(board, table, node.station[detective], 0, 0)


@kernel
def merge_distances(board, table, station, before, after):
    """Write for every exit the distances of the two nearest detectives, with one more on this station."""
    for index in range(table.exit_count):
        distance = min(board.distance[station, table.exits[index]], NEAR)
        nearest, second = table.near_1[before, index], table.near_2[before, index]
        if distance < nearest:
            nearest, second = distance, nearest
        elif distance < second:
            second = distance
        table.near_1[after, index] = nearest
        table.near_2[after, index] = second


@kernel
def is_landing(node, table, station):
    """Tell whether the plan at hand lets a detective land on a station."""
    for detective in range(node.mover, node.detectives):
        if table.landed[detective] == station:
            return True
    return False


@kernel
def value_plan(board, node, weights, table, level):
    """Value the plan at hand: 1 for every particle caught, nearness to the exits of the others, and the rest."""
    value = 0.0
    left, spread = 0.0, 0.0
    for particle in range(node.particles):
        weight = node.weight[particle]
        if is_landing(node, table, node.particle[particle]):
            value += weight
        else:
            value += weight * value_particle(table, weights, particle, level)
            left += weight
            spread += weight * np.log(weight)
    entropy = np.log(left) - spread / left if left > 0.0 else 0.0
    value -= weights.entropy * entropy
    for detective in range(node.mover, node.detectives):
        value += table.bonus[detective, table.plan[detective]]
    return value - weights.clustering * count_clusters(board, node, table)


@kernel
def value_particle(table, weights, particle, level):
    """Value the nearness of the detectives to where Mr. X may flee from a particle; 1 if he cannot."""
    best, total, open_replies = 1.0, 0.0, 0
    for row in range(table.first_reply[particle], table.first_reply[particle + 1]):
        exit_ = table.reply[row]
        if table.near_1[level, exit_] > 0:  # else a detective stands there
            nearness = weights.nearness[table.near_1[level, exit_], table.near_2[level, exit_]]
            best = min(best, nearness)
            total += nearness
            open_replies += 1
    if open_replies == 0:
        return 1.0
    return weights.best_reply * best + (1.0 - weights.best_reply) * total / open_replies


@kernel
def count_clusters(board, node, table):
    """Count the pairs of detectives who stand beside each other."""
    pairs = 0
    for one in range(node.detectives):
        for other in range(one):
            if board.distance[table.landed[one], table.landed[other]] <= 1:
                pairs += 1
    return pairs


# -------------------------------------------------------------------------------------------------------- all of them

MAX_TOP = 64
TOP = np.dtype(  # the best plans found so far, best first
    (
        np.record,
        np.dtype(
            [
                ("value", "f8", (MAX_TOP,)),
                ("plan", "i2", (MAX_TOP, MAX_DETECTIVES)),
                ("count", "i8"),
                ("room", "i8"),  # how many are kept
                ("seen", "i8"),  # how many were valued
            ],
            align=True,
        ),
    )
)


@kernel
def find_plans(board, node, weights, table, top):
    """Value every plan there is and keep the best."""
    prepare(board, node, weights, table)
    place_settled(board, node, table)
    top.count = 0
    branch(board, node, weights, table, node.mover, top)


@kernel
def branch(board, node, weights, table, place, top):
    """Give every choice to the pawn at this place, and go on to the next; at the end, value the plan."""
    level = place - node.mover
    if place == node.detectives:
        keep(top, node, table.plan, value_plan(board, node, weights, table, level))
        return
    detective = table.pawn[place]
    is_blocked = True
    for choice in range(table.choices[detective]):
        to = table.to[detective, choice]
        if not is_promised(node, table, place, to):
            is_blocked = False
            give(board, table, detective, choice, to, level)
            branch(board, node, weights, table, place + 1, top)
    if is_blocked:
        give(board, table, detective, 0, node.station[detective], level)
        branch(board, node, weights, table, place + 1, top)


@kernel
def give(board, table, detective, choice, to, level):
    """Send a detective to a station in the plan at hand."""
    table.plan[detective] = choice
    table.landed[detective] = to
    merge_distances(board, table, to, level, level + 1)


@kernel
def is_promised(node, table, place, station):
    """Tell whether a pawn placed earlier in the plan goes to a station."""
    for earlier in range(node.mover, place):
        if table.landed[table.pawn[earlier]] == station:
            return True
    return False


@kernel
def keep(top, node, plan, value):
    """Put a plan among the best, if it is one of them; equals stay in the order in which their choices are listed."""
    top.seen += 1
    if top.count == top.room:
        if value < top.value[top.count - 1]:
            return
    else:
        top.count += 1
    here = top.count - 1
    while here > 0 and value > top.value[here - 1]:
        top.value[here] = top.value[here - 1]
        for detective in range(node.mover, node.detectives):
            top.plan[here, detective] = top.plan[here - 1, detective]
        here -= 1
    top.value[here] = value
    for detective in range(node.mover, node.detectives):
        top.plan[here, detective] = plan[detective]
