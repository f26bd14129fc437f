"""Play what the published tables lack, and put them into the pages: ``make tables``, or ``python -m bench.tables``.

    python -m bench.tables                        # everything; stop it whenever you like, it goes on from there
    python -m bench.tables --only baselines strong --minutes 30
    python -m bench.tables --skip-clocked         # on a machine on which something else runs
    python -m bench.tables --minutes 0            # plays nothing, puts in what is whole

The plan is ``bench/tables.toml``. What was played is kept in ``docs/scores``, a line for each pairing; pairings whose
policies still play as they did are not played again, nor are those that a table and a task of the benchmark share. A
table comes into the pages when all its pairings have their games.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.benchmark_text import write_benchmark
from bench.insert import BENCHMARK, EVERYONE, check_pages, put, put_rows, put_strength, read_cells
from bench.measures import read_measure, run_measure
from bench.table_plan import PLAN, Ground, Plan, Rows, Table, read_plan
from bench.table_text import Shown, write_curve, write_paragraphs, write_ratings
from scotyard_baselines.benchmark.playing import Attempt, name_file
from scotyard_baselines.benchmark.result import read_result
from scotyard_baselines.benchmark.task import find_task
from scotyard_env.arena.engine import Engine, check_count
from scotyard_env.arena.folder import hold_folder
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.score_file import Pair, Scores, read_scores, write_scores
from scotyard_env.arena.score_keeping import play_missing
from scotyard_env.arena.tournament import make_setting
from scotyard_env.commands import run_module
from scotyard_env.files import write_whole
from scotyard_env.terminal import progress_bar

SCORES, RESULTS = Path("docs/scores"), Path("docs/benchmark")
QUIET = 0.7  # load of a machine on which nothing else runs, at most


@dataclass(frozen=True)
class Command:
    """Play what the published tables lack, and put the whole ones into the pages."""

    only: tuple[str, ...] = ()
    """Tables by name; all of the plan if left out."""
    minutes: float | None = None
    """Stop after so many; what was played is kept. 0 plays nothing."""
    skip_clocked: bool = False
    """Leave out the pairings of policies that think by the clock."""
    busy: bool = False
    """Play them even while something else runs, which makes them weaker."""
    workers: int = os.cpu_count() or 1
    """Processes that play; one plays what thinks by the clock."""
    plan: Path = PLAN
    """File that says which tables there are."""
    scores: Path = SCORES
    """Folder that keeps what was played."""
    results: Path = RESULTS
    """Folder of the results of the benchmark."""

    def run(self) -> None:
        """Play and insert."""
        check_count("workers", self.workers)
        if self.minutes is not None and not self.minutes >= 0:
            raise ValueError(f"minutes is {self.minutes}: give a number of at least 0")
        whole = read_plan(self.plan)
        plan = whole.choose(self.only)
        deadline = None if self.minutes is None else time.monotonic() + 60 * self.minutes
        check_pages()
        with hold_folder(self.scores):
            self.play_all(whole, plan, deadline)

    def play_all(self, whole: Plan, plan: Plan, deadline: float | None) -> None:
        """Play what a part of the plan lacks, and insert it."""
        for ground in plan.grounds:
            self.play(plan, ground, deadline)
        for measure in plan.measures:
            if not run_measure(measure, self.scores, deadline):
                say(f"{measure.name}: not measured anew")
        kept = [read_scores(path) for one in whole.grounds if (path := self.scores / f"{one.name}.json").exists()]
        undone = [rows.task for rows in plan.rows if not self.play_rows(rows, kept, deadline)]
        left = [*(name for name in self.insert(plan) if name), *undone]
        say("all tables are whole" if not left else f"not whole yet: {', '.join(left)}")

    def play(self, plan: Plan, ground: Ground, deadline: float | None) -> None:
        """Play the pairings of a game that are missing, those by the clock first and by one process."""
        path, wanted = self.scores / f"{ground.name}.json", plan.wanted(ground)
        setting = make_ground(plan, ground, wanted)
        scores = open_scores(path, setting)
        if words := scores.welcome((*setting.mr_x, *setting.detectives)):
            say("; ".join(words))
            write_scores(path, scores)
        for result in map(read_result, sorted(self.results.glob("*.json"))):
            scores.take_over(result.scores, wanted)
        clocked = find_clocked(setting, wanted)
        parts = [({} if not self.may_clock(scores, wanted, clocked) else clocked, 1)]
        parts.append(({pair: games for pair, games in wanted.items() if pair not in clocked}, self.workers))
        for part, workers in parts:
            if deadline is None or time.monotonic() < deadline:
                with progress_bar() as progress:
                    play_missing(
                        scores,
                        setting,
                        part,
                        Engine(workers=workers),
                        lambda: write_scores(path, scores),
                        progress=progress,
                        deadline=deadline,
                    )

    def play_rows(self, rows: Rows, kept: Sequence[Scores], deadline: float | None) -> bool:
        """Play what our rows of a task of the benchmark lack that the tables have not; tell whether they are whole."""
        task, is_whole = find_task(rows.task), True
        for name, side in rows.attempts:
            if deadline is not None and time.monotonic() >= deadline:
                return False
            attempt = Attempt(task, name, side, name, self.results / name_file(task, side, name))
            for word in attempt.words:
                say(word)
            for scores in kept:
                attempt.result.scores.take_over(scores, attempt.wanted)
            with progress_bar() as progress:
                is_whole = attempt.play(Engine(workers=self.workers), progress, deadline) and is_whole
        return is_whole

    def may_clock(self, scores: Scores, wanted: dict[Pair, int], clocked: dict[Pair, int]) -> bool:
        """Tell whether policies that think by the clock may play now; if something is missing and not, say why."""
        missing = sum(max(0, games - scores.games(pair)) for pair, games in clocked.items())
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        if not missing or self.skip_clocked:
            return False
        if load > QUIET and not self.busy:
            say(f"{missing} games by the clock are left out: the machine is busy (load {load:.1f}); --busy plays them")
            return False
        return True

    def insert(self, plan: Plan) -> list[str | None]:
        """Put whole tables into the pages; return the names of those that are not whole."""
        left: list[str | None] = []
        for table in plan.tables:
            left.append(self.insert_table(table))
        for measure in plan.measures:
            paragraphs = read_measure(self.scores, measure)
            if paragraphs is None:
                left.append(measure.name)
            else:
                place(measure.name, paragraphs)
        if plan.rows and list(self.results.glob("*.json")):
            place(BENCHMARK, write_benchmark(self.results))
        return left

    def insert_table(self, table: Table) -> str | None:
        """Put a table into the pages if it is whole; else return its name."""
        path = self.scores / f"{table.ground.name}.json"
        scores = read_scores(path) if path.exists() else None
        if scores is None or any(scores.games(pair) < games for pair, games in table.wanted.items()):
            return table.name
        shown = Shown.of(table, scores)
        place(table.name, write_paragraphs(shown) if table.curve is None else write_curve(shown, table.curve))
        if table.name == EVERYONE:
            put_rows(read_cells([shown.rates(table.mr_x, table.detectives)]))
            put_strength(scores)
        if table.ratings is not None:
            write_whole(table.ratings, write_ratings(shown))
        return None


def make_ground(plan: Plan, ground: Ground, wanted: dict[Pair, int]) -> Setting:
    """Put together the game that some pairings are played in."""
    mr_x, detectives = (
        {name: plan.names.get(name, name) for name in dict.fromkeys(pair[place] for pair in wanted)} for place in (0, 1)
    )
    return make_setting(mr_x, detectives, board=ground.board, rules=ground.rules, seed=ground.seed)


def open_scores(path: Path, setting: Setting) -> Scores:
    """Read the scores of a game, or begin with none; those of another game are refused."""
    if not path.exists():
        return Scores(setting.board, setting.rules, setting.seed)
    scores = read_scores(path)
    if (scores.board, scores.rules, scores.seed) != (setting.board, setting.rules, setting.seed):
        raise ValueError(f"{path} holds scores of another game: {scores.rules.name} on {scores.board.name}")
    return scores


def find_clocked(setting: Setting, wanted: dict[Pair, int]) -> dict[Pair, int]:
    """Return the pairings in which a policy thinks by the clock, with their games."""
    timed = [
        {one.name for one in side if getattr(one.make(), "is_timed", False)}
        for side in (setting.mr_x, setting.detectives)
    ]
    return {pair: games for pair, games in wanted.items() if pair[0] in timed[0] or pair[1] in timed[1]}


def place(name: str, paragraphs: list[str]) -> None:
    """Put a table into the pages; say so if none keeps a place for it."""
    if not put(name, paragraphs):
        say(f"no page keeps a place for {name}")


def say(sentence: str) -> None:
    """Tell whoever waits."""
    print(f"tables: {sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    run_module(Command)
