"""The fit of the choice model finds utilities again, and sees moves as the model does."""

from __future__ import annotations

import numpy as np
import pytest
from calling import call, refuse
from playing import random_game
from test_choice_model import attraction

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.commands.fit_choice_model import SHIPPED, Choices, Watched, describe, fit, list_moves, watch
from scotyard_env.state import MR_X


@pytest.mark.parametrize("seed", range(6))
def test_features_times_utilities_are_what_the_belief_weighs(seed: int) -> None:
    game = random_game("london", "classic", 1 + seed % 5, seed, actions=12)
    while game.winner is None and game.seat != MR_X:
        game.play(int(game.legal[0]))
    moves = list_moves(game.board, game.states[0])
    rows = describe(game.board, capture_times(game.board), game.states[0], moves)
    detectives = game.stations[1:]
    slow = [attraction(game.view(MR_X), to, fare, list(detectives)) for to, fare in moves]
    assert np.exp(rows @ SHIPPED) == pytest.approx(slow)


def test_utilities_are_found_again_from_choices_made_by_them() -> None:
    rng = np.random.default_rng(7)
    true, rows = np.array([1.0, -0.5, 0.3]), rng.normal(size=(3000, 5, 3))
    shares = np.exp(rows @ true)
    drawn = (shares.cumsum(axis=1) / shares.sum(axis=1, keepdims=True) > rng.random((3000, 1))).argmax(axis=1)
    choices = Choices(rows.reshape(-1, 3), np.arange(0, 15000, 5), drawn)
    found = fit(choices)
    assert found == pytest.approx(true, abs=0.1)
    assert choices.log_likelihood(found) > choices.log_likelihood(np.zeros(3))


def test_every_move_that_is_watched_was_one_of_those_he_could_make() -> None:
    watched = Watched()
    watch("greedy", "greedy", games=8, seed=0, watched=watched)
    assert len(watched.rows) == len(watched.chosen) > 40
    assert all(0 <= chosen < len(rows) for rows, chosen in zip(watched.rows, watched.chosen, strict=True))
    assert (watched.doubled[:, 1] <= watched.doubled[:, 0]).all()


def test_the_command_prints_likelihoods_and_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "fit choice_model --mr-x hider --games 8") == 0
    told = capsys.readouterr().out
    assert "mean log-likelihood" in told
    assert "UTILITY_SAFE = " in told


@pytest.mark.parametrize(("option", "value"), [("--games", "3"), ("--scale", "0"), ("--scale", "1.5")])
def test_settings_that_make_no_sense_are_refused(
    option: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "give" in refuse(monkeypatch, capsys, f"fit choice_model {option} {value}")
