"""Stable-Baselines3's MaskablePPO on the native batch, with the move scorer as its policy class.

    python -m scotyard_training.sb3 --side detectives --opponent random,greedy,hider --steps 5_000_000

``--policy flat`` is the plain network on one-hot stations, for comparison: it learns next to nothing in that time.
``out`` gets ``last.zip`` and ``games.pt``, from which ``--resume`` goes on exactly, ``best.zip``, the curves for
TensorBoard and, of a scorer, ``best.npz`` and ``last.npz``, players for ``scotyard_training.evaluate`` and for other learners.
"""

import dataclasses
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from scotyard_env.encode import Encoder
from scotyard_env.policy import Decision, Policy
from scotyard_env.view import View, Views
from scotyard_training.opponents import name_of, other_side, read_opponents, win_rates
from scotyard_training.ppo import Frozen
from scotyard_training.sb3_policy import ScorerActorCritic, ScorerVecEnv
from scotyard_training.sb3_vec import ScotlandYardVecEnv
from scotyard_training.session import begin, check, load_checkpoint, save_checkpoint


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Args:
    """Train one side by MaskablePPO against policies."""

    side: str = "detectives"  # which side learns: detectives or mr_x
    opponent: str = "random,greedy,hider"  # names of policies or files of weights, each with @weight if not 1
    steps: int = 5_000_000  # decisions of the learner
    policy: Literal["scorer", "flat"] = "scorer"
    out: Path = Path("runs/sb3")  # folder of checkpoints and curves
    resume: bool = False  # go on from out/last.zip
    instinct: bool = False  # begin with a rough sense of what moves are good, else blank
    board: str = "london"
    rules: str = "classic"
    seed: int = 0
    games: int = 256  # played at once
    horizon: int = 64  # decisions in each of them between updates
    units: int = 128  # width of the network
    epochs: int = 2
    minibatch: int = 2048
    rate: float = 1e-3
    entropy: float = 0.005
    evaluate: int = 500_000  # decisions between evaluations
    evaluate_games: int = 200
    threads: int = 1


# --------------------------------------------------------------------------------------------------------- learner
def make_model(args: Args, games: ScotlandYardVecEnv) -> MaskablePPO:
    """Make the learner."""
    kind: Any = "MultiInputPolicy" if args.policy == "flat" else ScorerActorCritic
    scorer = {"units": args.units, "instinct": args.side if args.instinct else ""}
    shape = {"net_arch": [args.units, args.units]} if args.policy == "flat" else scorer
    return MaskablePPO(
        kind,
        games,
        learning_rate=args.rate,
        n_steps=args.horizon,
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        gamma=0.999,
        ent_coef=args.entropy,
        policy_kwargs=shape,
        seed=args.seed,
        device="cpu",
    )


@dataclasses.dataclass(frozen=True)
class FlatPlayer:
    """A plain network of MaskablePPO as a policy."""

    model: MaskablePPO

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Draw an action."""
        return Decision(int(self.act_batch(Views(view.board, view.rules, view.states), rng)[0]))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw one action for each of many views."""
        encoder = Encoder(views.board, views.rules)
        arrays, rows = encoder.new_arrays(len(views)), np.arange(len(views))
        encoder.write(views.states, views.states["seat"].astype(np.int64), rows, arrays)
        shown = {"observation": arrays["observation"]}
        return np.asarray(self.model.predict(shown, action_masks=arrays["action_mask"])[0])


def player_of(model: MaskablePPO) -> Policy:
    """Give what a model has learned as a policy."""
    return Frozen(actor=model.policy.actor) if isinstance(model.policy, ScorerActorCritic) else FlatPlayer(model)


# ------------------------------------------------------------------------------------------------------ checkpoint
def describe(args: Args, games: ScotlandYardVecEnv) -> dict[str, Any]:
    """Say what a checkpoint is for."""
    batch = games.games.batch
    game = {"side": args.side, "board": batch.board.signature, "rules": str(dataclasses.asdict(batch.rules))}
    return game | {"policy": args.policy, "units": args.units, "games": args.games}


def save(args: Args, model: MaskablePPO, games: ScotlandYardVecEnv, score: float) -> None:
    """Write the model, its games and all chance to ``out``."""
    batch, duel = games.games.batch, games.games.duel
    model.save(args.out / "last.zip")
    if isinstance(model.policy, ScorerActorCritic):
        model.policy.actor.weights().save(args.out / "last.npz")
    name, keys, *rest = np.random.get_state()  # noqa: NPY002  # the one that MaskablePPO shuffles by
    content = {
        "made_for": describe(args, games),
        "score": score,
        "states": torch.frombuffer(bytearray(batch.states.tobytes()), dtype=torch.uint8),
        "duel": [torch.from_numpy(array.copy()) for array in (duel.playing, duel.deciders)],
        "rng": batch.rng.bit_generator.state,
        "shuffling": [name, torch.from_numpy(np.array(keys, np.int64)), *rest],
        "torch": torch.get_rng_state(),
    }
    save_checkpoint(args.out / "games.pt", content)


def load(args: Args, games: ScotlandYardVecEnv) -> tuple[MaskablePPO, float]:
    """Read the model, its games and all chance from ``out``."""
    kept = load_checkpoint(args.out / "games.pt", describe(args, games))
    games.reset()
    model = MaskablePPO.load(args.out / "last.zip", device="cpu")
    model.set_env(games, force_reset=False)
    batch, duel = games.games.batch, games.games.duel
    batch.states[:] = np.frombuffer(kept["states"].numpy().tobytes(), batch.states.dtype)
    duel.playing[:], duel.deciders[:] = (array.numpy() for array in kept["duel"])
    batch.rng.bit_generator.state = kept["rng"]
    name, keys, *rest = kept["shuffling"]
    np.random.set_state((name, keys.numpy().astype(np.uint32), *rest))  # noqa: NPY002
    torch.set_rng_state(kept["torch"])
    batch.observe(games.games.encoder, games.games._arrays, marks=games.games._marks)  # the masks of these games
    return model, float(kept["score"])


# ----------------------------------------------------------------------------------------------- learn and measure
def main(args: Args) -> MaskablePPO:
    """Train until enough decisions are made or somebody stops it."""
    check(args, args.out / "last.zip")
    torch.set_num_threads(args.threads)
    pool: dict[Any, float] = dict(read_opponents(args.opponent, other_side(args.side)))
    kind = ScotlandYardVecEnv if args.policy == "flat" else ScorerVecEnv
    games = kind(args.games, side=args.side, opponent=pool, board=args.board, rules=args.rules)
    args.out.mkdir(parents=True, exist_ok=True)
    model, score = load(args, games) if args.resume else (make_model(args, games), -1.0)
    examiners = {name_of(policy): policy for policy in pool}
    with begin(args.out, args.steps, model.num_timesteps) as session:
        while model.num_timesteps < args.steps and not session.is_stopped:
            before, figures = model.num_timesteps, {}
            model.learn(args.games * args.horizon, reset_num_timesteps=False)
            if model.num_timesteps // args.evaluate > before // args.evaluate or model.num_timesteps >= args.steps:
                figures = win_rates(player_of(model), args.side, examiners, args.evaluate_games, args.board, args.rules)
                if np.mean([*figures.values()]) >= score:
                    score = float(np.mean([*figures.values()]))
                    model.save(args.out / "best.zip")
                    if isinstance(model.policy, ScorerActorCritic):
                        model.policy.actor.weights().save(args.out / "best.npz")
                save(args, model, games, score)
            text = " ".join(f"{name} {rate:.0%}" for name, rate in figures.items())
            session.show({f"against/{name}": rate for name, rate in figures.items()}, model.num_timesteps, text)
        save(args, model, games, score)
    return model


if __name__ == "__main__":
    main(tyro.cli(Args))
