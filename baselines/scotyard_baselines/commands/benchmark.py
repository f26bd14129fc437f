"""The benchmark: ``scotyard benchmark my_module:MyPolicy --task london-small``.

Plays a policy against the opponents of a task and writes a small result file, which ``--check`` verifies anywhere.
``scotyard benchmark --list`` lists the tasks; docs/benchmark.md says how to publish a row.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from scotyard_baselines.benchmark.check import Finding, check_file
from scotyard_baselines.benchmark.playing import Attempt, choose_side, name_file
from scotyard_baselines.benchmark.result import BenchmarkResult, Bound
from scotyard_baselines.benchmark.task import Task, find_task, list_tasks
from scotyard_baselines.robustness.bounds import Examination, find_own, measure_transferred
from scotyard_baselines.robustness.response import Response, Stored, find_responses
from scotyard_env.arena.engine import Engine, check_count
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.score_file import ScoreFileError
from scotyard_env.arena.table import duration, grid
from scotyard_env.commands import FORFEITED, run_module
from scotyard_env.policy import SIDES, Side
from scotyard_env.terminal import progress_bar
from scotyard_env.wording import brief


@dataclass(frozen=True)
class Command:
    """Play a policy through a task of the benchmark, and write a result that others can check and compare with.

    The same command resumes an interrupted run. The exit code is 3 if a match was forfeited.
    """

    policy: Annotated[str, tyro.conf.Positional] = ""
    """Name of a policy, with parameters if needed, or my_module:MyPolicy."""
    task: str = ""
    """Name of the task; --list lists them."""
    side: Side | None = None
    """The side that it plays; may be omitted if it plays only one."""
    name: str | None = None
    """Its name in tables; by default the name given here."""
    workers: int = os.cpu_count() or 1
    """Processes that play."""
    responses: Path | None = None
    """Folder with responses of scotyard train best_response; their win rates against the policy are added."""
    out: Path | None = None
    """File for the result; by default one in results/benchmark."""
    list: bool = False
    """List the tasks."""
    check: tuple[Path, ...] = ()
    """Check result files instead: checksum, task, and that repeated matches have the same moves."""
    games: int = 3
    """Matches of every pairing that --check plays again."""

    def run(self) -> None:
        """List, check or play."""
        check_count("workers", self.workers)
        check_count("games", self.games)
        if self.check:
            self.check_files()
        elif self.list or not self.task:
            print(list_tasks())
            if self.policy and not self.list:
                raise ValueError("--task is missing: choose one of these")
        elif not self.policy:
            raise ValueError(f"give a policy: scotyard benchmark my_module:MyPolicy --task {self.task}")
        else:
            self.play()

    def check_files(self) -> None:
        """Check files, and exit with code 1 if something in one does not hold."""
        is_fine = True
        for path in self.check:
            print(path)
            try:
                for finding in check_file(path, self.games, self.workers):
                    print(f"  {finding}", flush=True)
                    is_fine = is_fine and finding.holds is not False
            except ScoreFileError as error:  # the other files are checked all the same
                print(f"  {Finding('the file is as it was written', False, brief(error))}", flush=True)
                is_fine = False
        if not is_fine:
            sys.exit(1)

    def play(self) -> None:
        """Play what the result lacks, save and print it."""
        task, side, name = find_task(self.task), choose_side(self.policy, self.side), self.name or self.policy
        path = self.out or Path("results/benchmark") / name_file(task, side, name)
        responses = None if self.responses is None else find_responses(self.responses)
        attempt = Attempt(task, self.policy, side, name, path)
        for word in attempt.words:
            print(f"scotyard: {word}", file=sys.stderr)
        try:
            with progress_bar() as progress:
                attempt.play(Engine(workers=self.workers), progress)
        except KeyboardInterrupt:
            kept = f"what was played is kept in {path}" if path.exists() else "nothing was played yet"
            print(f"stopped; {kept}, the same command goes on", file=sys.stderr)
            raise
        if responses is not None:
            attempt.result.bounds = self.examine(responses, attempt.setting, side)
            attempt.save()
        print(describe(attempt.result, task))
        print(f"\nthe result is {path}; scotyard benchmark --check {path} verifies it")
        if any(score.has_forfeits for score in attempt.result.scores.pairs.values()):
            print("scotyard: matches were forfeited, which counts as lost: the file says why", file=sys.stderr)
            sys.exit(FORFEITED)

    def examine(self, responses: tuple[Stored, ...], setting: Setting, side: Side) -> tuple[Bound, ...]:
        """Return how badly the policy loses to the worst response to it, or else to others of its side."""
        games = find_task(self.task).games
        at = Examination(setting.board, setting.rules, games, 1, setting.seed, self.workers, None, responses)
        own = find_own(at, self.policy, side)
        if own is not None:
            return (make_bound("learned", own.response, own.response.rate),)
        moved = measure_transferred(at, self.policy, side)
        return () if moved is None else (make_bound("transferred", moved[1].response, moved[0]),)


def make_bound(kind: str, response: Response, rate: Rate) -> Bound:
    """Return the bound that a response's win rate against a policy is."""
    budget = response.challenge.budget
    spent = f"{budget.name}: {len(response.runs)} x {budget.total_timesteps:,}"
    return Bound(kind, response.challenge.against.name, spent, rate.wins, rate.games, response.weights)


def describe(result: BenchmarkResult, task: Task) -> str:
    """Write what was achieved: a line for each opponent, and one for all of them."""
    place = SIDES.index(result.side)
    rows = [
        [one, str(result.rate(one)), str(score.games), duration(score.seconds(place))]
        for one, score in ((one, result.rows[one]) for one in task.opponents(result.side) if one in result.rows)
    ]
    rows.append(["all", str(result.rate()), str(result.rate().games), ""])
    table = grid([f"{result.policy} ({result.side}) against", "wins", "games", "thinks"], rows)
    bounds = [f"at least exploitable by {bound}" for bound in result.bounds]
    return "\n\n".join([f"{task.title}, scotyard-env {result.version}", table, *bounds])


if __name__ == "__main__":
    run_module(Command)
