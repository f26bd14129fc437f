from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.networks.belief_features import COLUMNS, DISCOUNT, ROW_WIDTH
from scotyard_baselines.networks.inputs import Inputs, make_inputs
from scotyard_baselines.networks.move_scorer import FileScorer, read_views, score, shipped_scorer
from scotyard_baselines.networks.weights import DATA, Weights
from scotyard_env.belief import weigh
from scotyard_env.game import Game
from scotyard_env.policy import make_policy
from scotyard_env.rules import destination
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

SHIPPED = ("ppo_detectives", "ppo_mr_x")


def positions(seat_is_mr_x: bool, games: int = 6) -> list[View]:
    found = [random_game("london", "classic", 5, seed, actions) for seed in range(games) for actions in range(0, 60, 7)]
    return [game.view(game.seat) for game in found if game.winner is None and (game.seat == MR_X) == seat_is_mr_x]


def many(views: list[View]) -> Views:
    return Views(views[0].board, views[0].rules, np.concatenate([view.states for view in views]))


def rows_of(inputs: Inputs, index: int) -> slice:
    return slice(inputs.firsts[index], inputs.firsts[index + 1])


@pytest.mark.parametrize("is_mr_x", [True, False])
def test_there_is_one_row_for_every_legal_action_and_nothing_else(is_mr_x: bool) -> None:
    views = positions(is_mr_x)
    inputs = make_inputs(many(views))
    for index, view in enumerate(views):
        assert inputs.ids[rows_of(inputs, index)].tolist() == view.legal
    assert inputs.rows.shape == (len(inputs.ids), ROW_WIDTH)
    assert all(np.isfinite(array).all() for array in inputs)


def suppose(view: View) -> list[View]:
    """Return the view of a Mr. X to move as it would be on each station where he may be, and with fewer tickets."""
    supposed = [view.imagine(station) for station in view.possible[:6]]
    poorer = view.imagine(view.possible[0])
    poorer.tickets[MR_X] = [1, 1, 1, 0, 0]
    return [View(view.board, view.rules, state, MR_X) for state in (*supposed, poorer)]


def test_many_views_give_the_same_inputs_as_one_after_the_other() -> None:
    mine = positions(True)
    views = positions(False) + mine + [one for view in mine for one in suppose(view)] + mine[:2] + mine[:2]
    together = make_inputs(many(views))
    for index, view in enumerate(views):
        alone = make_inputs(many([view]))
        np.testing.assert_array_equal(together.rows[rows_of(together, index)], alone.rows)
        np.testing.assert_array_equal(together.facts[index], alone.facts[0])
        np.testing.assert_array_equal(together.belief[index], alone.belief[0])


def test_the_capture_value_of_a_detective_is_what_slow_code_makes_of_belief_and_capture_times() -> None:
    for view in positions(False)[:12]:
        inputs, belief, times = make_inputs(many([view])), weigh(view, "evasive"), capture_times(view.board)
        for row, action in enumerate(view.legal):
            expected = slow_capture_value(view, belief, times, int(destination(action)))
            assert inputs.rows[row, COLUMNS["detectives"].index("capture_value")] == pytest.approx(expected, abs=1e-5)
            assert inputs.rows[row, COLUMNS["detectives"].index("belief")] == pytest.approx(
                belief[destination(action)], abs=1e-6
            )


def slow_capture_value(view: View, belief: np.ndarray, times: np.ndarray, to: int) -> float:
    taken = view.stations[1:]
    after = [to if seat == view.seat else station for seat, station in enumerate(view.stations)][1:]
    pairs = [(a, b) for a in after for b in after if a != b]
    value = belief[to]
    for station in np.flatnonzero(belief):
        exits = [link.b if link.a == station else link.a for link in view.board.links if station in (link.a, link.b)]
        free = sorted(set(exits) - set(taken))
        for exit_ in free if station != to else []:
            lost = DISCOUNT if exit_ == to else max(worth(times[a, b, exit_]) for a, b in pairs)
            value += belief[station] * lost / len(free)
    return float(value)


def worth(time: int) -> float:
    return 0.0 if time == 255 else DISCOUNT ** int(time)


def test_the_chase_of_mr_x_is_the_worth_of_the_best_pair_where_he_goes() -> None:
    for view in positions(True)[:12]:
        inputs, times = make_inputs(many([view])), capture_times(view.board)
        seats = view.stations[1:]
        for row, to in enumerate(inputs.to):
            best = max(worth(times[a, b, to]) for a in seats for b in seats if a != b)
            assert inputs.rows[row, COLUMNS["mr_x"].index("capture_value")] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("name", ["mr_x_league", *SHIPPED])
def test_the_network_scores_as_torch_does(name: str) -> None:
    pytest.importorskip("torch")
    import torch

    from scotyard_training.learning.rollout import take
    from scotyard_training.learning.scorer import Actor

    weights = Weights.load(DATA / f"{name}.npz")
    inputs = read_views(weights, many(positions(name != "ppo_detectives")))
    actor = Actor(weights.belief.shape[0], weights.trunk.shape[0])
    actor.reads_own_posterior = weights.reads_own_posterior
    actor.set_weights(weights)
    with torch.no_grad():
        logs = actor(take(inputs, np.arange(len(inputs.facts)))).numpy()
    ours = score(weights, inputs)
    for index in range(len(inputs.facts)):
        scores = ours[rows_of(inputs, index)].astype(np.float64)
        probabilities = np.exp(scores - scores.max())
        np.testing.assert_allclose(np.exp(logs[index, : len(scores)]), probabilities / probabilities.sum(), atol=1e-5)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_player_is_small_and_draws_by_the_probabilities_that_it_tells(name: str) -> None:
    assert (DATA / f"{name}.npz").stat().st_size <= 3_000_000
    view = positions(name == "ppo_mr_x")[3]
    policy, rng = make_policy(name), np.random.default_rng(0)
    told = dict(policy.act(view, rng).probabilities)
    assert sum(told.values()) == pytest.approx(1.0)
    drawn = policy.act_batch(many([view] * 4000), rng)  # type: ignore[attr-defined]
    for action, probability in told.items():
        assert np.mean(drawn == action) == pytest.approx(probability, abs=0.04)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_network_of_a_shipped_player_can_be_asked_without_the_player(name: str) -> None:
    views = many(positions(name == "ppo_mr_x"))
    ours, theirs = shipped_scorer(name).probabilities(views), make_policy(name).probabilities(views)  # type: ignore[attr-defined]
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-4)


def test_weights_of_version_0_1_0_are_read(tmp_path: Path) -> None:
    weights = Weights.load(DATA / "mr_x_league.npz")
    named = weights._asdict()
    named["instinct"] = named.pop("linear_skip")
    np.savez(tmp_path / "old.npz", **named)
    for name, array in Weights.load(tmp_path / "old.npz")._asdict().items():
        np.testing.assert_array_equal(array, getattr(weights, name))


def test_learned_players_play_boards_that_they_have_never_seen() -> None:
    game, rng = Game("docklands", seed=3), np.random.default_rng(0)
    players = [make_policy("ppo_mr_x"), make_policy("ppo_detectives")]
    while game.winner is None:
        game.play(players[game.seat != MR_X].act(game.view(game.seat), rng).action)


def test_a_file_without_weights_says_so(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", numbers=np.arange(3))
    with pytest.raises(ValueError, match="holds no weights"):
        FileScorer(file=str(tmp_path / "other.npz")).weights  # noqa: B018
    with pytest.raises(ValueError, match="temperature is 0"):
        make_policy("ppo_mr_x:temperature=0.0")
