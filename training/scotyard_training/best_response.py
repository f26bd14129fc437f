"""Best responses to a frozen policy: how badly can it be beaten? Read it from top to bottom.

    scotyard train best_response --against hunters --budget planners --out runs/responses/hunters
    scotyard train best_response --against greedy --against-side detectives --workers 2

PPO learns the other side against this policy alone, in a run for every seed and start: ``blank`` is untrained,
``linear_skip`` has hand-set weights that roughly rank the moves, ``shipped`` is the network of that side that ships
with the package. All runs are compared on the same fresh deals, and the one that wins most is measured on others, since
its win rate on the former is biased by the selection. The result is a lower bound on the exploitability of the policy.
``out`` receives ``response.json`` and ``response.npz``. If the command is interrupted, running it again resumes it.
"""

import dataclasses
import re
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import scotyard_env
from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_baselines.networks.weights import Weights
from scotyard_baselines.robustness.challenge import Challenge
from scotyard_baselines.robustness.response import RECORD, Response, ResponseError, Run, load_response
from scotyard_env.arena.contenders import UNKNOWN, read_contenders, split_names
from scotyard_env.arena.content import digest_file
from scotyard_env.arena.engine import Engine, EngineName
from scotyard_env.arena.folder import open_alone
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.table import SIDE_WORDS, grid
from scotyard_env.commands import INTERRUPTED, run_module, write_call
from scotyard_env.policy import Side, check_fit, make_policy, sides_of
from scotyard_env.ranges import Count, Range, Seed, check_choices, check_ranges
from scotyard_env.rng import policy_rng
from scotyard_env.ruleset import resolve
from scotyard_training import ppo
from scotyard_training.learning.budgets import BUDGETS, BudgetName, Start, choose_starts, make_budget, shipped_start
from scotyard_training.learning.evaluation import count_wins
from scotyard_training.learning.kept_runs import CHALLENGE, PLAYER, Trained, agree, keep, read_kept
from scotyard_training.learning.opponents import full_name, other_side
from scotyard_training.learning.settings import Coefficient, Decisions, Games, Processes, Steps, Width, check_settings
from scotyard_training.learning.settings import Rate as LearningRate
from scotyard_training.learning.spread import spread

EVALUATIONS = 10  # of a run: the weights of the best are kept


# ------------------------------------------------------------------------------------------------------- arguments
@dataclasses.dataclass(frozen=True)
class Command:
    """Train best responses to a policy, and report how badly the strongest of them beats it."""

    against: str  # the policy to be answered, with parameters if need be
    against_side: Side | None = None  # the side that it plays, if it can play both; the response learns the other one
    budget: BudgetName = "scripts"  # decisions, seeds and starts
    total_timesteps: Decisions | None = None  # decisions of a run, in place of the budget's
    seeds: Annotated[int, Range(1, 1000)] | None = None  # runs of each start, in place of the budget's
    starts: tuple[Start, ...] | None = None  # in place of the budget's
    games: Games = 1000  # on which the runs are compared, and as many others on which the chosen one is measured
    out: Path = Path("runs/best_response")  # folder of the response and of the runs
    board: str = "london"
    rules: str | None = None  # by default those of the board
    seed: Seed = 0  # of the first run; the next ones follow
    num_envs: Games = 256  # parallel games
    num_steps: Steps = 64  # decisions per game between updates
    hidden_size: Width = 128  # width of the network
    learning_rate: LearningRate = 2e-3  # of Adam, at first; it falls to a tenth
    update_epochs: Count = 2  # passes over every rollout
    minibatch_size: Decisions = 1024  # decisions per step of the optimizer
    ent_coef: Coefficient = 0.01  # weight of the entropy in the loss, at first; it falls to a tenth
    eval_games: Games = 200  # in an evaluation, of which a run has ten
    temperature: Annotated[float, Range(0.01, 10)] = 0.1  # of the response; 1 for one that reads its own posterior
    workers: Processes | None = None  # processes, each with a run of its own; none: this one trains
    engine: EngineName = "processes"  # where runs are trained: processes on this machine, or a Ray cluster
    address: str | None = None  # of the Ray cluster, such as auto; one is made here if left out

    def run(self) -> None:
        """Train what is missing, then print and write what came of it."""
        train(self)


LEARNING = ("num_envs", "num_steps", "hidden_size", "learning_rate", "update_epochs", "minibatch_size", "ent_coef")


# ------------------------------------------------------------------------------------------------------- challenge
def choose_side(args: Command) -> Side:
    """Return the side that the policy plays: as it is said, or the only one that it can."""
    if len(split_names(args.against)) != 1 or re.search(r"@[-0-9.]+$", args.against):
        raise ValueError(f"against is {args.against!r}: give one policy, without a weight")
    sides = sides_of(make_policy(full_name(args.against), args.against_side))
    if args.against_side is None and len(sides) > 1:
        raise ValueError(f"{args.against} plays both sides: say which is answered, --against-side {' or '.join(sides)}")
    return args.against_side or sides[0]


def make_challenge(args: Command) -> Challenge:
    """Check the arguments, and return the policy to be answered with the budget and the settings of the runs."""
    check_ranges(args)
    check_choices(args)
    side = choose_side(args)
    board, rules = resolve(args.board, args.rules)
    (contender,) = read_contenders({args.against: full_name(args.against)}, side)
    check_fit(contender.make(), board, rules, side)
    policy, preset = contender.describe(), BUDGETS[args.budget]
    seeds = range(args.seed, args.seed + (args.seeds or preset.seeds))
    starts = choose_starts(preset, args.starts, board.stations, side)
    if policy.content is not None and policy.content.startswith(UNKNOWN):
        raise ValueError(f"{args.against} cannot be told from another policy by what it holds ({policy.content})")
    return Challenge(
        version=scotyard_env.__version__,
        against=policy,
        against_side=side,
        board=board,
        rules=rules,
        budget=make_budget(args.budget, args.total_timesteps, seeds, starts),
        games=args.games,
        settings={name: getattr(args, name) for name in (*LEARNING, "eval_games", "temperature")},
    )


# ------------------------------------------------------------------------------------------------------------ runs
class Job(NamedTuple):
    """A run that is to be trained: all that has to be known wherever that happens."""

    args: Command
    side: Side  # of the policy
    total_timesteps: int
    start: str
    seed: int

    @property
    def name(self) -> str:
        """The name of the run, which is that of its folder."""
        return f"{self.start}-{self.seed}"

    @property
    def folder(self) -> Path:
        """Where the run keeps its checkpoints and curves."""
        return self.args.out / self.name


def list_jobs(args: Command, challenge: Challenge) -> list[Job]:
    """List the runs, a seed and a start each, and see that PPO takes their settings."""
    here = dataclasses.replace(args, out=args.out.absolute())
    side, budget = challenge.against_side, challenge.budget
    pairs = [(start, seed) for start in budget.starts for seed in budget.seeds]
    jobs = [Job(here, side, budget.total_timesteps, start, seed) for start, seed in pairs]
    for job in jobs:
        check_settings(make_training(job), job.folder / "last.pt")
    return jobs


def make_training(job: Job) -> ppo.Command:
    """Return a run as PPO's arguments, which go on from its last checkpoint if there is one."""
    args = job.args
    start = shipped_start(job.side) if job.start == "shipped" else None
    return ppo.Command(
        side=other_side(job.side),
        opponent=args.against,
        own_posterior=start is not None and start.weights.reads_own_posterior,
        total_timesteps=job.total_timesteps,
        out=job.folder,
        resume=(job.folder / "last.pt").exists(),
        init_weights="" if start is None else start.file,
        linear_skip_init=job.start == "linear_skip",
        board=args.board,
        rules=args.rules,
        seed=job.seed,
        eval_interval=max(1, job.total_timesteps // EVALUATIONS),
        eval_games=args.eval_games,
        **{name: getattr(args, name) for name in LEARNING},
    )


def train_run(job: Job) -> Trained | None:
    """Train one run and count what its player wins where the runs are compared; None if somebody stopped it."""
    learner = ppo.train(make_training(job))
    if learner.steps < job.total_timesteps:
        return None
    best = Weights.load(job.folder / "best.npz")
    if not best.reads_own_posterior:  # sharpened, it would have another posterior than it was trained on
        best = best.sharpen(job.args.temperature)
    best.save(job.folder / PLAYER)
    return Trained(count_player_wins(job, "compare"), (job.folder / PLAYER).read_bytes())


def count_player_wins(job: Job, purpose: str) -> int:
    """Count the wins of a run's player against the policy, on the deals for a purpose."""
    args, player = job.args, FileScorer(file=str(job.folder / PLAYER))
    policy = make_policy(full_name(args.against), side=job.side)
    seed = deals_seed(args.seed, purpose)
    return count_wins(player, other_side(job.side), policy, args.games, seed, args.board, args.rules)


def deals_seed(seed: int, purpose: str) -> int:
    """Return the seed of the deals for a purpose, which is none of those that anything is trained or evaluated on."""
    return int(policy_rng(seed, "best response", purpose).integers(2**32, 2**63))  # those are all below


# ----------------------------------------------------------------------------------------------- train and measure
def train(args: Command) -> Response:
    """Train the runs that are missing, choose the strongest, and measure it on fresh deals."""
    challenge, engine = make_challenge(args), Engine(args.engine, args.workers, args.address)
    jobs = list_jobs(args, challenge)
    agree(args.out, challenge)
    with open_alone(args.out / CHALLENGE):
        is_there = (args.out / RECORD).exists()
        response = recall(args.out) if is_there else answer(args, challenge, jobs, engine)
    print(tell(response, args.out))
    return response


def recall(out: Path) -> Response:
    """Return the response that is there already."""
    try:
        return load_response(out).response
    except ResponseError as error:
        raise ValueError(f"{error}: delete {out / RECORD}, and the same command makes both files again") from error


def answer(args: Command, challenge: Challenge, jobs: list[Job], engine: Engine) -> Response:
    """Make the response to a challenge, and write it."""
    trained = train_all(args, jobs, engine)
    runs = tuple(Run(job.start, job.seed, Rate(trained[job.name].wins, args.games)) for job in jobs)
    chosen = max(range(len(runs)), key=lambda number: runs[number].rate.wins)
    rate = Rate(count_player_wins(jobs[chosen], "report"), args.games)
    call = write_call("train best_response", args)
    digest = digest_file(jobs[chosen].folder / PLAYER)
    response = Response(challenge, call, runs, chosen, rate, digest)
    response.save(args.out, trained[jobs[chosen].name].weights)
    return response


def train_all(args: Command, jobs: list[Job], engine: Engine) -> dict[str, Trained]:
    """Train the runs that are missing; return what all came to, or leave if somebody stops it."""
    kept = {job.name: found for job in jobs if (found := read_kept(job.folder, args.games)) is not None}
    missing = {job.name: job for job in jobs if job.name not in kept}
    try:
        for name, trained in spread(train_run, missing, engine, args.out):
            if trained is None:
                raise KeyboardInterrupt
            keep(args.out / name, trained)
            kept[name] = trained
            print(f"{name} wins {Rate(trained.wins, args.games)} of {args.games} games", flush=True)
    except KeyboardInterrupt:
        print(f"stopped; {len(kept)} of {len(jobs)} runs are finished, the same command goes on", file=sys.stderr)
        sys.exit(INTERRUPTED)
    return kept


def tell(response: Response, out: Path) -> str:
    """Say how exploitable a policy is at least, and by which run."""
    challenge = response.challenge
    chosen = response.runs[response.chosen]
    rows = [[run.start, str(run.seed), str(run.rate) + " (chosen)" * (run is chosen)] for run in response.runs]
    found = f"{challenge.against.name} ({SIDE_WORDS[challenge.against_side]}) is at least exploitable by"
    budget = f"{challenge.budget.total_timesteps:,} decisions a run"
    return (
        f"{grid(['start', 'seed', 'response wins'], rows)}\n\n{found} {response.rate}"
        f" of {response.rate.games} other games, {budget}; {out / 'response.npz'} plays it"
    )


if __name__ == "__main__":
    run_module(Command)
