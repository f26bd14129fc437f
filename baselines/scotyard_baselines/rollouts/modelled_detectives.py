"""The detectives that Mr. X expects: a mixture of plain hunters, coverage and greedy, who know what the table knows."""

from scotyard_baselines.one_ply.detectives import score_by_coverage, score_by_total_distance
from scotyard_baselines.one_ply.frame import pick
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.planner import MIX_LEVELS, choose_action
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit
from scotyard_env.rules import legal_actions


@kernel
def choose_detective(board, rules, times, state, scratch, model):
    """Choose the move of a modelled detective; the model is a draw in [0, 1), the same for all of a rollout."""
    parameters = scratch.parameters[0]
    if model < parameters.greedy:
        count = legal_actions(board, rules, state, scratch.legal[1])
        score_by_total_distance(board, state, scratch.moves[0], scratch.legal[1], scratch.values, count)
    elif model < parameters.greedy + parameters.coverage:
        count = legal_actions(board, rules, state, scratch.legal[1])
        score_by_coverage(board, state, scratch.moves[0], scratch.legal[1], scratch.values, count)
    else:
        return choose_hunter(board, times, state, scratch)
    return pick(scratch.legal[1], scratch.values, count, draw_unit(scratch.rng_state))


@kernel
def choose_hunter(board, times, state, scratch):
    """Choose the move of a plain hunter, who draws anew how far to trust its belief."""
    uniform_mix = scratch.parameters[0].uniform_mix * int(MIX_LEVELS * draw_unit(scratch.rng_state)) / (MIX_LEVELS - 1)
    weights = scratch.plan_weights[0]
    return choose_action(board, times, state, MAX_PARTICLES, uniform_mix, scratch.plan_draws, weights, scratch.planner)
