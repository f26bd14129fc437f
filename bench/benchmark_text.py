"""The tables of the benchmark's page, made from result files: whoever adds a file adds a row."""

from pathlib import Path

from scotyard_baselines.benchmark.result import BenchmarkResult, read_result
from scotyard_baselines.benchmark.task import Task, read_tasks
from scotyard_env.arena.table import SIDE_WORDS, duration, grid
from scotyard_env.policy import SIDES, Side
from scotyard_env.release import release

MADE = "Made by `python -m bench.insert benchmark docs/benchmark` from the result files there"
NONE = "-"


def write_benchmark(folder: Path) -> list[str]:
    """Write the tables of all tasks that somebody has a whole result of, the best first."""
    results = [read_result(path) for path in sorted(folder.glob("*.json"))]
    paragraphs: list[str] = []
    for task in read_tasks().values():
        for side in SIDES:
            whole = [
                one
                for one in results
                if (one.task, one.task_digest, one.side) == (task.name, task.digest, side) and one.is_whole(task)
            ]
            if whole:
                ranked = sorted(whole, key=lambda one: (-one.rate().share, one.policy))
                paragraphs += write_task(task, side, ranked)
    return [*paragraphs, MADE]


def write_task(task: Task, side: Side, results: list[BenchmarkResult]) -> list[str]:
    """Write what policies have achieved on a side of a task: over all opponents, and behind it against each."""
    rows = [
        [
            one.policy,
            str(one.rate()),
            tell_worst(one, task),
            str(one.bounds[0]) if one.bounds else NONE,
            think(one),
            release(one.version),
        ]
        for one in results
    ]
    head = ["policy", "wins of all", "worst against", "at least exploitable by", "thinks", "version"]
    return [
        f"**{task.title}, {SIDE_WORDS[side]}**: {len(task.opponents(side))} opponents, {task.games} games each.",
        grid(head, rows),
        '<details markdown="1">\n<summary>Against each</summary>',
        grid(
            ["policy", "against", "wins"],
            [[one.policy, opponent, str(one.rate(opponent))] for one in results for opponent in task.opponents(side)],
        ),
        "</details>",
    ]


def tell_worst(result: BenchmarkResult, task: Task) -> str:
    """Name the opponent against whom a policy wins least, and how often it does."""
    worst = min(task.opponents(result.side), key=lambda one: result.rate(one).share)
    return f"{worst} {100 * result.rate(worst).share:.1f} %"


def think(result: BenchmarkResult) -> str:
    """Write how long a policy thinks for a decision, on the machine that played."""
    place = SIDES.index(result.side)
    seconds = sum(score.thinking[place] for score in result.rows.values())
    return duration(seconds / max(1, sum(score.decisions[place] for score in result.rows.values())))
