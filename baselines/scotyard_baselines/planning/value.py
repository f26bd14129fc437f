"""The value of a joint plan of the detectives: how soon they can catch Mr. X after it, less what it costs.

A particle that a pawn lands on counts its whole weight. Every other one counts the value of the exits that Mr. X may
flee to from it: the discount to the power of the rounds that two detectives need to catch him there (capture/), his
best reply and the mean of all mixed. To this are added, weighted, the terms of a choice by itself and of the team.

Minimax values the choices and the plans by the terms of "Mini-Max Pursuit Planning" (value_choice, value_team), hunters
by their own price (price_choices). Enumeration values exits as it comes to them, since most plans are cut off after a
particle or two (replies.py); coordinate ascent values all exits once and then every particle (value_replies).
"""

import numpy as np

from scotyard_baselines.planning.choices import NOBODY, is_landing
from scotyard_baselines.planning.node import expected_distance
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK

PERIMETER = 2  # stations this far from where he shows himself, or nearer, are its perimeter
CLUSTERED = 1  # detectives this near to each other cluster
HELD = -1.0  # as the worth of an exit: a detective stands there

# ------------------------------------------------------------------------------------------------------- Mr. X's exits


@kernel
def value_exit(weights, time, total, near):
    """Return the value of an exit, by the soonest pair of detectives and by all pairs; HELD if one stands there."""
    if near == 0:
        return HELD
    value = weights.soonest[time, near]
    if weights.all_pairs_weight > 0.0:
        value = (1.0 - weights.all_pairs_weight) * value + weights.all_pairs_weight * weights.all_pairs[total]
    return value


@kernel
def mix_replies(weights, least, total, count):
    """Mix Mr. X's best reply and the mean of all; a capture if he has none."""
    if count == 0:
        return weights.capture
    return weights.worst_case_weight * least + (1.0 - weights.worst_case_weight) * total / count


@kernel
def value_replies(weights, choices, worth, particle):
    """Return the value of a particle by the worth of the exits that he may flee to from it; each ticket is a reply."""
    total, least, ways = 0.0, np.inf, 0
    for row in range(choices.first_reply[particle], choices.first_reply[particle + 1]):
        value = worth[choices.reply[row]]
        if value != HELD:
            total += choices.ways[row] * value
            ways += choices.ways[row]
            least = min(least, value)
    return mix_replies(weights, least, total, ways)


# ------------------------------------------------------------------------------------------------------ a choice alone


@kernel
def price_choices(board, node, weights, choices, seat):
    """Price each choice by how far it ends from the particles, and how scarce the ticket is that it takes."""
    for choice in range(choices.count[seat]):
        price = weights.distance_cost * expected_distance(board, node, choices.to[seat, choice])
        choices.bonus[seat, choice] = -(price + price_ticket(node, weights, choices, seat, choice))


@kernel
def price_ticket(node, weights, choices, seat, choice):
    """Price the ticket that a choice takes: the dearer, the fewer of its kind are left."""
    fare = choices.fare[seat, choice]
    if fare < 0 or node.tickets[seat, fare] <= 0:  # it stays, or has no end of them
        return 0.0
    return weights.ticket_cost / node.tickets[seat, fare]


@kernel
def value_choice(board, node, weights, choices, scratch, seat, choice):
    """Add up the terms of the document that concern one detective alone, as its share of the team's average."""
    to = choices.to[seat, choice]
    value = -weights.centroid_cost * board.distance[to, scratch.centroid]
    value -= price_ticket(node, weights, choices, seat, choice)
    value += weights.choke * count_links(board, to) / weights.most_links
    if scratch.is_reveal:
        value += weights.perimeter * share_near(board, choices, scratch, to)
    return value / (node.seats - 1)


@kernel
def find_centroid(board, node):
    """Return the station with the least expected distance to Mr. X."""
    centroid, least = 0, np.inf
    for station in range(1, board.stations + 1):
        expected = expected_distance(board, node, station)
        if expected < least:
            centroid, least = station, expected
    return centroid


@kernel
def count_links(board, station):
    """Count the links of a station that detectives can use."""
    links = 0
    for transport in range(BLACK):
        links += board.links[station, transport]
    return links


@kernel
def share_near(board, choices, scratch, station):
    """Return the share of where Mr. X may show himself that has a station on its perimeter."""
    share = 0.0
    for index in range(choices.exit_count):
        if board.distance[station, choices.exits[index]] <= PERIMETER:
            share += scratch.exit_weight[choices.exits[index]]
    return share


@kernel
def weigh_exits(node, choices, exit_weight):
    """Write how likely Mr. X flees to each exit if he picks any reply."""
    exit_weight[:] = 0.0
    for particle in range(node.particles):
        first, last = choices.first_reply[particle], choices.first_reply[particle + 1]
        share = node.weight[particle] / max(1, last - first)
        for row in range(first, last):
            exit_weight[choices.reply[row]] += share


# -------------------------------------------------------------------------------------------------------- a whole plan


@kernel
def value_team(board, node, weights, choices, scratch, value):
    """Add the terms of the document that concern all detectives together to a value."""
    if weights.cluster_cost != 0.0:
        value -= weights.cluster_cost * measure_clustering(board, choices.landed, node.seats)
    if weights.entropy_drop != 0.0:
        value += weights.entropy_drop * measure_entropy_drop(node, choices, scratch.entropy)
    return value


@kernel
def measure_clustering(board, stations, seats):
    """Return the share of pairs of detectives who stand beside each other, by the stations of all seats."""
    pairs = clustered = 0
    for one in range(2, seats):
        for other in range(1, one):
            pairs += 1
            if board.distance[stations[one], stations[other]] <= CLUSTERED:
                clustered += 1
    return clustered / max(1, pairs)


@kernel
def measure_entropy(node):
    """Return in bits how uncertain the particles are."""
    entropy = 0.0
    for particle in range(node.particles):
        entropy -= node.weight[particle] * np.log2(node.weight[particle])
    return entropy


@kernel
def measure_entropy_drop(node, choices, entropy):
    """Return the share of the belief's entropy that is gone if the plan finds nobody."""
    if entropy <= 0.0:
        return 0.0
    mass = total = 0.0
    for particle in range(node.particles):
        weight = node.weight[particle]
        if not is_landing(node, choices, node.particle[particle], NOBODY):
            mass += weight
            total -= weight * np.log2(weight)
    if mass <= 0.0:
        return 1.0
    return 1.0 - (total / mass + np.log2(mass)) / entropy
