"""Policies are found by name, say what exists, and play either side only as they can."""

from __future__ import annotations

import numpy as np
import pytest

from scotyard_baselines.hider import Hider
from scotyard_baselines.random import Random
from scotyard_env.game import Game
from scotyard_env.policy import Decision, Policy, PolicyError, make_policy, policy_names, sides_of
from scotyard_env.view import View


class First:
    """Plays the first legal action."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0])


def test_a_policy_is_made_by_its_name() -> None:
    assert make_policy("random") == Random()


def test_parameters_come_with_the_name_or_beside_it() -> None:
    assert make_policy("hider:exits=2,distance=0.5") == Hider(exits=2, distance=0.5)
    assert make_policy("hider", exits=2) == Hider(exits=2)


def test_a_policy_of_ones_own_passes_through_and_plays_both_sides_unless_it_says_otherwise() -> None:
    mine = First()
    assert make_policy(mine, side="mr_x") is mine
    assert sides_of(mine) == ("mr_x", "detectives")
    assert isinstance(mine, Policy)


def test_names_are_listed_by_side() -> None:
    assert {"random", "greedy"} <= set(policy_names("mr_x")) & set(policy_names("detectives"))
    assert "hider" not in policy_names("detectives")
    assert set(policy_names()) == set(policy_names("mr_x")) | set(policy_names("detectives"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gready", "there is no policy 'gready': there are"),
        ("random:speed=3", "policy 'random' has no parameter 'speed': it has none"),
        ("hider:exit=3", "policy 'hider' has no parameter 'exit': it has exits, distance"),
        ("hider:exits", "'exits' in 'hider:exits' is not a parameter"),
        ("hider:exits=many", "policy 'hider': exits is 'many', give a value of type float"),
        ("hunters:particles=2.5", "policy 'hunters': particles is 2.5, give a value of type int"),
        ("minimax:adaptive=1", "policy 'minimax': adaptive is 1, give a value of type bool"),
        (3, "3 is not a policy"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(name: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(name)
    assert words in str(error.value)


def test_a_policy_for_the_other_side_is_refused_with_those_that_can() -> None:
    with pytest.raises(PolicyError, match=r"plays mr_x, not detectives: detectives can be .*greedy"):
        make_policy("hider", side="detectives")


def test_random_plays_every_legal_action_equally_often() -> None:
    view, rng = Game(seed=0).view(0), np.random.default_rng(0)
    played = [Random().act(view, rng).action for _ in range(3000)]
    counts = np.unique(played, return_counts=True)[1]
    assert set(played) == set(view.legal)
    assert counts.min() > 0.7 * 3000 / len(view.legal)


# ------------------------------------------------------------------------------------------------ what a decision tells


def test_the_gap_is_the_best_value_less_the_runner_up() -> None:
    assert Decision(3, candidates=((3, 0.9), (5, 0.4), (4, 0.1))).gap == pytest.approx(0.5)
    assert Decision(5, probabilities=((5, 0.7), (3, 0.3))).gap == pytest.approx(0.4)
    assert Decision(4, candidates=((3, 0.9), (4, 0.1))).gap == 0  # it was not the best that it chose
    assert Decision(3, candidates=((3, 0.9),)).gap is None
    assert Decision(3).gap is None


@pytest.mark.parametrize("unit", [1.0, 20_000.0])
def test_confidence_is_the_share_of_the_gap_in_best_less_worst_whatever_the_unit(unit: float) -> None:
    decision = Decision(3, candidates=((3, 0.9 * unit), (5, 0.4 * unit), (4, -0.1 * unit)))
    assert decision.confidence == pytest.approx(0.5)


def test_confidence_is_1_with_one_candidate_and_0_where_all_are_worth_the_same() -> None:
    assert Decision(3, candidates=((3, -7.0),)).confidence == 1
    assert Decision(3, candidates=((3, 2.0), (4, 2.0))).confidence == 0


def test_the_confidence_of_a_draw_is_its_probability() -> None:
    assert Decision(3, probabilities=((5, 0.7), (3, 0.3))).confidence == 0.3


def test_there_is_no_confidence_where_nothing_is_told() -> None:
    assert Decision(3).confidence is None
