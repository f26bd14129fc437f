"""The rules of Scotland Yard: deal, legal actions, apply, judge. The only file that knows them.

Kernels take ``(board, rules, state, ...)``: the arrays of a Board, the arrays of a RuleSet, one record of STATE. They
change the record in place; nothing is checked, allocated or drawn at random in here: callers hand over legal actions
only.

An action is one integer, the same for every seat: a move, (station to reach, fare paid), is ``4 * (station - 1) +
fare``; then come DOUBLE, with which Mr. X announces two moves in a row, and PASS, for a detective who is stuck.
"""

import numpy as np

from scotyard_env.kernel import kernel
from scotyard_env.state import (
    BLACK,
    DETECTIVES_WIN,
    DOUBLE,
    FARES,
    MAX_DETECTIVES,
    MAX_LOG,
    MAX_SEATS,
    MR_X,
    MR_X_WINS,
    NO_FARE,
    NOWHERE,
    PLAYING,
    TICKETS,
    UNLIMITED,
    WORDS,
    add,
    clear,
    discard,
    has,
    take_lowest,
)

# ---------------------------------------------------------------------------------------------------------- actions


@kernel
def action_count(board):
    """Count the actions there are on a board, legal now or not."""
    return FARES * board.stations + 2


@kernel
def move_action(station, fare):
    """Number the move that reaches this station for this fare."""
    return FARES * (station - 1) + fare


@kernel
def double_action(board):
    """Number the announcement of a double move."""
    return FARES * board.stations


@kernel
def pass_action(board):
    """Number the pass of a detective who is stuck."""
    return FARES * board.stations + 1


@kernel
def destination(action):
    """Return the station that a move reaches."""
    return action // FARES + 1


@kernel
def fare_of(action):
    """Return the fare that a move pays."""
    return action % FARES


# ------------------------------------------------------------------------------------------------------------- deal


@kernel
def deal(board, rules, state, draws):
    """Draw start cards and hand out tickets; draws is one number in [0, 1) per seat.

    The detectives draw first, so that for the table every card of Mr. X's deck not in their hands is equally likely.
    """
    wipe(state)
    state.seats = 1 + rules.detectives
    for seat in range(state.seats):
        for kind in range(len(TICKETS)):
            state.tickets[seat, kind] = rules.purses[seat, kind]
    for seat in range(1, state.seats):
        state.station[seat] = draw_card(state, rules.detective_starts, rules.detective_cards, draws[seat])
    state.station[MR_X] = draw_card(state, rules.mr_x_starts, rules.mr_x_cards, draws[MR_X])
    for card in range(rules.mr_x_cards):
        if not is_taken(state, rules.mr_x_starts[card]):
            add(state.start, rules.mr_x_starts[card])
    begin(board, rules, state)


@kernel
def draw_card(state, deck, cards, draw):
    """Pick one card of a deck among those whose station no detective holds."""
    free = 0
    for card in range(cards):
        if not is_taken(state, deck[card]):
            free += 1
    pick = int(draw * free)
    for card in range(cards):
        if not is_taken(state, deck[card]):
            if pick == 0:
                return deck[card]
            pick -= 1
    return deck[0]


@kernel
def wipe(state):
    """Empty a record: nobody is in play."""
    clear(state.possible)
    clear(state.start)
    for seat in range(MAX_SEATS):
        state.station[seat] = NOWHERE
        for kind in range(len(TICKETS)):
            state.tickets[seat, kind] = 0
    for entry in range(MAX_LOG):
        state.log[entry] = NO_FARE
        state.log_round[entry] = 0
        state.log_shown[entry] = NOWHERE
    for row in range(MAX_LOG + 1):
        for column in range(MAX_DETECTIVES):
            state.trail[row, column] = NOWHERE
            state.fares[row, column] = NO_FARE
    state.rounds = state.entries = 0
    state.seen = NOWHERE
    state.seen_entry = 0
    state.seats = state.seat = state.owed = 0
    state.winner = PLAYING


@kernel
def begin(board, rules, state):
    """Start the game from the stations, tickets and start set that stand in the record."""
    for seat in range(1, state.seats):
        state.trail[0, seat - 1] = state.station[seat]
    for word in range(WORDS):
        state.possible[word] = state.start[word]
    begin_round(board, rules, state)


@kernel
def has_reveal(rules, first, last):
    """Mr. X shows himself at one of these log entries, the last included."""
    for entry in range(first, min(last, rules.log_entries) + 1):
        if rules.reveals[entry]:
            return True
    return False


# ---------------------------------------------------------------------------------------------------- legal actions


@kernel
def is_taken(state, station):
    """A detective stands there. Mr. X takes no room: meeting him is the point."""
    taken = False
    for seat in range(1, MAX_SEATS):  # who is not in play stands nowhere; a loop without a way out is the faster one
        taken |= state.station[seat] == station
    return taken


@kernel
def may_move(state, seat, to, fare):
    """The seat has the ticket, and nobody is in the way."""
    return state.tickets[seat, fare] != 0 and not is_taken(state, to)


@kernel
def can_move(board, state, seat, station):
    """The seat could move if it stood on this station."""
    for row in range(board.first[station], board.first[station + 1]):
        if may_move(state, seat, board.to[row], board.fare[row]):
            return True
    return False


@kernel
def may_move_on(state, to, fare, paid):
    """Mr. X may make this second move, having paid a fare for the first."""
    is_last_spent = fare == paid and state.tickets[MR_X, fare] == 1
    return not is_last_spent and may_move(state, MR_X, to, fare)


@kernel
def can_move_on(board, state, station, paid):
    """Mr. X could make a second move from this station, having paid this fare to reach it."""
    for row in range(board.first[station], board.first[station + 1]):
        if may_move_on(state, board.to[row], board.fare[row], paid):
            return True
    return False


@kernel
def can_double(board, rules, state, station):
    """Mr. X could announce a double move if he stood on this station: ticket, room in the log, two moves to make."""
    if state.owed > 0 or state.tickets[MR_X, DOUBLE] == 0 or state.entries + 2 > rules.log_entries:
        return False
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(state, MR_X, to, fare) and can_move_on(board, state, to, fare):
            return True
    return False


@kernel
def legal_actions(board, rules, state, legal):
    """Write the actions open to the seat to move into legal, ascending; return how many. None when the game is over."""
    if state.winner != PLAYING:
        return 0
    seat = state.seat
    station = state.station[seat]
    count = 0
    for row in range(board.first[station], board.first[station + 1]):
        to, fare = board.to[row], board.fare[row]
        if may_move(state, seat, to, fare) and (state.owed != 2 or can_move_on(board, state, to, fare)):
            legal[count] = move_action(to, fare)
            count += 1
    if seat == MR_X:
        if can_double(board, rules, state, station):
            legal[count] = double_action(board)
            count += 1
    elif count == 0:
        legal[0] = pass_action(board)
        count = 1
    return count


@kernel
def is_legal(board, rules, state, action):
    """Return whether an action is open to the seat to move, without listing all of them."""
    if state.winner != PLAYING or action < 0 or action >= action_count(board):
        return False
    seat = state.seat
    station = state.station[seat]
    if action == double_action(board):
        return seat == MR_X and can_double(board, rules, state, station)
    if action == pass_action(board):
        return seat != MR_X and not can_move(board, state, seat, station)
    to, fare = destination(action), fare_of(action)
    return (
        has(board.reach[fare, station], to)
        and may_move(state, seat, to, fare)
        and (state.owed != 2 or can_move_on(board, state, to, fare))
    )


# ------------------------------------------------------------------------------------------------------------ apply


@kernel
def apply(board, rules, state, action):
    """Carry out a legal action of the seat to move, and judge."""
    if action == double_action(board):
        announce_double(board, rules, state)
    elif action == pass_action(board):
        end_turn(board, rules, state)
    elif state.seat == MR_X:
        move_mr_x(board, rules, state, destination(action), fare_of(action))
    else:
        move_detective(board, rules, state, destination(action), fare_of(action))


@kernel
def announce_double(board, rules, state):
    """Mr. X lays down a double ticket and owes two moves."""
    keep_where_he_could_double(board, rules, state)
    state.rounds += 1
    state.tickets[MR_X, DOUBLE] -= 1
    state.owed = 2


@kernel
def move_mr_x(board, rules, state, to, fare):
    """Mr. X pays, moves, writes the log and, at some entries, shows himself."""
    if state.owed == 0:
        state.rounds += 1
    else:
        state.owed -= 1
    spend(state, MR_X, fare)
    state.station[MR_X] = to
    state.log[state.entries] = fare
    state.log_round[state.entries] = state.rounds
    state.entries += 1
    spread(board, state, fare, state.possible)
    if rules.reveals[state.entries]:
        state.log_shown[state.entries - 1] = to
        show(state, to)
    if state.owed > 0:
        keep_where_he_could_move(board, state, True)
    else:
        state.seat = 1


@kernel
def move_detective(board, rules, state, to, fare):
    """A detective pays, hands the ticket over where the rules say so, moves, and catches Mr. X if he is there."""
    seat = state.seat
    spend(state, seat, fare)
    state.fares[state.rounds, seat - 1] = fare
    if rules.hand_over and state.tickets[MR_X, fare] != UNLIMITED:
        state.tickets[MR_X, fare] += 1
    state.station[seat] = to
    if to == state.station[MR_X]:
        state.trail[state.rounds, seat - 1] = to
        state.winner = DETECTIVES_WIN
        show(state, to)
    else:
        discard(state.possible, to)
        end_turn(board, rules, state)


@kernel
def end_turn(board, rules, state):
    """A detective is done: note where it stands; after the last of them the next round begins."""
    seat = state.seat
    state.trail[state.rounds, seat - 1] = state.station[seat]
    if seat + 1 < state.seats:
        state.seat = seat + 1
    else:
        state.seat = MR_X
        begin_round(board, rules, state)


@kernel
def spend(state, seat, fare):
    """Take one ticket out of a purse, unless it never runs out."""
    if state.tickets[seat, fare] != UNLIMITED:
        state.tickets[seat, fare] -= 1


# ------------------------------------------------------------------------------------------------------------ judge


@kernel
def begin_round(board, rules, state):
    """Judge the game where Mr. X's turn would begin, in this order.

    Whether a detective can move does not change while Mr. X moves, so this settles it for the end of his turn too. In
    a record that hides him he is taken to go on.
    """
    if not can_any_detective_move(board, state):
        state.winner = MR_X_WINS
    elif state.entries >= rules.log_entries or state.rounds >= rules.round_limit:
        state.winner = MR_X_WINS
    elif state.station[MR_X] != NOWHERE and not can_move(board, state, MR_X, state.station[MR_X]):
        state.winner = DETECTIVES_WIN
        keep_where_he_could_move(board, state, False)
    else:
        keep_where_he_could_move(board, state, True)


@kernel
def can_any_detective_move(board, state):
    """Return whether at least one detective is not stuck."""
    for seat in range(1, state.seats):
        if can_move(board, state, seat, state.station[seat]):
            return True
    return False


NOT_OVER, CAUGHT, CORNERED, DETECTIVES_STUCK, LOG_FULL, ROUNDS_OVER = range(6)


@kernel
def ending(board, rules, state):
    """Return why the game is over, in the order in which it is judged; all of it is public."""
    if state.winner == PLAYING:
        return NOT_OVER
    if state.winner == DETECTIVES_WIN:
        return CORNERED if state.seat == MR_X else CAUGHT
    if not can_any_detective_move(board, state):
        return DETECTIVES_STUCK
    return LOG_FULL if state.entries >= rules.log_entries else ROUNDS_OVER


# ----------------------------------------------------------------------------------------- what the table can infer


@kernel
def show(state, station):
    """Everybody sees Mr. X on this station."""
    clear(state.possible)
    add(state.possible, station)
    state.seen = station
    state.seen_entry = state.entries


@kernel
def spread(board, state, fare, after):
    """Write where Mr. X may be after a move for this fare: along every link it pays for, to stations that are free."""
    a = b = c = d = np.uint64(0)
    reach = board.reach[fare]
    for word in range(WORDS):
        rest = state.possible[word]
        while rest != 0:
            station, rest = take_lowest(word, rest)
            a |= reach[station, 0]
            b |= reach[station, 1]
            c |= reach[station, 2]
            d |= reach[station, 3]
    after[0], after[1], after[2], after[3] = a, b, c, d
    for seat in range(1, state.seats):
        discard(after, state.station[seat])


@kernel
def keep_where_he_could_move(board, state, could):
    """Strike out the possible stations at which Mr. X could move, or could not, contrary to what happened.

    Only beside a detective can anybody be in the way; elsewhere all he needs is a ticket that is good there.
    """
    for word in range(WORDS):
        if state.possible[word] != 0:
            beside = beside_detectives(board, state, word)
            rest = state.possible[word] & beside
            served = served_by_his_tickets(board, state, word)
            state.possible[word] &= beside | (served if could else ~served)
            while rest != 0:
                station, rest = take_lowest(word, rest)
                if can_move(board, state, MR_X, station) != could:
                    discard(state.possible, station)


@kernel
def beside_detectives(board, state, word):
    """Return one word of the set of all neighbours of detectives."""
    beside = np.uint64(0)
    for seat in range(1, state.seats):
        beside |= board.reach[BLACK, state.station[seat], word]
    return beside


@kernel
def served_by_his_tickets(board, state, word):
    """Return one word of the set of stations with a link for which Mr. X has a ticket."""
    served = np.uint64(0)
    for fare in range(FARES):
        if state.tickets[MR_X, fare] != 0:
            served |= board.served[fare, word]
    return served


@kernel
def keep_where_he_could_double(board, rules, state):
    """Strike out the possible stations at which Mr. X could not have announced a double move."""
    for word in range(WORDS):
        rest = state.possible[word]
        while rest != 0:
            station, rest = take_lowest(word, rest)
            if not can_double(board, rules, state, station):
                discard(state.possible, station)
