"""Location categorization: how likely Mr. X is to stand so many moves from the nearest detective.

After Nijssen and Winands (CIG 2011). The category of a station is the number of moves that the nearest detective needed
to it when Mr. X moved there, 1 to 5, where 5 means five or more. The weight of a category is the number of times that
Mr. X was in it by the number of times that he may have been. Theirs, from 1,000 games, are ``PUBLISHED``; yours come
from games of any Mr. X against any detectives: ``scotyard fit location_categories --mr-x greedy --games 1000``.
"""

import functools

from scotyard_env.kernel import kernel
from scotyard_env.ranges import LARGE
from scotyard_env.rng import draw_unit
from scotyard_env.state import list_stations
from scotyard_env.threats import distance_to_nearest

CATEGORIES = 5
PUBLISHED = (0.196, 0.671, 0.540, 0.384, 0.196)


@functools.lru_cache(maxsize=64)
def parse_weights(text: str) -> tuple[float, ...]:
    """Read weights such as ``"0.2/0.7/0.5/0.4/0.2"``, one for each category."""
    try:
        weights = tuple(float(weight) for weight in text.split("/"))
    except ValueError:
        weights = ()
    if len(weights) != CATEGORIES or not all(0.0 < weight <= LARGE for weight in weights):
        raise ValueError(f"weights is {text!r}: give {CATEGORIES} numbers above 0, such as {write_weights(PUBLISHED)}")
    return weights


def write_weights(weights: tuple[float, ...]) -> str:
    """Write weights as ``parse_weights`` reads them."""
    return "/".join(f"{weight:.3f}" for weight in weights)


@kernel
def category_of(board, state, station):
    """Return the category of a station, 0 to 4: by where the detectives stood at the end of the round before."""
    detectives = state.trail[max(0, state.rounds - 1), : state.seats - 1]
    return max(int(distance_to_nearest(board, detectives, station, CATEGORIES)), 1) - 1


@kernel
def weigh_stations(board, state, possible, weights, stations, cumulative):
    """List some possible stations with the running sums of their weights; return how many there are."""
    size, total = list_stations(possible, stations), 0.0
    for place in range(size):
        total += weights[category_of(board, state, stations[place])]
        cumulative[place] = total
    return size


@kernel
def draw_station(stations, cumulative, size, rng_state):
    """Draw one of the stations, each as likely as its share of the weights (roulette-wheel selection)."""
    wanted = draw_unit(rng_state) * cumulative[size - 1]
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return stations[low]
