"""OpenSpiel's solvers agree with ours on the small board: best responses, exploitability, CFR, sequence form."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import pytest

from scotyard_baselines.exact.public_tree import Root, build_tree
from scotyard_baselines.exact.solution import solve_game
from scotyard_baselines.exact.survival import survival
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.ruleset import RuleSet, look_up

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'scotyard-env[openspiel]'")

from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import exploitability  # noqa: E402
from open_spiel.python.algorithms.best_response import BestResponsePolicy  # noqa: E402
from open_spiel.python.games import kuhn_poker  # noqa: E402, F401  # registers it

from scotyard_env.openspiel import BehaviourPolicy, OpenSpielPolicy, ScotlandYardGame  # noqa: E402


def short_rules(entries: int, *reveals: int) -> RuleSet:
    """Return the rules of glasses with a shorter log."""
    return dataclasses.replace(RuleSet.named("glasses"), name="short", log_entries=entries, reveals=reveals)


@functools.cache
def short_game(entries: int, *reveals: int) -> Any:
    return ScotlandYardGame.of("glasses", short_rules(entries, *reveals))


@functools.cache
def short_roots(entries: int, *reveals: int) -> list[Root]:
    return build_tree(look_up("glasses")[0], short_rules(entries, *reveals))


def survives(value_to_mr_x: float) -> float:
    """Turn what Mr. X wins into the probability that he survives."""
    return (1 + value_to_mr_x) / 2


def best_response_to(game: Any, player: int, other: Any) -> float:
    """Return with which probability Mr. X survives if this player plays its best against the other."""
    root = game.new_initial_state()
    value = BestResponsePolicy(game, player, other, root).value(root)
    return survives(value if player == 0 else -value)


def test_uniform_play_on_glasses_is_as_exploitable_as_we_say() -> None:
    game = pyspiel.load_game("python_scotland_yard", {"board": "glasses"})
    uniform = policy.UniformRandomPolicy(game)
    assert best_response_to(game, 0, uniform) == pytest.approx(40 / 81)  # 0.4938
    assert best_response_to(game, 1, uniform) == pytest.approx(1 / 36)  # 0.0278


@pytest.mark.parametrize("settings", [(3,), (3, 1)], ids=str)
def test_cfr_comes_to_our_value(settings: tuple[int, ...]) -> None:
    game, value = short_game(*settings), solve_game(short_roots(*settings)).value
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    found = solver.average_policy()
    low, high = (survives(bound) for bound in bounds(game, found))
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low < 0.05


def bounds(game: Any, found: Any) -> tuple[float, float]:
    """Return what Mr. X gets at least and at most where one side keeps to a policy and the other plays its best."""
    root = game.new_initial_state()
    best = [pyspiel.TabularBestResponse(game, player, found).value(root.history_str()) for player in (0, 1)]
    return -best[1], best[0]


def test_the_sequence_form_program_comes_to_our_value(tmp_path: Path) -> None:
    pytest.importorskip("cvxpy", reason="needs cvxpy and ECOS: pip install 'scotyard-env[openspiel-lp]'")
    pytest.importorskip("ecos", reason="needs cvxpy and ECOS: pip install 'scotyard-env[openspiel-lp]'")
    from open_spiel.python.algorithms import sequence_form_lp

    short_rules(4).save(tmp_path / "short.json")
    game = pyspiel.load_game("python_scotland_yard", {"board": "glasses", "rules": str(tmp_path / "short.json")})
    value, lost, mr_x, detectives = sequence_form_lp.solve_zero_sum_game(game)
    assert survives(value) == pytest.approx(solve_game(short_roots(4)).value, abs=1e-6)
    assert lost == pytest.approx(-value, abs=1e-6)
    assert survival(short_roots(4), "mr_x", OpenSpielPolicy(mr_x), 1, seed=0) == pytest.approx(1 / 4, abs=1e-4)
    assert survival(short_roots(4), "detectives", OpenSpielPolicy(detectives), 1, seed=0) == pytest.approx(
        1 / 4, abs=1e-4
    )


# ------------------------------------------------------------------------------------------------- policies, both ways


@pytest.mark.parametrize(("mr_x", "detectives"), [("random", "random"), ("hider", "last_known")])
def test_our_policies_are_as_exploitable_in_openspiel_as_here(mr_x: str, detectives: str) -> None:
    game, roots = short_game(4), short_roots(4)
    told = BehaviourPolicy(game, mr_x=mr_x, detectives=detectives)
    low = survival(roots, "mr_x", make_policy(mr_x), 100, seed=0)
    high = survival(roots, "detectives", make_policy(detectives), 100, seed=0)
    assert best_response_to(game, 1, told) == pytest.approx(low)
    assert best_response_to(game, 0, told) == pytest.approx(high)
    assert exploitability.nash_conv(game, told) == pytest.approx(2 * (high - low))


@pytest.mark.parametrize("settings", [(3, 1), (4,)], ids=str)
def test_a_policy_of_openspiel_is_as_exploitable_here_as_there(settings: tuple[int, ...]) -> None:
    game, roots = short_game(*settings), short_roots(*settings)
    solver = pyspiel.CFRSolver(game)  # a few rounds of which leave a policy that differs from path to path
    for _ in range(4):
        solver.evaluate_and_update_policy()
    found = solver.average_policy()
    low, high = (survives(bound) for bound in bounds(game, found))
    assert survival(roots, "mr_x", OpenSpielPolicy(found), 1, seed=0) == pytest.approx(low)
    assert survival(roots, "detectives", OpenSpielPolicy(found), 1, seed=0) == pytest.approx(high)


def test_who_asks_for_a_side_without_a_policy_is_told() -> None:
    game = short_game(3)
    state = game.new_initial_state()
    for card in (1, 11, 6):
        state.apply_action(card)
    with pytest.raises(ValueError, match=r"no policy was given for mr_x: BehaviourPolicy\(game, mr_x=...\)"):
        BehaviourPolicy(game, detectives="random").action_probabilities(state)
    with pytest.raises(PolicyError, match="plays mr_x, not detectives"):
        BehaviourPolicy(game, detectives="hider")
    with pytest.raises(ValueError, match="our policies play python_scotland_yard, not python_kuhn_poker"):
        BehaviourPolicy(pyspiel.load_game("python_kuhn_poker"), mr_x="random")
