"""Mr. X's answers to a plan, played by the rules: one position for everything that the table may see of his turn.

His moves from every particle (evasiveMovesForMrX of the document) are merged by what the table sees of them
(mergeMrXResponses): one answer for each fare shown, or for each station if he shows himself; for a double move, one for
each pair of these, or for each station if he shows himself at its end. The belief after an answer is that of a Mr. X
who likes to be far from the detectives.
"""

from scotyard_baselines.planning.node import MAX_PARTICLES, keep_likeliest, look_at
from scotyard_baselines.planning.replies import share_of_doubles
from scotyard_env.belief import FAR_ENOUGH, WORTH
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import apply, can_double, double_action, may_move, may_move_on, move_action
from scotyard_env.state import FARES, MAX_STATIONS, MR_X, NOWHERE
from scotyard_env.threats import distance_to_nearest

MAX_ANSWERS = 256  # what the table may see of one turn of Mr. X; beyond that all look alike
LOOKS = FARES + MAX_STATIONS + 1  # of one move

ANSWERS = record_type(
    [
        ("share", "f8", (MAX_ANSWERS, MAX_PARTICLES)),  # of each particle's moves that look like this answer
        ("potential", "f8", (MAX_ANSWERS,)),  # how far from the detectives he is after it
        ("value", "f8", (MAX_ANSWERS,)),  # of what it leads to
        ("count", "i8"),
        ("look", "i8", (MAX_ANSWERS,)),  # what the table sees of it, as a number
        ("belief", "f8", (MAX_ANSWERS, MAX_STATIONS + 1)),
        ("liking", "f8", (MAX_STATIONS + 1,)),  # how much an evasive Mr. X likes a station, as the belief has it
    ]
)


@kernel
def answer(boards, rules, states, nodes, parent, first_child, particles, answers):
    """Let Mr. X move from every particle; write one child for everything the table may see; return how many."""
    node, scratch = nodes[parent], answers[0]
    begin_answers(boards[0], states[parent], scratch)
    for particle in range(node.particles):
        answer_with_moves(boards[0], rules[0], states, node, parent, first_child, particle, 1.0, scratch)
    return finish_answers(boards[0], states, nodes, parent, first_child, particles, scratch)


@kernel
def answer_or_double(boards, rules, states, nodes, parent, first_child, particles, answers):
    """Do the same with his double moves; apart, since these take long to compile and most searches have none."""
    board, rule, state, node, scratch = boards[0], rules[0], states[parent], nodes[parent], answers[0]
    begin_answers(board, state, scratch)
    for particle in range(node.particles):
        doubles = 0.0
        if can_double(board, rule, state, node.particle[particle]):
            doubles = share_of_doubles(rule, node)
            answer_with_doubles(board, rule, states, node, parent, first_child, particle, doubles, scratch)
        answer_with_moves(board, rule, states, node, parent, first_child, particle, 1.0 - doubles, scratch)
    return finish_answers(board, states, nodes, parent, first_child, particles, scratch)


@kernel
def begin_answers(board, state, scratch):
    """Note how much an evasive Mr. X likes every station, before his first answer."""
    scratch.count = 0
    for station in range(1, board.stations + 1):
        nearest = distance_to_nearest(board, state.station[1 : state.seats], station, FAR_ENOUGH)
        scratch.liking[station] = WORTH[nearest]


@kernel
def finish_answers(board, states, nodes, parent, first_child, particles, scratch):
    """Write the node of every answer; return how many there are."""
    for index in range(scratch.count):
        child = first_child + index
        scratch.potential[index] = measure_escape(board, states[parent], scratch.belief[index])
        look_at(states[child], nodes[child])
        keep_likeliest(scratch.belief[index], particles, nodes[child])
    return scratch.count


@kernel
def answer_with_moves(board, rules, states, node, parent, first_child, particle, part, scratch):
    """Let Mr. X make every move from a particle: together they are a part of all his answers from there."""
    state, station = states[parent], node.particle[particle]
    total = weigh_moves(board, state, scratch.liking, station)
    for move in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[move], board.fare[move]
        if may_move(state, MR_X, to, fare):
            index = find_answer(scratch, look_of(rules, state.entries + 1, to, fare))
            if index == scratch.count:
                begin_answer(scratch)
                play_answer(board, rules, states, parent, first_child + index, station, to, fare)
            count_answer(scratch, index, node, particle, to, part * scratch.liking[to] / total)


@kernel
def answer_with_doubles(board, rules, states, node, parent, first_child, particle, part, scratch):
    """Let Mr. X make every double move from a particle, which are a part of all his answers from there."""
    state, station = states[parent], node.particle[particle]
    total, is_shown_last = weigh_doubles(board, state, scratch.liking, station), rules.reveals[state.entries + 2]
    for move in range(board.first[station], board.first[station + 1]):
        over, fare = board.to[move], board.fare[move]
        if not may_move(state, MR_X, over, fare):
            continue
        first_look = LOOKS if is_shown_last else (1 + look_of(rules, state.entries + 1, over, fare)) * LOOKS
        for onward in range(board.first[over], board.first[over + 1]):
            to, second = board.to[onward], board.fare[onward]
            if may_move_on(state, to, second, fare):
                index = find_answer(scratch, first_look + look_of(rules, state.entries + 2, to, second))
                if index == scratch.count:
                    begin_answer(scratch)
                    play_double(board, rules, states, parent, first_child + index, station, over, fare, to, second)
                count_answer(scratch, index, node, particle, to, part * scratch.liking[to] / total)


@kernel
def look_of(rules, entry, to, fare):
    """Number what the table sees of a move: the station if he shows himself with this entry of the log, else the fare.

    Numbers of stations begin after those of fares.
    """
    return FARES + to if rules.reveals[entry] else fare


@kernel
def find_answer(scratch, look):
    """Return the answer that looks so; else the next one, which gets this look, or the last if there is no room."""
    for index in range(scratch.count):
        if scratch.look[index] == look:
            return index
    if scratch.count == MAX_ANSWERS:
        return MAX_ANSWERS - 1
    scratch.look[scratch.count] = look
    return scratch.count


@kernel
def begin_answer(scratch):
    """Begin a new answer."""
    scratch.share[scratch.count, :] = 0.0
    scratch.belief[scratch.count, :] = 0.0
    scratch.count += 1


@kernel
def count_answer(scratch, index, node, particle, to, share):
    """Count a move from a particle to an answer, of which it is a share of all from there."""
    scratch.share[index, particle] += share
    scratch.belief[index, to] += node.weight[particle] * share


@kernel
def play_answer(board, rules, states, parent, child, station, to, fare):
    """Play one move of Mr. X from a station by the rules, and forget where he is."""
    states[child] = states[parent]
    states[child].station[MR_X] = station
    apply(board, rules, states[child], move_action(to, fare))
    states[child].station[MR_X] = NOWHERE


@kernel
def play_double(board, rules, states, parent, child, station, over, fare, to, second):
    """Play a double move of Mr. X from a station by the rules, and forget where he is."""
    states[child] = states[parent]
    states[child].station[MR_X] = station
    apply(board, rules, states[child], double_action(board))
    apply(board, rules, states[child], move_action(over, fare))
    apply(board, rules, states[child], move_action(to, second))
    states[child].station[MR_X] = NOWHERE


@kernel
def weigh_moves(board, state, liking, station):
    """Return the weights added up of the moves of an evasive Mr. X from a station."""
    total = 0.0
    for move in range(board.first[station], board.first[station + 1]):
        if may_move(state, MR_X, board.to[move], board.fare[move]):
            total += liking[board.to[move]]
    return total


@kernel
def weigh_doubles(board, state, liking, station):
    """Return the weights added up of the double moves of an evasive Mr. X from a station."""
    total = 0.0
    for move in range(board.first[station], board.first[station + 1]):
        over, fare = board.to[move], board.fare[move]
        if may_move(state, MR_X, over, fare):
            for onward in range(board.first[over], board.first[over + 1]):
                if may_move_on(state, board.to[onward], board.fare[onward], fare):
                    total += liking[board.to[onward]]
    return total


@kernel
def measure_escape(board, state, belief):
    """Return how far from the detectives Mr. X may expect to be."""
    total = weight = 0.0
    for station in range(1, board.stations + 1):
        if belief[station] > 0.0:
            total += belief[station] * distance_to_nearest(board, state.station[1 : state.seats], station, FAR_ENOUGH)
            weight += belief[station]
    return total / weight
