"""One rollout: a turn of Mr. X and some rounds after it, and what the position is worth where they end."""

from scotyard_baselines.beliefs.choice_model import infer_belief
from scotyard_baselines.one_ply.frame import pick
from scotyard_baselines.one_ply.mr_x import DISTANCE_WEIGHT, EXIT_WEIGHT, score_by_hiding
from scotyard_baselines.rollouts.modelled_detectives import choose_detective
from scotyard_baselines.rollouts.win_probability import win_probability
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit
from scotyard_env.rules import apply, legal_actions
from scotyard_env.state import DETECTIVES_WIN, MR_X, PLAYING


@kernel
def roll_out(board, rules, times, states, index, scratch, turn):
    """Play a turn and some rounds after it; return the probability that Mr. X gets away from where they end."""
    scratch.states[0] = states[index]
    state = scratch.states[0]
    for step in range(turn.steps):
        apply(board, rules, state, turn.actions[step])
    last = state.rounds + scratch.parameters[0].rounds - 1
    model = draw_unit(scratch.rng_state)
    while state.winner == PLAYING:
        if state.seat != MR_X:
            apply(board, rules, state, choose_detective(board, rules, times, state, scratch, model))
        elif state.owed == 0 and state.rounds >= last:
            return judge(board, rules, times, state, scratch)
        else:
            apply(board, rules, state, choose_mr_x(board, rules, state, scratch))
    return 0.0 if state.winner == DETECTIVES_WIN else 1.0


@kernel
def judge(board, rules, times, state, scratch):
    """Return the value of a position in which Mr. X is to move."""
    model = scratch.planner.beliefs[0]
    infer_belief(board, times, state, model)
    weights = scratch.parameters[0].weights
    return win_probability(board, rules, times, state, model.belief, weights, scratch.features)


@kernel
def choose_mr_x(board, rules, state, scratch):
    """Choose Mr. X's next action by hiding one move ahead."""
    count = legal_actions(board, rules, state, scratch.legal[1])
    weights = EXIT_WEIGHT, DISTANCE_WEIGHT
    score_by_hiding(board, rules, state, scratch.moves[0], weights, scratch.legal[1], scratch.values, count)
    return pick(scratch.legal[1], scratch.values, count, draw_unit(scratch.rng_state))
