"""Where a black ticket hides nothing: the filter of Nijssen and Winands (CIG 2011).

It hides nothing in the first two rounds, where Mr. X must show himself, and where nobody could have left but by taxi.
"""

from scotyard_env.kernel import kernel
from scotyard_env.state import BUS, FERRY, NOWHERE, UNDERGROUND, next_station

OPENING_ROUNDS = 2


@kernel
def hides_nothing(board, rules, view):
    """Tell whether a black ticket would hide nothing of Mr. X's next move."""
    return is_entry_open(rules, view) or has_taxis_only(board, view)


@kernel
def is_entry_open(rules, view):
    """Tell whether the ticket of Mr. X's next move matters to nobody: rounds 1 and 2, and wherever he shows himself."""
    this_round = view.rounds + 1 if view.owed == 0 else view.rounds  # a double move has begun its round
    return this_round <= OPENING_ROUNDS or rules.reveals[view.entries + 1]


@kernel
def has_taxis_only(board, view):
    """Tell whether no possible station has other links than taxi."""
    station = next_station(view.possible, NOWHERE)
    while station != NOWHERE:
        links = board.links[station]
        if links[BUS] + links[UNDERGROUND] + links[FERRY] > 0:
            return False
        station = next_station(view.possible, station)
    return True
