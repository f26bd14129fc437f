"""STATE: one whole game as one NumPy record, and the names of the small integers in it.

A game is a record, a batch is an array of records, a copy is ``state.copy()`` and a checkpoint is its bytes. Everything
that decides how the game goes on is in the record; chance is not. Apart from ``station[MR_X]`` all of it is public.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.kernel import kernel, record_type

MAX_STATIONS = 255
MAX_DETECTIVES = 5
MAX_SEATS = 1 + MAX_DETECTIVES
MAX_LOG = 40  # entries of Mr. X's log, hence rounds too: every round fills at least one
WORDS = 4  # 64-bit words of a set of stations: bit (s & 63) of word (s >> 6) is station s

NOWHERE = 0  # no station has this number: not in play, hidden, not shown, not yet moved

MR_X = 0  # his seat; detectives sit on 1..n
SPECTATOR = -1  # nobody's seat: who watches the table, and sees all once the game is over
SEATS = ("mr_x", *(f"detective_{number}" for number in range(1, MAX_SEATS)))

# Transports, and the tickets that pay for them. Every transport takes the ticket of its own number; BLACK pays for all.
TAXI, BUS, UNDERGROUND, FERRY = range(4)
BLACK, DOUBLE = 3, 4
TRANSPORTS = ("taxi", "bus", "underground", "ferry")
TICKETS = ("taxi", "bus", "underground", "black", "double")
FARES = 4  # TAXI, BUS, UNDERGROUND, BLACK
UNLIMITED = -1  # a count of tickets that never runs out

NO_FARE = -1  # in the log: nothing written yet; of a detective: it passed, or that turn has not come yet

PLAYING, MR_X_WINS, DETECTIVES_WIN = range(3)
WINNERS = (None, "mr_x", "detectives")

STATE = record_type(
    [
        ("possible", "u8", (WORDS,)),  # stations where Mr. X may be for all the table knows, as a set
        ("start", "u8", (WORDS,)),  # the same before his first move
        ("station", "i2", (MAX_SEATS,)),  # where each seat stands; [MR_X] is the secret; NOWHERE = not in play
        ("tickets", "i2", (MAX_SEATS, len(TICKETS))),  # tickets left, by seat and kind; may be UNLIMITED
        ("rounds", "i2"),  # rounds begun, hence the number of the one being played; 0 before his first action
        ("entries", "i2"),  # log entries filled so far
        ("seen", "i2"),  # station he showed last; NOWHERE = never yet
        ("seen_entry", "i2"),  # the log entry at which he did; 0 = never yet
        ("seats", "i1"),  # 1 + detectives
        ("seat", "i1"),  # the seat to move
        ("owed", "i1"),  # moves Mr. X still owes after announcing a double: 2, 1 or 0
        ("winner", "i1"),  # PLAYING, MR_X_WINS or DETECTIVES_WIN
        ("log", "i1", (MAX_LOG,)),  # fare Mr. X showed for each of his moves; NO_FARE = not yet
        ("log_round", "u1", (MAX_LOG,)),  # round in which he made it; both halves of a double share theirs
        ("log_shown", "u1", (MAX_LOG,)),  # station he showed with it; NOWHERE = none
        ("trail", "u1", (MAX_LOG + 1, MAX_DETECTIVES)),  # each detective after each round; row 0 is the deal,
        #                                                  NOWHERE = that turn has not come yet
        ("fares", "i1", (MAX_LOG + 1, MAX_DETECTIVES)),  # what each detective paid in each round, or NO_FARE
        ("spare", "u1", (2,)),  # always 0; fills the record up, so that equal games have equal bytes
    ]
)

State = Any  # one record of STATE: an np.record to Python, a pointer to compiled code


def new_states(count: int) -> NDArray[np.void]:
    """Return an array of empty records, all nowhere."""
    return np.zeros(count, STATE)


def station_list(stations: NDArray[np.uint64]) -> list[int]:
    """List the stations of a set, ascending."""
    bits = np.unpackbits(np.ascontiguousarray(stations).view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).tolist()


def station_set(stations: Iterable[int]) -> NDArray[np.uint64]:
    """Return a set of stations from their numbers."""
    bits = np.zeros(64 * WORDS, np.uint8)
    bits[list(stations)] = 1
    return np.packbits(bits, bitorder="little").view(np.uint64)


@kernel
def has(stations, station):
    """Return whether a set of stations holds this one."""
    return (stations[station >> 6] >> np.uint64(station & 63)) & np.uint64(1) != 0


@kernel
def add(stations, station):
    """Put a station into a set."""
    stations[station >> 6] |= np.uint64(1) << np.uint64(station & 63)


@kernel
def discard(stations, station):
    """Take a station out of a set, if it is there."""
    stations[station >> 6] &= ~(np.uint64(1) << np.uint64(station & 63))


@kernel
def clear(stations):
    """Empty a set."""
    for word in range(WORDS):
        stations[word] = 0


@kernel
def count(stations):
    """Count the stations in a set."""
    total = 0
    for word in range(WORDS):
        total += ones(stations[word])
    return total


@kernel
def list_stations(stations, numbers):
    """Write the stations of a set into numbers, ascending; return how many."""
    size = 0
    for word in range(WORDS):
        rest = stations[word]
        while rest != 0:
            numbers[size], rest = take_lowest(word, rest)
            size += 1
    return size


@kernel
def next_station(stations, station):
    """Return the lowest station of a set above this one, NOWHERE after the last.

    Begin with NOWHERE. A list is faster where there is room for one.
    """
    above = int(station) + 1  # wide enough as plain Python too
    word = above >> 6
    if word == WORDS:
        return NOWHERE
    rest = (stations[word] >> np.uint64(above & 63)) << np.uint64(above & 63)
    while rest == 0:
        word += 1
        if word == WORDS:
            return NOWHERE
        rest = stations[word]
    return take_lowest(word, rest)[0]


@kernel
def take_lowest(word, rest):
    """Return the lowest station among those left of one word of a set, and what is left without it."""
    return 64 * word + lowest(rest), rest & (rest - np.uint64(1))


@kernel
def lowest(word):
    """Number the lowest bit set in a word that is not 0."""
    return ones(~word & (word - np.uint64(1)))


@kernel
def ones(word):
    """Count the bits set in a word, by adding neighbours: pairs, fours, and all bytes at once by multiplication.

    In these very steps compilers know it for one instruction of the machine. np.multiply overflows without a warning.
    """
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(np.multiply(word, np.uint64(0x0101010101010101)) >> np.uint64(56))
