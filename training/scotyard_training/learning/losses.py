"""Losses of some decisions with the gradients of the scores of their moves.

Scores lie one after the other; those of decision i are firsts[i]..firsts[i + 1]. A loss is a mean over the decisions of
a minibatch, of which these may be a part: ``size`` is the number of all of them. Sums for the mean are added to.
"""

import numpy as np

from scotyard_env.kernel import kernel

PPO_LOSSES = ("policy_loss", "entropy", "approx_kl", "clip_fraction")
FIT_LOSSES = ("cross_entropy", "accuracy")


@kernel
def log_softmax(scores, log_probs):
    """Write the log probabilities of the moves of one decision."""
    best, total = np.float64(scores.max()), 0.0
    for row in range(len(scores)):
        total += np.exp(scores[row] - best)
    for row in range(len(scores)):
        log_probs[row] = scores[row] - best - np.log(total)


@kernel
def write_ppo_gradients(firsts, scores, chosen, old, advantages, clip_coef, ent_coef, size, to_scores, sums):
    """Write the gradients of PPO's clipped loss and of the entropy, and add up the figures of PPO_LOSSES."""
    log_probs = np.empty(0)
    for index in range(len(chosen)):
        first, end = firsts[index], firsts[index + 1]
        if end - first > len(log_probs):
            log_probs = np.empty(end - first)
        log_softmax(scores[first:end], log_probs)
        entropy = 0.0
        for row in range(end - first):
            entropy -= np.exp(log_probs[row]) * log_probs[row]
        log_ratio = log_probs[chosen[index]] - old[index]
        ratio, advantage = np.exp(log_ratio), advantages[index]
        gain = min(ratio * advantage, min(max(ratio, 1 - clip_coef), 1 + clip_coef) * advantage)
        to_chosen = -ratio * advantage / size if gain == ratio * advantage else 0.0  # nothing where it is clipped
        for row in range(end - first):
            probability = np.exp(log_probs[row])
            to_entropy = -probability * (log_probs[row] + entropy) / size
            to_scores[first + row] = -to_chosen * probability - ent_coef * to_entropy
        to_scores[first + chosen[index]] += to_chosen
        sums[0] -= gain
        sums[1] += entropy
        sums[2] += ratio - 1 - log_ratio  # J. Schulman, Approximating KL Divergence, 2020: k3
        sums[3] += abs(ratio - 1) > clip_coef


@kernel
def add_kl_gradients(firsts, scores, magnet_scores, weight, to_scores):
    """Add the gradients of the KL divergences from a magnet, each with this weight; return the sum of them."""
    log_probs, magnet, total = np.empty(0), np.empty(0), 0.0
    for index in range(len(firsts) - 1):
        first, end = firsts[index], firsts[index + 1]
        if end - first > len(log_probs):
            log_probs, magnet = np.empty(end - first), np.empty(end - first)
        log_softmax(scores[first:end], log_probs)
        log_softmax(magnet_scores[first:end], magnet)
        divergence = 0.0
        for row in range(end - first):
            divergence += np.exp(log_probs[row]) * (log_probs[row] - magnet[row])
        for row in range(end - first):
            excess = log_probs[row] - magnet[row] - divergence
            to_scores[first + row] += weight * np.exp(log_probs[row]) * excess
        total += divergence
    return total


@kernel
def write_fit_gradients(firsts, scores, wanted, size, to_scores, sums):
    """Write the gradients of the cross entropy with what was wanted, and add up the figures of FIT_LOSSES."""
    log_probs = np.empty(0)
    for index in range(len(wanted)):
        first, end = firsts[index], firsts[index + 1]
        if end - first > len(log_probs):
            log_probs = np.empty(end - first)
        log_softmax(scores[first:end], log_probs)
        for row in range(end - first):
            to_scores[first + row] = np.exp(log_probs[row]) / size
        to_scores[first + wanted[index]] -= 1.0 / size
        sums[0] -= log_probs[wanted[index]]
        sums[1] += scores[first:end].argmax() == wanted[index]
