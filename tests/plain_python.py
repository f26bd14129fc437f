"""Print what every policy decides in some positions on docklands, as JSON: ``python tests/plain_python.py``.

test_plain_python.py runs it with the compiler switched off. A number that does not fit its type is an error.
"""

from __future__ import annotations

import json
import warnings

import numpy as np
from playing import our_policies

from scotyard_env.game import Game
from scotyard_env.policy import Side, make_policy, policy_factory, sides_of
from scotyard_env.state import MR_X
from scotyard_env.view import View

QUICK = {  # parameters with which a policy answers at once, even uncompiled
    "bristol_mr_x": "depth=2",
    "exploiter": "samples=1,rounds=1,against=greedy",
    "hunters": "starts=2,particles=8,uniform_mix=0.5",
    "minimax": "depth=3,particles=3,beam=2,width=2",
    "phantom": "rollouts=2,rounds=1,double_threshold=0",
    "pimbot": "iterations=12,playouts=greedy",
    "tracker": "samples=1",
}
TURNS = {"mr_x": (3,), "detectives": (1, 6)}  # of a side, at which it is asked

Decided = dict[str, list[tuple[int, float | None]]]  # action and value, by policy and side


def positions(side: Side) -> list[View]:
    """Return what a side sees at some of its turns in two games at random."""
    found = []
    for seed in (1, 2):
        game, rng, turn = Game("docklands", seed=seed), np.random.default_rng(seed), 0
        while game.winner is None:
            if (game.seat == MR_X) == (side == "mr_x"):
                if turn in TURNS[side]:
                    found.append(game.clone().view(game.seat))
                turn += 1
            game.play(int(rng.choice(game.legal)))
    return found


def decide() -> Decided:
    """Ask every policy what it would do."""
    decided: Decided = {}
    for name in our_policies():
        policy = make_policy(f"{name}:{QUICK[name]}" if name in QUICK else name)
        for side in sides_of(policy_factory(name)):
            made = [policy.act(view, np.random.default_rng(number)) for number, view in enumerate(positions(side))]
            decided[f"{name} as {side}"] = [(int(one.action), one.value) for one in made]
    return decided


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    print(json.dumps(decide()))
