"""Joint plans by coordinate ascent: one pawn after the other takes its best choice while the others stand by theirs.

Where minimax values every plan there is, this climbs from a few plans to ever better ones until no single pawn can
better them: tens of microseconds in place of milliseconds. Plans are valued alike.
"""

import numpy as np

from scotyard_baselines.beliefs.choice_model import add_up, lower
from scotyard_baselines.planning.choices import LONG, MAX_CHOICES, MAX_PARTICLES, NEAR
from scotyard_baselines.planning.plans import MAX_REPLIES
from scotyard_env.kernel import kernel
from scotyard_env.rules import move_action, pass_action
from scotyard_env.state import MAX_DETECTIVES, MAX_STATIONS

MOST_SWEEPS = 8  # over all pawns; then a plan is good enough
HELD = -1.0  # as the worth of an exit: a pawn stands there
BLOCKED = -1  # as a choice: the pawn stays, since others of the plan go wherever it could

CLIMB = np.dtype(  # scratch paper of one ascent
    (
        np.record,
        np.dtype(
            [
                ("value", "f8", (MAX_CHOICES,)),  # of each choice of the pawn at hand; -inf = another goes there
                ("action", "i8", (MAX_CHOICES,)),  # each choice of the detective to move, as an action
                ("count", "i8"),  # of its choices
                ("worth", "f8", (MAX_STATIONS + 1,)),  # of each exit to the detectives; HELD
                ("reply", "i2", (MAX_REPLIES,)),  # exits of particle p are rows first_reply[p]..first_reply[p+1]
                ("ways", "i2", (MAX_REPLIES,)),  # tickets that he has for each of them
                ("first_reply", "i4", (MAX_PARTICLES + 1,)),
                ("is_free", "u1", (MAX_PARTICLES,)),  # neither caught nor shut in, without the pawn at hand
                ("exits", "i2", (MAX_STATIONS + 1,)),  # the stations he may flee to
                ("exit_count", "i8"),
                ("particle_on", "i2", (MAX_STATIONS + 1,)),  # which particle is on a station; -1 = none
                ("best_plan", "i2", (MAX_DETECTIVES,)),
                ("near", "u1", (MAX_STATIONS + 1,)),  # of each station, without the pawn at hand: distance of the
                ("time", "u1", (MAX_STATIONS + 1,)),  # nearest; rounds until two catch Mr. X there
                ("total", "u1", (MAX_STATIONS + 1,)),  # the rounds of all pairs added up; 0 if they do not count
                ("time_with", "u1", (MAX_STATIONS + 1,)),  # the soonest pair's rounds with the pawn at hand
                ("total_with", "u1", (MAX_STATIONS + 1,)),  # and those of all pairs with it
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
    list_exits(board, node, sheet)
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
def list_exits(board, node, sheet):
    """List for every particle the stations that Mr. X can pay to flee to."""
    sheet.particle_on[:] = -1
    is_listed = sheet.near  # borrowed
    is_listed[:] = 0
    sheet.exit_count = row = 0
    for particle in range(node.particles):
        station = node.particle[particle]
        sheet.particle_on[station] = particle
        sheet.first_reply[particle] = row
        for move in range(board.first[station], board.first[station + 1]):
            to = board.to[move]
            if node.mr_x_tickets[board.fare[move]] == 0 or row == MAX_REPLIES:
                continue
            if row > sheet.first_reply[particle] and sheet.reply[row - 1] == to:  # moves are sorted by station
                sheet.ways[row - 1] += 1
            else:
                sheet.reply[row] = to
                sheet.ways[row] = 1
                row += 1
                if is_listed[to] == 0:
                    is_listed[to] = 1
                    sheet.exits[sheet.exit_count] = to
                    sheet.exit_count += 1
    sheet.first_reply[node.particles] = row


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
    look_without(board, times, node, weights, table, sheet, detective)
    settled = settle(node, table, sheet, detective)
    best = BLOCKED
    for choice in range(table.choices[detective]):
        sheet.value[choice] = -np.inf
        if is_free(node, table, detective, choice):
            to = table.to[detective, choice]
            value = value_landing(board, times, node, weights, table, sheet, detective, to)
            sheet.value[choice] = settled + value + table.bonus[detective, choice]
            if best == BLOCKED or sheet.value[choice] > sheet.value[best]:
                best = choice
    return best


@kernel
def look_without(board, times, node, weights, table, sheet, detective):
    """Write for every station how near the other detectives are and how soon pairs of them catch Mr. X there.

    All stations, since loops over rows of bytes compile to few instructions.
    """
    sheet.near[:] = NEAR
    sheet.time[:] = LONG
    sheet.total[:] = 0
    for one in range(node.detectives):
        if one != detective:
            lower(sheet.near, board.distance[table.landed[one]])
            for other in range(one):
                if other != detective:
                    lower(sheet.time, times[table.landed[one], table.landed[other]])
                    if weights.pairs > 0.0:
                        add_up(sheet.total, times[table.landed[one], table.landed[other]])


@kernel
def settle(node, table, sheet, detective):
    """Find the particles that the others leave free; give what is settled by those that they catch or shut in."""
    settled = 0.0
    for other in range(node.mover, node.detectives):
        if other != detective and table.plan[other] != BLOCKED:
            settled += table.bonus[other, table.plan[other]]
    for particle in range(node.particles):
        sheet.is_free[particle] = can_flee(node, table, sheet, particle, detective)
        if sheet.is_free[particle] == 0:
            settled += node.weight[particle]
    return settled


@kernel
def can_flee(node, table, sheet, particle, detective):
    """Tell whether the others neither land on a particle nor hold all its exits."""
    station = node.particle[particle]
    if sheet.near[station] == 0 and is_landing(node, table, station, detective):
        return False
    for row in range(sheet.first_reply[particle], sheet.first_reply[particle + 1]):
        if sheet.near[sheet.reply[row]] > 0:
            return True
    return False


@kernel
def is_landing(node, table, station, detective):
    """Tell whether the plan at hand lets another pawn land on a station."""
    for other in range(node.mover, node.detectives):
        if other != detective and table.landed[other] == station:
            return True
    return False


@kernel
def value_landing(board, times, node, weights, table, sheet, detective, to):
    """Value what is not settled if a pawn lands on a station: how lost Mr. X is where he may flee to, 1 if caught."""
    sheet.time_with[:] = sheet.time
    sheet.total_with[:] = sheet.total
    for other in range(node.detectives):
        if other != detective:
            lower(sheet.time_with, times[to, table.landed[other]])
            if weights.pairs > 0.0:
                add_up(sheet.total_with, times[to, table.landed[other]])
    distance, value = board.distance[to], 0.0
    for index in range(sheet.exit_count):
        station = sheet.exits[index]
        near = min(sheet.near[station], distance[station])
        sheet.worth[station] = value_exit(weights, sheet.time_with[station], sheet.total_with[station], near)
    for particle in range(node.particles):
        if sheet.is_free[particle] and node.particle[particle] == to:
            value += node.weight[particle]
        elif sheet.is_free[particle]:
            value += node.weight[particle] * value_flight(sheet, weights.caution, particle)
    return value


@kernel
def value_exit(weights, time, total, near):
    """Value how lost Mr. X is on an exit: by the soonest pair of detectives, and by all pairs of them."""
    if near == 0:
        return HELD
    return (1.0 - weights.pairs) * weights.nearness[time, near] + weights.pairs * weights.all_pairs[total]


@kernel
def value_flight(sheet, caution, particle):
    """Value how lost Mr. X is where he may flee to, his best reply and the mean of all mixed; 1 if he cannot."""
    total, least, ways = 0.0, 1.0, 0
    for row in range(sheet.first_reply[particle], sheet.first_reply[particle + 1]):
        worth = sheet.worth[sheet.reply[row]]
        if worth != HELD:
            total += sheet.ways[row] * worth
            ways += sheet.ways[row]
            least = min(least, worth)
    return caution * least + (1.0 - caution) * total / ways if ways > 0 else 1.0
