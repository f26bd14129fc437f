"""Our own PPO on the native batch, in the CleanRL manner: read it from top to bottom.

    python -m scotyard_training.ppo --side detectives --opponent random,greedy,hider --steps 5_000_000 --out runs/detectives

One side learns with the move scorer (scorer.py), policies play the other inside the step. ``out`` gets ``last.pt``,
which ``--resume`` continues exactly, ``best.npz``, the weights of the best player so far, and TensorBoard's curves.
"""

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

from scotyard_baselines.networks.inputs import FACTS_WIDTH, ROW_WIDTH, Inputs, make_inputs
from scotyard_baselines.networks.move_scorer import ScorerPolicy, Weights, draw, score, soften
from scotyard_env.batch import Batch, Games
from scotyard_env.duel import Duel
from scotyard_env.policy import Policy
from scotyard_env.state import MR_X
from scotyard_training.opponents import name_of, other_side, read_opponents, win_rates
from scotyard_training.rollout import Rollout, join, offset_places, take, tell_secrets
from scotyard_training.scorer import MOST_OPPONENTS, Actor, Critic
from scotyard_training.session import begin, check, load_checkpoint, save_checkpoint


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Args:
    """Train one side by PPO against policies."""

    side: str = "detectives"  # which side learns: detectives or mr_x
    opponent: str = "random,greedy,hider"  # names of policies or files of weights, each with @weight if not 1
    steps: int = 5_000_000  # decisions of the learner
    out: Path = Path("runs/ppo")  # folder of checkpoints and curves
    resume: bool = False  # go on from out/last.pt
    start: str = ""  # file of weights to begin with
    instinct: bool = True  # begin with a rough sense of what moves are good, else blank
    board: str = "london"
    rules: str = "classic"
    seed: int = 0
    games: int = 256  # played at once
    horizon: int = 64  # decisions in each of them between updates
    units: int = 128  # width of the network
    epochs: int = 2  # times that every decision is learned from
    minibatch: int = 1024  # decisions in a step of the optimizer
    rate: float = 2e-3  # of learning, at first; it falls to a tenth in a straight line
    gamma: float = 0.999  # worth of a reward one decision later
    trace: float = 0.95  # lambda of generalized advantage estimation
    clip: float = 0.2  # how far a probability may move in one update, as a ratio
    entropy: float = 0.01  # reward of indecision, at first; it falls to a tenth too
    evaluate: int = 1_000_000  # decisions between evaluations
    evaluate_games: int = 200  # in each pairing of an evaluation
    threads: int = 1  # of torch


@dataclasses.dataclass(frozen=True)
class Frozen(ScorerPolicy):
    """The learner as it is now, as a policy."""

    actor: Actor | None = None

    @property
    def weights(self) -> Weights:
        """The numbers of the network, not copied."""
        assert self.actor is not None
        return self.actor.weights()


# --------------------------------------------------------------------------------------------------------- learner
class Learner:
    """A side that learns: its games, its network, its optimizer; all that a checkpoint holds."""

    def __init__(self, args: Args, pool: dict[Policy, float]) -> None:
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.args = args
        self.batch = Batch(args.games, args.board, args.rules, seed=args.seed)
        self.duel = Duel(self.batch, args.side, pool)
        self.actor = Actor(self.batch.board.stations, args.units)
        if args.instinct:
            self.actor.set_instinct(args.side)
        self.critic = Critic(self.batch.board.stations, args.units)
        parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(parameters, args.rate, eps=1e-5, fused=True)
        self.rng = np.random.default_rng(args.seed + 1)
        self.steps = 0
        self.score = -1.0  # of the best evaluation so far
        self.played = np.zeros((MOST_OPPONENTS, 2))  # games and wins against each opponent; old ones fade
        self.seconds = 0.0  # that games, opponents and inputs have taken
        self.duel.begin(self.batch.games)

    # -- play

    def collect(self) -> Rollout:
        """Play on for the horizon."""
        args, weights, parts = self.args, self.actor.weights(), []
        shape = (args.horizon, args.games)
        self.rewards, self.ended = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
        picked, hidden, opponent = (np.empty(shape, np.int64) for _ in range(3))
        logs = np.empty(shape, np.float32)
        for self.moment in range(args.horizon):
            start = time.perf_counter()
            inputs = make_inputs(self.batch.views())
            self.seconds += time.perf_counter() - start
            chances = soften(inputs, score(weights, inputs))
            rows = draw(inputs, chances, self.rng)
            start = time.perf_counter()
            picked[self.moment], logs[self.moment] = rows - inputs.firsts[:-1], np.log(chances[rows])
            hidden[self.moment], opponent[self.moment] = self.batch.states["station"][:, MR_X], self.duel.playing
            parts.append(inputs)
            self.duel.step(inputs.ids[rows], self.settle)
            self.seconds += time.perf_counter() - start
        return Rollout(
            join(parts), picked.ravel(), logs.ravel(), hidden.ravel(), opponent.ravel(), self.rewards, self.ended
        )

    def settle(self, games: Games) -> None:
        """Take down how games ended."""
        rewards = self.duel.rewards()[games]
        self.rewards[self.moment, games], self.ended[self.moment, games] = rewards, True
        for column, counted in enumerate((np.ones_like(rewards), rewards > 0)):
            self.played[:, column] += np.bincount(self.duel.playing[games], counted, MOST_OPPONENTS)

    # -- learn

    def learn(self) -> dict[str, float]:
        """Play on and learn from it; give some figures."""
        return self.update(self.collect())

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Learn from a rollout; give some figures."""
        args, progress = self.args, min(1.0, self.steps / self.args.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = args.rate * (1.0 - 0.9 * progress)
        entropy_price = args.entropy * (1.0 - 0.9 * progress)
        secrets = tell_secrets(self.batch.board, rollout.inputs, rollout.hidden)
        values = self._values(rollout.inputs, rollout.hidden, rollout.opponent, secrets)
        advantages, returns = self.estimate(rollout, values)
        figures: list[list[float]] = []
        for _ in range(args.epochs):
            order = self.rng.permutation(len(values))
            for first in range(0, len(order), args.minibatch):
                part = order[first : first + args.minibatch]
                batch = take(rollout.inputs, part)
                logs = self.actor(batch)
                picked, old = torch.from_numpy(rollout.picked[part]), torch.from_numpy(rollout.logs[part])
                advantage = torch.from_numpy(advantages[part])
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                ratio = (logs.gather(1, picked[:, None]).squeeze(1) - old).exp()
                gain = torch.minimum(ratio * advantage, ratio.clamp(1 - args.clip, 1 + args.clip) * advantage).mean()
                entropy = -(logs.exp() * logs.masked_fill(logs.isneginf(), 0.0)).sum(1).mean()
                told = (torch.from_numpy(array[part]) for array in (secrets, rollout.hidden, rollout.opponent))
                value = self.critic(batch.stations, batch.belief, batch.facts, *told)
                error = (value - torch.from_numpy(returns[part])).square().mean()
                loss = -gain - entropy_price * entropy + 0.5 * error
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
                torch.nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
                self.optimizer.step()
                moved = ((ratio - 1).abs() > args.clip).float().mean()
                figures.append([gain.item(), entropy.item(), error.item(), moved.item()])
        self.steps += len(values)
        means = np.mean(figures, axis=0).tolist()
        explained = 1 - np.var(returns - values) / (np.var(returns) + 1e-8)
        return dict(zip(("gain", "entropy", "error", "clipped"), means, strict=True)) | {"explained": float(explained)}

    def estimate(
        self, rollout: Rollout, values: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Estimate the advantage and the return of every decision (generalized advantage estimation)."""
        args, now = self.args, values.reshape(rollout.rewards.shape)
        after = self._value_of_now()
        advantages = np.empty_like(now)
        advantage = np.zeros(args.games, np.float32)
        for moment in reversed(range(args.horizon)):
            goes_on = 1.0 - rollout.ended[moment]
            surprise = rollout.rewards[moment] + args.gamma * goes_on * after - now[moment]
            advantage = (surprise + args.gamma * args.trace * goes_on * advantage).astype(np.float32)
            advantages[moment], after = advantage, now[moment]
        return advantages.ravel(), (advantages + now).ravel()

    def _values(
        self, inputs: Inputs, hidden: NDArray[np.int64], opponent: NDArray[np.int64], secrets: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        arrays = (offset_places(inputs), inputs.belief, inputs.facts, secrets, hidden, opponent)
        with torch.no_grad():
            values: NDArray[np.float32] = self.critic(*(torch.from_numpy(array) for array in arrays)).numpy()
        return values

    def _value_of_now(self) -> NDArray[np.float32]:
        inputs, hidden = make_inputs(self.batch.views()), self.batch.states["station"][:, MR_X].astype(np.int64)
        return self._values(inputs, hidden, self.duel.playing, tell_secrets(self.batch.board, inputs, hidden))

    # -- checkpoint

    def state(self) -> dict[str, Any]:
        """Give all that decides how learning goes on."""
        batch, duel = self.batch, self.duel
        return {
            "made_for": self.describe(),
            "actor": self.actor.state_dict(),
            "critic": self.critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "counters": [self.steps, self.score],
            "rngs": [self.rng.bit_generator.state, batch.rng.bit_generator.state],
            "games": [torch.frombuffer(bytearray(batch.states.tobytes()), dtype=torch.uint8)],
            "duel": [torch.from_numpy(array.copy()) for array in (duel.playing, duel.deciders, self.played)],
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Become what was saved."""
        self.actor.load_state_dict(kept["actor"])
        self.critic.load_state_dict(kept["critic"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.steps, self.score = kept["counters"]
        self.rng.bit_generator.state, self.batch.rng.bit_generator.state = kept["rngs"]
        self.batch.states[:] = np.frombuffer(kept["games"][0].numpy().tobytes(), self.batch.states.dtype)
        self.duel.playing[:], self.duel.deciders[:], self.played[:] = (array.numpy() for array in kept["duel"])

    def describe(self) -> dict[str, Any]:
        """Say what a checkpoint of this learner is for."""
        board, rules = self.batch.board, dataclasses.asdict(self.batch.rules)
        game = {"side": self.args.side, "board": board.signature, "rules": str(rules)}
        return game | {"inputs": [FACTS_WIDTH, ROW_WIDTH], "units": self.args.units, "script": "ppo"}


# ----------------------------------------------------------------------------------------------- learn and measure
def evaluate(learner: Learner, opponents: dict[str, Policy]) -> dict[str, float]:
    """Measure how often the learner wins against each of a fixed pool."""
    args, player = learner.args, Frozen(actor=learner.actor)
    return win_rates(player, args.side, opponents, args.evaluate_games, args.board, args.rules)


def train(learner: Learner) -> None:
    """Train until enough decisions are made or somebody stops it; the last checkpoint is always whole."""
    args, last, pool = learner.args, learner.args.out / "last.pt", learner.duel.pool.policies
    if args.resume:
        learner.restore(load_checkpoint(last, learner.describe()))
    names = [name_of(policy) for policy in pool]
    examiners = dict(zip(names, pool, strict=True))
    with begin(args.out, args.steps, learner.steps) as session:
        while learner.steps < args.steps and not session.is_stopped:
            start, before = time.perf_counter(), learner.steps
            figures = learner.learn()
            figures["decisions_per_s"] = (learner.steps - before) / (time.perf_counter() - start)
            if learner.steps // args.evaluate > before // args.evaluate or learner.steps >= args.steps:
                rates = evaluate(learner, examiners)
                figures |= {f"against/{name}": rate for name, rate in rates.items()}
                if np.mean([*rates.values()]) >= learner.score:
                    learner.score = float(np.mean([*rates.values()]))
                    learner.actor.weights().save(args.out / "best.npz")
                save(learner)
            won = learner.played[: len(pool)]
            text = " ".join(
                f"{name} {wins / max(games, 1):.0%}" for name, (games, wins) in zip(names, won, strict=True)
            )
            learner.played *= 0.8
            session.show(figures, learner.steps, f"{text} | " + " ".join(f"{k} {v:.3g}" for k, v in figures.items()))
        save(learner)


def save(learner: Learner) -> None:
    """Write the last checkpoint and the player in it."""
    save_checkpoint(learner.args.out / "last.pt", learner.state())
    learner.actor.weights().save(learner.args.out / "last.npz")


def main(args: Args) -> Learner:
    """Train one side against a pool."""
    check(args, args.out / "last.pt")
    learner = Learner(args, read_opponents(args.opponent, other_side(args.side)))
    if args.start:
        learner.actor.set_weights(Weights.load(args.start))
    train(learner)
    return learner


if __name__ == "__main__":
    main(tyro.cli(Args))
