"""What every baseline promises is what every policy promises; and each plays whole games, whatever they come to."""

from __future__ import annotations

import numpy as np
import pytest
from playing import all_settings, our_policies

from scotyard_env.game import Game
from scotyard_env.policy import make_policy, sides_of
from scotyard_env.state import MR_X
from scotyard_env.testing import policy_test

CHEAP = {  # where the default is slow, or timed and hence not reproducible
    "bristol_mr_x": "bristol_mr_x:depth=2",
    "minimax": "minimax:beam=2,width=2",
    "exploiter": "exploiter:against=greedy,samples=1,rounds=1",
    "phantom": "phantom:rollouts=8,rounds=1",
    "pimbot": "pimbot:iterations=20",
    "tracker": "tracker:samples=1",
}
POLICIES = [CHEAP.get(name, name) for name in our_policies()]
EDITIONS = {(board, rules): detectives for board, rules, detectives in all_settings()}  # with the most detectives


@pytest.mark.parametrize("name", POLICIES)
def test_a_baseline_keeps_the_contract_of_policies(name: str) -> None:
    policy_test(name, quick=True)


@pytest.mark.parametrize("name", POLICIES)
def test_a_baseline_plays_whole_games_on_every_board_by_every_edition(name: str) -> None:
    policy, other = make_policy(name), make_policy("random")
    for number, ((board, rules), detectives) in enumerate(EDITIONS.items()):
        for side in sides_of(policy):
            game, rng = Game(board, rules, detectives=detectives, seed=number), np.random.default_rng(number)
            while game.winner is None:
                player = policy if (game.seat == MR_X) == (side == "mr_x") else other
                game.play(player.act(game.view(game.seat), rng).action)
