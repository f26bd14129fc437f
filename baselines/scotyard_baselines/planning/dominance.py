"""Plans that are dropped since another one is as good: the document's rule, and one that never costs anything.

The document: "if detective A reaches node N faster than B with same tickets, discard B to N". It takes the choice from
B for good, whether A goes there or not, so it may cost the best plan. Our rule drops one of two plans that come to the
same: of two detectives who could change stations, the lower seat takes the lower station.
"""

from scotyard_baselines.planning.weights import SOONER, SWAP
from scotyard_env.kernel import kernel
from scotyard_env.state import BLACK


@kernel
def drop_later_arrivals(board, node, weights, choices):
    """Take from every pawn the stations that another one with the same tickets reaches sooner, by the document's rule.

    Sooner is nearer, and by an earlier turn if both are as near. Who would be left without a choice keeps all.
    """
    if weights.dominance != SOONER:
        return
    for seat in range(node.seats - 1, node.seat - 1, -1):  # from the last: who comes sooner still has its choices
        kept = 0
        for choice in range(choices.count[seat]):
            if not is_reached_sooner(board, node, choices, seat, choices.to[seat, choice]):
                kept += 1
        if 0 < kept < choices.count[seat]:
            keep_choices(board, node, choices, seat)


@kernel
def keep_choices(board, node, choices, seat):
    """Close up the choices of a pawn that nobody reaches sooner."""
    kept = 0
    for choice in range(choices.count[seat]):
        if not is_reached_sooner(board, node, choices, seat, choices.to[seat, choice]):
            choices.to[seat, kept], choices.fare[seat, kept] = choices.to[seat, choice], choices.fare[seat, choice]
            kept += 1
    choices.count[seat] = kept


@kernel
def is_reached_sooner(board, node, choices, seat, station):
    """Tell whether another pawn with the same tickets can go to a station and reaches it sooner."""
    distance = board.distance[node.station[seat], station]
    for other in range(node.seat, node.seats):
        its = board.distance[node.station[other], station]
        is_sooner = its < distance or (its == distance and other < seat)
        if other != seat and is_sooner and has_same_tickets(node, seat, other) and has_choice(choices, other, station):
            return True
    return False


@kernel
def has_choice(choices, seat, station):
    """Tell whether a pawn can go to a station."""
    for choice in range(choices.count[seat]):
        if choices.to[seat, choice] == station and choices.fare[seat, choice] >= 0:
            return True
    return False


@kernel
def is_dominated(node, weights, choices, scratch, place, seat, choice):
    """Tell whether an earlier pawn with the same tickets could change stations with this one, at the same fares.

    Of the two plans, which come to the same, the one stays in which the lower seat has the lower station.
    """
    if weights.dominance != SWAP:
        return False
    to, fare = choices.to[seat, choice], choices.fare[seat, choice]
    for earlier in range(place):
        other = scratch.pawn[earlier]
        its, its_fare = choices.landed[other], choices.fare[other, choices.plan[other]]
        can_swap = can_go(choices, scratch, other, to, fare) and can_go(choices, scratch, seat, its, its_fare)
        is_in_order = (seat < other) == (to < its)
        if can_swap and not is_in_order and has_same_tickets(node, seat, other):
            return True
    return False


@kernel
def has_same_tickets(node, one, other):
    """Tell whether two detectives have the same tickets."""
    for fare in range(BLACK):
        if node.tickets[one, fare] != node.tickets[other, fare]:
            return False
    return True


@kernel
def can_go(choices, scratch, seat, to, fare):
    """Tell whether a detective has a choice, within the width."""
    for place in range(min(scratch.width, choices.count[seat])):
        choice = scratch.order[seat, place]
        if choices.to[seat, choice] == to and choices.fare[seat, choice] == fare and fare >= 0:
            return True
    return False
