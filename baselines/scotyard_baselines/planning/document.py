"""Evaluate of the document, and the last two layers of a search that goes by it.

A leaf is a position like any other: its belief is what Mr. X's answer leaves of the one before. Evaluate adds up

    w_1 * distScore + w_2 * entropyDrop + w_3 * ticketPressure - w_4 * clumpingPenalty

and, with weights of their own, the bonuses of the document's text: coverage of his exits, choke points, the perimeter
of a reveal; and our capture time. Nobody is left of a belief whose particles are all caught: then Evaluate has no
distance and no entropy to add, which is the most that either can be.
"""

import numpy as np

from scotyard_baselines.capture.times import LONG
from scotyard_baselines.planning.answers import answer, answer_or_double
from scotyard_baselines.planning.enumeration import has_next_plan
from scotyard_baselines.planning.layers import carry_out
from scotyard_baselines.planning.ranking import bar, take_up_plan, take_value, write_plan
from scotyard_baselines.planning.value import PERIMETER, count_links, find_centroid, measure_clustering, measure_entropy
from scotyard_baselines.planning.weights import NEAR
from scotyard_env.kernel import kernel
from scotyard_env.rules import has_reveal
from scotyard_env.state import FARES, MR_X, MR_X_WINS

# -------------------------------------------------------------------------------------------------------- the last plan


@kernel
def rank_plans_by_leaves(where, nodes, index, weights, choices, scratch, alpha, beta, ranking, count, firsts, most):
    """Do as ``rank_plans``, but value a plan by Evaluate of the leaves that it leads to."""
    node, table, counter = nodes[index], choices[0], scratch[0]
    last = counter.plans + most
    while counter.plans < last and has_next_plan(where.boards[0], where.times, node, weights[0], table, counter):
        counter.plans += 1
        least = bar(node, table, counter, alpha, ranking, count, firsts)
        value = value_by_leaves(where, nodes, index, weights[0], table, counter, least)
        count = take_value(node, weights[0], table, counter, value, beta, ranking, count, firsts)
    return count


@kernel
def value_one_plan_by_leaves(where, nodes, index, weights, choices, scratch, ranked):
    """Return the value of one plan at a node whose ranking has begun."""
    take_up_plan(where.boards[0], where.times, nodes[index], choices[0], scratch[0], ranked)
    return value_by_leaves(where, nodes, index, weights[0], choices[0], scratch[0], -np.inf)


@kernel
def value_by_leaves(where, nodes, index, weights, choices, scratch, alpha):
    """Carry out the plan at hand, let Mr. X answer, merge Evaluate of his answers; minus infinity if below alpha."""
    child = where.child
    write_plan(nodes[index], choices, 0.0, where.plans[0])
    caught = carry_out(where.true_boards, where.rules, where.states, nodes, index, child, where.plans[0])
    scratch.nodes += 1
    if nodes[child].particles == 0 or where.states[child].winner == MR_X_WINS or not weights.has_replies:
        return value_without_answer(where, nodes[child], weights, scratch, caught)
    answers = where.answers[0]
    table = where.true_boards, where.rules, where.states
    if weights.has_doubles:
        count = answer_or_double(*table, nodes, child, child + 1, where.particles, where.answers)
    else:
        count = answer(*table, nodes, child, child + 1, where.particles, where.answers)
    least = np.inf
    for number in range(count):
        scratch.nodes += 1
        answers.value[number] = evaluate(where, nodes[child + 1 + number], weights, scratch)
        least = min(least, answers.value[number])
        if weights.has_minimum and weights.has_cuts and least < alpha:
            return -np.inf
    lost = evaluate_capture(where, nodes[child], weights, scratch)
    if weights.has_minimum:
        return lost if count == 0 else least
    return caught * lost + average_answers(nodes[child], weights, answers, lost)


@kernel
def evaluate_plan(where, nodes, index, weights, scratch, caught):
    """Evaluate the position that a plan led to if there is no answer to it."""
    return value_without_answer(where, nodes[index], weights[0], scratch[0], caught)


@kernel
def evaluate_captured(where, nodes, index, weights, scratch):
    """Evaluate the position that a plan led to as if it had caught Mr. X for sure."""
    return evaluate_capture(where, nodes[index], weights[0], scratch[0])


@kernel
def value_without_answer(where, node, weights, scratch, caught):
    """Evaluate a position that a plan leads to, as it is."""
    for particle in range(node.particles):
        node.weight[particle] /= 1.0 - caught
    value = evaluate(where, node, weights, scratch)
    if weights.has_minimum or node.particles == 0:
        return value
    return caught * evaluate_capture(where, node, weights, scratch) + (1.0 - caught) * value


@kernel
def average_answers(node, weights, answers, lost):
    """Mix Mr. X's best answer from every particle and the average of all; who has none is lost."""
    value = 0.0
    for particle in range(node.particles):
        least, mean = np.inf, 0.0
        for number in range(answers.count):
            if answers.share[number, particle] > 0.0:
                least = min(least, answers.value[number])
                mean += answers.share[number, particle] * answers.value[number]
        mixed = weights.worst_case_weight * least + (1.0 - weights.worst_case_weight) * mean
        value += node.weight[particle] * (lost if least == np.inf else mixed)
    return value


# ------------------------------------------------------------------------------------------------------------- Evaluate


@kernel
def evaluate(where, node, weights, scratch):
    """Evaluate a leaf: the document's four terms, and the bonuses of its text."""
    board = where.boards[0]
    centroid = find_centroid(board, node) if node.particles > 0 else 0  # weightedCentroid
    value = weights.centroid_cost * coverage_radius(board, node, centroid)
    value += weights.entropy_drop * entropy_reduction(node, scratch.first_entropy)
    value += weights.ticket_cost * ticket_differential(where.ticket_worth, node)
    value -= weights.cluster_cost * measure_clustering(board, node.station, node.seats)
    if weights.choke != 0.0:
        value += weights.choke * occupy_choke_points(board, node) / weights.most_links
    if weights.perimeter != 0.0 and has_reveal(where.rules[0], scratch.first_entries + 1, node.entries):
        value += weights.perimeter * surround(board, node)
    if weights.has_exits:
        value += value_stations(board, where.times, node, weights)
    return value


@kernel
def evaluate_capture(where, node, weights, scratch):
    """Evaluate a position as if all its particles were caught."""
    particles = node.particles
    node.particles = 0
    value = evaluate(where, node, weights, scratch)
    node.particles = particles
    return value


@kernel
def coverage_radius(board, node, centroid):
    """Return how near the detectives are to the belief's centroid: their average distance, below zero."""
    total = 0.0
    if node.particles > 0:
        for seat in range(1, node.seats):
            total -= board.distance[node.station[seat], centroid]
    return total / (node.seats - 1)


@kernel
def entropy_reduction(node, before):
    """Return by how many bits a belief is more certain than the one before."""
    return before - measure_entropy(node)


@kernel
def ticket_differential(ticket_worth, node):
    """Return by how much the detectives' average purse is worth more than Mr. X's; what never runs out is left out."""
    difference = 0.0
    for seat in range(node.seats):
        share = -1.0 if seat == MR_X else 1.0 / (node.seats - 1)
        for fare in range(FARES):
            difference += share * ticket_worth[fare] * max(0, node.tickets[seat, fare])
    return difference


@kernel
def occupy_choke_points(board, node):
    """Return how many links meet where the detectives stand, on average."""
    links = 0
    for seat in range(1, node.seats):
        links += count_links(board, node.station[seat])
    return links / (node.seats - 1)


@kernel
def surround(board, node):
    """Return the share of detectives who stand on the perimeter of where Mr. X is, by the belief."""
    share = 0.0
    for particle in range(node.particles):
        for seat in range(1, node.seats):
            if board.distance[node.station[seat], node.particle[particle]] <= PERIMETER:
                share += node.weight[particle]
    return share / (node.seats - 1)


@kernel
def value_stations(board, times, node, weights):
    """Return the expected value of Mr. X's station, by capture time and coverage; a capture if no particle is left."""
    value = 0.0
    for particle in range(node.particles):
        station, near, time = node.particle[particle], NEAR, LONG
        for one in range(1, node.seats):
            near = min(near, board.distance[node.station[one], station])
            for other in range(1, one):
                time = min(time, times[node.station[one], node.station[other], station])
        value += node.weight[particle] * weights.soonest[time, near]
    return weights.capture if node.particles == 0 else value
