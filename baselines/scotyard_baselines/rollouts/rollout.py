"""One rollout: a turn of Mr. X and some rounds after it, and what the position is worth where they end."""

from scotyard_baselines.beliefs.choice_model import follow_belief, infer_belief
from scotyard_baselines.one_ply.frame import pick
from scotyard_baselines.one_ply.mr_x import DISTANCE_WEIGHT, EXIT_WEIGHT, score_by_hiding
from scotyard_baselines.rollouts.modelled_detectives import choose_detective, is_knowing
from scotyard_baselines.rollouts.win_probability import win_probability
from scotyard_env.arrays import copy_values
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit
from scotyard_env.rules import apply, double_action, fare_of, legal_actions
from scotyard_env.state import DETECTIVES_WIN, MR_X, PLAYING


@kernel
def roll_out(board, rules, times, states, index, beliefs, scratch, turn, model):
    """Play a turn and some rounds after it; return the probability that Mr. X gets away from where they end.

    The model is a number in [0, 1) that says which of the modelled detectives he plays against.
    """
    scratch.states[0] = states[index]
    state = scratch.states[0]
    is_known = is_knowing(scratch.parameters[0], model)
    entries = begin_known_belief(board, state, beliefs[index], turn.actions[0], scratch) if is_known else 0
    for step in range(turn.steps):
        apply(board, rules, state, turn.actions[step])
    last = state.rounds + scratch.parameters[0].rounds - 1
    while state.winner == PLAYING:
        if state.seat != MR_X:
            action = choose_detective(board, rules, times, state, scratch, model, entries)
            entries = int(state.entries)
            apply(board, rules, state, action)
        elif state.owed == 0 and state.rounds >= last:
            if is_known:
                follow_belief(board, times, state, entries, scratch.planner.beliefs[0])
            else:
                infer_belief(board, times, state, scratch.planner.beliefs[0])
            return judge(board, rules, times, state, scratch)
        else:
            apply(board, rules, state, choose_mr_x(board, rules, state, scratch))
    return 0.0 if state.winner == DETECTIVES_WIN else 1.0


@kernel
def begin_known_belief(board, state, beliefs, action, scratch):
    """Write the belief after an action of detectives who know his network; return the entries that the log then has."""
    is_announced = action == double_action(board)
    copy_values(beliefs[len(beliefs) - 1 if is_announced else fare_of(action)], scratch.planner.beliefs[0].after)
    return int(state.entries) if is_announced else int(state.entries) + 1


@kernel
def judge(board, rules, times, state, scratch):
    """Return the value of a position in which Mr. X is to move, by what the detectives of the rollout believe."""
    weights, belief = scratch.parameters[0].weights, scratch.planner.beliefs[0].belief
    return win_probability(board, rules, times, state, belief, weights, scratch.features)


@kernel
def choose_mr_x(board, rules, state, scratch):
    """Choose Mr. X's next action by hiding one move ahead."""
    count = legal_actions(board, rules, state, scratch.legal[1])
    weights = EXIT_WEIGHT, DISTANCE_WEIGHT
    score_by_hiding(board, rules, state, scratch.moves[0], weights, scratch.legal[1], scratch.values, count)
    return pick(scratch.legal[1], scratch.values, count, draw_unit(scratch.rng_state))
