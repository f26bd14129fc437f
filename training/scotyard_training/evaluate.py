"""Play a learned player against every baseline of the other side, in the arena.

    scotyard evaluate runs/league/last.pt --side detectives --games 1000

A checkpoint of ``scotyard train ppo`` or ``scotyard train selfplay``, a file of weights, or the name of a policy. Deals
are paired: every opponent gets the same ones. ``--out`` keeps every match, and the same command resumes an interrupted
evaluation.
"""

import dataclasses
import tempfile
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_baselines.networks.weights import Weights
from scotyard_env.arena.contenders import split_names
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.tournament import evaluate
from scotyard_env.commands import run_module
from scotyard_env.policy import Policy, Side, make_policy, policy_names, sides_of
from scotyard_env.ranges import Seed, check_ranges
from scotyard_env.ruleset import resolve
from scotyard_training.export import read_player
from scotyard_training.learning.opponents import other_side
from scotyard_training.learning.settings import Decisions, Games


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Play a learned player against every baseline of the other side."""

    checkpoint: Annotated[str, tyro.conf.Positional]  # last.pt, best.npz, or the name of a policy
    side: Side | None = None  # the side it plays; needed for a file of weights and for a league
    opponents: str = ""  # policies, separated by commas; by default every baseline of the other side
    games: Decisions = 1000  # per pairing
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0
    workers: Games | None = None  # worker processes; by default this process plays
    out: Path | None = None  # folder to save the matches in

    def run(self) -> None:
        """Play, and print how often the player wins."""
        evaluate_player(self)


def read_contender(args: Command) -> tuple[Policy | Weights, Side]:
    """Return the player, a policy or the weights of one, and the side it plays."""
    if args.checkpoint in policy_names() or ":" in args.checkpoint:
        policy = make_policy(args.checkpoint)
        return policy, args.side or sides_of(policy)[0]
    path = Path(args.checkpoint)
    if not path.exists():
        raise ValueError(f"there is no checkpoint {path}, nor a policy of that name")
    if args.side is None:
        raise ValueError(f"say which side {path} plays: --side mr_x or --side detectives")
    return read_player(path, args.side), args.side


def keep_player(weights: Weights, folder: Path) -> FileScorer:
    """Write weights to a folder, where other processes find them."""
    folder.mkdir(parents=True, exist_ok=True)
    weights.save(folder.absolute() / "player.npz")
    return FileScorer(file=str(folder.absolute() / "player.npz"))


# ---------------------------------------------------------------------------------------------------------- arena
def evaluate_player(args: Command) -> dict[str, Rate]:
    """Play and print how often the player wins, with 95 % Wilson intervals."""
    check_ranges(args)
    resolve(args.board, args.rules)  # say at once where they do not fit
    rates: dict[str, Rate] = {}
    player, side = read_contender(args)
    names = split_names(args.opponents) or [*policy_names(other_side(side))]
    for name in names:
        make_policy(name, side=other_side(side))  # say at once what is wrong with it
    with tempfile.TemporaryDirectory() as folder, Progress(transient=True) as bar:
        policy = keep_player(player, args.out or Path(folder)) if isinstance(player, Weights) else player
        task = bar.add_task("matches", total=args.games * len(names))
        for name in names:
            kept = None if args.out is None else args.out / name.replace(":", "_").replace("=", "_")
            played = evaluate(
                {"learned": policy},
                side,
                {name: name},
                games=args.games,
                board=args.board,
                rules=args.rules,
                seed=args.seed,
                workers=args.workers,
                out=kept,
            )
            wins = sum(result.winner == side for result in played.results)
            rates[name] = Rate(wins, len(played.results))
            bar.advance(task, args.games)
            bar.console.print(f"{side} {args.checkpoint} against {name}: {rates[name]} of {args.games}")
    table = Table("opponent", f"{side} win", "games", title=args.checkpoint)
    for name, rate in rates.items():
        table.add_row(name, str(rate), str(rate.games))
    Console().print(table)
    return rates


if __name__ == "__main__":
    run_module(Command)
