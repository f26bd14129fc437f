"""A node: a moment as the detectives see it, and the stations where Mr. X is likely to be as particles."""

from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import DOUBLE, FARES, MAX_SEATS, MR_X, NOWHERE

MAX_PARTICLES = 64

NODE = record_type(
    [
        ("weight", "f8", (MAX_PARTICLES,)),  # of each particle; they add up to 1 where detectives are to move
        ("particle", "i2", (MAX_PARTICLES,)),  # stations where Mr. X may be
        ("particles", "i8"),
        ("station", "i2", (MAX_SEATS,)),  # where each detective stands; [MR_X] is always NOWHERE
        ("tickets", "i2", (MAX_SEATS, FARES)),  # tickets left, by seat and kind; may be UNLIMITED
        ("doubles", "i8"),  # double tickets that Mr. X has left; may be UNLIMITED
        ("entries", "i8"),  # of Mr. X's log
        ("seats", "i8"),  # 1 + detectives
        ("seat", "i8"),  # the first who has not moved in this round; those from here on are the pawns of a plan
    ]
)


@kernel
def look_at(state, node):
    """Copy what is public from a state: where the detectives stand, whose turn it is, all tickets."""
    node.entries, node.seats, node.seat = state.entries, state.seats, state.seat
    for seat in range(state.seats):
        node.station[seat] = state.station[seat]
        for fare in range(FARES):
            node.tickets[seat, fare] = state.tickets[seat, fare]
    node.station[MR_X] = NOWHERE
    node.doubles = state.tickets[MR_X, DOUBLE]


@kernel
def keep_likeliest(belief, particles, node):
    """Make particles of the likeliest stations of a belief, likeliest first, ties by station."""
    node.particles = 0
    for station in range(1, len(belief)):
        is_full = node.particles == particles
        if belief[station] > (node.weight[particles - 1] if is_full else 0.0):
            if not is_full:
                node.particles += 1
            insert_particle(node, station, belief[station])
    total = 0.0
    for particle in range(node.particles):
        total += node.weight[particle]
    for particle in range(node.particles):
        node.weight[particle] /= total


@kernel
def insert_particle(node, station, weight):
    """Put a station among the particles, behind those that weigh no less; the last one makes room."""
    place = node.particles - 1
    while place > 0 and node.weight[place - 1] < weight:
        node.weight[place], node.particle[place] = node.weight[place - 1], node.particle[place - 1]
        place -= 1
    node.weight[place], node.particle[place] = weight, station


@kernel
def keep_all(board, belief, node):
    """Make particles of all the stations of a belief, by station: there must be room for them."""
    node.particles = 0
    for station in range(1, board.stations + 1):
        if belief[station] > 0.0:
            node.particle[node.particles] = station
            node.weight[node.particles] = belief[station]
            node.particles += 1


@kernel
def expected_distance(board, node, station):
    """Return how far a station is from the particles, by their weight."""
    total = 0.0
    for particle in range(node.particles):
        total += node.weight[particle] * board.distance[station, node.particle[particle]]
    return total
