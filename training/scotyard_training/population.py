"""Grow the population of networks behind the belief of bayes, by double oracle. Read it from top to bottom.

    scotyard train population --rounds 5 --out runs/population

A round trains a Mr. X by PPO against ``bayes`` with the population so far, beginning with its newest member, and adds
him, so that the detectives have a model of every response found so far (H. McMahan, G. Gordon and A. Blum, Planning in
the presence of cost functions controlled by an adversary, ICML 2003). It ends after so many rounds, or as soon as a
response is caught hardly more often once it is a member. ``out`` receives the members as ``member_1.npz`` and so on,
and ``population.json``, which has the results of each. The same command resumes an interrupted run, and with more
``--rounds`` adds some.
"""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_baselines.networks.population import shipped_files
from scotyard_baselines.networks.weights import Weights
from scotyard_env.arena.config import first_difference
from scotyard_env.arena.content import digest_file
from scotyard_env.arena.folder import hold_folder
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import grid
from scotyard_env.commands import INTERRUPTED, run_module
from scotyard_env.files import write_whole
from scotyard_env.json_files import read_json
from scotyard_env.policy import make_policy
from scotyard_env.ranges import Range, Share, check_ranges
from scotyard_env.wording import brief
from scotyard_training import ppo
from scotyard_training.learning.evaluation import count_wins
from scotyard_training.learning.settings import Coefficient, Decisions, Games
from scotyard_training.learning.settings import Rate as LearningRate

FRESH = 1_000_000  # added to the seed: deals on which nobody was trained
RECORD = "population.json"
SETTINGS = ("planning", "total_timesteps", "learning_rate", "ent_coef", "games", "seed")  # they decide who grows


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Grow the population of networks behind the belief of bayes: train a response, add it, repeat."""

    members: str = ""  # files of weights to begin with, separated by +; those that ship with us if left out
    rounds: Annotated[int, Range(1, 100)] = 5  # at most
    least_gain: Share = 0.03  # end once a response that is known is caught more often by less than this
    planning: str = "starts=1,particles=16"  # parameters of bayes while responses learn: many games want quick plans
    total_timesteps: Decisions = 1_000_000  # decisions of a response
    learning_rate: LearningRate = 1e-3
    ent_coef: Coefficient = 0.02
    games: Games = 400  # on which a response is measured before and after it is known
    seed: Annotated[int, Range(0, 2**31)] = 0  # that of a response is larger by the number of its round
    out: Path = Path("runs/population")

    def run(self) -> None:
        """Grow the population and print what every round was worth."""
        grow(self)


class Round(NamedTuple):
    """What a round came to: how often its response escapes bayes before and after it is a member."""

    member: str  # file of weights
    before: Rate
    after: Rate

    @property
    def gain(self) -> float:
        """How much more often the response is caught once it is known."""
        return self.before.share - self.after.share


# ---------------------------------------------------------------------------------------------------------- rounds
def name_bayes(members: tuple[str, ...], planning: str = "") -> str:
    """Return the name of bayes with a population."""
    return f"bayes:population={'+'.join(members)}" + (f",{planning}" if planning else "")


def train_response(args: Command, members: tuple[str, ...], number: int) -> str:
    """Train a Mr. X against bayes with some members, or go on with it; return the file of weights that came of it."""
    folder, member = args.out / f"round_{number}", args.out / f"member_{number}.npz"
    if not member.exists():
        command = ppo.Command(
            side="mr_x",
            own_posterior=Weights.load(members[-1]).reads_own_posterior,
            opponent=name_bayes(members, args.planning),
            total_timesteps=args.total_timesteps,
            out=folder,
            resume=(folder / "last.pt").exists(),
            init_weights=members[-1],
            seed=args.seed + number,
            learning_rate=args.learning_rate,
            ent_coef=args.ent_coef,
            eval_interval=max(1, args.total_timesteps // 5),
        )
        if ppo.train(command).steps < args.total_timesteps:
            sys.exit(INTERRUPTED)
        write_whole(member, (folder / "best.npz").read_bytes())
    return str(member)


def play_round(args: Command, members: tuple[str, ...], number: int) -> Round:
    """Make a member of a response to bayes with some members, and measure what it is worth to know it."""
    member = train_response(args, members, number)
    player, seed = FileScorer(file=member), args.seed + FRESH
    escaped = [
        count_wins(player, "mr_x", make_policy(name_bayes(known)), args.games, seed)
        for known in (members, (*members, member))
    ]
    return Round(member, *(Rate(wins, args.games) for wins in escaped))


# ---------------------------------------------------------------------------------------------------------- growth
def grow(args: Command) -> list[Round]:
    """Play rounds until there are enough of them, or one more member hardly helps."""
    check_ranges(args)
    if set("+,") & set(str(args.out)):
        raise ValueError(f"out is {args.out}: give a folder without + and , which stand between files in a name")
    members, rounds = tuple(args.members.split("+")) if args.members else shipped_files(), list[Round]()
    make_policy(name_bayes(members, args.planning))  # say at once what is wrong with it
    settings = describe_settings(args, members)
    with hold_folder(args.out):
        agree(args.out, settings)
        for number in range(1, args.rounds + 1):
            rounds.append(play_round(args, (*members, *(one.member for one in rounds)), number))
            write_whole(args.out / RECORD, json.dumps(describe(settings, members, rounds), indent=2))
            print(tell(rounds), flush=True)
            if rounds[-1].gain < args.least_gain:
                break
    return rounds


def describe_settings(args: Command, members: tuple[str, ...]) -> dict[str, Any]:
    """Return what decides who grows, as JSON takes it: not how many rounds there are, nor where files stand."""
    files = [f"{Path(member).name} ({digest_file(Path(member))})" for member in members]
    return {"members": files} | {name: getattr(args, name) for name in SETTINGS}


def agree(out: Path, settings: dict[str, Any]) -> None:
    """Write down which population grows in a folder, or see that it is the one that has grown there before."""
    path = out / RECORD
    if not path.exists():
        if any(out.glob("member_*.npz")):
            raise ValueError(f"{out} has members but no {RECORD}, so nothing can go on there: take another --out")
        write_whole(path, json.dumps({"settings": settings}, indent=2))
    try:
        there = dict(read_json(path)["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} cannot be read: {brief(error)}; take another --out") from error
    if problem := first_difference(there, settings):
        raise ValueError(f"{out} holds another population, nothing was changed: {problem}; take another --out")


def describe(settings: dict[str, Any], members: tuple[str, ...], rounds: list[Round]) -> dict[str, Any]:
    """Write down the population and what every round came to, as JSON takes it."""
    told = [
        {
            "member": one.member,
            "escapes_before": one.before.wins,
            "escapes_after": one.after.wins,
            "games": one.after.games,
        }
        for one in rounds
    ]
    return {"settings": settings, "members": [*members, *(one.member for one in rounds)], "rounds": told}


def tell(rounds: list[Round]) -> str:
    """Say what every round was worth."""
    rows = [[str(number), str(one.before), str(one.after)] for number, one in enumerate(rounds, start=1)]
    return grid(["round", "response escapes bayes", "once it is known"], rows)


if __name__ == "__main__":
    run_module(Command)
