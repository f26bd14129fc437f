"""The scoring on drawn boards, and the search beside backward induction over scores written down again, slowly."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from slow_bristol import allowed, check_against, mr_x_positions, positions, root_values, slow_value, tree_of

from scotyard_baselines import bristol_mr_x
from scotyard_baselines.bristol import search as bristol_search
from scotyard_baselines.bristol.moves import FRAME, list_moves
from scotyard_baselines.bristol.scoring import CAUGHT, ESCAPED, THREATENED, TRAPPED, score_position
from scotyard_baselines.bristol.search import NODES_PER_LOOK, Search, SearchResult
from scotyard_baselines.bristol_mr_x import BristolMrX
from scotyard_baselines.exact.alphabeta import minimax_alpha_beta
from scotyard_env.arena import play_match
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import PolicyError, make_policy
from scotyard_env.rules import double_action
from scotyard_env.state import DOUBLE, MR_X
from scotyard_env.view import View

WEIGHTS = BristolMrX().settings
RICH = (9, 9, 9, 9, 0)  # a purse of Mr. X without double tickets
PURSE = (9, 9, 9, 0, 0)  # of a detective

#     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5 --T-- 6
#                     |
#                     B, U, F
#                     7 --T-- 8 --T-- 9
FORK = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 3-B-7 3-U-7 3-F-7 7-T-8 8-T-9")


def position(board: Board, *stations: int, mr_x: tuple[int, ...] = RICH) -> Game:
    """Set up a game, Mr. X's station first."""
    return Game.from_position(board, stations=stations, tickets=[mr_x, *[PURSE] * (len(stations) - 1)])


def played(game: Game, *moves: str) -> Game:
    for move in moves:
        game.play(move)
    return game


def score(game: Game) -> float:
    tree = Search(game.view(MR_X), WEIGHTS).trees[0]
    return float(score_position(game.board.arrays, game.state, tree))


def moves_searched(game: Game, is_root: bool = True) -> list[str]:
    """List the moves that the search would look at, in its order."""
    frames, trees = np.zeros(1, FRAME), Search(game.view(MR_X), WEIGHTS).trees
    trees[0].ply = 0 if is_root else 1
    list_moves(game.board.arrays, game.rule_arrays, game.state, frames[0], trees[0])
    return [action_text(game.board, action) for action in frames[0].actions[: frames[0].count]]


def search_to(view: View, depth: int, nodes: int = 1 << 30) -> SearchResult:
    """Search one depth after the other, some nodes at a time."""
    search = Search(view, WEIGHTS)
    for plies in range(1, depth + 1):
        search.begin(plies)
        while not search.go_on(nodes):
            pass
    return search.result()


# ---------------------------------------------------------------------------------------------------------- scoring


@pytest.mark.parametrize(
    ("station", "routes"),
    [(1, 1), (2, 1 + 1), (3, 1 + 1 + 3 + 8 + 40), (7, 1 + 3 + 8 + 40), (8, 1 + 1)],
)
def test_routes_count_1_by_taxi_3_by_bus_8_by_underground_40_by_ferry(station: int, routes: float) -> None:
    game = position(FORK, station, 6)
    assert score(game) == 5 * FORK.distance(6, station) + routes


def test_routes_he_has_no_ticket_for_do_not_count() -> None:
    assert score(position(FORK, 3, 6, mr_x=(9, 9, 9, 0, 0))) == 5 * 3 + 1 + 1 + 3 + 8
    assert score(position(FORK, 3, 6, mr_x=(9, 0, 0, 0, 0))) == 5 * 3 + 1 + 1
    assert score(position(FORK, 3, 6, mr_x=(0, 0, 0, 9, 0))) == 5 * 3 + 1 + 1 + 3 + 8 + 40


def test_distances_are_averaged_over_the_detectives() -> None:
    assert score(position(FORK, 1, 6, 9)) == 5 * (5 + 5) / 2 + 1
    assert score(position(FORK, 1, 5, 6, 9)) == 5 * (4 + 5 + 5) / 3 + 1


def test_a_detective_one_away_is_very_bad_as_long_as_it_has_yet_to_move() -> None:
    game = played(position(FORK, 3, 6, 9), "K7")
    assert score(game) == 5 * (4 + 2) / 2 + 1 + 3 + 8 + 40
    assert score(played(game, "T5", "T8")) > 0  # next to him, but it is his turn
    near = played(position(FORK, 3, 8, 6), "K7")
    assert score(near) == THREATENED + 5 * (1 + 4) / 2 + 1 + 3 + 8 + 40
    assert score(played(near, "T9")) > 0


def test_a_station_that_he_cannot_leave_scores_minus_9998() -> None:
    game = played(position(FORK, 2, 4, 6), "T1", "T3")
    assert score(game) > 0
    trapped = played(position(FORK, 2, 3, 6), "T1", "T2")
    assert score(trapped) == TRAPPED == -9998


def test_the_end_of_the_game_is_worse_or_better_than_anything() -> None:
    caught = played(position(FORK, 2, 3), "T1", "T2")
    assert caught.winner == "detectives"
    assert score(caught) == CAUGHT + 1  # in round 1
    escaped = position(FORK, 2, 5)
    while escaped.winner is None:
        escaped.play({MR_X: {1: "T2", 2: "T1"}, 1: {5: "T6", 6: "T5"}}[escaped.seat][escaped.stations[escaped.seat]])
    assert score(escaped) == ESCAPED


def test_double_tickets_spent_are_paid_for() -> None:
    game = played(position(FORK, 7, 6, mr_x=(9, 9, 9, 9, 1)), "2x", "T8", "T9")
    tree = Search(position(FORK, 7, 6, mr_x=(9, 9, 9, 9, 1)).view(MR_X), WEIGHTS).trees[0]
    assert score_position(game.board.arrays, game.state, tree) == 5 * 6 + 1 - 500


# ---------------------------------------------------------------------------------------------------- moves searched


def test_only_his_moves_that_score_0_or_above_are_searched_best_first() -> None:
    assert moves_searched(position(FORK, 3, 6)) == ["B7", "U7", "T2", "T4"]  # black to 7 by ferry is no shorter
    assert moves_searched(position(FORK, 3, 5)) == ["B7", "U7", "T2"]
    assert moves_searched(position(FORK, 3, 5, 8)) == ["T2"]


def test_if_there_is_none_the_best_one_is() -> None:
    assert moves_searched(position(FORK, 3, 5, 8, 1)) == ["B7"]


def test_a_last_ticket_that_leads_nowhere_is_none_to_spend() -> None:
    assert moves_searched(position(FORK, 3, 6, mr_x=(1, 1, 0, 0, 0))) == ["B7"]  # from 2 and 4 there is no bus
    assert moves_searched(position(FORK, 3, 6, mr_x=(1, 0, 0, 0, 0))) == ["T2"]  # all trap him: the first of equals
    assert moves_searched(position(FORK, 3, 6, mr_x=(0, 1, 2, 0, 0))) == ["B7", "U7"]


def test_black_is_searched_where_no_other_ticket_goes() -> None:
    assert moves_searched(position(FORK, 3, 6, mr_x=(9, 0, 0, 9, 0))) == ["K7", "T2", "T4"]
    assert moves_searched(position(FORK, 3, 6, mr_x=(0, 9, 9, 9, 0))) == ["B7", "U7", "K2", "K4"]


def test_double_is_searched_at_the_root_and_where_every_single_move_scores_below_0() -> None:
    calm = position(FORK, 3, 6, mr_x=(9, 9, 9, 9, 1))
    assert "2x" in moves_searched(calm)
    assert "2x" not in moves_searched(calm, is_root=False)
    assert "2x" in moves_searched(position(FORK, 3, 5, 8, 1, mr_x=(9, 9, 9, 9, 1)), is_root=False)


def test_all_first_halves_of_a_double_move_are_searched() -> None:
    game = played(position(FORK, 3, 5, 8, 1, mr_x=(9, 9, 9, 9, 1)), "2x")
    assert sorted(moves_searched(game)) == ["B7", "T2", "T4", "U7"]


def test_only_detective_moves_that_keep_or_shorten_the_distance_are_searched() -> None:
    for game in positions("london", range(8)):
        if game.seat != MR_X:
            assert set(moves_searched(game)) == {action_text(game.board, action) for action in allowed(game, True)}


def test_a_detective_who_can_catch_him_does() -> None:
    assert moves_searched(played(position(FORK, 3, 5), "T4")) == ["T4"]


def test_a_detective_who_can_only_go_away_does() -> None:
    ring = Board.from_text("1-T-2 2-T-3 3-T-4 4-B-5 5-T-6")
    game = Game.from_position(ring, stations=(1, 3), tickets=[RICH, (1, 0, 0, 0, 0)])
    assert moves_searched(played(game, "T2")) == ["T2"]
    colleagues = Game.from_position(ring, stations=(1, 3, 2), tickets=[(0, 0, 0, 0, 0), PURSE, PURSE])
    assert colleagues.winner == "detectives"
    blocked = Game.from_position(
        Board.from_text("1-T-2 2-T-3 3-T-4 1-T-5 5-T-6"), stations=(5, 3, 2), tickets=[RICH, PURSE, PURSE]
    )
    assert moves_searched(played(blocked, "T6")) == ["T4"]  # 2 is taken
    stuck = Game.from_position(ring, stations=(5, 3, 4), tickets=[RICH, (0, 9, 0, 0, 0), PURSE])
    assert moves_searched(played(stuck, "T6")) == ["--"]


# --------------------------------------------------------------------------------------------- beside slow scores


DEPTHS = [
    *itertools.product(["glasses"], [2], range(1, 8)),
    *itertools.product(["docklands"], [2, 5], range(1, 7)),
    *itertools.product(["london"], [5], range(1, 5)),
]


@pytest.mark.parametrize(("board", "detectives", "depth"), DEPTHS)
def test_the_search_agrees_with_backward_induction(board: str, detectives: int, depth: int) -> None:
    views = mr_x_positions(board, range(10), detectives)
    for view in views if depth < 3 else views[:: 2 * depth - 3]:
        check_against(root_values(view, depth), search_to(view, depth).moves)


@pytest.mark.parametrize(("board", "detectives", "depth"), [("glasses", 2, 9), ("docklands", 2, 8), ("london", 5, 6)])
def test_deeper_down_the_search_agrees_with_alpha_beta(board: str, detectives: int, depth: int) -> None:
    for view in mr_x_positions(board, range(10), detectives)[::12]:
        check_against(root_values(view, depth, minimax_alpha_beta), search_to(view, depth).moves)
        tree = tree_of(view, depth)
        value, path = minimax_alpha_beta(tree, tree.root)
        assert value == pytest.approx(search_to(view, depth).moves[0][1])
        assert path is not None
        assert slow_value(path[-1], view.tickets[MR_X][DOUBLE]) == value


def test_there_are_double_moves_threats_and_losses_in_these_trees() -> None:
    views = mr_x_positions("docklands", range(10))
    values = [value for view in views for value in root_values(view, 5).values()]
    assert min(values) < CAUGHT + 100
    assert any(THREATENED < value < 0 for value in values)
    assert max(values) > 0
    assert any(double_action(view.board.arrays) in allowed(view, is_root=False) for view in views)


# -------------------------------------------------------------------------------------------------------- the search


@pytest.mark.parametrize("nodes", [1, 2, 7, 100])
def test_a_search_that_is_left_and_gone_on_with_finds_the_same(nodes: int) -> None:
    for view in mr_x_positions("docklands", range(4)) + mr_x_positions("london", range(4)):
        assert search_to(view, 5, nodes) == search_to(view, 5)


def test_a_search_looks_at_no_more_nodes_than_it_may() -> None:
    search = Search(Game(seed=1).view(MR_X), WEIGHTS)
    search.begin(9)
    for call in range(1, 20):
        assert not search.go_on(10)
        assert search.nodes == 10 * call


def test_a_search_leaves_its_root_unchanged() -> None:
    for view in mr_x_positions("london", range(3)):
        before = view.state.tobytes()
        search = Search(view, WEIGHTS)
        root = search.states[0].tobytes()
        search.begin(6)
        search.finish()
        assert search.states[0].tobytes() == root
        assert view.state.tobytes() == before


def test_a_game_played_to_its_end_in_the_tree_needs_no_deeper_search() -> None:
    found = BristolMrX(depth=200).think(Game("glasses", "glasses", seed=3).view(MR_X))
    assert found.depth <= 15  # five rounds of three moves
    assert found.moves[0][1] < THREATENED or found.moves[0][1] == ESCAPED


def test_the_same_depth_gives_the_same_decision_whatever_came_before() -> None:
    policy = BristolMrX(depth=5)
    views = mr_x_positions("london", range(6))
    first = [policy.act(view, np.random.default_rng(1)) for view in views]
    again = [policy.act(view, np.random.default_rng(2)) for view in reversed(views)]
    assert first == again[::-1]


def test_a_decision_tells_the_value_the_gap_and_all_that_was_weighed() -> None:
    game = position(FORK, 3, 6)
    decision = BristolMrX(depth=1).act(game.view(MR_X), np.random.default_rng(0))
    assert action_text(FORK, decision.action) == "B7"
    assert decision.value == 5 * 4 + 52
    assert decision.gap == 0  # by underground it is the same
    weighed = [(action_text(FORK, action), value) for action, value in decision.candidates]
    assert weighed[:3] == [("B7", 72), ("U7", 72), ("T2", 5 * 4 + 2)]


def test_where_there_is_one_move_there_is_no_gap_and_no_thinking() -> None:
    policy = BristolMrX(depth=15)
    view = position(FORK, 3, 5, 8).view(MR_X)
    decision = policy.act(view, np.random.default_rng(0))
    assert (decision.gap, decision.confidence) == (None, 1.0)
    assert policy.think(view).depth == 1


def test_by_the_clock_he_answers_no_sooner_because_there_is_one_move(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    set_clock(monkeypatch, lambda: 100.0)
    monkeypatch.setattr(bristol_mr_x, "sleep", slept.append)
    assert BristolMrX(seconds=15).think(position(FORK, 3, 5, 8).view(MR_X)).depth == 1
    assert BristolMrX(seconds=15).think(Game("glasses", "glasses", seed=3).view(MR_X)).depth > 1  # to the game's end
    assert slept == [15.0, 15.0]


def test_he_doubles_out_of_a_corner() -> None:
    #     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5 --T-- 6 --T-- 7 --T-- 8
    path = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-8 3-B-5 5-B-7")
    game = Game.from_position(path, stations=(3, 2, 4), tickets=[(9, 9, 0, 0, 1), PURSE, PURSE])
    policy, rng = BristolMrX(depth=3), np.random.default_rng(0)
    moves = []
    while game.seat == MR_X:
        moves.append(action_text(path, policy.act(game.view(MR_X), rng).action))
        game.play(moves[-1])
    assert moves == ["2x", "B5", "B7"]


def test_he_takes_the_ferry_when_it_is_the_only_way_out() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 1-F-7")
    game = Game.from_position(board, stations=(1, 3), tickets=[(9, 0, 0, 1, 0), PURSE])
    assert action_text(board, BristolMrX(depth=4).act(game.view(MR_X), np.random.default_rng(0)).action) == "K7"


# --------------------------------------------------------------------------------------------------------- the clock


def set_clock(monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]) -> None:
    """Let the policy and its search look at this clock."""
    monkeypatch.setattr(bristol_mr_x, "perf_counter", clock)
    monkeypatch.setattr(bristol_search, "perf_counter", clock)


class FakeClock:
    """A clock on which every look takes a millisecond."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return 100.0 + self.looks / 1000


@pytest.mark.parametrize("milliseconds", [1, 5, 40])
def test_the_clock_is_looked_at_often_and_obeyed(monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
    clock = FakeClock()
    set_clock(monkeypatch, clock)
    found = BristolMrX(seconds=(milliseconds + 0.5) / 1000).think(Game(seed=2).view(MR_X))
    assert found.depth >= 1
    assert clock.looks == milliseconds + 3  # to start it, each millisecond, the look that says stop, and what is left
    assert found.nodes <= (milliseconds + 1) * NODES_PER_LOOK


def test_there_is_an_answer_however_little_time_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, itertools.count().__next__)  # a second between two looks
    game = Game(seed=2)
    policy = BristolMrX(seconds=0.001)
    assert policy.think(game.view(MR_X)).depth == 1
    assert policy.act(game.view(MR_X), np.random.default_rng(0)).action in game.legal


def test_only_a_depth_that_was_completed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, FakeClock())
    for view in mr_x_positions("london", range(6)):
        found = BristolMrX(seconds=0.0205).think(view)
        assert found.moves == search_to(view, found.depth).moves


def test_a_fixed_depth_needs_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    set_clock(monkeypatch, clock)
    assert BristolMrX(seconds=0.001, depth=4).think(Game(seed=2).view(MR_X)).depth == 4
    assert clock.looks == 0


@pytest.mark.parametrize("wrong", ["seconds=0", "seconds=-1", "depth=0", "depth=2.5", "depth=True", "depth=1000"])
def test_what_allows_no_answer_is_refused(wrong: str) -> None:
    with pytest.raises(PolicyError, match=wrong.partition("=")[0]):
        make_policy(f"bristol_mr_x:{wrong}")


# ------------------------------------------------------------------------------------------------------------- games


def test_he_survives_random_detectives() -> None:
    matches = [play_match("bristol_mr_x:depth=3", "random", seed=seed) for seed in range(20)]
    assert sum(match.game.winner == "mr_x" for match in matches) >= 18
