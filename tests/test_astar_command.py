"""``scotyard astar``: the map and the paths of a round, of a replay or of a game that is played for it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from calling import refuse

from scotyard_baselines.astar_greedy import AStarGreedy
from scotyard_baselines.commands import astar
from scotyard_env.commands import run_module
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import make_policy
from scotyard_env.render.drawing import SEAT_COLOURS
from scotyard_env.state import MR_X

SVG = "{http://www.w3.org/2000/svg}"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["astar", *arguments])
    run_module(astar.Command)


def played(rounds: int) -> Game:
    """Play some rounds on docklands, up to where the detectives are to move."""
    game, rng, policy = Game("docklands", "docklands", seed=4), np.random.default_rng(0), make_policy("greedy")
    while not (game.round == rounds and game.seat == 1):
        game.play(policy.act(game.view(game.seat), rng).action)
    return game


def test_a_round_of_a_replay_is_printed_and_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game, out = played(3), tmp_path / "paths.svg"
    game.save(tmp_path / "replay.jsonl")
    run(monkeypatch, str(tmp_path / "replay.jsonl"), "--round", "3", "--out", str(out))
    told = capsys.readouterr().out
    policy = AStarGreedy()
    view = game.view(1)
    probability = policy.probability_map(view)
    for station in view.possible[:5]:
        assert f"{station:>5} {100 * probability[station]:5.1f} % #" in told
    ways = policy.find_ways(view, np.random.default_rng(0))
    assert [way.seat for way in ways] == list(range(1, len(view.stations)))
    for way in ways:
        path = " ".join(action_text(view.board, move) for move in way.path)
        assert f"| {way.target:<6} | {100 * probability[way.target]:.1f} %" in told
        assert path in told
    assert arrows_in(out) == [len(way.path) for way in ways]


def arrows_in(file: Path) -> Sequence[int]:
    """Count the arrows of every detective in a picture by their heads."""
    heads = [one.get("fill") for one in ElementTree.parse(file).iter(f"{SVG}polygon")]
    return [heads.count(colour) for colour in SEAT_COLOURS[1:] if colour in heads]


def test_a_game_is_played_if_no_replay_is_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--board", "docklands", "--seed", "2", "--round", "2", "--policy"]
    run(monkeypatch, *arguments, "astar_greedy:targets=assigned")
    told = capsys.readouterr().out
    assert "Round 2: Detective 1 to move" in told
    assert "probability map (" in told
    run(monkeypatch, *arguments, "astar_greedy:reachable=tickets")
    assert capsys.readouterr().out != told


def test_ways_go_on_from_the_first_steps_of_those_before() -> None:
    game = played(2)
    ways = AStarGreedy().find_ways(game.view(1), np.random.default_rng(0))
    while game.winner is None and game.seat != MR_X:
        decision = AStarGreedy().act(game.view(game.seat), np.random.default_rng(0))
        assert decision.action == ways[game.seat - 1].path[0]
        game.play(decision.action)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (
            ["--board", "docklands", "--round", "99"],
            "in round 99 of this game no detective is to move: give one from 1",
        ),
        (["--policy", "greedy"], "policy 'greedy' has no map to show: give astar_greedy"),
        (["--policy", "hider"], "plays mr_x, not detectives"),
        (["--out", "paths.txt"], "cannot write paths.txt: the endings that can be written are .svg"),
        (["--board", "atlantis"], "atlantis"),
    ],
)
def test_wrong_input_is_one_line_that_helps(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refuse(monkeypatch, capsys, f"astar {' '.join(arguments)}")
