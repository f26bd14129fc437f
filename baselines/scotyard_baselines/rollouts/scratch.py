"""What a search by rollouts reads and writes: its parameters as kernels read them, and its scratch memory."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.planning.planner import PlannerScratch, make_plain_weights, new_planner_scratch
from scotyard_baselines.rollouts.turns import MAX_TURNS, TURN
from scotyard_baselines.rollouts.win_probability import FEATURES, WEIGHTS
from scotyard_env.board import Board
from scotyard_env.encode.features import most_moves
from scotyard_env.encode.features import new_scratch as new_move_scratch
from scotyard_env.kernel import record_type
from scotyard_env.state import FARES, MAX_DETECTIVES, new_states

PARAMETERS = record_type(
    [
        ("rollouts", "i8"),
        ("rounds", "i8"),
        ("prior_exponent", "f8"),
        ("temperature", "f8"),
        ("greedy", "f8"),
        ("coverage", "f8"),
        ("knowing", "f8"),
        ("uniform_mix", "f8"),
        ("double_threshold", "f8"),
        ("double_cost", "f8"),
        ("black_cost", "f8"),
        ("weights", "f8", (len(FEATURES),)),  # of the value function
    ]
)

HALVING = record_type(
    [
        ("first", "i8"),  # of the turns that are compared
        ("left", "i8"),  # how many have not been dropped
        ("phases", "i8"),  # in all
        ("singles", "i8"),  # how many turns of one move are listed
        ("total", "i8"),  # and how many turns in all
        ("played", "i8"),  # rollouts of each turn in the phases before
        ("offset", "f8"),  # where the sequence begins that says against which detectives rollouts are played
    ]
)


class Root(NamedTuple):
    """The actions of the view that is searched (rollouts/root_policy.py)."""

    size: NDArray[np.int64]  # one number: so many of the others are filled
    actions: NDArray[np.int64]
    prior: NDArray[np.float64]
    values: NDArray[np.float64]  # of the turn that begins with each
    probabilities: NDArray[np.float64]  # by which one is drawn


class Scratch(NamedTuple):
    """All that a search reads besides its views, and its scratch memory."""

    parameters: NDArray[np.void]  # one PARAMETERS
    states: NDArray[np.void]  # the game played on, and two of a turn begun
    turns: NDArray[np.void]  # TURN
    halving: NDArray[np.void]  # one HALVING
    order: NDArray[np.int64]  # the turns that have not been dropped, best first
    keys: NDArray[np.float64]  # by which they are sorted
    rng_state: NDArray[np.uint64]
    seeds: NDArray[np.uint64]  # of the rollouts of every turn in a phase
    results: NDArray[np.float64]  # of all rollouts of a phase
    log_prior: NDArray[np.float64]  # by action
    root: Root
    legal: NDArray[np.int64]  # (3, most)
    values: NDArray[np.float64]  # (most,)
    moves: NDArray[np.void]  # of the one-ply scores
    planner: PlannerScratch  # of the modelled hunters
    plan_weights: NDArray[np.void]
    plan_draws: NDArray[np.float64]  # none: the modelled hunters begin with the nearest plan only
    features: NDArray[np.float64]


def new_scratch(board: Board, **parameters: float) -> Scratch:
    """Return scratch memory for searches on a board, with their parameters."""
    record, most = np.zeros(1, PARAMETERS), most_moves(board)
    for name, value in parameters.items():
        record[name] = value
    record[0].weights[:] = list(WEIGHTS.values())
    return Scratch(
        parameters=record,
        states=new_states(3),
        turns=np.zeros(MAX_TURNS, TURN),
        halving=np.zeros(1, HALVING),
        order=np.zeros(MAX_TURNS, np.int64),
        keys=np.zeros(MAX_TURNS),
        rng_state=np.zeros(1, np.uint64),
        seeds=np.zeros(max(int(record[0].rollouts), MAX_TURNS), np.uint64),
        results=np.zeros(max(int(record[0].rollouts), MAX_TURNS)),
        log_prior=np.zeros(FARES * board.stations + 2),
        root=Root(np.zeros(1, np.int64), np.zeros(most, np.int64), np.zeros(most), np.zeros(most), np.zeros(most)),
        legal=np.zeros((3, most), np.int64),
        values=np.zeros(most),
        moves=new_move_scratch(),
        planner=new_planner_scratch(board),
        plan_weights=make_plain_weights(),
        plan_draws=np.zeros((0, MAX_DETECTIVES)),
        features=np.zeros(len(FEATURES)),
    )


def lend_to_thread(search: Scratch, own: Scratch) -> Scratch:
    """Return scratch memory for a thread that plays rollouts of a search: it shares the turns, the rest is its own."""
    return search._replace(
        states=own.states,
        rng_state=own.rng_state,
        legal=own.legal,
        values=own.values,
        moves=own.moves,
        planner=own.planner,
        features=own.features,
    )
