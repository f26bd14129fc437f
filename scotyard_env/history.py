"""The game as the table saw it, played again: every decision of Mr. X up to a view, as it lay before him.

A view keeps the log, what was shown, where the detectives stood after each round and what they paid. From these
``play_again`` makes one public record for each of Mr. X's decisions, with the tickets and the possible set of that
moment and his station blank, and one for now. Fill the blank, as ``view.imagine`` does, and a policy can be asked what
it would have done.

The tickets at the beginning are those of now and all that were spent since, so that games which did not begin with a
deal are played again too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import kernel
from scotyard_env.rules import announce_double, begin, end_turn, move_detective, move_mr_x, wipe
from scotyard_env.state import DOUBLE, MR_X, NO_FARE, NOWHERE, TICKETS, UNLIMITED, new_states
from scotyard_env.view import Views

ANNOUNCED = -1  # as what Mr. X paid: he announced a double move
NOT_YET = -2  # as what he paid: he has not decided


class Histories(NamedTuple):
    """Mr. X's decisions in n games as the table saw them; those of game i are 0..counts[i] - 1, and then comes now."""

    counts: NDArray[np.int64]  # (n,): decisions so far
    states: NDArray[np.void]  # (n, most + 1): the public record before each decision, and now
    paid: NDArray[np.int64]  # (n, most + 1): the fare that each decision showed, or ANNOUNCED; NOT_YET for now
    shown: NDArray[np.int64]  # (n, most + 1): the station that he showed with it, or NOWHERE


def play_again(views: Views) -> Histories:
    """Return the history of every game from what a seat may know of it."""
    size, now = len(views), views.states
    entries, rounds = int(now["entries"].max(initial=0)), int(now["rounds"].max(initial=0))
    shape = size, entries + 1 + rounds  # a round has at most one announcement
    histories = Histories(
        np.empty(size, np.int64),
        new_states(shape[0] * shape[1]).reshape(shape),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
    )
    counts, states, paid, shown = histories
    replay_rows(views.board.packed, views.packed_rules, now, states, paid, shown, counts)
    return histories


# --------------------------------------------------------------------------------------------------- play it again


@kernel
def replay(board, rules, view, states, paid, shown):
    """Write the public record before each of Mr. X's decisions, and what it showed; return how many there were.

    There is room for one more record: that of now.
    """
    begin_again(board, rules, view, states[0])
    decisions = 0
    for entry in range(view.entries):
        if is_first_half(view, entry):
            decide_again(states, paid, shown, decisions, ANNOUNCED, NOWHERE)
            decisions += 1
            announce_double(board, rules, states[decisions])
        decide_again(states, paid, shown, decisions, view.log[entry], view.log_shown[entry])
        decisions += 1
        move_mr_x(board, rules, states[decisions], view.log_shown[entry], view.log[entry])
        states[decisions].station[MR_X] = NOWHERE
        if states[decisions].owed == 0:
            move_detectives(board, rules, view, states[decisions])
    if view.owed == 2:
        decide_again(states, paid, shown, decisions, ANNOUNCED, NOWHERE)
        decisions += 1
        announce_double(board, rules, states[decisions])
    paid[decisions], shown[decisions] = NOT_YET, NOWHERE
    states[decisions] = view
    states[decisions].station[MR_X] = NOWHERE
    return decisions


@kernel
def replay_rows(boards, rules, views, states, paid, shown, counts):
    """Play many games again, each into its row."""
    for index in range(len(views)):
        counts[index] = replay(boards[0], rules[0], views[index], states[index], paid[index], shown[index])


@kernel
def begin_again(board, rules, view, past):
    """Write the record that the game began with."""
    wipe(past)
    past.seats = view.seats
    for word in range(len(view.start)):
        past.start[word] = view.start[word]
    for seat in range(view.seats):
        for kind in range(len(TICKETS)):
            past.tickets[seat, kind] = view.tickets[seat, kind]
    for seat in range(1, view.seats):
        past.station[seat] = view.trail[0, seat - 1]
    for entry in range(view.entries):
        give_back(view, past, MR_X, view.log[entry], 1)
        if is_first_half(view, entry):
            give_back(view, past, MR_X, DOUBLE, 1)
    if view.owed == 2:
        give_back(view, past, MR_X, DOUBLE, 1)
    for number in range(1, view.rounds + 1):
        for seat in range(1, view.seats):
            fare = view.fares[number, seat - 1]
            if fare != NO_FARE:
                give_back(view, past, seat, fare, 1)
                if rules.hand_over:
                    give_back(view, past, MR_X, fare, -1)
    begin(board, rules, past)


@kernel
def give_back(view, past, seat, kind, tickets):
    """Put tickets back into a purse, unless it never runs out."""
    if view.tickets[seat, kind] != UNLIMITED:
        past.tickets[seat, kind] += tickets


@kernel
def is_first_half(view, entry):
    """Tell whether an entry of the log is the first of a double move, which may not be finished."""
    number = view.log_round[entry]
    if entry > 0 and view.log_round[entry - 1] == number:
        return False
    if entry + 1 == view.entries:
        return view.owed == 1
    return view.log_round[entry + 1] == number


@kernel
def decide_again(states, paid, shown, decision, what, where):
    """Write what a decision showed, and the record before it as that after it, to be played on."""
    paid[decision], shown[decision] = what, where
    states[decision + 1] = states[decision]


@kernel
def move_detectives(board, rules, view, past):
    """Move the detectives as they moved in this round, as far as their turns have come."""
    number = past.rounds
    for seat in range(1, view.seats):
        to = view.trail[number, seat - 1]
        if to == NOWHERE:
            return
        fare = view.fares[number, seat - 1]
        if fare == NO_FARE:
            end_turn(board, rules, past)
        else:
            move_detective(board, rules, past, to, fare)
