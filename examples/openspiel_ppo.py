"""Train one side with OpenSpiel's PPO against a policy of ours, and tell how often it wins before and after.

python examples/openspiel_ppo.py --side mr_x --opponent greedy --steps 100000 --out ppo.pt
PYTHONPATH=examples scotyard match --mr-x openspiel_ppo:trained:file=ppo.pt --detectives greedy
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import torch
import tyro
from open_spiel.python import policy, rl_environment, vector_env
from open_spiel.python.pytorch.ppo import PPO, PPOAgent, legal_actions_to_mask

from scotyard_env.arena.match import play_match
from scotyard_env.openspiel import OpenSpielPolicy, ScotlandYardBot
from scotyard_env.policy import SIDES, Side


@dataclasses.dataclass(frozen=True)
class Settings:
    """Who learns what against whom."""

    side: Side = "mr_x"
    opponent: str = "greedy"  # the name of a policy for the other side
    board: str = "london"
    rules: str = ""  # those of the board if left out
    steps: int = 100_000  # decisions of the learner
    envs: int = 8  # games at once
    steps_per_batch: int = 128  # decisions in each of them between updates
    learning_rate: float = 2.5e-4
    games: int = 50  # to measure the win rate
    seed: int = 0
    out: Path | None = None  # file for the network


class Duel:
    """An environment of OpenSpiel in which a bot plays the other side: a learner sees its own decisions only."""

    def __init__(self, game: Any, player: int, opponent: str, seed: int) -> None:
        chance = rl_environment.ChanceEventSampler(seed)
        kind = rl_environment.ObservationType.OBSERVATION
        self.env = rl_environment.Environment(game, chance_event_sampler=chance, observation_type=kind)
        self.player, self.bot = player, ScotlandYardBot(opponent, 1 - player, seed)
        self.get_time_step, self.observation_spec = self.env.get_time_step, self.env.observation_spec

    def reset(self) -> Any:
        """Deal a game and play up to the learner's first decision."""
        return self._play_on(self.env.reset())

    def step(self, actions: list[int]) -> Any:
        """Play the learner's action, and on to its next decision or the end."""
        return self._play_on(self.env.step(actions))

    def _play_on(self, step: Any) -> Any:
        while not step.last() and step.current_player() != self.player:
            step = self.env.step([self.bot.step(self.env.get_state)])
        return step


class PpoPolicy(policy.Policy):
    """What a learner of PPO would play."""

    def __init__(self, game: Any, learner: PPO) -> None:
        super().__init__(game, [learner.player_id])
        self.learner = learner

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action."""
        player, legal = self.learner.player_id, state.legal_actions()
        seen = torch.tensor(state.observation_tensor(player))[None]
        mask = legal_actions_to_mask([legal], self.learner.num_actions)
        with torch.no_grad():
            shares = self.learner.get_action_and_value(seen, legal_actions_mask=mask)[-1][0]
        return {action: float(shares[action]) for action in legal}


def make_game(settings: Settings) -> Any:
    """Load the game of these settings."""
    return pyspiel.load_game("python_scotland_yard", {"board": settings.board, "rules": settings.rules})


def make_learner(game: Any, settings: Settings) -> PPO:
    """Return OpenSpiel's PPO with a network that has learned nothing."""
    torch.manual_seed(settings.seed)
    np.random.seed(settings.seed)  # noqa: NPY002  # from which PPO draws its minibatches
    return PPO(
        input_shape=(game.observation_tensor_size(),),
        num_actions=game.num_distinct_actions(),
        num_players=2,
        player_id=SIDES.index(settings.side),
        num_envs=settings.envs,
        steps_per_batch=settings.steps_per_batch,
        learning_rate=settings.learning_rate,
        gamma=1.0,
        agent_fn=PPOAgent,
    )


def train(learner: PPO, game: Any, settings: Settings) -> None:
    """Learn for so many decisions."""
    player = learner.player_id
    seeds = range(settings.seed, settings.seed + settings.envs)
    envs = vector_env.SyncVectorEnv([Duel(game, player, settings.opponent, seed) for seed in seeds])
    steps = envs.reset()
    for _ in range(max(1, settings.steps // learner.batch_size)):
        for _ in range(settings.steps_per_batch):
            chosen = learner.step(steps)
            steps, rewards, done, _ = envs.step(chosen, reset_if_done=True)
            learner.post_step([reward[player] for reward in rewards], done)
        learner.learn(steps)


def win_rate(learner: PPO, game: Any, settings: Settings) -> float:
    """Return the share of games that the learner wins, played by our arena."""
    own = OpenSpielPolicy(PpoPolicy(game, learner), sides=(settings.side,), most_paths=1)
    pair = (own, settings.opponent) if settings.side == "mr_x" else (settings.opponent, own)
    matches = [play_match(*pair, board=game.board, rules=game.rules, seed=seed) for seed in range(settings.games)]
    return sum(match.game.winner == settings.side for match in matches) / settings.games


def trained(file: str) -> OpenSpielPolicy:
    """Return the policy whose network is in a file that ``--out`` wrote."""
    kept = torch.load(file, weights_only=True)
    settings = Settings(side=kept["side"], board=kept["board"], rules=kept["rules"], envs=1, steps_per_batch=1)
    game = make_game(settings)
    learner = make_learner(game, settings)
    learner.network.load_state_dict(kept["network"])
    return OpenSpielPolicy(PpoPolicy(game, learner), sides=(settings.side,), most_paths=1)


def main(settings: Settings) -> None:
    """Measure, train, measure again and save."""
    torch.set_num_threads(1)
    game = make_game(settings)
    learner = make_learner(game, settings)
    print(f"{settings.side} against {settings.opponent}: wins {win_rate(learner, game, settings):.0%} before")
    train(learner, game, settings)
    print(f"{win_rate(learner, game, settings):.0%} after {learner.total_steps_done:,} decisions")
    if settings.out is not None:
        kept = {"side": settings.side, "board": settings.board, "rules": settings.rules}
        torch.save({**kept, "network": learner.network.state_dict()}, settings.out)


if __name__ == "__main__":
    main(tyro.cli(Settings))
