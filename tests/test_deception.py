"""``scotyard deception``: what is believed of the truth after a decoy's moves, against plain counting."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from calling import refuse

from scotyard_baselines.commands import deception
from scotyard_baselines.commands.deception import DIFFERENCE, INSTEAD, OTHERS, WHEEL, Command, Study, resample
from scotyard_baselines.decoy import Decoy
from scotyard_env.belief import weigh
from scotyard_env.commands import run_module
from scotyard_env.game import Game
from scotyard_env.policy import make_policy
from scotyard_env.state import MR_X

BOLD = Decoy(near_fields=0, near_turns=0, current_score_max=9, candidate_score_max=9)
SMALL = Command(games=6, board="docklands")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["deception", *arguments])
    run_module(deception.Command)


def test_what_is_believed_of_the_truth_is_added_up_within_links() -> None:
    game = Game("docklands", "docklands", seed=3)
    for _ in range(6):
        game.play(game.legal[0])
    while game.seat != MR_X:
        game.play(game.legal[-1])
    study, action = Study(BOLD, ("uniform", "paths"), 1), game.legal[0]
    found = study.measure(game.view(MR_X), action)
    game.play(action)
    linked = {station: {station} for station in range(1, game.board.stations + 1)}
    for a, b, _ in game.board.links:
        linked[a].add(b)
        linked[b].add(a)
    here = game.stations[MR_X]
    around = {here}, linked[here], set().union(*(linked[station] for station in linked[here]))
    for row, name in zip(found, study.beliefs, strict=True):
        belief = weigh(game.view(1), name)
        assert row == pytest.approx([sum(belief[station] for station in stations) for stations in around])


def test_a_decision_counts_the_moves_that_may_come_up_by_their_shares() -> None:
    study = SMALL.study(BOLD, make_policy("greedy"), ("paths",))
    assert len(study.masses[WHEEL]) == len(study.masses[INSTEAD]) > 10
    assert study.reasons["turns"] >= len(study.masses[WHEEL])
    for (game, wheel), (_, instead), (same, less) in zip(
        study.masses[WHEEL], study.masses[INSTEAD], study.masses[DIFFERENCE], strict=True
    ):
        assert game == same
        assert less == pytest.approx(wheel - instead)
        assert (np.diff(wheel) >= -1e-9).all()  # the wider, the more
        assert ((wheel >= 0) & (wheel <= 1 + 1e-9)).all()


def test_a_wheel_that_is_off_leaves_defensive_moves_only() -> None:
    study = SMALL.study(Decoy(wheel=False), make_policy("greedy"), ("uniform",))
    assert list(study.masses) == [OTHERS]
    assert list(study.reasons) == ["switched off"]


def test_games_are_drawn_whole() -> None:
    seen = [(0, np.array([[1.0]])), (0, np.array([[1.0]])), (1, np.array([[0.0]]))]
    drawn = resample(seen, 2, seed=0)
    assert set(np.round(drawn.ravel(), 6)) == {0.0, round(2 / 3, 6), 1.0}


def test_both_tables_are_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--board", "docklands", "--games", "4", "--detectives", "greedy", "random"]
    run(monkeypatch, *arguments, "--mr-x", "decoy", "decoy:wheel=False")
    first, second = capsys.readouterr().out.split("\n\n")
    assert len(first.splitlines()) == 2 + 4
    assert "| decoy:wheel=False | random     | uniform | all others, defensive" in second
    run(monkeypatch, *arguments, "--belief", "none")
    assert len(capsys.readouterr().out.splitlines()) == 2 + 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "0"], "games is 0: give a whole number of at least 1"),
        (["--mr-x", "hider"], "policy 'hider' has no wheel to look at: give decoy"),
        (["--detectives", "hider"], "plays mr_x, not detectives"),
        (["--belief", "faith"], "there is no belief 'faith': there are paths, uniform, evasive"),
    ],
)
def test_wrong_input_is_one_line_that_helps(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refuse(monkeypatch, capsys, f"deception {' '.join(arguments)}")
