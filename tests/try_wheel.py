"""Try the installed package where nothing else is: ``make dist`` runs it in an empty environment, away from here.

Run it in a folder of its own. It makes there what a user may well have: a ``training.py`` and packages called
``baselines`` and ``training``, which nothing of ours may import.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np

import scotyard_baselines
import scotyard_env
import scotyard_training
from scotyard_env import render
from scotyard_env.policy import policy_factory, policy_names, sides_of

PACKAGES = (scotyard_env, scotyard_baselines, scotyard_training)
CHEAP = {"minimax": "minimax:depth=1", "phantom": "phantom:rollouts=1,rounds=1", "pimbot": "pimbot:iterations=3"}
OWN = ("baselines/__init__.py", "baselines/greedy.py", "training/__init__.py", "training/ppo.py", "training.py")


def scotyard(*arguments: str, code: int = 0) -> str:
    """Run the command that is installed beside this Python; return what it says."""
    command = [str(Path(sys.executable).with_name("scotyard")), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == code, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def try_where_it_is() -> None:
    """The packages are those of the wheel, with their types, boards and weights, and nothing else is."""
    home = Path(sysconfig.get_path("purelib"))
    for package in PACKAGES:
        assert Path(str(package.__file__)).is_relative_to(home), f"{package.__name__} is not from the wheel"
        assert (home / package.__name__ / "py.typed").exists()
    files = importlib.metadata.files("scotyard-env") or []
    tops = {file.parts[0] for file in files if not file.parts[0].endswith(".dist-info") and ".." not in file.parts}
    assert tops == {package.__name__ for package in PACKAGES}, tops
    for name in scotyard_env.Board.names():
        assert scotyard_env.Board.named(name).stations > 0


def try_environments() -> None:
    """One game of random moves through the AEC API, one step of every other shell."""
    env = scotyard_env.make(board="docklands")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
    solo = scotyard_env.make_solo(side="mr_x", opponent="greedy")
    observation, _ = solo.reset(seed=7)
    solo.step(solo.action_space.sample(observation["action_mask"]))
    scotyard_env.make_vec(4, side="detectives").reset(seed=7)


def try_policies() -> None:
    """Every policy that is registered is made, and decides on every side that it plays."""
    for name in policy_names():
        scotyard_env.make_policy(name)
        policy = scotyard_env.make_policy(CHEAP.get(name, name))
        for side in sides_of(policy_factory(name)):
            game = scotyard_env.Game(board="glasses", seed=7)
            if side == "detectives":
                game.play(game.legal[0])
            game.play(policy.act(game.view(game.seat), np.random.default_rng(7)).action)


def try_command() -> None:
    """The command plays a match and draws it, plays a tournament in two processes, and checks a user's policy."""
    listed = scotyard("policies")
    assert all(f"\n{name} " in f"\n{listed}" for name in policy_names())
    scotyard("match", "--seed", "7", "--board", "docklands", "--out", "match")
    replay = scotyard_env.Replay.load("match/replay.jsonl")
    assert replay.game().winner is not None
    assert render.rgb_array(replay.game().view(-1)).shape == (900, 1200, 3)
    players = ("--mr-x", "random,greedy", "--detectives", "greedy,mine:First", "--board", "docklands")
    said = scotyard("tournament", *players, "--games", "2", "--workers", "2", "--out", "results")
    assert "mine:First" in said
    assert "Forfeit" not in said


def try_training() -> None:
    """One update of PPO; without torch, one sentence that says what is missing."""
    words = ("train", "ppo", "--side", "detectives", "--opponent", "random", "--board", "docklands", "--rules")
    sizes = {"num_envs": 2, "num_steps": 8, "minibatch_size": 8, "hidden_size": 8, "eval_games": 1}
    few = [text for name, size in sizes.items() for text in (f"--{name.replace('_', '-')}", str(size))]
    tiny = (*words, "docklands", "--total-timesteps", "16", *few, "--out", "run")
    if importlib.util.find_spec("torch") is None:
        assert "scotyard train ppo needs torch: pip install 'scotyard-env[train]'" in scotyard(*tiny, code=2)
    else:
        scotyard(*tiny)
        assert Path("run/last.pt").exists()


def main() -> None:
    """Try everything, in a folder with colliding names."""
    for name in OWN:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text('raise ImportError("this is the user\'s own")\n')
    Path("mine.py").write_text(
        "from scotyard_env import Decision\n\n\n"
        "class First:\n    def act(self, view, rng):\n        return Decision(view.legal[0])\n"
    )
    for attempt in (try_where_it_is, try_environments, try_policies, try_command, try_training):
        print(f"{attempt.__name__.replace('_', ' ')}: {attempt.__doc__}", flush=True)
        attempt()
    print(f"scotyard-env {scotyard_env.__version__} works")


if __name__ == "__main__":
    main()
