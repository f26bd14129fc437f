"""What is shown at the terminal: all that the seat may know, in 80 columns, and nothing that it may not."""

from __future__ import annotations

import itertools
import re

import pytest
from playing import random_actions

from scotyard_env.game import Game
from scotyard_env.play.advice import tell_help
from scotyard_env.play.street_map import draw_map, tell_links
from scotyard_env.play.table import draw_legal, draw_table, group_possible, tell_own, tell_public
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.view import PublicMove, View

WIDTH, HEIGHT = 80, 24


def views_of(board: str, seed: int, seat: int | None = None) -> list[View]:
    """Return every moment of a game played at random, as a seat sees it; without one, as the seat to move does."""
    game = Game(board, seed=seed)
    return [game.view(game.seat if seat is None else seat) for _ in random_actions(game, seed)]


def test_a_table_tells_seats_log_and_possible_stations() -> None:
    game = Game.from_position(stations=(89, 1, 2), possible=(89, 117, 150))
    for move in ("2x", "T88", "T89", "T8", "T20", "U13", "T18", "T33"):
        game.play(move)
    assert draw_table(game.view(1), WIDTH).plain.splitlines() == [
        "Round 3: Mr. X to move",
        "                 at   taxi    bus  underground  black  double",
        "> Mr. X           ?      6      3            2      5       1",
        "  Detective 1    18      8      8            4",
        "  Detective 2    33      8      8            4",
        "Log, 3 of 24 entries; next reveal at entry 8, in 5 entries:",
        "  (T T) U@13",
        "Mr. X may be on 1 station, by moves to the nearest detective:",
        "   2  13",
    ]


def test_the_whole_possible_set_is_grouped_by_the_way_of_the_nearest_detective() -> None:
    for view in views_of("london", 3):
        groups = group_possible(view)
        assert sorted(itertools.chain(*groups.values())) == view.possible
        for moves, stations in groups.items():
            for station in stations:
                assert moves == min(view.board.distance(detective, station) for detective in view.stations[1:])


@pytest.mark.parametrize("seed", range(4))
def test_what_is_shown_at_a_turn_fits_the_terminal(seed: int) -> None:
    for view in views_of("london", seed):
        lines = draw_table(view, WIDTH).plain.splitlines()
        assert all(len(line) <= WIDTH for line in lines)
        assert len(lines) <= HEIGHT - 3  # below: what is legal, and the place to write
        drawn = draw_map(view, WIDTH, HEIGHT - 4).plain.splitlines()
        assert len(drawn) == HEIGHT - 4
        assert all(len(line) <= WIDTH for line in drawn)


def test_what_is_legal_is_listed_by_ticket() -> None:
    game = Game.from_position(stations=(108, 1, 2))
    legal = "Mr. X on 108 may go: taxi 105 117 119, bus 105 116 135, black any of these 115, double 2x"
    assert draw_legal(game.view(0)).plain == legal


# The map


@pytest.mark.parametrize(("board", "around"), [("docklands", None), ("london", None), ("london", 46), ("glasses", 3)])
def test_a_map_has_every_pawn_and_every_possible_station_in_sight(board: str, around: int | None) -> None:
    for view in views_of(board, 1, seat=MR_X)[:20]:
        drawn = draw_map(view, 200, 80, around).plain
        if around is None:
            for seat in range(1, len(view.stations)):
                assert f"D{seat}" in drawn
            unmarked = set(view.possible) - set(view.stations)
            assert drawn.count("?") == len(unmarked)
        assert ("X" in drawn) or around is not None


def test_a_map_around_a_station_shows_it_and_its_neighbours() -> None:
    view = Game.from_position(stations=(199, 1, 2)).view(1)
    drawn = draw_map(view, WIDTH, 20, around=88).plain
    assert all(f"{station}?" in drawn for station in (87, 88, 89, 117))
    assert tell_links(view, 88) == "From 88: taxi 87 89 117."


@pytest.mark.parametrize("board", ["docklands", "glasses"])
def test_whatever_station_a_map_is_around_where_taxis_go_from_there_is_on_it(board: str) -> None:
    view = Game(board, seed=1).view(SPECTATOR)
    for station in range(1, view.board.stations + 1):
        shown = set(map(int, re.findall(r"(?<!D)\b\d+", draw_map(view, WIDTH, 20, around=station).plain)))
        taxis = [{a, b} for a, b, by in view.board.links if by == "taxi" and station in (a, b)]
        assert set().union(*taxis) - set(view.stations) <= shown


# What is hidden stays hidden


def test_nothing_that_a_detective_is_shown_depends_on_where_mr_x_is() -> None:
    shown = set()
    for start, move in ((51, "T38"), (52, "T39"), (89, "T88")):
        game = Game.from_position(stations=(start, 50, 49))
        game.play(move)
        view = game.view(1)
        parts = (draw_table(view, WIDTH), draw_map(view, WIDTH, 20), draw_legal(view))
        shown.add((*(part.markup for part in parts), tell_help(view)))
    assert len(shown) == 1


@pytest.mark.parametrize(
    ("move", "told"),
    [
        (PublicMove(0, "T?", 0), "Mr. X goes by taxi."),
        (PublicMove(0, "K13", 13), "Mr. X goes by a black ticket and shows himself on 13."),
        (PublicMove(0, "2x", 0), "Mr. X announces a double move."),
        (PublicMove(2, "B58", 58), "Detective 2 goes by bus to 58."),
        (PublicMove(2, "--", 45), "Detective 2 cannot move and passes."),
    ],
)
def test_a_move_of_the_other_side_is_told_as_the_table_sees_it(move: PublicMove, told: str) -> None:
    assert tell_public(move) == told


def test_a_move_of_ones_own_is_told_as_it_is() -> None:
    view = Game.from_position(stations=(89, 1, 2)).view(0)
    assert tell_own(view, view.legal[view.legal_moves.index("K88")]) == "Mr. X: black to 88."


def test_help_tells_the_numbers_of_the_edition() -> None:
    classic = tell_help(Game(seed=1).view(SPECTATOR))
    assert "Mr. X wins when his log is full (24), or when" in classic
    assert "At entries 3, 8, 13, 18, 24 he shows himself" in classic
    current = tell_help(Game(rules="ravensburger_2013", seed=1).view(SPECTATOR))
    assert "his log is full (24) or the last round is over (22)" in current
    assert "A ticket that a detective spends" not in current
    assert "shows himself" not in tell_help(Game("glasses", seed=1).view(SPECTATOR))
