"""Tell where time goes, stage by stage, and put the tables into docs/speed.md: ``python -m bench.profile``.

A stage counts the CPU time that is its own: what it calls of another stage counts for that one. Each thing that is
taken apart has a process to itself: ``python -m bench.profile step mr_x`` prints the stages as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.insert import insert
from bench.start import FIRST_USERS
from scotyard_env.files import write_whole
from scotyard_env.policy import SIDES

PAGE = Path("docs/speed.md")
REST = "the rest, in Python"
COMMAND = "Made by `python -m bench.profile`"
STEPS, UPDATES = 400, 3

STEP = {  # stages of a step of make_vec, by function: module:name or module:class.name
    "scotyard_env.vector:ScotlandYardVectorEnv.step": REST,
    "scotyard_env.batch:Batch.submit": "the learner's actions, judged and played",
    "scotyard_env.batch:Batch.views": "views for the opponents",
    "scotyard_env.duel:decide": "the opponents' decisions, by lot",
    "scotyard_env.batch:Batch.play": "the opponents' actions, judged and played",
    "scotyard_env.batch:Batch.deal": "new deals",
    "scotyard_env.batch:Batch.observe": "observations and masks",
    "scotyard_env.vector:ScotlandYardVectorEnv._settle": "last observations of games that are over",
    "scotyard_env.vector:ScotlandYardVectorEnv._infos": "last observations of games that are over",
}
FIRST = {  # of a first decision, compiled code not there yet
    "scotyard_env.compiler.dispatchers:_InnerCompiler._compile_core": "kernels typed and lowered",
    "scotyard_env.compiler.dispatchers:_OuterCompiler._compile_core": "kernels linked, optimised, made machine code",
    "scotyard_env.compiler.disk_cache:DiskCache.save_overload": "compiled code kept on disk",
    "scotyard_env.compiler.disk_cache:DiskCache.load_overload": "compiled code looked for on disk",
}
UPDATE = {  # of an update of PPO
    "scotyard_training.ppo:learn": REST,
    "scotyard_training.learning.side_games:SideGames.step": "games and opponents",
    "scotyard_training.learning.side_games:SideGames.observe": "inputs of the network",
    "scotyard_training.learning.rollout:score": "the network's scores, to act by",
    "scotyard_training.learning.ppo_learner:PpoLearner.values": "the critic's values of decisions",
    "scotyard_training.learning.ppo_learner:take_chunk": "minibatches taken out of the rollout",
    "scotyard_training.learning.ppo_learner:PpoLearner.learn_from": "scores, values and gradients of minibatches",
    "scotyard_training.learning.learner:Learner.descend": "steps of the optimizer",
}


class Stopwatch:
    """Adds up the CPU seconds of stages, each without the stages that it calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner: list[float] = []  # seconds of the stages inside, for each stage that runs

    def watch(self, stages: dict[str, str]) -> None:
        """Time functions from now on."""
        for place, stage in stages.items():
            module, _, path = place.partition(":")
            owner: Any = __import__(module, fromlist=["_"])
            *classes, name = path.split(".")
            for one in classes:
                owner = getattr(owner, one)
            setattr(owner, name, self.timed(getattr(owner, name), stage))

    def timed(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        """Return a function whose time counts for a stage."""

        def run(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            self._inner.append(0.0)
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.process_time() - start
                self.seconds[stage] += spent - self._inner.pop()
                if self._inner:
                    self._inner[-1] += spent

        return run


def profile_step(watch: Stopwatch, side: Any) -> float:
    """Step 1,024 games, one side learning, all seats at random; return the moves."""
    from bench.vector import Stepping

    stepping = Stepping(1024, side)
    look, before = stepping.envs.batch.views, stepping.policy.decisions  # the learner's own look is not the step's
    watch.watch(STEP)
    for _ in range(STEPS):
        stepping.envs.step(stepping.policy.act_batch(look(), stepping.rng))
    return stepping.policy.decisions - before


def profile_first(watch: Stopwatch, policy: str) -> float:
    """Make a policy and decide once, Mr. X or a detective."""
    watch.watch(FIRST)

    def decide() -> None:
        import numpy as np

        from scotyard_env import Game, make_policy

        player, game = make_policy(policy), Game(seed=7)
        if "mr_x" not in player.sides:  # type: ignore[attr-defined]  # ours all say
            game.play(game.legal[0])
        player.act(game.view(game.seat), np.random.default_rng(0))

    watch.timed(decide, REST)()
    return 1


def profile_update(watch: Stopwatch, _: str) -> float:
    """Learn by PPO with the network of the shipped players; return the decisions."""
    import torch

    from bench.training import ARGS, new_learner
    from scotyard_training import ppo

    torch.set_num_threads(1)
    learner = new_learner()
    watch.watch(UPDATE)
    before = learner.steps
    for _ in range(UPDATES):
        ppo.learn(learner, ARGS)
    return learner.steps - before


def profile_tree(watch: Stopwatch, _: str) -> float:
    """Search as bristol_mr_x does, to a fixed depth; return the nodes."""
    from bench.tree import profile_nodes

    seconds, nodes = profile_nodes()
    watch.seconds.update(seconds)
    return nodes


PROFILES: dict[str, Callable[[Stopwatch, str], float]] = {
    "step": profile_step,
    "first": profile_first,
    "update": profile_update,
    "tree": profile_tree,
}


def run_apart(what: str, of: str) -> tuple[dict[str, float], float]:
    """Take something apart in a process of its own, compiled code at hand unless it is to be compiled."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, **({"NUMBA_CACHE_DIR": empty} if what == "first" else {})}
        command = [sys.executable, "-m", "bench.profile", what, of]
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, count = json.loads(answer.stdout)
    return seconds, count


def tabulate(columns: dict[str, tuple[dict[str, float], float]], unit: str, scale: float) -> str:
    """Write a table of stages with their shares, the largest first, a column for each thing that was taken apart."""
    totals = {name: sum(seconds.values()) for name, (seconds, _) in columns.items()}

    def largest_share(stage: str) -> float:
        return max(seconds.get(stage, 0.0) / totals[name] for name, (seconds, _) in columns.items())

    def cell(stage: str, name: str) -> str:
        seconds, count = columns[name][0].get(stage, 0.0), columns[name][1]
        return f"{seconds * scale / count:,.3g} ({seconds / totals[name]:.0%})"

    stages = sorted({stage for seconds, _ in columns.values() for stage in seconds}, key=largest_share, reverse=True)
    rows = [["", *(f"{name}, {unit}" for name in columns)], ["---"] * (1 + len(columns))]
    rows += [[stage, *(cell(stage, name) for name in columns)] for stage in stages]
    rows.append(["all", *(f"{totals[name] * scale / count:,.3g}" for name, (_, count) in columns.items())])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Fill the page; or take one thing apart, if one is named."""
    parser = argparse.ArgumentParser(prog="bench.profile", description="Tell where time goes, in docs/speed.md.")
    parser.add_argument("what", nargs="?", choices=[*PROFILES], help="take this apart only, and print it as JSON")
    parser.add_argument("of", nargs="?", default="", help="the side of a step, or the policy of a first decision")
    asked = parser.parse_args()
    if asked.what:
        watch = Stopwatch()
        count = PROFILES[asked.what](watch, asked.of)
        print(json.dumps([watch.seconds, count]))
        return
    policies = [policy for policy in FIRST_USERS if policy != "pimbot"]
    tables = {
        "first": tabulate({policy: run_apart("first", policy) for policy in policies}, "s", 1.0),
        "step": tabulate({f"{side} learn": run_apart("step", side) for side in SIDES}, "ns a move", 1e9),
        "update": tabulate({"ppo": run_apart("update", "")}, "us a decision", 1e6),
        "tree": tabulate({"bristol_mr_x": run_apart("tree", "")}, "ns a node", 1e9),
    }
    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables.items():
        page, _ = insert(page, name, [table, COMMAND])
    write_whole(PAGE, page)


if __name__ == "__main__":
    main()
