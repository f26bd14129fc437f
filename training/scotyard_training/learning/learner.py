"""A side that learns, whatever it learns by: what is measured of it, and what a checkpoint of it holds."""

import contextlib
import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from scotyard_baselines.beliefs.posterior import Posterior
from scotyard_baselines.networks.belief_features import ROW_WIDTH
from scotyard_baselines.networks.inputs import FACTS_WIDTH
from scotyard_env.policy import Policy
from scotyard_env.rng import policy_rng
from scotyard_training.learning.checkpoint import check_like, check_optimizer, save_checkpoint
from scotyard_training.learning.evaluation import ActorPolicy, win_rates
from scotyard_training.learning.games_kept import pack_games, unpack_games
from scotyard_training.learning.knowing import pack_inferred, unpack_inferred
from scotyard_training.learning.opponents import names_of
from scotyard_training.learning.scorer import Actor
from scotyard_training.learning.side_games import SideGames
from scotyard_training.learning.team import ALONE, Team


class DivergedError(ValueError):
    """Learning that has lost its way: a loss or a weight is no finite number."""

    def __init__(self, what: str, steps: int) -> None:
        good = "what was saved before is as it was, and --resume goes on from there"
        super().__init__(f"learning diverged after {steps:,} decisions, {what}: {good}; give a lower --learning-rate")


def check_networks(networks: dict[str, nn.Module], steps: int) -> None:
    """Refuse networks with weights that are not finite."""
    for name, network in networks.items():
        for part, weights in network.named_parameters():
            if not weights.isfinite().all():
                raise DivergedError(f"{name}.{part} is not finite", steps)


def lay_out_gradients(networks: dict[str, nn.Module]) -> tuple[Tensor, dict[str, Tensor]]:
    """Give networks gradients, all 0, in one stretch of memory; return all of it, and that of each network."""
    sizes = [sum(weights.numel() for weights in network.parameters()) for network in networks.values()]
    whole = torch.zeros(sum(sizes))
    parts = dict(zip(networks, whole.split(sizes), strict=True))
    for name, network in networks.items():
        rest = parts[name]
        for weights in network.parameters():
            weights.grad, rest = rest[: weights.numel()].view_as(weights), rest[weights.numel() :]
    return whole, parts


class Learner:
    """A side that learns: its games, its networks with their optimizer, its rng and its counters."""

    def __init__(
        self,
        script: str,
        games: SideGames,
        actor: Actor,
        optimizer: torch.optim.Optimizer,
        seed: int,
        team: Team = ALONE,
    ) -> None:
        self.script = script  # that a checkpoint belongs to
        self.games = games
        self.actor = actor
        self.optimizer = optimizer
        self.team = team
        self.posterior: Posterior | None = None  # of opponents who know the network, updated as it learns
        self.all_gradients, self.gradients = lay_out_gradients(self.networks())
        self.rng = policy_rng(team.seed(seed), "learner")  # which a teacher is handed too
        self.steps = 0  # decisions so far
        self.best = -1.0  # mean win rate of the best evaluation so far
        policies = games.duel.pool.policies
        self.eval_opponents: dict[str, Policy] = dict(zip(names_of(policies), policies, strict=True))

    def evaluate(self, games: int, best: Path) -> dict[str, float]:
        """Measure how often the learner wins against its first pool; keep its weights in a file if never more often."""
        batch, player = self.games.batch, ActorPolicy(actor=self.actor)
        with self.infer_afresh():
            rates = win_rates(player, self.games.side, self.eval_opponents, games, batch.board, batch.rules)
        if (mean := float(np.mean([*rates.values()]))) >= self.best:
            self.best = mean
            best.parent.mkdir(parents=True, exist_ok=True)
            self.actor.weights().save(best)
        return {f"eval/win_rate/{name}": rate for name, rate in rates.items()}

    def set_learning_rate(self, rate: float) -> None:
        """Let the optimizer go on at another rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def descend(self, loss: float, max_grad_norm: float) -> None:
        """Make one step of the optimizer by the gradients that all processes have added up, and forget them."""
        self.team.add_up(self.all_gradients)
        norms = [gradients.norm() for gradients in self.gradients.values()]
        if not math.isfinite(loss) or not all(norm.isfinite() for norm in norms):  # in one process, so in all
            raise DivergedError(f"the loss is {loss}", self.steps)
        for gradients, norm in zip(self.gradients.values(), norms, strict=True):  # each network for itself
            gradients.mul_(torch.clamp(max_grad_norm / (norm + 1e-6), max=1.0))
        self.optimizer.step()
        self.all_gradients.zero_()

    def save(self, out: Path) -> None:
        """Write the last checkpoint and the player in it."""
        self.team.tell("save")
        _, *others = self.share_games()
        save_checkpoint(out / "last.pt", self.state() | ({"others": others} if others else {}))
        self.actor.weights().save(out / "last.npz")

    @contextlib.contextmanager
    def infer_afresh(self) -> Iterator[None]:
        """Within the block, infer posteriors by the current network alone; afterwards restore those of the games."""
        if self.posterior is None:
            yield
            return
        inferred = pack_inferred(self.posterior, self.games.batch.views())
        self.posterior.forget()
        yield
        self.posterior.forget()
        unpack_inferred(self.posterior, self.games.batch.views(), inferred)

    def share_games(self) -> list[dict[str, Any]]:
        """Return the games of every process, for the first to save."""
        return self.team.gather(self.games_state())

    def win_rates(self) -> dict[str, float]:
        """Return the recent win rate against each opponent in the games of all processes."""
        results = self.games.results.copy()
        self.team.add_up(results)
        return self.games.win_rates(results)

    def networks(self) -> dict[str, nn.Module]:
        """Return the networks that a checkpoint holds."""
        return {"actor": self.actor}

    def state(self) -> dict[str, Any]:
        """Return all that decides how learning goes on."""
        return {
            "made_for": self.made_for(),
            **{name: network.state_dict() for name, network in self.networks().items()},
            "optimizer": self.optimizer.state_dict(),
            "counters": [self.steps, self.best],
            **self.games_state(),
        }

    def games_state(self) -> dict[str, Any]:
        """Return the part of the state that differs between processes."""
        state = {
            "rng": self.rng.bit_generator.state,
            "games": pack_games(self.games.batch, self.games.duel),
            "results": torch.from_numpy(self.games.results.copy()),
        }
        if self.posterior is not None:
            state["inferred"] = pack_inferred(self.posterior, self.games.batch.views())
        return state

    def restore(self, kept: dict[str, Any]) -> None:
        """Become what was saved; refuse what cannot be continued."""
        if self.team.rank > 0:
            kept = kept | kept["others"][self.team.rank - 1]
        optimizer = check_optimizer(kept.get("optimizer"), self.optimizer)
        own = self.state()
        check_like({name: kept.get(name) for name in own} | {"optimizer": own["optimizer"]}, own)
        if kept["counters"][0] < 0 or kept["results"].min() < 0:
            raise ValueError("it: counters and results are below 0")
        unpack_games(self.games.batch, self.games.duel, kept["games"])
        if self.posterior is not None:
            unpack_inferred(self.posterior, self.games.batch.views(), kept["inferred"])
        for name, network in self.networks().items():
            network.load_state_dict(kept[name])
        self.optimizer.load_state_dict(optimizer)
        self.steps, self.best = kept["counters"]
        self.rng.bit_generator.state = kept["rng"]
        self.games.results[:] = kept["results"].numpy()

    def made_for(self) -> dict[str, Any]:
        """Say what a checkpoint of this learner is for."""
        board, rules = self.games.batch.board, dataclasses.asdict(self.games.batch.rules)
        game = {
            "processes": self.team.size,
            "side": self.games.side,
            "board": board.signature,
            "rules": str(rules),
            "num_envs": len(self.games),
        }
        hidden_size = len(self.actor.trunk_bias)
        if self.actor.reads_own_posterior:
            game["reads_own_posterior"] = True
        return game | {"inputs": [FACTS_WIDTH, ROW_WIDTH], "hidden_size": hidden_size, "script": self.script}
