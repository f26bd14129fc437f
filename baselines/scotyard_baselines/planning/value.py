"""Evaluate: what a joint plan of the detectives is worth, as "Mini-Max Pursuit Planning" adds it up.

The worth of a plan is how lost Mr. X is after it. A particle that a detective lands on counts its whole weight; every
other one counts the discount to the power of the rounds that two detectives need to catch him where he flees to
(capture.py), where the exit is covered a little more, and a little more still if it costs him a scarce ticket. To this
come the weighted terms of the document: the radius of the detectives around the belief's centroid (w_1), the entropy
that the plan takes out of the belief (w_2), the tickets that it leaves the detectives (w_3), detectives who cluster
(w_4), choke points held, and, before a reveal, detectives on the perimeter of where he will show himself.
"""

import numpy as np

from scotyard_baselines.planning.choices import list_choices, list_replies, order_choices, order_pawns
from scotyard_baselines.planning.enumeration import has_next_plan, keep, place_settled
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK

PERIMETER = 2  # stations this far from where he shows himself, or nearer, are its perimeter
CLUSTERED = 1  # detectives this near to each other cluster


@kernel
def prepare(board, rules, times, state, node, weights, width, sheet):
    """Work out what the detectives can do, where Mr. X may flee to, and what each choice is worth by itself."""
    list_replies(board, state, node, weights, sheet)
    sheet.is_reveal = rules.reveals[min(state.entries + 1, rules.log_entries)]
    sheet.width = width
    find_centroid(board, node, sheet)
    sheet.entropy = measure_entropy(node)
    for seat in range(state.seat, state.seats):
        list_choices(board, state, sheet, seat)
        for choice in range(sheet.choices[seat]):
            sheet.bonus[seat, choice] = value_choice(board, state, weights, sheet, seat, choice)
            sheet.promise[seat, choice] = value_promise(board, node, sheet, sheet.to[seat, choice])
        order_choices(sheet, seat, width, weights.has_move_order)
    order_pawns(board, state, weights, sheet)
    place_settled(board, times, state, sheet)


@kernel
def rank_plans(boards, times, states, nodes, index, weights, sheets, alpha, beta, ranking, count, most):
    """Value plans and keep the best, until all are valued, one reaches beta, or so many are; return how many are kept.

    Plans that cannot reach alpha, or the last place of a full ranking, are left unvalued.
    """
    board, state, node, sheet = boards[0], states[index], nodes[index], sheets[0]
    last = sheet.plans + most
    while sheet.plans < last and has_next_plan(board, times, state, weights[0], sheet):
        sheet.plans += 1
        least = ranking[count - 1].value if count == len(ranking) else -np.inf
        value = value_plan(board, state, node, weights[0], sheet, max(alpha, least))
        if value > -np.inf:
            count = keep(state, sheet, value, ranking, count)
            if weights[0].has_cuts and value >= beta:
                sheet.place = -1
    return count


@kernel
def begin_ranking(boards, times, states, nodes, index, weights, sheets, rules, width):
    """Set up the sheet of a detective layer."""
    prepare(boards[0], rules[0], times, states[index], nodes[index], weights[0], width, sheets[0])


# ------------------------------------------------------------------------------------------------------- a choice alone


@kernel
def find_centroid(board, node, sheet):
    """Find the station with the least expected distance to Mr. X."""
    sheet.centre_distance = np.inf
    for station in range(1, board.stations + 1):
        expected = 0.0
        for particle in range(node.particles):
            expected += node.weight[particle] * board.distance[station, node.particle[particle]]
        if expected < sheet.centre_distance:
            sheet.centroid, sheet.centre_distance = station, expected


@kernel
def measure_entropy(node):
    """Measure in bits how uncertain the particles are."""
    entropy = 0.0
    for particle in range(node.particles):
        entropy -= node.weight[particle] * np.log2(node.weight[particle])
    return entropy


@kernel
def value_choice(board, state, weights, sheet, seat, choice):
    """Add up the terms that concern one detective alone, as its share of the team's average."""
    to, fare = sheet.to[seat, choice], sheet.fare[seat, choice]
    value = -weights.w_1 * board.distance[to, sheet.centroid]
    if fare >= 0 and state.tickets[seat, fare] > 0:
        value -= weights.w_3 / state.tickets[seat, fare]
    value += weights.choke * count_links(board, to) / weights.most_links
    if sheet.is_reveal:
        value += weights.perimeter * share_near(board, sheet, to)
    return value / (state.seats - 1)


@kernel
def count_links(board, station):
    """Count the links of a station that detectives can use."""
    links = 0
    for transport in range(BLACK):
        links += board.links[station, transport]
    return links


@kernel
def share_near(board, sheet, station):
    """Give the share of where Mr. X may show himself that has a station on its perimeter."""
    share = 0.0
    for index in range(sheet.exit_count):
        if board.distance[station, sheet.exits[index]] <= PERIMETER:
            share += sheet.exit_weight[index]
    return share


@kernel
def value_promise(board, node, sheet, station):
    """Value how well a station covers the exits, nearer ones more, and whether it catches him."""
    promise = 0.0
    for index in range(sheet.exit_count):
        promise += sheet.exit_weight[index] * 0.5 ** board.distance[station, sheet.exits[index]]
    for particle in range(node.particles):
        if node.particle[particle] == station:
            promise += node.weight[particle]
    return promise


# --------------------------------------------------------------------------------------------------------- a whole plan


@kernel
def value_plan(board, state, node, weights, sheet, alpha):
    """Value the plan at hand; minus infinity if it is sure to stay below alpha."""
    value = 0.0
    for seat in range(state.seat, state.seats):
        value += sheet.bonus[seat, sheet.plan[seat]]
    if weights.w_4 != 0.0:
        value -= weights.w_4 * measure_clustering(board, state, sheet)
    if weights.w_2 != 0.0:
        value += weights.w_2 * measure_entropy_drop(state, node, sheet)
    rest = 1.0
    for particle in range(node.particles):
        if weights.has_cuts and value + rest * weights.ceiling < alpha:
            return -np.inf
        weight = node.weight[particle]
        rest -= weight
        sheet.nodes += 1
        if is_landing(state, sheet, node.particle[particle]):
            value += weight
        else:
            value += weight * value_particle(sheet, weights, particle)
    return value


@kernel
def is_landing(state, sheet, station):
    """Tell whether the plan at hand lets a detective land on a station."""
    for seat in range(state.seat, state.seats):
        if sheet.landed[seat] == station:
            return True
    return False


@kernel
def value_particle(sheet, weights, particle):
    """Value how lost Mr. X is where he may flee to from a particle, best and average reply mixed; 1 if he cannot."""
    level = sheet.pawns
    total, least, replies = 0.0, np.inf, 0
    for row in range(sheet.first_reply[particle], sheet.first_reply[particle + 1]):
        exit_ = sheet.reply[row]
        if sheet.near[level, exit_] > 0:  # else a detective stands there
            value = weights.lost[sheet.time[level, exit_], sheet.near[level, exit_]]
            value += weights.scarce * sheet.is_scarce[row]
            total += value
            least = min(least, value)
            replies += 1
    if replies == 0:
        return 1.0
    return weights.caution * least + (1.0 - weights.caution) * total / replies


@kernel
def measure_clustering(board, state, sheet):
    """Give the share of pairs of detectives who stand beside each other."""
    pairs = clustered = 0
    for one in range(2, state.seats):
        for other in range(1, one):
            pairs += 1
            if board.distance[sheet.landed[one], sheet.landed[other]] <= CLUSTERED:
                clustered += 1
    return clustered / max(1, pairs)


@kernel
def measure_entropy_drop(state, node, sheet):
    """Give the share of the belief's entropy that is gone if the plan finds nobody."""
    if sheet.entropy <= 0.0:
        return 0.0
    mass = total = 0.0
    for particle in range(node.particles):
        weight = node.weight[particle]
        if not is_landing(state, sheet, node.particle[particle]):
            mass += weight
            total -= weight * np.log2(weight)
    if mass <= 0.0:
        return 1.0
    return 1.0 - (total / mass + np.log2(mass)) / sheet.entropy
