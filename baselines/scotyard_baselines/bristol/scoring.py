"""The scores of bristol_mr_x: what a position is worth to him, by the weights and switches of a search."""

from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import can_move, can_move_on, destination, fare_of
from scotyard_env.state import BLACK, DETECTIVES_WIN, DOUBLE, MR_X, MR_X_WINS, TRANSPORTS

ROUTE_VALUES = (1.0, 3.0, 8.0, 40.0)  # by taxi, bus, underground, ferry
CAUGHT = -20_000.0  # plus the round in which it happens: the later the better
TRAPPED = -9998.0
THREATENED = -5000.0  # plus the score that it would be otherwise
ESCAPED = 20_000.0

NEVER, EMERGENCY, PRICED = range(3)  # when a double move is searched
TREE = record_type(  # a search: what it looks for and where it is
    [
        ("distance", "f8"),  # the weights of BristolMrX
        ("routes", "f8"),
        ("double_cost", "f8"),
        ("answers", "i4"),  # its switches: the detectives move too
        ("alpha_beta", "i4"),  # branches that cannot matter are cut off
        ("closer", "i4"),  # detectives do not go away from him
        ("safe", "i4"),  # he goes where it scores 0 or above
        ("doubling", "i4"),  # NEVER, EMERGENCY or PRICED
        ("black_everywhere", "i4"),  # black tickets too where another of his goes
        ("any_threat", "i4"),  # a detective one away is a threat even if it has moved in this round
        ("doubles", "i4"),  # double tickets at the root
        ("ply", "i4"),  # of the node where the search is
        ("is_cut", "i4"),  # a game was judged before its end: there is more to see one ply deeper
        ("is_late", "i4"),  # the time is up: every node is scored as it is
        ("nodes", "i8"),  # positions looked at since the root was set up
    ]
)


@kernel
def route_value(board, state, station):
    """Return the value of the routes out of a station that Mr. X has a ticket for."""
    value = 0.0
    for transport in range(len(TRANSPORTS)):
        if state.tickets[MR_X, transport] != 0 or state.tickets[MR_X, BLACK] != 0:
            value += ROUTE_VALUES[transport] * board.links[station, transport]
    return value


@kernel
def score(board, state, tree, station, first):
    """Return the score of a station for Mr. X; the detectives from seat ``first`` on have yet to move in this round."""
    total = 0.0
    is_threatened = False
    for seat in range(1, state.seats):
        distance = board.distance[state.station[seat], station]
        total += distance
        if distance <= 1 and seat >= first:
            is_threatened = True
    value = tree.distance * total / (state.seats - 1) + tree.routes * route_value(board, state, station)
    return THREATENED + value if is_threatened else value


@kernel
def score_move(board, state, tree, action):
    """Return the score of the position after a move of Mr. X: all detectives are yet to answer."""
    to = destination(action)
    if not can_move_on(board, state, to, fare_of(action)):
        return TRAPPED
    return score(board, state, tree, to, 1)


@kernel
def score_position(board, state, tree):
    """Return the score where the search ends, less the cost of the double tickets spent since the root."""
    if state.winner == DETECTIVES_WIN:
        return CAUGHT + state.rounds
    elif state.winner == MR_X_WINS:
        return ESCAPED
    elif not can_move(board, state, MR_X, state.station[MR_X]):
        return TRAPPED
    first = state.seats if state.seat == MR_X else state.seat
    if tree.any_threat:
        first = 1
    spent = tree.doubles - state.tickets[MR_X, DOUBLE]
    return score(board, state, tree, state.station[MR_X], first) - tree.double_cost * spent
