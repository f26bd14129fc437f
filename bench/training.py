"""How fast training is: our own PPO with the shipped network, beside MaskablePPO on the AEC environment.

On one thread, but for ``train_two_cores``: how many times as fast two processes are that share the same games and the
same minibatches.
"""

import dataclasses
import statistics
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import scotyard_env
from bench.timing import rate
from scotyard_baselines.networks.weights import DATA, Weights
from scotyard_env.policy import make_policy
from scotyard_env.view import Views
from scotyard_training import ppo
from scotyard_training.learning.padded_inputs import pad_inputs
from scotyard_training.learning.ppo_learner import PpoLearner
from scotyard_training.learning.sb3_policy import ScorerActorCritic, ScorerVecEnv
from scotyard_training.learning.team import lead

OPPONENT = "random,greedy,hider"
UPDATES = 4
GAMES = 16  # AEC environments under DummyVecEnv
STEPS = 32  # in each of them between updates
ARGS = ppo.Command(opponent=OPPONENT, num_envs=512, minibatch_size=2048)
TOGETHER = dataclasses.replace(ARGS, init_weights=str(DATA / "ppo_detectives.npz"), processes=2)

KNOWN = ppo.Command(
    side="mr_x",
    opponent="hunters:starts=1,particles=16,hedge_rounds=0,ppo_detectives",
    knowing_share=0.85,
    own_posterior=True,
    init_weights=str(DATA / "mr_x_known.npz"),
)


class DetectivesOfAec(gymnasium.Env[Any, Any]):
    """The AEC environment as MaskablePPO needs it: the detectives learn, greedy plays Mr. X inside the step."""

    def __init__(self) -> None:
        self.env = scotyard_env.make(observation="compact")
        self.mr_x, self.rng = make_policy("greedy"), np.random.default_rng(0)
        games = ScorerVecEnv(1, side="detectives", opponent="random")
        self.observation_space, self.action_space = games.observation_space, games.action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a new game."""
        self.env.reset(seed=seed)
        self._answer()
        return self._observe(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a detective's action and Mr. X's after it."""
        agent = self.env.agent_selection
        self.env.step(int(action))
        self._answer()
        is_over = self.env.terminations[agent]
        return self._observe(), float(self.env.rewards[agent]), is_over, False, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions."""
        mask: NDArray[np.bool_] = self.env.observe(self.env.agent_selection)["action_mask"].astype(np.bool_)
        return mask

    def _answer(self) -> None:
        while self.env.agent_selection == "mr_x" and not self.env.terminations["mr_x"]:
            self.env.step(self.mr_x.act(self.env.view("mr_x"), self.rng).action)

    def _observe(self) -> Any:
        view = self.env.view(self.env.agent_selection)
        if self.env.terminations[self.env.agent_selection]:
            return self.observation_space.sample()  # never learned from
        shown = pad_inputs(Views(view.board, view.rules, view.states))
        return {name: array[0] for name, array in shown.items()}


def new_learner() -> PpoLearner:
    """Make a learner with the shipped network."""
    learner = ppo.make_learner(ARGS)
    learner.actor.set_weights(Weights.load(DATA / "ppo_detectives.npz"))
    ppo.learn(learner, ARGS)
    return learner


def new_model() -> MaskablePPO:
    """Make MaskablePPO with the same network on the AEC environment."""
    games = DummyVecEnv([DetectivesOfAec] * GAMES)
    kind: Any = ScorerActorCritic
    model = MaskablePPO(kind, games, n_steps=STEPS, batch_size=256, n_epochs=ARGS.update_epochs, device="cpu")
    model.learn(GAMES * STEPS)
    return model


def known_rate() -> float:
    """Return how many decisions a second a Mr. X learns from against detectives who know his network."""
    learner = ppo.make_learner(KNOWN)
    ppo.learn(learner, KNOWN)  # loads what is compiled, and brings the games apart
    return max(rate(lambda: _learn(learner, KNOWN)) for _ in range(UPDATES))


def two_cores() -> float:
    """Return how many times as fast two processes learn as one, the median of some updates of each in turn."""
    alone, together = new_learner(), ppo.make_learner(TOGETHER)
    ratios = []
    with lead(TOGETHER.processes, ppo.follow, TOGETHER):
        for _ in range(1 + UPDATES):
            together.team.tell("learn")
            both = rate(lambda: _learn(together, TOGETHER))
            ratios.append(both / rate(lambda: _learn(alone, ARGS)))
    return statistics.median(ratios[1:])  # the first loads what is compiled


def _learn(learner: PpoLearner, args: ppo.Command) -> int:
    before = learner.steps
    ppo.learn(learner, args)
    return learner.steps - before


def measure() -> dict[str, float]:
    """Take every figure."""
    torch.set_num_threads(1)
    learner, model = new_learner(), new_model()

    def learn_slowly() -> int:
        model.learn(GAMES * STEPS, reset_num_timesteps=False)
        return GAMES * STEPS

    rates, speedups, shares = [], [], []
    for _ in range(UPDATES):
        start, learner.games.seconds = time.perf_counter(), 0.0
        rates.append(rate(lambda: _learn(learner, ARGS)))
        shares.append(learner.games.seconds / (time.perf_counter() - start))
        speedups.append(rates[-1] / rate(learn_slowly))
    return {
        "train_env_share": statistics.median(shares),
        "train_decisions_per_s": max(rates),
        "train_speedup": statistics.median(speedups),
        "train_two_cores": two_cores(),
        "train_known_decisions_per_s": known_rate(),
    }
