"""The versions of the Bristol report: what each of them searches, and that switches win over the version."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from slow_bristol import after, check_against, mr_x_positions, root_values, slow_value

from scotyard_baselines import bristol_detectives, bristol_mr_x
from scotyard_baselines.bristol import search as bristol_search
from scotyard_baselines.bristol_detectives import BristolDetectives
from scotyard_baselines.bristol_mr_x import BristolMrX
from scotyard_baselines.last_known import LastKnown
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import destination, double_action, pass_action
from scotyard_env.state import BLACK, DOUBLE, MR_X, TRANSPORTS
from scotyard_env.view import View

PURSE = (9, 9, 9, 0, 0)


def texts(view: View, actions: tuple[int, ...]) -> list[str]:
    return [action_text(view.board, action) for action in actions]


# ------------------------------------------------------------------------------------------------------------- Mr. X


def test_version_1_chooses_the_move_with_the_best_score() -> None:
    policy = BristolMrX(version=1, doubling="never", black="everywhere")
    for view in [view for view in mr_x_positions("london", range(6)) if view.state.owed != 2]:
        moves = [action for action in view.legal if action != double_action(view.board.arrays)]
        scores = {action: slow_value(after(view, action), view.tickets[MR_X][DOUBLE]) for action in moves}
        found = policy.think(view)
        assert found.depth == 1
        assert dict(found.moves) == pytest.approx(scores)
        assert scores[found.moves[0][0]] == max(scores.values())


def test_version_2_looks_three_moves_ahead_while_the_detectives_stay_where_they_are() -> None:
    #     7 --B-- 6 --T-- 1 --T-- 2 --T-- 3 --T-- 4 --U-- 5, 11, 12, 13; 5 --T-- 8 --T-- 9 --T-- 10
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-U-5 4-U-11 4-U-12 4-U-13 1-T-6 6-B-7 5-T-8 8-T-9 9-T-10")
    view = Game.from_position(board, stations=(1, 10), tickets=[(9, 9, 9, 0, 0), PURSE]).view(MR_X)
    nearest, ahead = BristolMrX(version=1).think(view), BristolMrX(version=2).think(view)
    assert texts(view, nearest.line) == ["T6"]  # a bus leaves there
    assert texts(view, ahead.line) == ["T2", "--", "T3", "--", "T4"]  # four undergrounds leave there
    assert ahead.moves[0][1] == 1 + 4 * 8 + 5 * board.distance(10, 4)


def test_version_2_does_not_end_beside_a_detective() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-U-5 4-T-6 1-T-7 7-T-8 8-T-9")
    view = Game.from_position(board, stations=(1, 6), tickets=[(9, 9, 9, 0, 0), PURSE]).view(MR_X)
    assert "T4" not in texts(view, BristolMrX(version=2).think(view).line)


@pytest.mark.parametrize("version", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("board", ["london", "docklands", "glasses"])
def test_a_version_finds_what_backward_induction_finds_over_its_moves(version: int, board: str) -> None:
    policy = BristolMrX(version=version)
    for view in mr_x_positions(board, range(5), 2)[::4]:
        check_against(root_values(view, 3, policy=policy), policy.think(view).moves)


@pytest.mark.parametrize(
    "switches",
    [{"doubling": "never"}, {"doubling": "emergency"}, {"black": "everywhere"}, {"threat": "any"}, {"closer": False}],
)
def test_a_variant_finds_what_backward_induction_finds_over_its_moves(switches: dict[str, Any]) -> None:
    policy = BristolMrX(version=7, **switches)
    for view in mr_x_positions("docklands", range(8), 2)[::3]:
        check_against(root_values(view, 3, policy=policy), policy.think(view).moves)


def test_versions_differ_in_how_much_they_look_at() -> None:
    views = mr_x_positions("london", range(4), 2)
    nodes = [sum(BristolMrX(version=version).think(view).nodes for view in views) for version in range(3, 8)]
    assert nodes[0] == nodes[1]  # both build all of it
    assert nodes[1] > nodes[2] > nodes[3] > nodes[4]


def test_without_alpha_beta_all_nodes_of_the_tree_are_looked_at() -> None:
    for view in mr_x_positions("london", range(4), 2):
        whole = BristolMrX(version=3).think(view)
        one_by_one = BristolMrX(version=3, whole=False).think(view)
        assert whole == one_by_one


def test_the_last_version_is_the_default() -> None:
    assert BristolMrX() == BristolMrX(version=len(bristol_mr_x.VERSIONS))
    assert BristolDetectives() == BristolDetectives(version=len(bristol_detectives.VERSIONS))


@pytest.mark.parametrize("module", [bristol_mr_x, bristol_detectives])
def test_the_module_says_what_makes_each_version_other_than_the_next(module: ModuleType) -> None:
    told = re.findall(r"^    \d  .*?((?: \w+=\S+)*)$", module.__doc__ or "", re.MULTILINE)
    assert len(told) == len(module.VERSIONS)
    for words, version, following in zip(told, module.VERSIONS, module.VERSIONS[1:], strict=False):
        switches = version._asdict()
        differing = [f"{name}={value!r}" for name, value in switches.items() if value != getattr(following, name)]
        assert sorted(words.replace('"', "'").replace(",", "").split()) == sorted(differing)


def test_a_switch_that_is_given_wins_over_the_version() -> None:
    assert BristolMrX(version=1, depth=3).switches == BristolMrX(version=2).switches
    assert BristolMrX(version=3, alpha_beta=True).switches == BristolMrX(version=4).switches
    assert BristolDetectives(version=3, removal=True).switches == BristolDetectives(version=4).switches


def test_a_line_leads_to_the_value_it_is_chosen_for_and_the_terms_add_up_to_it() -> None:
    for policy in (BristolMrX(version=2), BristolMrX(version=4), BristolMrX(depth=6)):
        for view in mr_x_positions("docklands", range(6)):
            decision = policy.act(view, np.random.default_rng(0))
            assert sum(value for _, value in decision.terms) == pytest.approx(decision.value)
            assert decision.plan[0] == decision.action
            played = view
            for action in policy.think(view).line:
                played = after(played, action)
            spent = view.tickets[MR_X][DOUBLE] - played.tickets[MR_X][DOUBLE]
            assert dict(decision.terms).get("doubles", 0.0) == (0 if played.winner else -500 * spent)


def test_terms_name_routes_and_distance_and_a_threat() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 3-B-4")
    calm = Game.from_position(board, stations=(3, 1), tickets=[(9, 9, 0, 0, 0), PURSE]).view(MR_X)
    assert BristolMrX(depth=1).act(calm, np.random.default_rng(0)).terms == (("routes", 4.0), ("distance", 15.0))
    near = Game.from_position(board, stations=(1, 3), tickets=[(9, 9, 0, 0, 0), PURSE]).view(MR_X)
    terms = dict(BristolMrX(depth=1).act(near, np.random.default_rng(0)).terms)
    assert terms == {"routes": 2.0, "distance": 5.0, "threat": -5000.0}


def test_a_plan_is_one_round() -> None:
    view = Game(seed=4).view(MR_X)
    decision = BristolMrX(depth=8).act(view, np.random.default_rng(0))
    assert len(decision.plan) == 6
    path = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-8 3-B-5 5-B-7")
    corner = Game.from_position(path, stations=(3, 2, 4), tickets=[(9, 9, 0, 0, 1), PURSE, PURSE]).view(MR_X)
    plan = BristolMrX(depth=4).act(corner, np.random.default_rng(0)).plan
    assert texts(corner, plan) == ["2x"]  # the rest of the line is his own second move


@pytest.mark.parametrize(
    "wrong", ["version=3,depth=5", "version=8,whole=True", "doubling=often", "black=x", "threat=x"]
)
def test_what_no_version_can_do_is_refused(wrong: str) -> None:
    with pytest.raises(PolicyError, match=wrong.split(",")[-1].partition("=")[0]):
        make_policy(f"bristol_mr_x:{wrong}")


# --------------------------------------------------------------------------------------------------------- the clock


class Clock:
    """A clock on which every look takes a millisecond, and what was slept."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.slept = 0.0, 0.0
        monkeypatch.setattr(bristol_mr_x, "perf_counter", self.look)
        monkeypatch.setattr(bristol_search, "perf_counter", self.look)
        monkeypatch.setattr(bristol_mr_x, "sleep", self.sleep)

    def look(self) -> float:
        self.now += 0.001
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


@pytest.mark.parametrize("version", [8, 9])
def test_a_steady_mr_x_always_takes_his_time_and_another_does_not(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = Game("glasses", "glasses", seed=3).view(MR_X)  # a tree that is searched to its end at once
    clock = Clock(monkeypatch)
    BristolMrX(version=version, seconds=15).think(view)
    assert clock.slept == pytest.approx(15, abs=1)
    BristolMrX(version=version, seconds=15, steady=False).think(view)
    assert clock.slept == pytest.approx(15, abs=1)


def test_version_8_goes_to_the_end_and_scores_nodes_as_they_are_when_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Clock(monkeypatch)
    view = Game(seed=2).view(MR_X)
    policy = BristolMrX(version=8, seconds=0.02)
    found = policy.think(view)
    assert policy.is_timed
    assert {action for action, _ in found.moves} == {action for action, _ in BristolMrX(depth=1).think(view).moves}
    assert all(np.isfinite(value) for _, value in found.moves)
    assert found.nodes < 21 * bristol_search.NODES_PER_LOOK + 300 * 200  # it stops: a whole game has many more


# -------------------------------------------------------------------------------------------------------- detectives


def detective_views(count: int = 60) -> list[View]:
    """Return what detectives see in some games between greedy players."""
    player, rng, views = make_policy("greedy"), np.random.default_rng(0), []
    for seed in range(4):
        game = Game(seed=seed)
        while game.winner is None:
            view = game.view(game.seat)
            if game.seat != MR_X:
                views.append(view)
            game.play(player.act(view, rng).action)
    return views[:: len(views) // count]


def test_version_1_is_last_known() -> None:
    for view in detective_views():
        first = BristolDetectives(version=1).act(view, np.random.default_rng(1))
        assert first == LastKnown().act(view, np.random.default_rng(1))


def walk_on(view: View) -> set[int]:
    """Return where Mr. X may be by his tickets alone, whoever stands in the way."""
    found = {int(view.state.seen)}
    for fare in view.state.log[view.state.seen_entry : view.state.entries]:
        links = [(a, b) for a, b, transport in view.board.links if fare in (BLACK, TRANSPORTS.index(transport))]
        found = {to for a, b in links for one, to in ((a, b), (b, a)) if one in found}
    return found


@pytest.mark.parametrize(("version", "removal"), [(2, False), (3, False), (4, True)])
def test_versions_2_to_4_average_over_where_he_may_be_with_and_without_removal(version: int, removal: bool) -> None:
    seen = [view for view in detective_views() if view.state.seen]
    assert any(walk_on(view) != set(view.possible) for view in seen)
    for view in seen:
        stations = view.possible if removal else walk_on(view)
        decision = BristolDetectives(version=version).act(view, np.random.default_rng(0))
        for action, value in decision.candidates:
            if action != pass_action(view.board.arrays):
                mean = np.mean([view.board.distance(destination(action), station) for station in stations])
                assert value == pytest.approx(-mean)


def test_version_2_moves_at_random_while_he_is_unseen_and_version_3_to_transport_links() -> None:
    views = [view for view in detective_views(200) if not view.state.seen]
    assert views
    for view in views:
        assert {value for _, value in BristolDetectives(version=2).act(view, np.random.default_rng(0)).candidates} == {
            0
        }
        assert BristolDetectives(version=3).act(view, np.random.default_rng(0)).candidates[0][1] > 0


def test_version_5_lands_where_it_can_and_version_4_goes_where_it_is_good_on_average() -> None:
    differing = 0
    for view in detective_views(200):
        landings = [action for action in view.legal if view.state.seen and destination(action) in view.possible]
        last = BristolDetectives().act(view, np.random.default_rng(0))
        if landings:
            assert last.action in landings
            differing += last.action != BristolDetectives(landing=False).act(view, np.random.default_rng(0)).action
    assert differing > 0


def test_the_nearest_station_can_be_aimed_at() -> None:
    for view in detective_views():
        if view.state.seen:
            for action, value in (
                BristolDetectives(aim="nearest", landing=False).act(view, np.random.default_rng(0)).candidates
            ):
                if action != pass_action(view.board.arrays):
                    assert value == -min(view.board.distance(destination(action), station) for station in view.possible)


@pytest.mark.parametrize("wrong", ["aim=away", "version=6", "removal=1"])
def test_switches_of_the_detectives_that_do_not_exist_are_refused(wrong: str) -> None:
    with pytest.raises(PolicyError, match=wrong.partition("=")[0]):
        make_policy(f"bristol_detectives:{wrong}")
