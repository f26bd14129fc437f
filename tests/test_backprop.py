from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from small_runs import SMALL

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_training import ppo  # noqa: E402
from scotyard_training.learning import backprop  # noqa: E402
from scotyard_training.learning.backprop import split, take_chunk  # noqa: E402
from scotyard_training.learning.losses import write_fit_gradients  # noqa: E402
from scotyard_training.learning.ppo_learner import LOSSES, PpoLearner, anneal  # noqa: E402
from scotyard_training.learning.rollout import Rollout, collect, take  # noqa: E402

ARGS = ppo.Command(**SMALL, opponent="random,greedy", clip_coef=0.05, ent_coef=0.1)


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> PpoLearner:
    """Return a learner whose minibatches are more than one chunk, and whose player is not the one who has played."""
    monkeypatch.setattr(backprop, "SIZE", 48)
    learner = ppo.make_learner(ARGS)
    with torch.no_grad():
        for network in learner.networks().values():
            for weights in network.parameters():
                weights += 0.1 * torch.randn_like(weights)
    return learner


def losses_by_torch(learner: PpoLearner, rollout: Rollout, advantages: np.ndarray, returns: np.ndarray) -> list[float]:
    """Work PPO's loss out as one writes it down, and let torch derive the gradients."""
    inputs, mr_x, opponent, privileged = rollout.decisions
    batch = take(inputs, np.arange(len(advantages)))
    log_probs = learner.actor(batch)
    advantage = torch.from_numpy(advantages)
    log_ratio = log_probs.gather(1, torch.from_numpy(rollout.chosen)[:, None]).squeeze(1) - torch.from_numpy(
        rollout.log_probs
    )
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - ARGS.clip_coef, 1 + ARGS.clip_coef)
    policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
    entropy = -(log_probs.exp() * log_probs.masked_fill(log_probs.isneginf(), 0.0)).sum(1).mean()
    told = (torch.from_numpy(array) for array in (privileged, mr_x, opponent))
    value_loss = (learner.critic(batch.stations, batch.belief, batch.facts, *told) - torch.from_numpy(returns)).square()
    (policy_loss - ARGS.ent_coef * entropy + ARGS.vf_coef * value_loss.mean()).backward()
    approx_kl, clip_fraction = ((ratio - 1) - log_ratio).mean(), ((ratio - 1).abs() > ARGS.clip_coef).float().mean()
    return [figure.item() for figure in (policy_loss, entropy, approx_kl, clip_fraction, value_loss.mean())]


def test_losses_and_gradients_of_ppo_are_those_that_torch_derives(
    learner: PpoLearner, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = ppo.make_learner(dataclasses.replace(ARGS, seed=1)).actor.weights()
    rollout = collect(learner.games, player, 8, learner.rng)
    rng = np.random.default_rng(0)
    advantages, returns = (rng.normal(size=len(rollout.chosen)).astype(np.float32) for _ in range(2))
    wanted = losses_by_torch(learner, rollout, advantages, returns)
    gradients = {name: flat.clone() for name, flat in learner.gradients.items()}
    for flat in learner.gradients.values():
        flat.zero_()
    monkeypatch.setattr(learner, "descend", lambda *_: None)
    order = np.arange(len(advantages))
    found = learner.learn_from(rollout, order, advantages, returns, anneal(ARGS, 0))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, err_msg=str(LOSSES))
    assert 0.1 < found[3] < 0.9  # some are clipped
    for name, flat in learner.gradients.items():
        torch.testing.assert_close(flat, gradients[name], rtol=1e-4, atol=1e-6)


def test_the_gradients_of_imitation_are_those_that_torch_derives(learner: PpoLearner) -> None:
    rollout = collect(learner.games, learner.actor.weights(), 4, learner.rng)
    inputs, labels = rollout.decisions.inputs, rollout.chosen
    log_probs = learner.actor(take(inputs, np.arange(len(labels))))
    loss = torch.nn.functional.nll_loss(log_probs, torch.from_numpy(labels))
    loss.backward()
    gradients = learner.gradients["actor"].clone()
    learner.gradients["actor"].zero_()
    sums = np.zeros(2)
    for part in split(np.arange(len(labels))):
        chunk = take_chunk(inputs, part)
        scores = learner.actor_pass.forward(chunk)
        to_scores = torch.empty_like(scores)
        write_fit_gradients(chunk.firsts, scores.numpy(), labels[part], len(labels), to_scores.numpy(), sums)
        learner.actor_pass.backward(to_scores)
    assert sums[0] / len(labels) == pytest.approx(loss.item(), rel=1e-4)
    assert sums[1] == (log_probs.argmax(1).numpy() == labels).sum()
    torch.testing.assert_close(learner.gradients["actor"], gradients, rtol=1e-4, atol=1e-6)
