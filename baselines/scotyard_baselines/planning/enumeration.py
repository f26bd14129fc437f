"""Count through the joint plans of the detectives: make one after another, drop the dominated, rank the best.

Plans are made pawn by pawn, the last pawn changing fastest, like the digits of a counter; the counter stands in the
sheet (joint_moves.py), so that ranking can be left and gone on with.
"""

import numpy as np

from scotyard_baselines.planning.choices import LONG, NEAR
from scotyard_env.kernel import kernel
from scotyard_env.rules import move_action, pass_action
from scotyard_env.state import BLACK, MAX_SEATS

RANKED = np.dtype(  # one of the best plans
    (
        np.record,
        np.dtype(
            [
                ("value", "f8"),
                ("to", "i2", (MAX_SEATS,)),  # where each seat goes; who has moved already stays
                ("fare", "i2", (MAX_SEATS,)),  # what it pays; -1 = it passes
            ],
            align=True,
        ),
    )
)


# ----------------------------------------------------------------------------------------------- one plan after another


@kernel
def place_settled(board, times, state, sheet):
    """Begin with the detectives who have moved already, and set the counter of plans to its first digit."""
    for index in range(sheet.exit_count):
        sheet.near[0, index] = NEAR
        sheet.time[0, index] = LONG
    for seat in range(1, state.seat):
        place_detective(board, times, sheet, seat, state.station[seat], seat - 1, 0, 0)
    sheet.place = 0
    sheet.cursor[0] = 0


@kernel
def place_detective(board, times, sheet, seat, station, placed, before, after):
    """Put one more detective on a station and write for every exit how near and how lost Mr. X is there now."""
    sheet.landed[seat] = station
    for index in range(sheet.exit_count):
        sheet.near[after, index] = min(sheet.near[before, index], board.distance[station, sheet.exits[index]])
        sheet.time[after, index] = sheet.time[before, index]
    for other in range(placed):
        pair = times[station, sheet.landed[sheet.placed[other]]]
        for index in range(sheet.exit_count):
            sheet.time[after, index] = min(sheet.time[after, index], pair[sheet.exits[index]])
    sheet.placed[placed] = seat


@kernel
def has_next_plan(board, times, state, weights, sheet):
    """Go on to the next plan; tell whether there is one."""
    if sheet.place == sheet.pawns:
        sheet.place -= 1
    while 0 <= sheet.place < sheet.pawns:
        if has_next_choice(board, times, state, weights, sheet):
            sheet.place += 1
            sheet.cursor[sheet.place] = 0
        else:
            sheet.place -= 1
    return sheet.place == sheet.pawns


@kernel
def has_next_choice(board, times, state, weights, sheet):
    """Give the pawn at hand its next choice that no earlier pawn has; let it stay if it has none at all.

    Choices beyond the width of the sheet come into question only as long as none was free.
    """
    place = sheet.place
    seat = sheet.pawn[place]
    if sheet.cursor[place] == 0:
        sheet.is_blocked[place] = 1
    while sheet.cursor[place] < sheet.choices[seat]:
        choice = sheet.cursor[place]
        if choice >= sheet.width and not sheet.is_blocked[place]:
            return False
        sheet.cursor[place] += 1
        if is_promised(sheet, place, sheet.to[seat, choice]):
            continue
        sheet.is_blocked[place] = 0
        if not (weights.has_dominance and is_dominated(state, sheet, place, seat, choice)):
            give(board, times, state, sheet, seat, choice, sheet.to[seat, choice])
            return True
    if sheet.is_blocked[place]:
        sheet.is_blocked[place] = 0
        give(board, times, state, sheet, seat, 0, state.station[seat])
        return True
    return False


@kernel
def give(board, times, state, sheet, seat, choice, to):
    """Send a detective to a station in the plan at hand, after the pawns placed before it."""
    sheet.plan[seat] = choice
    place_detective(board, times, sheet, seat, to, state.seat - 1 + sheet.place, sheet.place, sheet.place + 1)


@kernel
def is_promised(sheet, place, station):
    """Tell whether a pawn placed earlier in the plan goes to a station."""
    for earlier in range(place):
        if sheet.landed[sheet.pawn[earlier]] == station:
            return True
    return False


@kernel
def is_dominated(state, sheet, place, seat, choice):
    """Tell whether an earlier pawn with the same tickets could change stations with this one, at the same fares.

    Of the two plans, which come to the same, the one stays in which the lower seat has the lower station.
    """
    for earlier in range(place):
        other = sheet.pawn[earlier]
        its = sheet.plan[other]
        is_in_order = (seat < other) == (sheet.to[seat, choice] < sheet.landed[other])
        can_swap = can_go(sheet, other, sheet.to[seat, choice], sheet.fare[seat, choice]) and can_go(
            sheet, seat, sheet.landed[other], sheet.fare[other, its]
        )
        if can_swap and not is_in_order and has_same_tickets(state, seat, other):
            return True
    return False


@kernel
def has_same_tickets(state, one, other):
    """Tell whether two detectives have the same tickets."""
    for fare in range(BLACK):
        if state.tickets[one, fare] != state.tickets[other, fare]:
            return False
    return True


@kernel
def can_go(sheet, seat, to, fare):
    """Tell whether a detective has a choice."""
    for choice in range(min(sheet.width, sheet.choices[seat])):
        if sheet.to[seat, choice] == to and sheet.fare[seat, choice] == fare and fare >= 0:
            return True
    return False


# ------------------------------------------------------------------------------------------------------- the best plans


@kernel
def write_actions(boards, state, ranking, actions):
    """Write the actions of every ranked plan, those of the seats yet to move."""
    for place in range(len(ranking)):
        for seat in range(state.seat, state.seats):
            to, fare = ranking[place].to[seat], ranking[place].fare[seat]
            actions[place, seat - state.seat] = move_action(to, fare) if fare >= 0 else pass_action(boards[0])


@kernel
def keep(state, sheet, value, ranking, count):
    """Put the plan at hand among the best, which are sorted; return how many there are now."""
    if count == len(ranking):
        if not is_better(state, sheet, value, ranking[count - 1]):
            return count
        count -= 1
    here = count
    while here > 0 and is_better(state, sheet, value, ranking[here - 1]):
        ranking[here] = ranking[here - 1]
        here -= 1
    ranked = ranking[here]
    ranked.value = value
    for seat in range(1, state.seats):
        ranked.to[seat] = sheet.landed[seat]
        is_mover = seat >= state.seat and sheet.landed[seat] != state.station[seat]
        ranked.fare[seat] = sheet.fare[seat, sheet.plan[seat]] if is_mover else -1
    return count + 1


@kernel
def is_better(state, sheet, value, ranked):
    """Tell whether the plan at hand is better than a ranked one; among equals, whether its stations are lower."""
    if value != ranked.value:
        return value > ranked.value
    for seat in range(state.seat, state.seats):
        if sheet.landed[seat] != ranked.to[seat]:
            return sheet.landed[seat] < ranked.to[seat]
    return False
