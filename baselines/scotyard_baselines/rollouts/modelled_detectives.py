"""The detectives that Mr. X expects: a mixture of plain hunters, coverage and greedy, who know what the table knows.

Some of the hunters know his network too (outlook.py): their belief begins as its posterior and is then updated by the
choice model. The others use the choice model throughout, mixed at random with the uniform belief.
"""

from scotyard_baselines.beliefs.choice_model import follow_belief, narrow_belief
from scotyard_baselines.one_ply.detectives import score_by_coverage, score_by_total_distance
from scotyard_baselines.one_ply.frame import pick
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.planner import MIX_LEVELS, choose_action, choose_by_belief
from scotyard_env.kernel import kernel
from scotyard_env.rng import draw_unit
from scotyard_env.rules import legal_actions
from scotyard_env.state import MR_X


@kernel
def choose_detective(board, rules, times, state, scratch, model, entries):
    """Choose the move of a modelled detective; the model is a number in [0, 1), the same for all of a rollout.

    The belief of those who know his network is that of the time when the log had so many entries.
    """
    parameters = scratch.parameters[0]
    if model >= parameters.greedy + parameters.coverage:
        if is_knowing(parameters, model):
            return choose_knowing(board, times, state, scratch, entries)
        return choose_hunter(board, times, state, scratch)
    count = legal_actions(board, rules, state, scratch.legal[1])
    if model < parameters.greedy:
        score_by_total_distance(board, state, scratch.moves[0], scratch.legal[1], scratch.values, count)
    else:
        score_by_coverage(board, state, scratch.moves[0], scratch.legal[1], scratch.values, count)
    return pick(scratch.legal[1], scratch.values, count, draw_unit(scratch.rng_state))


@kernel
def is_knowing(parameters, model):
    """Tell whether the detectives of a rollout are hunters who know his network."""
    others = parameters.greedy + parameters.coverage
    return others <= model < others + parameters.knowing


@kernel
def choose_knowing(board, times, state, scratch, entries):
    """Choose the move of a hunter who knows his network; the first one of a round updates the belief."""
    model, weights = scratch.planner.beliefs[0], scratch.plan_weights[0]
    if state.seat == MR_X + 1:
        follow_belief(board, times, state, entries, model)
    else:
        narrow_belief(board, state, model)
    draws, planner = scratch.plan_draws, scratch.planner
    return choose_by_belief(board, times, state, MAX_PARTICLES, draws, model.belief, weights, planner)


@kernel
def choose_hunter(board, times, state, scratch):
    """Choose the move of a plain hunter, who mixes its belief with a random share of the uniform one."""
    uniform_mix = scratch.parameters[0].uniform_mix * int(MIX_LEVELS * draw_unit(scratch.rng_state)) / (MIX_LEVELS - 1)
    weights = scratch.plan_weights[0]
    return choose_action(board, times, state, MAX_PARTICLES, uniform_mix, scratch.plan_draws, weights, scratch.planner)
