"""The MrXFinder of bristol_detectives: the stations where Mr. X may be, by the tickets that he showed."""

from scotyard_env.arrays import copy_values
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import MAX_STATIONS, WORDS, add, clear, list_stations, take_lowest

FINDER = record_type(
    [
        ("found", "u8", (WORDS,)),  # where he may be, as a set
        ("before", "u8", (WORDS,)),  # the same a move earlier
        ("stations", "i2", (MAX_STATIONS,)),  # where he may be, as a list
    ]
)


@kernel
def find_mr_x(board, view, removal, finder):
    """Find where Mr. X may be once he has shown himself, with stations removed where detectives landed, or without.

    Return how many stations that are.
    """
    if removal:
        copy_values(view.possible, finder.found)
    else:
        clear(finder.found)
        add(finder.found, view.seen)
        for entry in range(view.seen_entry, view.entries):
            copy_values(finder.found, finder.before)
            move_on(board, view.log[entry], finder.before, finder.found)
    return list_stations(finder.found, finder.stations)


@kernel
def move_on(board, fare, before, after):
    """Write where a move for this fare leads from any of the stations, whoever may stand there."""
    clear(after)
    for word in range(WORDS):
        rest = before[word]
        while rest != 0:
            station, rest = take_lowest(word, rest)
            for other in range(WORDS):
                after[other] |= board.reach[fare, station, other]
