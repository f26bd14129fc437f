"""Joint plans by coordinate ascent: one pawn after the other takes its best choice while the others stand by theirs.

Where plans.py values every plan there is, this climbs from a few plans to ever better ones until no single pawn can
better them: tens of microseconds in place of milliseconds. Plans are valued alike.
"""

import numpy as np

from baselines.plans import LONG, MAX_CHOICES, MAX_PARTICLES, NEAR
from scotyard_env.kernel import kernel
from scotyard_env.rules import move_action, pass_action
from scotyard_env.state import MAX_DETECTIVES, MAX_STATIONS

MOST_SWEEPS = 8  # over all pawns; then a plan is good enough
BLOCKED = -1  # as a choice: the pawn stays, since others of the plan go wherever it could

CLIMB = np.dtype(  # scratch paper of one ascent
    (
        np.record,
        np.dtype(
            [
                ("worth", "f8", (MAX_STATIONS + 1,)),  # of each exit under the plan at hand; 0 = a detective is there
                ("value", "f8", (MAX_CHOICES,)),  # of each choice of the pawn at hand; -inf = another goes there
                ("action", "i8", (MAX_CHOICES,)),  # each choice of the detective to move, as an action
                ("count", "i8"),  # of its choices
                ("best_plan", "i2", (MAX_DETECTIVES,)),
                ("near", "u1", (MAX_STATIONS + 1,)),  # of each exit, without the pawn at hand: distance of the nearest
                ("time", "u1", (MAX_STATIONS + 1,)),  # and rounds until two catch him there
                ("after_near", "u1", (MAX_STATIONS + 1,)),  # the same with it
                ("after_time", "u1", (MAX_STATIONS + 1,)),
                ("is_caught", "u1", (MAX_PARTICLES,)),  # another pawn lands on the particle
            ],
            align=True,
        ),
    )
)


@kernel
def climb(board, times, node, weights, table, sheet, draws):
    """Climb from the nearest plan and from one more for each row of draws; give the best choice of the mover.

    What each choice of the mover is worth, while the others stand by the best plan, is left in sheet.value, and the
    actions in sheet.action.
    """
    name_choices(board, node, table, sheet)
    best = -np.inf
    for start in range(1 + len(draws)):
        begin_plan(node, table, draws, start - 1)
        value = climb_on(board, times, node, weights, table, sheet)
        if value > best:
            best = value
            for detective in range(node.mover, node.detectives):
                sheet.best_plan[detective] = table.plan[detective]
    for detective in range(node.mover, node.detectives):
        send(node, table, detective, sheet.best_plan[detective])
    return best_choice(board, times, node, weights, table, sheet, node.mover)


@kernel
def name_choices(board, node, table, sheet):
    """Write the choices of the mover as actions."""
    sheet.count = table.choices[node.mover]
    for choice in range(sheet.count):
        fare = table.fare[node.mover, choice]
        sheet.action[choice] = pass_action(board) if fare < 0 else move_action(table.to[node.mover, choice], fare)


@kernel
def begin_plan(node, table, draws, row):
    """Make a plan to begin with: every pawn goes where it is nearest to Mr. X, or where its draw in [0, 1) says."""
    for detective in range(node.mover):
        table.landed[detective] = node.station[detective]
    for detective in range(node.mover, node.detectives):
        table.landed[detective] = 0
    for detective in range(node.mover, node.detectives):
        chosen = BLOCKED
        first = 0 if row < 0 else int(draws[row, detective] * table.choices[detective])
        for step in range(table.choices[detective]):
            choice = (first + step) % table.choices[detective]
            if is_free(node, table, detective, choice) and (
                chosen == BLOCKED or (row < 0 and table.bonus[detective, choice] > table.bonus[detective, chosen])
            ):
                chosen = choice
        send(node, table, detective, chosen)


@kernel
def send(node, table, detective, choice):
    """Send a pawn where a choice leads."""
    table.plan[detective] = choice
    table.landed[detective] = node.station[detective] if choice == BLOCKED else table.to[detective, choice]


@kernel
def is_free(node, table, detective, choice):
    """Tell whether no other pawn goes where a choice of this one leads."""
    for other in range(node.mover, node.detectives):
        if other != detective and table.landed[other] == table.to[detective, choice]:
            return False
    return True


@kernel
def climb_on(board, times, node, weights, table, sheet):
    """Let one pawn after the other take its best choice until none has a better one; give the value of the plan."""
    unmoved, detective, value = 0, node.detectives - 1, -np.inf
    pawns = node.detectives - node.mover
    for _ in range(MOST_SWEEPS * pawns):
        choice = best_choice(board, times, node, weights, table, sheet, detective)
        if choice != BLOCKED:
            value = sheet.value[choice]
        unmoved = unmoved + 1 if choice == table.plan[detective] else 1
        send(node, table, detective, choice)
        if unmoved == pawns:
            break
        detective = detective - 1 if detective > node.mover else node.detectives - 1
    return value


@kernel
def best_choice(board, times, node, weights, table, sheet, detective):
    """Find the best choice of a pawn while the others stand by theirs; BLOCKED if they leave it none."""
    look_without(board, times, node, table, sheet, detective)
    best, bonus = BLOCKED, 0.0
    for other in range(node.mover, node.detectives):
        if other != detective and table.plan[other] != BLOCKED:
            bonus += table.bonus[other, table.plan[other]]
    for choice in range(table.choices[detective]):
        sheet.value[choice] = -np.inf
        if is_free(node, table, detective, choice):
            to = table.to[detective, choice]
            look_with(board, times, node, weights, table, sheet, detective, to)
            value = value_landing(node, table, sheet, to)
            sheet.value[choice] = value + bonus + table.bonus[detective, choice]
            if best == BLOCKED or sheet.value[choice] > sheet.value[best]:
                best = choice
    return best


@kernel
def look_without(board, times, node, table, sheet, detective):
    """Write how near and how lost Mr. X is on every exit, and which particles are caught, without one pawn."""
    for index in range(table.exit_count):
        sheet.near[index] = NEAR
        sheet.time[index] = LONG
    for one in range(node.detectives):
        if one != detective:
            distance = board.distance[table.landed[one]]
            for index in range(table.exit_count):
                sheet.near[index] = min(sheet.near[index], distance[table.exits[index]])
            for other in range(one):
                if other != detective:
                    pair = times[table.landed[one], table.landed[other]]
                    for index in range(table.exit_count):
                        sheet.time[index] = min(sheet.time[index], pair[table.exits[index]])
    for particle in range(node.particles):
        sheet.is_caught[particle] = 0
        for other in range(node.mover, node.detectives):
            if other != detective and table.landed[other] == node.particle[particle]:
                sheet.is_caught[particle] = 1


@kernel
def look_with(board, times, node, weights, table, sheet, detective, to):
    """Write what every exit is worth with the pawn on a station."""
    exits, time, near = table.exits, sheet.after_time, sheet.after_near
    distance = board.distance[to]
    for index in range(table.exit_count):
        time[index] = sheet.time[index]
        near[index] = min(sheet.near[index], distance[exits[index]])
    for other in range(node.detectives):
        if other != detective:
            pair = times[to, table.landed[other]]
            for index in range(table.exit_count):
                time[index] = min(time[index], pair[exits[index]])
    for index in range(table.exit_count):
        sheet.worth[index] = weights.nearness[time[index], near[index]] if near[index] > 0 else 0.0


@kernel
def value_landing(node, table, sheet, to):
    """Value the particles by what the exits are worth: 1 where Mr. X is caught or cannot flee."""
    value = 0.0
    for particle in range(node.particles):
        if sheet.is_caught[particle] or node.particle[particle] == to:
            value += node.weight[particle]
        else:
            value += node.weight[particle] * value_flight(table, sheet, particle)
    return value


@kernel
def value_flight(table, sheet, particle):
    """Value how lost Mr. X is on average where he may flee to from a particle; 1 if he cannot."""
    total, open_replies = 0.0, 0
    for row in range(table.first_reply[particle], table.first_reply[particle + 1]):
        worth = sheet.worth[table.reply[row]]
        total += worth
        if worth > 0.0:
            open_replies += 1
    return total / open_replies if open_replies > 0 else 1.0
