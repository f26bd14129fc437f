"""The commands that measure the Bristol players, and what the report says of boats."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from scotyard_baselines.bristol_mr_x import VERSIONS
from scotyard_baselines.commands import bristol_ferry, bristol_versions
from scotyard_baselines.commands.bristol_ferry import embark, nearest, sail, stops_ahead
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import make_policy
from scotyard_env.state import MR_X

STARTS = ([46, 20, 163], [77, 91, 94])  # of three detectives


def test_the_chart_has_a_row_and_a_bar_for_every_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "versions.svg"
    bristol_versions.Command(starts=2, seconds=0.001, repeats=1, out=file).run()
    rows = re.findall(r"^\| (\d+) \| (.*?) \| (\S+) \| ([\d,]+) \| (\S+) \|$", capsys.readouterr().out, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(1, len(VERSIONS) + 1))
    assert all(float(row[2]) > 0 for row in rows)
    depths = [float(row[4]) for row in rows]
    assert depths[:7] == [1, 3, 3, 3, 3, 3, 3]
    drawn = ElementTree.parse(file)
    figures = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert all(f"{row[0]}  {row[1]}" in figures and f"{row[2]} ms" in figures for row in rows)


@pytest.mark.parametrize(("wrong", "words"), [({"depth": 5}, "depth is 5"), ({"starts": 0}, "starts is 0")])
def test_what_cannot_be_measured_is_refused(wrong: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bristol_versions.Command(**wrong).run()


def test_mr_x_sails_to_the_stop_that_is_farther_from_the_detectives() -> None:
    assert action_text(embark([194]).board, sail(embark([194]))) == "K115"
    assert action_text(embark([116]).board, sail(embark([116]))) == "K194"


def chase(name: str, starts: list[int], seed: int = 0) -> tuple[Game, list[list[int]]]:
    """Play a game on the boat; return it, and at each of his turns how far every stop ahead is from a detective."""
    policy, game, rng, guards = make_policy(name), embark(starts), np.random.default_rng(seed), []
    while game.winner is None:
        if game.seat == MR_X:
            guards.append([nearest(game, stop) for stop in stops_ahead(game)])
        game.play(sail(game) if game.seat == MR_X else policy.act(game.view(game.seat), rng).action)
    return game, guards


@pytest.mark.parametrize("starts", STARTS)
def test_bristol_detectives_run_after_the_boat_for_long(starts: list[int]) -> None:
    played = [chase("bristol_detectives", starts, seed) for seed in range(8)]
    assert np.mean([game.round for game, _ in played]) > 8  # twice as long as those who look ahead
    assert any(game.winner == "mr_x" for game, _ in played)
    assert all(max(guards[3]) > 1 for _, guards in played)  # where those who look ahead have him between them


@pytest.mark.parametrize("starts", STARTS)
@pytest.mark.parametrize("name", ["minimax", "hunters"])
def test_detectives_who_look_ahead_catch_him_at_either_end(name: str, starts: list[int]) -> None:
    game, guards = chase(name, starts)
    assert game.winner == "detectives"
    assert game.round <= 6
    assert guards[-1] == [1, 1]  # he is in the middle of the river, and at either end somebody waits


def test_the_table_of_boats_counts_catches(capsys: pytest.CaptureFixture[str]) -> None:
    bristol_ferry.Command(detectives="random,hunters", starts=2).run()
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", capsys.readouterr().out, re.MULTILINE))
    assert rows["hunters"] == "2"
    assert int(rows["random"]) < 2
