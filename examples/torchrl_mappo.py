"""MAPPO and independent PPO with TorchRL, on the parallel environment: both sides learn against each other.

    pip install torchrl
    python examples/torchrl_mappo.py --method mappo --iterations 200

The detectives share a network. Every actor sees what its agent may know. The critic of MAPPO sees the state, that of
independent PPO (``--method ippo``) what the actor sees. Agents who are not to move have PASS as their one legal action,
so that their decisions have probability 1 and no gradient.
"""

import argparse

import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import Tensor, nn
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, MultiAgentMLP, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

import scotyard_env

# ------------------------------------------------------------------------------------------------------- arguments
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--method", choices=["mappo", "ippo"], default="mappo")
parser.add_argument("--board", default="docklands")
parser.add_argument("--iterations", type=int, default=200, help="updates")
parser.add_argument("--steps", type=int, default=1000, help="turns between updates")
parser.add_argument("--epochs", type=int, default=4, help="times that every turn is learned from")
parser.add_argument("--minibatch-size", type=int, default=250, help="turns in a step of the optimizer")
parser.add_argument("--learning-rate", type=float, default=3e-4)
parser.add_argument("--gamma", type=float, default=0.999)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

# ----------------------------------------------------------------------------------------------------------- games
torch.manual_seed(args.seed)
torch.set_num_threads(1)
games = scotyard_env.parallel_env(board=args.board)
sides = {"mr_x": ["mr_x"], "detectives": games.possible_agents[1:]}
env = PettingZooWrapper(games, group_map=sides, return_state=True, categorical_actions=True, seed=args.seed)


# -------------------------------------------------------------------------------------------------------- networks
class StateCritic(nn.Module):
    """The critic of MAPPO: one value of the state, the same for all agents of a side."""

    def __init__(self, agents: int) -> None:
        super().__init__()
        self.agents = agents
        self.layers = nn.Sequential(nn.LazyLinear(128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1))

    def forward(self, state: Tensor) -> Tensor:
        """Return values, (..., agents, 1)."""
        values: Tensor = self.layers(state)
        return values.unsqueeze(-2).expand(*values.shape[:-1], self.agents, 1)


def make_actor(side: str) -> ProbabilisticActor:
    """Make the network that all agents of a side share; illegal actions have probability 0."""
    shown, width = env.observation_spec[side, "observation", "observation"], env.full_action_spec[side, "action"].n
    network = MultiAgentMLP(
        shown.shape[-1], int(width), len(sides[side]), centralized=False, share_params=True, num_cells=(128, 128)
    )
    scores = TensorDictModule(network, [(side, "observation", "observation")], [(side, "logits")])
    return ProbabilisticActor(
        scores,
        in_keys={"logits": (side, "logits"), "mask": (side, "action_mask")},
        out_keys=[(side, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(side, "log_prob"),
    )


def make_critic(side: str) -> TensorDictModule:
    """Make the critic of a side."""
    if args.method == "mappo":
        return TensorDictModule(StateCritic(len(sides[side])), ["state"], [(side, "value")])
    width = env.observation_spec[side, "observation", "observation"].shape[-1]
    network = MultiAgentMLP(width, 1, len(sides[side]), centralized=False, share_params=True, num_cells=(128, 128))
    return TensorDictModule(network, [(side, "observation", "observation")], [(side, "value")])


def make_loss(side: str) -> ClipPPOLoss:
    """Make PPO's loss of a side."""
    loss = ClipPPOLoss(actors[side], critics[side], clip_epsilon=0.2, entropy_coeff=0.01, normalize_advantage=True)
    keys = {name: (side, name) for name in ("reward", "action", "value", "done", "terminated")}
    loss.set_keys(
        **keys, sample_log_prob=(side, "log_prob"), advantage=(side, "advantage"), value_target=(side, "value_target")
    )
    loss.make_value_estimator(loss.default_value_estimator, gamma=args.gamma, lmbda=0.95)
    return loss


actors, critics = {side: make_actor(side) for side in sides}, {side: make_critic(side) for side in sides}
everybody = TensorDictSequential(*actors.values())
with torch.no_grad():
    for critic in critics.values():
        critic(env.reset())  # lazy layers learn their width
losses = {side: make_loss(side) for side in sides}
optimizers = {side: torch.optim.Adam(losses[side].parameters(), args.learning_rate) for side in sides}


# ----------------------------------------------------------------------------------------------- learn and measure
def learn(side: str, turns: TensorDictBase) -> None:
    """Learn from some turns, several times in minibatches."""
    for name in ("done", "terminated"):  # of the game: torchrl keeps those of the agents
        turns["next", side, name] = turns["next", name].unsqueeze(-1).expand(turns["next", side, "reward"].shape)
    with torch.no_grad():
        losses[side].value_estimator(turns)
    for _ in range(args.epochs):
        for part in torch.randperm(len(turns)).split(args.minibatch_size):
            found = losses[side](turns[part])
            optimizers[side].zero_grad()
            (found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(losses[side].parameters(), 0.5)
            optimizers[side].step()


for iteration in range(1, args.iterations + 1):
    with torch.no_grad():
        turns = env.rollout(args.steps, everybody, break_when_any_done=False)
    for side in sides:
        learn(side, turns)
    results = turns["next", "mr_x", "reward"][turns["next", "mr_x", "reward"] != 0]
    print(f"{iteration}: {len(results)} games, detectives won {(results < 0).float().mean():.0%}", flush=True)
