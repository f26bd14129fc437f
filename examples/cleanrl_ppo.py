"""PPO in one file, in the manner of CleanRL, on thousands of games: read it from top to bottom.

    pip install torch
    python examples/cleanrl_ppo.py --side mr_x --opponent greedy

The network scores every legal move by its row of features (``moves=True``) and by what is observed, so that there is
nothing to mask: what is not legal has no row. ``--plain`` is the usual head over all actions, with the mask.
"""

import argparse
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import scotyard_env

# ------------------------------------------------------------------------------------------------------- arguments
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--side", choices=["mr_x", "detectives"], default="mr_x")
parser.add_argument("--opponent", default="greedy", help="policies of the other side, separated by commas")
parser.add_argument("--board", default="london")
parser.add_argument("--plain", action="store_true", help="a head over all actions instead of a score for every move")
parser.add_argument("--total-timesteps", type=int, default=500_000)
parser.add_argument("--num-envs", type=int, default=256)
parser.add_argument("--num-steps", type=int, default=32)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--gamma", type=float, default=0.999)
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--update-epochs", type=int, default=2)
parser.add_argument("--minibatch-size", type=int, default=1024)
parser.add_argument("--clip-coef", type=float, default=0.2)
parser.add_argument("--ent-coef", type=float, default=0.005)
parser.add_argument("--vf-coef", type=float, default=0.5)
parser.add_argument("--max-grad-norm", type=float, default=0.5)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()


# --------------------------------------------------------------------------------------------------------- network
class Agent(nn.Module):
    """Actor and critic; ``choices`` are the slots that an action is drawn from: legal moves, or all actions."""

    def __init__(self, observed: int, moves: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(observed, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.value = nn.Linear(width, 1)
        self.row, self.score = nn.Linear(moves, width), nn.Linear(width, 1)
        self.head = nn.Linear(width, actions)

    def forward(self, shown: dict[str, Tensor]) -> tuple[Categorical, Tensor]:
        """Return the distribution over slots and the values, (n,)."""
        state = self.trunk(shown["observation"])
        if args.plain:
            logits = self.head(state).masked_fill(shown["action_mask"] == 0, -1e9)
        else:
            rows = (self.row(shown["move_features"]) + state[:, None]).relu()
            logits = self.score(rows).squeeze(-1).masked_fill(shown["move_ids"] < 0, -1e9)
        return Categorical(logits=logits), self.value(state).squeeze(-1)


def read(arrays: dict[str, np.ndarray]) -> dict[str, Tensor]:
    """Return what the network reads of observations, as tensors."""
    kept = ("observation", "action_mask") if args.plain else ("observation", "move_features", "move_ids")
    return {name: torch.from_numpy(arrays[name]) for name in kept}


# ----------------------------------------------------------------------------------------------------------- games
torch.set_num_threads(1)
torch.manual_seed(args.seed)
envs = scotyard_env.make_vec(
    args.num_envs, side=args.side, opponent=args.opponent.split(","), board=args.board, moves=not args.plain
)
shapes = envs.single_observation_space.spaces
row_width = 1 if args.plain else shapes["move_features"].shape[-1]
agent = Agent(shapes["observation"].shape[0], row_width, int(envs.single_action_space.n))
optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)
shown = read(envs.reset(seed=args.seed)[0])
start, steps = time.time(), 0

# ----------------------------------------------------------------------------------------------- learn and measure
while steps < args.total_timesteps:
    seen, slots, log_probs, values, rewards, ends = [], [], [], [], [], []
    for _ in range(args.num_steps):
        with torch.no_grad():
            distribution, value = agent(shown)
        slot = distribution.sample()
        action = slot if args.plain else shown["move_ids"].gather(1, slot[:, None])[:, 0]
        arrays, reward, ended, _, _ = envs.step(action.numpy().astype(np.int64))
        for kept, new in zip(
            (seen, slots, log_probs, values), (shown, slot, distribution.log_prob(slot), value), strict=True
        ):
            kept.append(new)
        rewards.append(torch.from_numpy(reward).float())
        ends.append(torch.from_numpy(ended).float())
        shown = read(arrays)
    steps += args.num_envs * args.num_steps

    with torch.no_grad():
        after = agent(shown)[1]
    advantages, trace = [], torch.zeros(args.num_envs)
    for step in reversed(range(args.num_steps)):  # a game that ends is dealt anew: nothing flows across its end
        goes_on = 1.0 - ends[step]
        delta = rewards[step] + args.gamma * after * goes_on - values[step]
        trace = delta + args.gamma * args.gae_lambda * goes_on * trace
        after = values[step]
        advantages.insert(0, trace)

    batch = {name: torch.cat([one[name] for one in seen]) for name in seen[0]}
    flat = [torch.cat(kept) for kept in (slots, log_probs, values, advantages)]
    for _ in range(args.update_epochs):
        for part in torch.randperm(len(flat[0])).split(args.minibatch_size):
            slot, before, value, advantage = (kept[part] for kept in flat)
            distribution, new_value = agent({name: one[part] for name, one in batch.items()})
            ratio = (distribution.log_prob(slot) - before).exp()
            normalised = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(ratio * normalised, clipped * normalised).mean()
            value_loss = 0.5 * (new_value - (advantage + value)).square().mean()
            loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()

    results = torch.cat(rewards)[torch.cat(ends) > 0]
    rate = (results > 0).float().mean().item() if len(results) else float("nan")
    print(
        f"{steps:,} won {rate:.0%} of {len(results)} games, {steps / (time.time() - start):,.0f} decisions/s",
        flush=True,
    )
