"""Tournaments: paired deals, equal results for any number of workers, forfeits, workers that die."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import odd_policies
import pytest

from scotyard_env.arena import Tournament, evaluate, tournament
from scotyard_env.arena.contenders import split_names
from scotyard_env.arena.deals import deal_game, start_cards, start_of_mr_x
from scotyard_env.arena.processes import WorkerError
from scotyard_env.board import Board
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.ruleset import RuleSet

LONDON, CLASSIC = Board.named("london"), RuleSet.named("classic")


def same(played: Tournament) -> list[dict[str, Any]]:
    return [result.same for result in played.results]


# Deals


def test_every_pairing_is_dealt_the_same_games() -> None:
    played = tournament(["random", "greedy"], ["random", "greedy"], games=6, board="docklands", seed=4)
    for number in range(6):
        starts = {result.stations for result in played.results if result.number == number}
        assert len(starts) == 1
    assert len({result.stations for result in played.results}) > 1


def test_every_start_card_of_mr_x_comes_up_once_in_every_block_of_one_deck() -> None:
    starts = [deal_game(LONDON, CLASSIC, 7, number).stations[0] for number in range(36)]
    assert Counter(starts) == dict.fromkeys(CLASSIC.mr_x_starts or (), 2)
    assert starts[:18] != starts[18:]
    assert starts[0] == start_of_mr_x(LONDON, CLASSIC, 7, 0)


def test_detectives_are_dealt_as_the_rules_deal_them_whatever_the_card_of_mr_x() -> None:
    games = 3600
    dealt = Counter(deal_game(LONDON, CLASSIC, 1, number).stations[2] for number in range(games))
    assert set(dealt) == set(CLASSIC.detective_starts or ())
    spread = np.sqrt(games / 18)
    assert all(abs(count - games / 18) < 5 * spread for count in dealt.values())


def test_a_card_that_the_detectives_always_hold_is_never_waited_for() -> None:
    rules = RuleSet(detectives=2, detective_starts=(13, 26), mr_x_starts=(13, 26, 29, 34))
    assert start_cards(LONDON, rules) == (29, 34)
    assert deal_game(LONDON, rules, 0, 0).stations[0] in (29, 34)


def test_more_games_add_to_fewer() -> None:
    few, more = (tournament("greedy", "greedy", games=games, board="docklands") for games in (3, 5))
    assert same(few) == same(more)[:3]


# Results


def test_one_process_two_workers_and_none_give_the_same_results() -> None:
    entries: dict[str, Any] = {"mr_x": ["random", "hider"], "detectives": ["greedy", "coverage"]}
    here, one, two = (
        tournament(**entries, games=5, board="docklands", seed=3, workers=workers) for workers in (None, 1, 2)
    )
    assert same(here) == same(one) == same(two)
    assert len(here.results) == 20


def test_a_result_says_what_the_replayed_game_says(tmp_path: Path) -> None:
    from scotyard_env.arena.replays import replay_path
    from scotyard_env.replay import Replay

    played = tournament("greedy", "greedy", games=8, seed=5, out=tmp_path)
    for result in played.results:
        replay = Replay.load(tmp_path / replay_path(result.key))
        game = replay.game()
        sizes = [len(moment.possible) for moment in replay.games() if moment.winner is None and moment.seat == 1]
        assert result.winner == game.winner
        assert (result.round, result.actions, result.entries) == (game.round, len(replay), len(game.log))
        assert result.stations == replay.stations
        assert result.caught == (game.stations[0] if game.winner == "detectives" else None)
        assert result.black == sum(entry.startswith("K") for entry in game.log)
        assert result.double == replay.moves.count("2x")
        assert result.mean_possible == pytest.approx(np.mean(sizes), abs=1e-3)
        assert sum(result.decisions) == len(replay)
        assert min(result.seconds) > 0


def test_evaluate_plays_one_policy_against_opponents_on_either_side() -> None:
    mine = odd_policies.First()
    hunted = evaluate(mine, "mr_x", ["random", "greedy"], games=2, board="docklands")
    hunting = evaluate({"mine": mine}, "detectives", "random", games=2, board="docklands")
    assert [(result.mr_x, result.detectives) for result in hunted.results[:2]] == [
        ("First(since=3)", "random"),
        ("First(since=3)", "greedy"),
    ]
    assert hunting.results[0].detectives == "mine"


# Policies of one's own


def test_a_policy_is_taken_from_a_module_by_the_name_of_its_factory() -> None:
    assert make_policy("odd_policies:make_first") == odd_policies.First(3)
    assert make_policy("odd_policies:First:since=9") == odd_policies.First(9)
    named, given = (
        tournament(mr_x, "random", games=2, board="docklands", workers=1)
        for mr_x in ("odd_policies:make_first", odd_policies.First(3))
    )
    assert [result.winner for result in named.results] == [result.winner for result in given.results]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("no_such_module:make", "cannot be made: ModuleNotFoundError"),
        ("odd_policies:make_second", "has no attribute 'make_second'"),
        ("odd_policies:make_nothing", "it should give an object with act"),
        ("odd_policies:make_first:until=3", "has no parameter 'until': it has since"),
    ],
)
def test_a_module_without_such_a_policy_is_told_apart(policy: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(policy)
    assert words in str(error.value)


def test_names_in_a_list_keep_their_parameters() -> None:
    assert split_names("decoy, hider:exits=2,distance=1,greedy,my.module:make:depth=3,width=4") == [
        "decoy",
        "hider:exits=2,distance=1",
        "greedy",
        "my.module:make:depth=3,width=4",
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": 0}, "games is 0: give a whole number of at least 1"),
        ({"seed": None}, "seed is None: a tournament is played from a seed"),
        ({"workers": 0}, "workers is 0: give a whole number of at least 1"),
        ({"move_limit": 0}, "move_limit is 0: give a number of seconds above 0"),
        ({"seed": -1}, "seed is -1"),
        ({"mr_x": []}, "nobody plays mr_x: give at least one policy"),
        ({"mr_x": ["greedy", "greedy"]}, "two policies for mr_x are called 'greedy'"),
        ({"detectives": "hider"}, "plays mr_x, not detectives"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused(changes: dict[str, Any], words: str) -> None:
    wanted: dict[str, Any] = {"mr_x": "random", "detectives": "random", "games": 1, "board": "glasses"}
    with pytest.raises(ValueError, match=r".") as error:
        tournament(**{**wanted, **changes})
    assert words in str(error.value)


# Forfeits


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (odd_policies.Raises(), "raised ZeroDivisionError: nobody divides by zero"),
        (odd_policies.Cheats(), "played an illegal move: -1 is not an action"),
        (odd_policies.Mumbles(), "which is no Decision"),
    ],
)
def test_a_policy_that_fails_forfeits_and_the_tournament_goes_on(policy: Any, reason: str) -> None:
    played = tournament("random", {"odd": policy, "random": "random"}, games=4, board="docklands", seed=1)
    odd = [result for result in played.results if result.detectives == "odd" and result.forfeit]
    assert len(played.results) == 8
    assert odd
    for result in odd:
        assert (result.winner, result.forfeit, result.caught) == ("mr_x", "detectives", None)
        assert reason in str(result.reason)
        assert result.round == 3
    assert not any(result.forfeit for result in played.results if result.detectives == "random")


def test_a_policy_that_is_late_forfeits_in_this_process_and_in_a_worker() -> None:
    options: dict[str, Any] = {"games": 2, "board": "docklands", "move_limit": 0.2, "seed": 1}
    here, there = (tournament("random", odd_policies.Dawdles(), workers=workers, **options) for workers in (None, 1))
    assert same(here) == same(there)
    assert {result.reason for result in here.results} == {"took longer than 0.2 s for a move"}


def test_a_policy_that_never_returns_is_stopped_and_forfeits() -> None:
    hanging = {"hangs": odd_policies.Hangs(), "random": "random"}
    options: dict[str, Any] = {"games": 2, "board": "docklands", "move_limit": 0.2, "seed": 1}
    played = tournament("random", hanging, workers=2, **options)
    late = [result for result in played.results if result.detectives == "hangs"]
    assert [(result.winner, result.forfeit, result.round) for result in late] == [("mr_x", "detectives", 3)] * 2
    assert {result.reason for result in late} == {"took longer than 0.2 s for a move"}
    alone = tournament("random", "random", **options)
    assert [result.same for result in played.results if result.detectives == "random"] == same(alone)


def test_a_worker_that_dies_is_replaced_and_its_match_played_again(tmp_path: Path) -> None:
    policies = {"odd": odd_policies.DiesOnce(grave=str(tmp_path / "grave")), "random": "random"}
    played = tournament("random", policies, games=3, board="docklands", workers=2, seed=1)
    assert (tmp_path / "grave").exists()
    assert not any(result.forfeit for result in played.results)
    healthy = tournament(
        "random", {"odd": odd_policies.First(), "random": "random"}, games=3, board="docklands", seed=1
    )
    assert same(played) == same(healthy)


def test_a_policy_that_keeps_ending_its_worker_forfeits() -> None:
    played = tournament(
        {"dies": odd_policies.Dies(since=0), "random": "random"}, "random", games=1, board="docklands", workers=2
    )
    dead, alive = played.results
    assert (dead.winner, dead.forfeit) == ("detectives", "mr_x")
    assert "ended its process" in str(dead.reason)
    assert alive.forfeit is None


def test_policies_that_cannot_be_sent_to_a_worker_are_refused_and_play_here() -> None:
    class Local(odd_policies.First):
        pass

    with pytest.raises(WorkerError, match="cannot be sent to worker processes, play them in this one"):
        tournament(Local(), "random", games=1, board="docklands", workers=1)
    assert len(tournament(Local(), "random", games=1, board="docklands").results) == 1


SCRIPT = """
from scotyard_env.arena import tournament
print(len(tournament("random", "random", games=2, board="docklands", workers=1).results))
"""


def test_a_script_without_a_guard_is_told_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    with tempfile.TemporaryDirectory() as temporary:  # a short path: sockets of processes lie there
        answer = subprocess.run(
            [sys.executable, str(tmp_path / "script.py")],
            env={**os.environ, "TMPDIR": temporary},
            capture_output=True,
            text=True,
            check=False,
        )
        assert list(Path(temporary).glob("scotyard-*")) == []
    assert answer.returncode == 1
    assert 'under if __name__ == "__main__"' in answer.stderr.splitlines()[-1]
