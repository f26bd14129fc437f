"""Enumerate the joint plans of a node (jointDetectiveMoves of the document): one after another, without the dominated.

Plans are made pawn by pawn, the last pawn changing fastest, like the digits of a counter; the counter stands in the
scratch memory, so that ranking can be left and gone on with.
"""

from scotyard_baselines.capture.times import LONG
from scotyard_baselines.geometry.rows import lower
from scotyard_baselines.planning.choices import MAX_CHOICES, list_choices, list_replies
from scotyard_baselines.planning.dominance import drop_later_arrivals, is_dominated
from scotyard_baselines.planning.ordering import measure_promise, order_choices, order_pawns
from scotyard_baselines.planning.replies import REPLY_FIELDS, list_doubles, open_purse
from scotyard_baselines.planning.value import find_centroid, measure_entropy, value_choice, weigh_exits
from scotyard_baselines.planning.weights import NEAR
from scotyard_env.arrays import copy_values
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import MAX_DETECTIVES, MAX_SEATS, MAX_STATIONS

ENUMERATION_SCRATCH = record_type(
    [
        ("exit_weight", "f8", (MAX_STATIONS + 1,)),  # how likely he flees to a station if he picks any reply
        ("promise", "f8", (MAX_SEATS, MAX_CHOICES)),  # how well a choice covers the exits
        ("order", "i8", (MAX_SEATS, MAX_CHOICES)),  # the choices of a seat, in the order in which they are tried
        ("urgency", "f8", (MAX_SEATS,)),
        ("pawn", "i8", (MAX_DETECTIVES,)),  # seats yet to move, in the order in which they are branched over
        ("pawns", "i8"),
        # row p with the first p pawns placed: of each station
        ("near", "u1", (MAX_SEATS, MAX_STATIONS + 1)),  # the distance from the nearest detective
        ("time", "u1", (MAX_SEATS, MAX_STATIONS + 1)),  # the rounds until the soonest pair catches Mr. X there
        ("placed", "i8", (MAX_DETECTIVES,)),  # the seats placed so far
        ("cursor", "i8", (MAX_SEATS,)),  # the choice each pawn gets next
        ("is_blocked", "u1", (MAX_SEATS,)),  # 1 = the pawn has found no choice free so far
        ("keeps_all", "u1"),  # 1 = all plans are kept, as they come; 0 = the best, sorted
        ("width", "i8"),  # choices of a pawn that are looked at
        ("place", "i8"),  # the pawn that the counter has come to; -1 = all plans are made
        ("plans", "i8"),  # made in the whole search
        ("nodes", "i8"),  # particles valued under a plan in the whole search
        ("centroid", "i8"),  # the station with the least expected distance to Mr. X
        ("entropy", "f8"),  # of the particles, in bits
        ("is_reveal", "u1"),  # 1 = he shows himself with his reply
        ("first_entropy", "f8"),  # of the particles that the whole search began with
        ("first_entries", "i8"),  # of the log when it began
        *REPLY_FIELDS,
    ]
)


@kernel
def begin_ranking(boards, rules, times, nodes, index, weights, choices, scratch, width):
    """Work out what everybody can do at a node and what each choice is worth by itself; stand before the first plan."""
    prepare(boards[0], rules[0], nodes[index], weights[0], choices[0], scratch[0], width)
    place_settled(boards[0], times, nodes[index], choices[0], scratch[0])


@kernel
def prepare(board, rules, node, weights, choices, scratch, width):
    """List, value and order the choices."""
    list_replies(board, node, weights, choices)
    list_doubles(board, rules, node, weights, scratch)
    open_purse(node, weights, scratch)
    weigh_exits(node, choices, scratch.exit_weight)
    scratch.is_reveal = rules.reveals[min(node.entries + 1, rules.log_entries)]
    scratch.width = width
    scratch.centroid = find_centroid(board, node)
    scratch.entropy = measure_entropy(node)
    for seat in range(node.seat, node.seats):
        list_choices(board, node, choices, seat)
    drop_later_arrivals(board, node, weights, choices)
    for seat in range(node.seat, node.seats):
        for choice in range(choices.count[seat]):
            choices.bonus[seat, choice] = value_choice(board, node, weights, choices, scratch, seat, choice)
            scratch.promise[seat, choice] = measure_promise(board, node, choices, scratch, choices.to[seat, choice])
        order_choices(choices, scratch, seat, weights.has_move_order)
    order_pawns(board, node, weights, choices, scratch)


# ----------------------------------------------------------------------------------------------- one plan after another


@kernel
def place_settled(board, times, node, choices, scratch):
    """Begin with the detectives who have moved already, and set the counter of plans to its first digit."""
    scratch.near[0, :] = NEAR
    scratch.time[0, :] = LONG
    for seat in range(1, node.seat):
        place_detective(board, times, choices, scratch, seat, node.station[seat], seat - 1, 0, 0)
    scratch.place = 0
    scratch.cursor[0] = 0


@kernel
def place_detective(board, times, choices, scratch, seat, station, placed, before, after):
    """Put one more detective on a station; write near and time of all stations with it, from row before to after."""
    choices.landed[seat] = station
    near, time = scratch.near[after], scratch.time[after]
    copy_values(scratch.near[before], near)
    copy_values(scratch.time[before], time)
    lower(near, board.distance[station])
    for other in range(placed):
        lower(time, times[station, choices.landed[scratch.placed[other]]])
    scratch.placed[placed] = seat


@kernel
def has_next_plan(board, times, node, weights, choices, scratch):
    """Go on to the next plan; tell whether there is one."""
    if scratch.place == scratch.pawns:
        scratch.place -= 1
    while 0 <= scratch.place < scratch.pawns:
        if has_next_choice(board, times, node, weights, choices, scratch):
            scratch.place += 1
            scratch.cursor[scratch.place] = 0
        else:
            scratch.place -= 1
    return scratch.place == scratch.pawns


@kernel
def has_next_choice(board, times, node, weights, choices, scratch):
    """Give the pawn at hand its next choice that no earlier pawn has; let it stay if it has none at all.

    Choices beyond the width come into question only as long as none was free.
    """
    place = scratch.place
    seat = scratch.pawn[place]
    if scratch.cursor[place] == 0:
        scratch.is_blocked[place] = 1
    while scratch.cursor[place] < choices.count[seat]:
        choice = scratch.order[seat, scratch.cursor[place]]
        if scratch.cursor[place] >= scratch.width and not scratch.is_blocked[place]:
            return False
        scratch.cursor[place] += 1
        if is_promised(choices, scratch, place, choices.to[seat, choice]):
            continue
        scratch.is_blocked[place] = 0
        if not is_dominated(node, weights, choices, scratch, place, seat, choice):
            give(board, times, node, choices, scratch, seat, choice, choices.to[seat, choice])
            return True
    if scratch.is_blocked[place]:
        scratch.is_blocked[place] = 0
        give(board, times, node, choices, scratch, seat, scratch.order[seat, 0], node.station[seat])
        return True
    return False


@kernel
def give(board, times, node, choices, scratch, seat, choice, to):
    """Send a detective to a station in the plan at hand, after the pawns placed before it."""
    choices.plan[seat] = choice
    placed, place = node.seat - 1 + scratch.place, scratch.place
    place_detective(board, times, choices, scratch, seat, to, placed, place, place + 1)


@kernel
def is_promised(choices, scratch, place, station):
    """Tell whether a pawn placed earlier in the plan goes to a station."""
    for earlier in range(place):
        if choices.landed[scratch.pawn[earlier]] == station:
            return True
    return False
