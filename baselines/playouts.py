"""Playouts: how the games of a search go on from the edge of its tree, as Nijssen and Winands play them.

``"random"``: any legal action. ``"greedy"``: with probability epsilon any legal action; else Mr. X goes where the
nearest detective is farthest, among equals where he may be on the most stations, and a detective where the distances to
all possible stations add up to least. ``"chase"``: the same, but the detectives run for the station where the search
assumes Mr. X, which needs no possible set: shorter games, played faster. What they do not say: Mr. X doubles only where
every single move ends beside a detective.
"""

import numpy as np

from baselines.chance import draw_below, draw_bits
from scotyard_env.kernel import kernel
from scotyard_env.rules import (
    apply,
    can_double,
    can_move_on,
    destination,
    double_action,
    fare_of,
    is_taken,
    legal_actions,
    may_move,
    move_action,
    pass_action,
    spread,
)
from scotyard_env.state import (
    BLACK,
    BUS,
    FARES,
    FERRY,
    MAX_LOG,
    MAX_SEATS,
    MAX_STATIONS,
    MR_X,
    PLAYING,
    UNDERGROUND,
    WORDS,
    clear,
    count,
    has,
    lowest,
)

KINDS = ("greedy", "chase", "random")
GREEDY, CHASE, RANDOM = range(3)
MOST_ACTIONS = (MAX_LOG + 1) * (MAX_SEATS + 2)  # of one game: every round all seats, and Mr. X three times at most
LOST = 1 << 60  # more than any move compares as
UNPAID = 1 << 56  # from here on they lack the ticket
TRIES = 6  # draws of a move before all legal ones are listed

STYLE = np.dtype(  # how playouts are played
    (
        np.record,
        np.dtype(
            [
                ("kinds", "i8", (2,)),  # GREEDY, CHASE or RANDOM, where Mr. X searches and where detectives do
                ("kind", "i8"),  # the one of this search
                ("epsilons", "i8", (2,)),  # of Mr. X and of the detectives: how many of 2**32 actions are random
                ("is_filtered", "u1"),  # Mr. X pays no black ticket where it hides nothing
                ("is_noted", "u1"),  # note the actions played
            ],
            align=True,
        ),
    )
)

SHEET = np.dtype(  # scratch paper of the playouts
    (
        np.record,
        np.dtype(
            [
                ("legal", "i4", (FARES * MAX_STATIONS + 2,)),
                ("stations", "i2", (MAX_STATIONS,)),  # the possible set as a list
                ("totals", "u2", (MAX_STATIONS + 1,)),  # distances from each station to all possible ones, summed up
                ("totals_entry", "i8"),  # the log entry for which they are; -1 = none
                ("after", "u8", (WORDS,)),
                ("nearest", "i2", (FARES * MAX_STATIONS,)),  # distance of the nearest detective after each legal move
                ("notes", "i4", (MOST_ACTIONS,)),  # the actions played
                ("seats", "i1", (MOST_ACTIONS,)),  # and by whom
                ("noted", "i8"),
            ],
            align=True,
        ),
    )
)


@kernel
def play_out(board, rules, state, style, sheet, chances):
    """Play a game to its end."""
    sheet.totals_entry = -1
    while state.winner == PLAYING:
        if style.kind != GREEDY:
            clear(state.possible)  # nobody asks, and keeping an empty set up to date takes no time
        action = choose(board, rules, state, style, sheet, chances)
        if style.is_noted:
            note(state, action, sheet)
        if style.kind == GREEDY and state.seat != MR_X and action < double_action(board):
            strike_out(board, state, destination(action), sheet)
        apply(board, rules, state, action)


@kernel
def note(state, action, sheet):
    """Note an action before it is played."""
    sheet.notes[sheet.noted] = action
    sheet.seats[sheet.noted] = state.seat
    sheet.noted += 1


@kernel
def choose(board, rules, state, style, sheet, chances):
    """Choose an action of the seat to move."""
    side = 0 if state.seat == MR_X else 1
    if style.kind == RANDOM or draw_bits(chances) < style.epsilons[side]:
        return choose_any(board, rules, state, sheet, chances)
    if side == 0:
        return run_away(board, rules, state, style, sheet, chances)
    if style.kind == CHASE:
        return chase(board, state, state.station[MR_X], chances)
    return surround(board, state, sheet, chances)


@kernel
def choose_any(board, rules, state, sheet, chances):
    """Choose any legal action: draw until one is legal, and list them all if that takes long."""
    seat = state.seat
    station = state.station[seat]
    first = board.first[station]
    size = board.first[station + 1] - first
    choices = size + 1 if seat == MR_X and state.owed == 0 else size
    for _ in range(TRIES):
        place = draw_below(chances, choices)
        if place == size:
            if can_double(board, rules, state, station):
                return np.int64(double_action(board))
            continue
        to, fare = board.to[first + place], board.fare[first + place]
        if may_move(state, seat, to, fare) and (state.owed != 2 or can_move_on(board, state, to, fare)):
            return np.int64(move_action(to, fare))
    legal = legal_actions(board, rules, state, sheet.legal)
    return np.int64(sheet.legal[draw_below(chances, legal)])


# ------------------------------------------------------------------------------------------------------- detectives


@kernel
def chase(board, state, target, chances):
    """Choose the detective's move that ends nearest to a station; chance decides among equals."""
    return step_to_least(board, state, board.distance[target], chances)


@kernel
def surround(board, state, sheet, chances):
    """Choose the detective's move with the least sum of distances to all possible stations; chance among equals."""
    add_up_distances(board, state, sheet)
    return step_to_least(board, state, sheet.totals, chances)


@kernel
def step_to_least(board, state, prices, chances):
    """Choose the detective's move to the station with the least price; chance decides among equals.

    Branches that nobody can foretell are what costs time here: so all moves are compared as single numbers (no ticket,
    price, lot, row), and whether a colleague stands there is asked of the best alone.
    """
    first, end = rows_of(board, state.station[state.seat])
    held, noise, best = fares_held(state, state.seat), draw_bits(chances), LOST
    for row in range(first, end):
        lot = (noise + 37 * row) & 255
        is_unpaid = ((held >> int(board.fare[row])) & 1) ^ 1
        best = min(best, (is_unpaid << 56) | (int(prices[board.to[row]]) << 24) | (lot << 16) | (row - first))
    if best >= UNPAID:
        return np.int64(pass_action(board))
    row = first + (best & 0xFFFF)
    if is_taken(state, board.to[row]):
        return step_past_colleagues(board, state, prices, noise)
    return np.int64(move_action(board.to[row], board.fare[row]))


@kernel
def step_past_colleagues(board, state, prices, noise):
    """Choose as step_to_least does, asking of every move whether a colleague stands in the way."""
    first, end = rows_of(board, state.station[state.seat])
    best, best_row = LOST, -1
    for row in range(first, end):
        value = (int(prices[board.to[row]]) << 8) + ((noise + 37 * row) & 255)
        if value < best and may_move(state, state.seat, board.to[row], board.fare[row]):
            best, best_row = value, row
    if best_row < 0:
        return np.int64(pass_action(board))
    return np.int64(move_action(board.to[best_row], board.fare[best_row]))


@kernel
def rows_of(board, station):
    """Tell the first row of the moves from a station, and the one after the last."""
    return board.first[station], board.first[station + 1]


@kernel
def fares_held(state, seat):
    """Tell the fares that a seat can pay: bit f stands for fare f."""
    held = 0
    for fare in range(FARES):
        if state.tickets[seat, fare] != 0:
            held |= 1 << fare
    return held


@kernel
def add_up_distances(board, state, sheet):
    """Add up, for every station, the distances to all possible ones, once a round; landings are struck out."""
    if sheet.totals_entry == state.entries:
        return
    sheet.totals_entry = state.entries
    totals, distance, stations = sheet.totals, board.distance, sheet.stations
    size = list_stations(state.possible, stations)
    totals[:] = 0
    for place in range(0, size - 3, 4):  # four rows at once: the sums are read and written a quarter as often
        a, b = distance[stations[place]], distance[stations[place + 1]]
        c, d = distance[stations[place + 2]], distance[stations[place + 3]]
        for station in range(board.stations + 1):
            totals[station] += (
                np.uint16(a[station]) + np.uint16(b[station]) + np.uint16(c[station]) + np.uint16(d[station])
            )
    for place in range(size - size % 4, size):
        row = distance[stations[place]]
        for station in range(board.stations + 1):
            totals[station] += row[station]


@kernel
def list_stations(stations, numbers):
    """List the stations of a set; return how many."""
    size = 0
    for word in range(WORDS):
        rest = stations[word]
        while rest != 0:
            numbers[size] = 64 * word + lowest(rest)
            rest &= rest - np.uint64(1)
            size += 1
    return size


@kernel
def strike_out(board, state, to, sheet):
    """Take a possible station out of the sums: a detective lands there, and the game goes on only if it is empty."""
    if sheet.totals_entry == state.entries and has(state.possible, to):
        totals, row = sheet.totals, board.distance[to]
        for station in range(board.stations + 1):
            totals[station] -= row[station]


# ------------------------------------------------------------------------------------------------------------ Mr. X


@kernel
def run_away(board, rules, state, style, sheet, chances):
    """Choose Mr. X's move that ends farthest from the nearest detective; double if even that is beside one."""
    station = state.station[MR_X]
    is_black_barred = style.is_filtered and is_black_useless(board, rules, state, style.kind == GREEDY)
    moves = list_moves(board, state, is_black_barred, sheet)
    if moves == 0:
        moves = list_moves(board, state, False, sheet)
    best = -1
    for index in range(moves):
        best = max(best, sheet.nearest[index])
    if best < 2 and can_double(board, rules, state, station):
        return np.int64(double_action(board))
    is_hiding = style.kind == GREEDY and not rules.reveals[state.entries + 1]
    return np.int64(sheet.legal[pick_farthest(board, state, moves, best, is_hiding, sheet, chances)])


@kernel
def list_moves(board, state, is_black_barred, sheet):
    """List Mr. X's moves, each with its distance from the nearest detective; return how many."""
    first, end = rows_of(board, state.station[MR_X])
    held, moves, nearest, last = fares_held(state, MR_X), 0, 0, 0
    if is_black_barred:
        held &= ~(1 << BLACK)
    for row in range(first, end):
        to, fare = board.to[row], int(board.fare[row])
        if to != last:  # the rows of one neighbour follow each other
            nearest, last = distance_of_nearest(board, state, to), to
        is_open = (held >> fare) & 1 != 0 and nearest > 0  # at distance 0 a detective is in the way
        if is_open and (state.owed != 2 or can_move_on(board, state, to, fare)):
            sheet.legal[moves], sheet.nearest[moves] = move_action(to, fare), nearest
            moves += 1
    return moves


@kernel
def pick_farthest(board, state, moves, best, is_hiding, sheet, chances):
    """Pick among the moves with the best distance; where he hides, those that leave him the most possible stations.

    A black ticket always leaves at least as many as the others, so nobody counts where one will do.
    """
    fares = 0  # bit f: fare f pays for one of them
    for index in range(moves):
        if sheet.nearest[index] == best:
            fares |= 1 << fare_of(sheet.legal[index])
    if is_hiding and fares & (fares - 1) != 0:
        fares = 1 << BLACK if fares >> BLACK else hide_best(board, state, fares, sheet)
    noise = draw_bits(chances)
    value, pick = -1, 0
    for index in range(moves):
        if sheet.nearest[index] == best and (fares >> fare_of(sheet.legal[index])) & 1:
            lot = (noise + 37 * index) & 255
            if lot > value:
                value, pick = lot, index
    return pick


@kernel
def hide_best(board, state, fares, sheet):
    """Keep those of some fares that leave Mr. X the most possible stations."""
    best, kept = -1, 0
    for fare in range(BLACK):
        if (fares >> fare) & 1:
            spread(board, state, fare, sheet.after)
            size = count(sheet.after)
            if size > best:
                best, kept = size, 0
            if size == best:
                kept |= 1 << fare
    return kept


@kernel
def distance_of_nearest(board, state, station):
    """Count the moves that the nearest detective needs to a station, tickets aside."""
    nearest = 255
    for seat in range(1, state.seats):
        nearest = min(nearest, int(board.distance[state.station[seat], station]))
    return nearest


@kernel
def is_black_useless(board, rules, state, is_possible_known):
    """Tell whether a black ticket would hide nothing: the filter of Nijssen and Winands.

    It would in rounds 1 and 2, where he must show himself, and where nobody could have left but by taxi.
    """
    this_round = state.rounds + 1 if state.owed == 0 else state.rounds
    if this_round <= 2 or rules.reveals[state.entries + 1]:
        return True
    return is_possible_known and are_taxis_all_there_is(board, state)


@kernel
def are_taxis_all_there_is(board, state):
    """Tell whether every possible station has taxi links only."""
    for word in range(WORDS):
        rest = state.possible[word]
        while rest != 0:
            links = board.links[64 * word + lowest(rest)]
            rest &= rest - np.uint64(1)
            if links[BUS] + links[UNDERGROUND] + links[FERRY] > 0:
                return False
    return True
