"""Parameters that cannot be played are refused when they are given: every field of every policy."""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, Any

import numpy as np
import pytest
from playing import our_policies

from scotyard_env.game import Game
from scotyard_env.policy import Policy, PolicyError, make_policy, policy_factory, sides_of
from scotyard_env.ranges import Range, Seconds, Share, check_ranges
from scotyard_env.state import MR_X

QUICK: dict[str, dict[str, Any]] = {  # parameters with which a policy answers at once
    "bristol_mr_x": {"depth": 2},
    "exploiter": {"samples": 1, "rounds": 1, "against": "greedy"},
    "hunters": {"starts": 1, "particles": 8},
    "minimax": {"depth": 2, "particles": 3},
    "phantom": {"rollouts": 6, "rounds": 1},
    "pimbot": {"iterations": 6},
    "tracker": {"samples": 1},
}
CASES = [
    (name, field.name)
    for name in our_policies()
    for field in (dataclasses.fields(policy_factory(name)) if dataclasses.is_dataclass(policy_factory(name)) else ())
    if field.init
]
STRANGE = (math.nan, math.inf, -math.inf, -1, 0, 1e-9, 10**9, 1e300, "x", None, True)


def play_once(policy: Policy) -> None:
    for side in sides_of(policy):
        game = Game("docklands", seed=5)
        while (game.seat == MR_X) != (side == "mr_x"):
            game.play(game.legal[0])
        assert policy.act(game.view(game.seat), np.random.default_rng(0)).action in game.legal


@pytest.mark.parametrize(("name", "field"), CASES)
def test_a_strange_parameter_is_refused_or_played(name: str, field: str) -> None:
    refused = []
    for value in STRANGE:
        try:
            policy = make_policy(name, **(QUICK.get(name, {}) | {field: value}))
        except PolicyError as error:
            refused.append(str(error))
        else:
            play_once(policy)
    assert refused
    assert all(field in sentence for sentence in refused)


@dataclasses.dataclass(frozen=True)
class Player:
    rounds: Annotated[int, Range(1, 24)] = 3
    mix: Share = 0.5
    seconds: Seconds | None = None

    def __post_init__(self) -> None:
        check_ranges(self)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rounds": 0}, "rounds is 0: give a whole number from 1 to 24"),
        ({"rounds": 2.0}, "rounds is 2.0: give a whole number from 1 to 24"),
        ({"rounds": True}, "rounds is True: give a whole number from 1 to 24"),
        ({"mix": math.nan}, "mix is nan: give a number from 0 to 1"),
        ({"mix": None}, "mix is None: give a number from 0 to 1"),
        ({"seconds": 1e-9}, "seconds is 1e-09: give a number from 0.001 to 3_600, or None"),
    ],
)
def test_a_number_out_of_its_range_is_refused_in_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        Player(**wrong)


def test_the_ends_of_a_range_belong_to_it() -> None:
    assert Player(rounds=24, mix=0, seconds=0.001).rounds == 24
    assert Player(rounds=np.int64(1), mix=np.float32(1.0)).mix == 1.0


def test_numbers_become_what_their_field_says() -> None:
    player = Player(rounds=np.int64(2), mix=1)
    assert [type(player.rounds), type(player.mix), player.seconds] == [int, float, None]
