"""A league: both sides in turn against a growing pool of past selves, scripts and search players.

    python -m scotyard_training.selfplay --out runs/league --minutes 90

Each side is a learner of ppo.py. Every so often a side leaves a snapshot of itself behind, which joins the pool of the
other. Opponents that still win are met more often (prioritised fictitious self-play, after O. Vinyals et al., Nature
2019); of many only the most useful are played at a time. ``--resume`` goes on exactly; ``--rate-only`` plays the
snapshots of both sides against each other in the arena and draws how they got stronger.
"""

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray

from scotyard_baselines.networks.move_scorer import FileScorer, Weights
from scotyard_env.arena.tournament import tournament
from scotyard_env.policy import SIDES, Policy
from scotyard_training import ppo
from scotyard_training.opponents import name_of, other_side, read_opponents
from scotyard_training.scorer import MOST_OPPONENTS
from scotyard_training.session import Session, begin, check, load_checkpoint, save_checkpoint


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Args:
    """Train both sides against each other, past selves, scripts and search players."""

    out: Path = Path("runs/league")  # folder of checkpoints, snapshots and curves
    resume: bool = False  # go on from out/last.pt
    rate_only: bool = False  # train nothing: rate the snapshots in out and draw their curve
    only: str = ""  # train only this side; another process trains the other into the same folder
    minutes: float = 60.0  # when to stop
    mr_x: str = "random@0.2,greedy,hider,decoy"  # Mr. Xs that are always in the pool
    detectives: str = "greedy,coverage,astar_greedy,bristol_detectives,hunters:starts=1"  # the same of the detectives
    start_mr_x: str = ""  # file of weights to begin with
    start_detectives: str = ""
    turns: int = 2  # updates of the detectives for each of Mr. X
    snapshot: int = 500_000  # decisions of a side between two snapshots of it
    scripts: float = 0.5  # share of the games against scripts
    most: int = 6  # snapshots that are played at a time
    board: str = "london"
    rules: str = "classic"
    seed: int = 0
    games: int = 256
    horizon: int = 64
    units: int = 128
    epochs: int = 2
    minibatch: int = 1024
    rate: float = 1e-3
    entropy: float = 0.005
    steps: int = 30_000_000  # decisions of a side over which rate and entropy fall to a tenth
    evaluate: int = 1_000_000
    evaluate_games: int = 200
    rate_games: int = 100  # of each pairing when snapshots are rated
    threads: int = 1


# ---------------------------------------------------------------------------------------------------------- league
class Club:
    """One side of the league: its learner and whom it meets."""

    def __init__(self, args: Args, side: str) -> None:
        names = {field.name for field in dataclasses.fields(ppo.Args)} & {f.name for f in dataclasses.fields(args)}
        given = {name: getattr(args, name) for name in names} | {"side": side}
        scripts = read_opponents(getattr(args, other_side(side)), other_side(side))
        self.args, self.side = args, side
        self.learner = ppo.Learner(ppo.Args(**given), scripts)
        if start := getattr(args, f"start_{side}"):
            self.learner.actor.set_weights(Weights.load(start))
        self.examiners: dict[str, Policy] = {name_of(policy): policy for policy in scripts}
        self.scripts = self.learner.duel.pool.weights.copy()
        self.snapshots = 0  # left behind so far
        self.met = 0  # of the other side's

    def meet_all(self) -> None:
        """Take the snapshots of the other side that are new into the pool."""
        for file in sorted((self.args.out / "snapshots").glob(f"{other_side(self.side)}_*.npz"))[self.met :]:
            self.meet(file)
            self.met += 1

    def meet(self, file: Path) -> None:
        """Take a snapshot of the other side into the pool, in place of the one that is beaten best if it is full."""
        pool, played = self.learner.duel.pool, self.learner.played
        if len(pool.policies) < MOST_OPPONENTS:
            pool.policies.append(FileScorer(file=str(file)))
            place = len(pool.policies) - 1
        else:
            place = len(self.scripts) + int(np.argmax(self.beaten()[len(self.scripts) :]))
            pool.policies[place] = FileScorer(file=str(file))
        played[place] = 0.0
        self.choose()

    def beaten(self) -> NDArray[np.float64]:
        """Estimate how often each opponent is beaten, half of the time if unknown."""
        games, wins = self.learner.played[: len(self.learner.duel.pool.policies)].T
        return np.asarray((wins + 1.0) / (games + 2.0))

    def choose(self) -> None:
        """Weigh the opponents: scripts have their share, of the snapshots the newest and those hardest to beat."""
        hardness = (1.0 - self.beaten()) ** 2 + 0.02
        first = len(self.scripts)
        scripts = self.scripts * hardness[:first]
        weights = np.concatenate([scripts / scripts.sum(), np.zeros(len(hardness) - first)])
        if len(hardness) > first:
            selves = hardness[first:].copy()
            selves[-1] += 0.5  # the newest is the one to answer
            selves[np.argsort(-selves, kind="stable")[self.args.most :]] = 0.0
            weights[:first] *= self.args.scripts
            weights[first:] = (1.0 - self.args.scripts) * selves / selves.sum()
        self.learner.duel.pool.weights = weights

    def tell(self) -> str:
        """Say how often those who are met are beaten."""
        pool = self.learner.duel.pool
        met = zip(pool.policies, self.beaten(), pool.weights, strict=True)
        return " ".join(f"{name_of(policy)} {rate:.0%}" for policy, rate, weight in met if weight > 0)

    def leave_snapshot(self) -> None:
        """Leave a snapshot behind if one is due."""
        if self.learner.steps >= self.snapshots * self.args.snapshot:
            file = self.args.out / "snapshots" / f"{self.side}_{self.snapshots:03d}.npz"
            file.parent.mkdir(parents=True, exist_ok=True)
            self.learner.actor.weights().save(file)
            self.snapshots += 1

    def state(self) -> dict[str, Any]:
        """Give all that decides how this side goes on."""
        pool = self.learner.duel.pool
        files = [policy.file for policy in pool.policies if isinstance(policy, FileScorer)]
        league = {"files": files, "counts": [self.snapshots, self.met], "weights": torch.from_numpy(pool.weights)}
        return self.learner.state() | {"league": league}

    def restore(self, kept: dict[str, Any]) -> None:
        """Become what was saved."""
        league = kept["league"]
        pool = self.learner.duel.pool
        pool.policies[len(self.scripts) :] = [FileScorer(file=str(file)) for file in league["files"]]
        pool.weights = league["weights"].numpy()
        self.snapshots, self.met = league["counts"]
        self.learner.restore(kept)


# ----------------------------------------------------------------------------------------------- learn and measure
def train(args: Args) -> dict[str, Club]:
    """Train until the time is up or somebody stops it; the last checkpoint is always whole."""
    last = args.out / f"last{args.only and '_'}{args.only}.pt"
    check(args, last)
    clubs = {side: Club(args, side) for side in SIDES if args.only in ("", side)}
    turns = [side for side in (*["detectives"] * args.turns, "mr_x") if side in clubs]
    if not clubs:
        raise ValueError(f"only is {args.only!r}: give one of {', '.join(SIDES)}, or leave it out")
    if args.resume:
        kept = load_checkpoint(last, describe(clubs))
        for side, club in clubs.items():
            club.restore(kept[side])
    end = time.monotonic() + 60 * args.minutes
    with begin(args.out, args.steps, sum(club.learner.steps for club in clubs.values())) as session:
        while time.monotonic() < end and not session.is_stopped:
            for side in turns:
                play_turn(clubs[side], session)
            for club in clubs.values():
                club.meet_all()
            save(clubs, last)
    return clubs


def describe(clubs: dict[str, Club]) -> dict[str, Any]:
    """Say what a checkpoint of these is for."""
    return {side: club.learner.describe() for side, club in clubs.items()}


def play_turn(club: Club, session: Session) -> None:
    """Let one side make an update, be measured and leave a snapshot where that is due."""
    side, learner, args = club.side, club.learner, club.args
    start, before = time.perf_counter(), learner.steps
    figures = learner.update(learner.collect())
    figures["decisions_per_s"] = (learner.steps - before) / (time.perf_counter() - start)
    if learner.steps // args.evaluate > before // args.evaluate:
        rates = ppo.evaluate(learner, club.examiners)
        figures |= {f"against/{name}": rate for name, rate in rates.items()}
        if np.mean([*rates.values()]) >= learner.score:
            learner.score = float(np.mean([*rates.values()]))
            learner.actor.weights().save(args.out / f"{side}_best.npz")
    club.leave_snapshot()
    club.choose()
    text = f"{side} {club.tell()} | " + " ".join(f"{name} {value:.3g}" for name, value in figures.items())
    session.show({f"{side}/{name}": value for name, value in figures.items()}, learner.steps, text)
    learner.played *= 0.9


def save(clubs: dict[str, Club], last: Path) -> None:
    """Write the checkpoint of both sides, and their weights."""
    save_checkpoint(last, {"made_for": describe(clubs)} | {side: club.state() for side, club in clubs.items()})
    for side, club in clubs.items():
        club.learner.actor.weights().save(last.with_name(f"{side}_last.npz"))


# ------------------------------------------------------------------------------------------------------------ rate
def rate(args: Args) -> Path:
    """Play the snapshots of both sides against each other in the arena and draw their ratings."""
    sides = (find_snapshots(args, side) for side in SIDES)
    ratings = tournament(*sides, games=args.rate_games, board=args.board, rules=args.rules).ratings
    picture = args.out / "ratings.svg"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for side in SIDES:
        rated = [rating for rating in ratings if rating.side == side]
        decisions = [args.snapshot * number / 1e6 for number in range(len(rated))]
        spread = [[r.points - r.low for r in rated], [r.high - r.points for r in rated]]
        axes.errorbar(decisions, [rating.points for rating in rated], spread, marker="o", capsize=2, label=side)
    axes.set(xlabel="million decisions of the side", ylabel="Elo, arena", title="Snapshots of the league")
    axes.legend()
    figure.savefig(picture, bbox_inches="tight")
    return picture


def find_snapshots(args: Args, side: str) -> dict[str, FileScorer]:
    """Find the snapshots of a side by their names, oldest first."""
    files = sorted((args.out / "snapshots").glob(f"{side}_*.npz"))
    if not files:
        raise ValueError(f"{args.out} holds no snapshots of {side}: train first")
    return {file.stem: FileScorer(file=str(file)) for file in files}


if __name__ == "__main__":
    given = tyro.cli(Args)
    print(rate(given)) if given.rate_only else train(given)
