"""Belief features: what the learned players read of a move beyond the environment's own move features.

They come from the evasive belief (``belief.weigh(view, "evasive")``) and from the exact capture times of two
detectives. The *capture value* of a station is 0.8 ** (rounds that two detectives need to catch Mr. X there): 1 = he is
caught, 0 = he never is. A row begins with the environment's own move features of the side; every column has a name, and
its number is made from it here, once.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import NEVER
from scotyard_baselines.geometry.rows import lower
from scotyard_env.encode.features import DETECTIVE_FEATURES, MR_X_FEATURES
from scotyard_env.kernel import kernel, record_type
from scotyard_env.packing import freeze
from scotyard_env.state import FARES, WORDS

DISCOUNT = 0.8  # what a round more until Mr. X is caught leaves of a capture's worth
CONTRAST = 4.0  # factor of the columns that compare a move with the other legal ones

DETECTIVE_BELIEF_FEATURES = (
    "belief",  # probability that Mr. X is there
    "belief_mean",  # expected distance from there to him
    "belief_within_1",  # probability that he is so near
    "belief_within_2",
    "team_belief_mean",  # the same for the nearest detective after the move
    "team_belief_within_1",
    "team_belief_within_2",
    "capture_value",  # after the move: expected over where he may be
    "capture_value_over_mean",  # less the mean of the legal moves, times CONTRAST
    "capture_value_over_best",  # less the best of them, times CONTRAST
    "team_belief_over_best",  # team_belief_mean less the least of them, times CONTRAST
)
TICKET_FEATURES = (
    "spends_last",  # the move takes the detective's last ticket of a kind
    "detour",  # expected extra moves to Mr. X, from there, for lack of tickets, an eighth each
    "later_capture_value",  # capture_value if pairs come later by the detours of both
    "later_capture_value_over_best",  # less the best of the legal moves, times CONTRAST
)
MR_X_BELIEF_FEATURES = (
    "capture_value",  # of the destination, by the best pair
    "mean_capture_value",  # by all pairs, on average
    "belief",  # probability that the table gives to his being there
    "belief_within_1",  # and so near to it
    "belief_within_2",
    "belief_peak",  # probability of the likeliest station
    "expected_capture_value",  # expected over the table's belief after the move
    "next_capture_value",  # after his best next move, where he owes another one
    "capture_value_over_best",  # capture_value less that of the safest legal move
)
COLUMNS = {  # names of the columns of a row, by side
    "detectives": (*DETECTIVE_FEATURES, *DETECTIVE_BELIEF_FEATURES, *TICKET_FEATURES),
    "mr_x": (*MR_X_FEATURES, *MR_X_BELIEF_FEATURES),
}
ROW_WIDTH = max(len(names) for names in COLUMNS.values())  # for both sides; what is left of a row is 0


@functools.lru_cache(maxsize=16)
def scratch_type(room: int) -> np.dtype[np.void]:
    """Return the scratch memory of the kernels that write these columns as a record; arrays are by station or lists."""
    fields = [
        ("belief", "f8", (room,)),
        ("paths", "f8", (room,)),  # what weighing by paths overwrites
        ("exits", "f8", (room,)),  # probability that Mr. X flees there if he draws an exit uniformly
        ("after", "f8", (FARES, room)),  # the belief after each fare
        ("after_likely", "i2", (FARES, room)),  # list of the stations with belief then
        ("after_count", "i8", (FARES,)),  # how many these are
        ("expected", "f8", (FARES,)),  # expected capture value then; -1 = not computed yet
        ("likely", "i2", (room,)),  # list of the stations with belief
        ("open", "i2", (room,)),  # list of the stations he may flee to
        ("nearest", "u1", (room,)),  # distance of the nearest colleague of the mover
        ("team", "u1", (room,)),  # rounds that the best pair needs without the mover; for Mr. X, of all
        ("time", "u1", (room,)),  # the same with the mover on some station
        ("later_team", "u1", (room,)),  # rounds of the best pair without the mover, with their detours
        ("free", "u8", (WORDS,)),  # set of the stations where no detective stands
        ("ways", "u8", (WORDS,)),  # set of the stations that he may flee to from one
    ]
    return record_type(fields)


@functools.lru_cache(maxsize=1)
def worth_of_times() -> NDArray[np.float64]:
    """Return the capture value of every capture time: DISCOUNT ** time, 0 for NEVER."""
    worth = DISCOUNT ** np.arange(256.0)
    worth[NEVER] = 0.0
    return freeze(worth)


@kernel
def list_likely(weights, stations):
    """List the stations that have weight; return how many."""
    size = 0
    for station in range(1, len(weights)):
        if weights[station] > 0.0:
            stations[size] = station
            size += 1
    return size


@kernel
def time_pairs(view, times, without, time):
    """Write how many rounds the best pair of detectives needs for every station; one seat may be left out."""
    time[:] = NEVER
    for one in range(2, view.seats):
        for other in range(1, one):
            if one != without and other != without:
                lower(time, times[view.station[one], view.station[other]])
