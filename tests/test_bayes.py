"""bayes plans by the posterior of a population of networks that play Mr. X."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.bayes import Bayes
from scotyard_baselines.hunters import Hunters
from scotyard_baselines.networks.move_scorer import shipped_scorer
from scotyard_baselines.networks.population import shipped_files
from scotyard_env.belief import weigh
from scotyard_env.duel import play_games
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.view import Views


def test_bayes_catches_a_learned_mr_x_whom_hunters_let_go() -> None:
    mr_x = shipped_scorer("mr_x_league")
    assert play_games(mr_x, Bayes(), 60, seed=7) > play_games(mr_x, Hunters(), 60, seed=7) + 6


def test_bayes_believes_by_the_belief_that_it_names() -> None:
    view = random_game("london", "classic", 5, 3, actions=32).view(1)
    believed = Bayes().believe(Views(view.board, view.rules, view.states), np.random.default_rng(0))[0]
    np.testing.assert_array_equal(believed, weigh(view, Bayes.belief))


def test_the_population_can_be_anybodys_files() -> None:
    file = shipped_files()[0]
    assert make_policy(f"bayes:population={file}+{file}").files == (file, file)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("population=nowhere.npz", "nowhere.npz cannot be read"),
        ("switching=1.5", "switching"),
        ("model_mix=-0.1", "model_mix"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        make_policy(f"bayes:{parameters}")


def test_a_file_that_holds_no_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "torn.npz").write_bytes(b"PK no")
    with pytest.raises(PolicyError, match=r"torn\.npz"):
        make_policy(f"bayes:population={tmp_path / 'torn.npz'}")
