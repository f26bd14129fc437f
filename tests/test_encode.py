"""Observations say what the view says, piece by piece; they fit their spaces; and what is hidden stays hidden."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playing import IS_COMPILED, all_settings, distance, random_actions, random_game
from slow_rules import LETTERS, neighbours_by_station

from scotyard_env.belief import weigh
from scotyard_env.board import Board
from scotyard_env.encode import (
    KINDS,
    STATION_FEATURES,
    Encoder,
    Layout,
    compact_layout,
    flat_layout,
    game_layout,
    link_index,
    link_transports,
    viewer_first_layout,
)
from scotyard_env.encode.encoder import FLAT
from scotyard_env.game import Game
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, NOWHERE, SPECTATOR, TRANSPORTS, new_states
from scotyard_env.view import View

SETTINGS = list(all_settings())[:: 1 if IS_COMPILED else 7]
SOME_SETTINGS = [  # of every board and edition, with every number of detectives
    ("london", "classic", 5),
    ("london", "ravensburger_2013", 4),
    ("london_1983", "ravensburger_2000", 3),
    ("london_milton_bradley_1985", "milton_bradley_1985", 5),
    ("london", "bristol", 1),
    ("docklands", "docklands", 2),
    ("docklands", "docklands", 5),
    ("glasses", "glasses", 2),
][:: 1 if IS_COMPILED else 3]
OPTIONS = [  # observation, belief, moves
    (kind, belief, moves)
    for kind, belief, moves in itertools.product(KINDS, (False, True), (False, True))
    if not (kind == "compact" and belief)
]
RICHEST = [
    ("flat", True, True),
    ("flat_viewer_first", True, True),
    ("compact", False, True),
    ("graph", True, True),
]  # everything that there is to see

Setting = tuple[str, str, int]
Observation = dict[str, NDArray[Any]]
#     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5
LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5", name="line")

# a station in the middle, linked by taxi and ferry with all others
OUTER = range(2, 256 if IS_COMPILED else 66)
STAR = Board.from_text(" ".join(f"1-T-{station} 1-F-{station}" for station in OUTER), name="star")

every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
some_settings = pytest.mark.parametrize("setting", SOME_SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
every_kind = pytest.mark.parametrize("kind", KINDS)


@functools.cache
def encoder_of(board: Board, rules: RuleSet, kind: str, belief: bool = False, moves: bool = False) -> Encoder:
    return Encoder(board, rules, kind, belief=belief, moves=moves)


def moments(setting: Setting, seed: int, every: int) -> Iterator[Game]:
    """Play a game at random, stop now and then, on average once in so many actions, and at the end."""
    game, rng = Game(setting[0], setting[1], detectives=setting[2], seed=seed), np.random.default_rng(seed)
    for _ in random_actions(game, seed):
        if rng.integers(every) == 0:
            yield game
    yield game


def viewers_of(game: Game) -> list[int]:
    return [*range(len(game.stations)), SPECTATOR]


def all_bytes(observation: Observation) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in observation.items()}


# --------------------------------------------------------------------------------------------- the pieces, restated


def in_order(view: View) -> list[int]:
    """List the detectives' seats as the viewer sees them: a detective comes first itself, then who moves after it."""
    seats = list(range(1, len(view.stations)))
    first = 0 if view.viewer in (MR_X, SPECTATOR) else seats.index(view.viewer)
    return seats[first:] + seats[:first]


def second_halves(moves: list[str], detectives: int) -> list[bool]:
    """Tell of each log entry whether it is the second half of a double move, from all moves played."""
    rest, found = list(moves), []
    while rest:
        is_double = rest[0] == "2x"
        found += [False, True][: len(rest) - 1] if is_double else [False]
        rest = rest[(3 if is_double else 1) + detectives :]
    return found


def moves_owed(moves: list[str]) -> int:
    if moves[-1:] == ["2x"]:
        return 2
    return 1 if moves[-2:-1] == ["2x"] else 0


def last_shown(view: View) -> tuple[int, int]:
    """Tell the log entry at which Mr. X was seen last and the station, from the log or from his catch; 0 = never."""
    caught = set(view.possible) & set(view.stations[1:])
    if caught:
        return len(view.log), caught.pop()
    shown = [(number, entry) for number, entry in enumerate(view.log, 1) if "@" in entry]
    return (shown[-1][0], int(shown[-1][1].partition("@")[2])) if shown else (0, NOWHERE)


def known_station(view: View) -> int:
    return view.stations[MR_X] if view.viewer == MR_X else last_shown(view)[1]


def to_reveal(view: View) -> int:
    """Count the entries until Mr. X has to show himself; 0 = never again."""
    return min((entry - len(view.log) for entry in view.rules.reveals if entry > len(view.log)), default=0)


def one_hot(size: int, *places: int) -> list[float]:
    return [float(place in places) for place in range(size)]


def by_station(view: View, stations: Iterable[int]) -> list[float]:
    """Write 1 for each of these stations, the first being number 1; NOWHERE is none of them."""
    return one_hot(view.board.stations + 1, *stations)[1:]


def game_pieces(view: View, moves: list[str]) -> dict[str, Any]:
    """Work out the pieces that the flat and the graph observation share."""
    room, seats = view.rules.log_room, len(view.stations)
    seen_entry, _ = last_shown(view)
    log = np.zeros((room, 5))
    for entry, (text, is_second) in enumerate(zip(view.log, second_halves(moves, view.rules.detectives), strict=True)):
        log[entry] = [*one_hot(4, LETTERS.index(text[0])), is_second]
    return {
        "seat": one_hot(seats, view.viewer),
        "to_move": one_hot(seats, view.seat),
        "tickets": [
            [10 if tickets == -1 else min(tickets / 10, 10) for tickets in view.tickets[seat]]
            for seat in (MR_X, *in_order(view))
        ],
        "log": log,
        "entry": [len(view.log) / room],
        "since_reveal": [(len(view.log) - seen_entry) / room if seen_entry else 1],
        "to_reveal": [to_reveal(view) / room if to_reveal(view) else 1],
        "owed": [moves_owed(moves) / 2],
    }


def flat_pieces(view: View, moves: list[str]) -> dict[str, Any]:
    game = game_pieces(view, moves)
    log, own = game.pop("log"), NOWHERE if view.viewer == SPECTATOR else view.stations[view.viewer]
    rounds = len(view.log) + (moves_owed(moves) == 2) - sum(second_halves(moves, view.rules.detectives))
    return {
        **game,
        "tickets": [[10 if tickets == -1 else min(tickets / 10, 10) for tickets in purse] for purse in view.tickets],
        "rounds": [rounds / view.rules.log_room],
        "log": log,
        "own": by_station(view, [own]),
        "detectives": [by_station(view, [station]) for station in view.stations[1:]],
        "mr_x": by_station(view, [last_shown(view)[1]]),
        "possible": by_station(view, view.possible),
        "belief": weigh(view)[1:],
    }


def viewer_first_pieces(view: View, moves: list[str]) -> dict[str, Any]:
    return {
        **game_pieces(view, moves),
        "detectives": [by_station(view, [view.stations[seat]]) for seat in in_order(view)],
        "mr_x": by_station(view, [known_station(view)]),
        "possible": by_station(view, view.possible),
        "belief": weigh(view)[1:],
    }


def compact_pieces(view: View, moves: list[str]) -> dict[str, Any]:
    codes = [
        1 + LETTERS.index(text[0]) + 8 * is_second
        for text, is_second in zip(view.log, second_halves(moves, view.rules.detectives), strict=True)
    ]
    return {
        "seat": [max(view.viewer, 0)],
        "to_move": [view.seat],
        "entry": [len(view.log)],
        "since_reveal": [len(view.log) - last_shown(view)[0]],
        "to_reveal": [to_reveal(view)],
        "owed": [moves_owed(moves)],
        "mr_x": [known_station(view)],
        "detectives": [view.stations[seat] for seat in in_order(view)],
        "tickets": [
            [255 if tickets == -1 else min(tickets, 255) for tickets in view.tickets[seat]]
            for seat in (MR_X, *in_order(view))
        ],
        "log": codes + [0] * (view.rules.log_room - len(codes)),
        "possible": by_station(view, view.possible),
    }


def station_columns(view: View) -> dict[str, Any]:
    """Work out every column of the graph's station features, from station 1 on."""
    stations, detectives = range(1, view.board.stations + 1), view.stations[1:]
    own = None if view.viewer == SPECTATOR else view.stations[view.viewer]
    others = [station for seat, station in enumerate(view.stations) if seat not in (MR_X, view.viewer)]
    return {
        "own": by_station(view, [own or NOWHERE]),
        "detectives": [others.count(station) for station in stations],
        "mr_x": by_station(view, [known_station(view)]),
        "possible": by_station(view, view.possible),
        "belief": weigh(view)[1:],
        "own_distance": [min(distance(view.board, own, station) / 8, 2) if own else 0 for station in stations],
        "detective_distance": [
            min(min(distance(view.board, other, station) for other in detectives) / 8, 2) for station in stations
        ],
        **link_columns(view.board),
    }


@functools.cache
def link_columns(board: Board) -> dict[str, list[float]]:
    links = {station: [by for _, by in ways] for station, ways in neighbours_by_station(board.links).items()}
    stations = range(1, board.stations + 1)
    return {f"{by}_links": [min(links[station].count(by) / 4, 2) for station in stations] for by in TRANSPORTS}


def check_pieces(view: View, found: dict[str, NDArray[Any]], expected: dict[str, Any]) -> None:
    assert list(found) == list(expected)
    for name, array in found.items():
        wanted = np.asarray(expected[name], array.dtype)
        assert array.shape == wanted.shape, f"{name}, {view!r}"
        assert np.abs(array - wanted).max() < 1e-6, f"{name} is\n{array}, should be\n{wanted}\nto {view!r}"


def check_observation(game: Game, kind: str) -> None:
    """Compare every piece of the observation of every viewer with what it should be."""
    encoder, moves = encoder_of(game.board, game.rules, kind, belief=kind != "compact"), game.moves
    for viewer in viewers_of(game):
        view = game.view(viewer)
        found = encoder.observe(view)
        if kind == "flat":
            check_pieces(view, encoder.layout.split(found["observation"]), flat_pieces(view, moves))
        elif kind == "flat_viewer_first":
            check_pieces(view, encoder.layout.split(found["observation"]), viewer_first_pieces(view, moves))
        elif kind == "compact":
            check_pieces(view, encoder.layout.split(found["observation"]), compact_pieces(view, moves))
        else:
            check_pieces(view, encoder.layout.split(found["game"]), game_pieces(view, moves))
            columns = dict(zip(STATION_FEATURES, found["observation"][1:].T, strict=True))
            check_pieces(view, columns, station_columns(view))
            assert not found["observation"][0].any()
            assert found["links"].tolist() == link_index(game.board).tolist()


@every_setting
@every_kind
def test_every_piece_agrees_with_the_view(setting: Setting, kind: str) -> None:
    for game in moments(setting, seed=SETTINGS.index(setting), every=20 if IS_COMPILED else 60):
        check_observation(game, kind)


@every_kind
def test_every_piece_agrees_late_in_a_long_game_with_the_longest_log(kind: str) -> None:
    rules = RuleSet(mr_x_tickets=("unlimited", "unlimited", 300, 999, 6), log_entries=40, reveals=(1, 39, 40))
    tickets: list[list[int]] = [[-1, -1, 300, 999, 6], *[[260, 255, 256, 0, 0]] * 5]
    game = Game.from_position("london", rules, stations=[199, 1, 2, 3, 4, 5], tickets=tickets)
    avoid_capture(game, seed=1)
    assert len(game.log) > 35
    assert "2x" in game.moves
    check_observation(game, kind)


def avoid_capture(game: Game, seed: int) -> None:
    """Play at random until the log is nearly full, the detectives never stepping onto Mr. X."""
    rng = np.random.default_rng(seed)
    while game.winner is None and len(game.log) < 38:
        free = [move for move in game.legal_moves if move[1:] != str(game.stations[MR_X]) or game.seat == MR_X]
        if not free:
            break
        game.play(free[rng.integers(len(free))])


@every_kind
def test_every_piece_agrees_in_the_middle_of_a_double_move(kind: str) -> None:
    game = Game.from_position("docklands", RuleSet(reveals=(2,)), stations=[15, 1, 30])
    for move in ("2x", "first half", "second half"):
        game.play(move if move == "2x" else game.legal_moves[-1])
        check_observation(game, kind)
    assert game.seat == 1


# --------------------------------------------------------------------------------------------------- worked by hand


def test_a_flat_observation_of_a_drawn_position() -> None:
    rules = RuleSet(mr_x_tickets=("unlimited", 3, 0, 5, 2), log_entries=4, reveals=(2, 4))
    game = Game.from_position(LINE, rules, stations=[3, 1, 5], possible=[2, 3])
    game.play("T4")  # from 2 or 3 to 3, 2 or 4
    encoder = Encoder(LINE, game.rules)
    pieces = encoder.layout.split(encoder.observe(game.view(2))["observation"])
    assert pieces["seat"].tolist() == [0, 0, 1]
    assert pieces["to_move"].tolist() == [0, 1, 0]
    assert pieces["tickets"] == pytest.approx(
        np.array([[10, 0.3, 0, 0.5, 0.2], [1, 0.8, 0.4, 0, 0], [1, 0.8, 0.4, 0, 0]])
    )
    assert pieces["log"].tolist() == [[1, 0, 0, 0, 0], [0] * 5, [0] * 5, [0] * 5]
    counters = ("entry", "since_reveal", "to_reveal", "owed", "rounds")
    assert [pieces[name].item() for name in counters] == [0.25, 1, 0.25, 0, 0.25]
    assert pieces["own"].tolist() == [0, 0, 0, 0, 1]
    assert pieces["detectives"].tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    assert pieces["mr_x"].tolist() == [0, 0, 0, 0, 0]
    assert pieces["possible"].tolist() == [0, 1, 1, 1, 0]


def test_no_flat_observation_is_as_long_as_one_of_version_0_1_0() -> None:
    for board_name, rules_name, detectives in SETTINGS:
        board, rules = Board.named(board_name), dataclasses.replace(RuleSet.named(rules_name), detectives=detectives)
        new, old = (
            {layout(board, rules, belief).size for belief in (False, True)}
            for layout in (flat_layout, viewer_first_layout)
        )
        assert not new & old  # so that a network fits one of them only


def test_detectives_come_in_cyclic_order_from_the_viewer() -> None:
    game = Game.from_position("docklands", stations=[15, 1, 4, 7, 10])
    encoder = Encoder(game.board, game.rules, "compact")
    seen = {
        viewer: encoder.layout.split(encoder.observe(game.view(viewer))["observation"])["detectives"].tolist()
        for viewer in viewers_of(game)
    }
    assert seen == {
        MR_X: [1, 4, 7, 10],
        1: [1, 4, 7, 10],
        2: [4, 7, 10, 1],
        3: [7, 10, 1, 4],
        4: [10, 1, 4, 7],
        SPECTATOR: [1, 4, 7, 10],
    }


def test_the_second_half_of_a_double_move_is_told_from_two_moves() -> None:
    game = Game.from_position(LINE, stations=[4, 1])
    for move in ("2x", "T5", "K4", "T2", "T5"):
        game.play(move)
    encoder = Encoder(LINE, game.rules, "compact")
    log = encoder.layout.split(encoder.observe(game.view(1))["observation"])["log"]
    assert log[:4].tolist() == [1, 4 + 8, 1, 0]


def test_a_spectator_stands_nowhere_even_when_the_game_is_over() -> None:
    game = random_game("london", "classic", 5, seed=0)
    assert game.winner is not None
    assert game.view(SPECTATOR).stations == game.stations
    encoder = Encoder(game.board, game.rules, "graph")
    found = encoder.observe(game.view(SPECTATOR))
    assert not found["observation"][:, [STATION_FEATURES.index("own"), STATION_FEATURES.index("own_distance")]].any()
    assert not encoder.layout.split(found["game"])["seat"].any()


# ----------------------------------------------------------------------------------------------------------- layouts


def layouts() -> Iterator[Layout]:
    for number, (board_name, rules_name, detectives) in enumerate(SETTINGS):
        board, rules = Board.named(board_name), dataclasses.replace(RuleSet.named(rules_name), detectives=detectives)
        yield flat_layout(board, rules, belief=number % 2 == 0)
        yield viewer_first_layout(board, rules, belief=number % 2 == 0)
        yield compact_layout(board, rules)
        yield game_layout(rules)


def test_the_pieces_tile_the_vector_without_gap_or_overlap() -> None:
    for layout in layouts():
        end = 0
        for piece in layout.pieces:
            assert piece.start == end
            assert piece.stop - piece.start == np.prod(piece.shape)
            assert layout[piece.name] == slice(piece.start, piece.stop)
            end = piece.stop
        assert layout.size == end
        assert len({piece.name for piece in layout.pieces}) == len(layout.pieces)


def test_a_layout_is_as_long_as_the_observation() -> None:
    for kind, belief, moves in OPTIONS:
        game = Game("docklands", seed=0)
        encoder = Encoder(game.board, game.rules, kind, belief=belief, moves=moves)
        found = encoder.observe(game.view(1))
        assert encoder.layout.size == len(found["game" if kind == "graph" else "observation"])


def test_split_takes_a_vector_and_batches_of_any_shape_apart() -> None:
    layout = compact_layout(Board.named("docklands"), RuleSet.named("docklands"))
    vectors = np.arange(6 * layout.size).reshape(2, 3, layout.size)
    pieces = layout.split(vectors)
    assert pieces["tickets"].shape == (2, 3, 3, 5)
    for name, piece in layout.split(vectors[1, 2]).items():
        assert pieces[name][1, 2].tolist() == piece.tolist()
        assert piece.ravel().tolist() == vectors[1, 2, layout[name]].tolist()


def test_belief_is_a_piece_only_if_asked_for() -> None:
    board, rules = Board.named("docklands"), RuleSet.named("docklands")
    without, including = (flat_layout(board, rules, belief=belief) for belief in (False, True))
    assert including.pieces[:-1] == without.pieces
    assert including.pieces[-1].name == "belief"


def test_an_unknown_piece_is_refused_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"no piece 'ticket'.*there are seat, to_move, tickets, log, entry"):
        game_layout(RuleSet())["ticket"]


# ---------------------------------------------------------------------------------------------------- mask and spaces


@every_setting
def test_the_mask_is_the_legal_actions_of_the_mover_and_nothing_for_others(setting: Setting) -> None:
    for game in moments(setting, seed=SETTINGS.index(setting), every=10 if IS_COMPILED else 50):
        for moves, viewer in itertools.product((False, True), viewers_of(game)):
            mask = encoder_of(game.board, game.rules, "compact", moves=moves).observe(game.view(viewer))["action_mask"]
            assert mask.dtype == np.int8
            assert np.flatnonzero(mask).tolist() == (game.legal if viewer == game.seat else [])
            assert mask.max(initial=0) <= 1


@every_setting
def test_every_observation_is_in_its_space(setting: Setting) -> None:
    for game in moments(setting, seed=SETTINGS.index(setting), every=15 if IS_COMPILED else 60):
        for kind, belief, moves in OPTIONS:
            encoder = encoder_of(game.board, game.rules, kind, belief, moves)
            for viewer in viewers_of(game):
                found = encoder.observe(game.view(viewer))
                assert set(found) == set(encoder.observation_space)
                assert encoder.observation_space.contains(found), (kind, belief, moves, viewer)


@every_kind
def test_a_board_with_a_very_busy_station_and_full_purses_stay_in_the_space(kind: str) -> None:
    rules = RuleSet(mr_x_tickets=(999, 999, 999, "unlimited", 999), detective_tickets=(999, 999, 999))
    game = Game.from_position(STAR, rules, stations=[1, STAR.stations, 2])
    encoder = Encoder(STAR, game.rules, kind, belief=kind != "compact", moves=True)
    for _ in range(3 if IS_COMPILED else 1):
        for viewer in viewers_of(game):
            assert encoder.observation_space.contains(encoder.observe(game.view(viewer)))
        check_observation(game, kind)
        game.play(game.legal[0])


def test_there_is_an_action_for_every_station_and_fare_and_two_more() -> None:
    assert Encoder(Board.named("london"), RuleSet()).action_space.n == 4 * 199 + 2


def test_moves_are_observed_only_if_asked_for() -> None:
    board, rules = Board.named("docklands"), RuleSet.named("docklands")
    assert set(Encoder(board, rules).observation_space) == {"observation", "action_mask"}
    assert set(Encoder(board, rules, "graph", moves=True).observation_space) == {
        *("observation", "game", "links"),
        *("action_mask", "move_ids", "move_features"),
    }


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no observation 'pixels': there are flat, flat_viewer_first, compact, graph"):
        Encoder(Board.named("docklands"), RuleSet.named("docklands"), "pixels")


def test_a_compact_observation_with_belief_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="choose flat or graph, or belief=False"):
        Encoder(Board.named("docklands"), RuleSet.named("docklands"), "compact", belief=True)


# ------------------------------------------------------------------------------------------------------------- links


@pytest.mark.parametrize("name", Board.names())
def test_links_are_listed_both_ways_with_printed_numbers_and_their_transport(name: str) -> None:
    board = Board.named(name)
    index, transports = link_index(board), link_transports(board)
    assert index.shape == (2, 2 * len(board.links)) == (2, len(transports))
    assert index.dtype == transports.dtype == np.int64
    listed = sorted((a, b, TRANSPORTS[by]) for a, b, by in zip(*index.tolist(), transports.tolist(), strict=True))
    assert listed == sorted([*board.links, *((b, a, by) for a, b, by in board.links)])


# ------------------------------------------------------------------------------------------- singly and in a batch


def write_many(encoder: Encoder, views: list[View], arrays: Observation) -> list[Observation]:
    """Write all views at once, into rows in an order of their own; give each view's observation."""
    states = new_states(len(views))
    for index, view in enumerate(views):
        states[index] = view.state
    rows = np.random.default_rng(7).permutation(len(views))
    encoder.write(states, np.array([view.viewer for view in views]), rows, arrays)
    return [{name: array[row] for name, array in arrays.items()} for row in rows]


def make_dirty(arrays: Observation, seed: int) -> Observation:
    rng = np.random.default_rng(seed)
    for name, array in arrays.items():
        if name != "links":
            array.view(np.uint8)[...] = rng.integers(0, 256, array.view(np.uint8).shape, np.uint8)
    return arrays


def many_views(setting: Setting) -> list[View]:
    return [
        game.view(viewer)
        for seed in range(4 if IS_COMPILED else 1)
        for game in moments(setting, seed, every=25 if IS_COMPILED else 100)
        for viewer in viewers_of(game)
    ]


@some_settings
def test_a_batch_into_used_arrays_holds_the_same_bytes_as_single_observations(setting: Setting) -> None:
    views = many_views(setting)
    for kind, belief, moves in OPTIONS:
        encoder = Encoder(views[0].board, views[0].rules, kind, belief=belief, moves=moves)
        singly = [all_bytes(encoder.observe(view)) for view in views]
        clean = write_many(encoder, views, encoder.new_arrays(len(views)))
        dirty = write_many(encoder, views, make_dirty(encoder.new_arrays(len(views)), seed=1))
        assert [all_bytes(found) for found in clean] == singly
        assert [all_bytes(found) for found in dirty] == singly


@some_settings
@pytest.mark.parametrize("belief", [False, True])
@pytest.mark.parametrize("kind", FLAT)
def test_writing_only_what_has_changed_leaves_the_same_bytes_as_writing_all(
    setting: Setting, kind: str, belief: bool
) -> None:
    views, rng = many_views(setting), np.random.default_rng(3)
    encoder = Encoder(views[0].board, views[0].rules, kind, belief=belief)
    arrays, written = encoder.new_arrays(3), encoder.new_written(3)
    for _ in range(100 if IS_COMPILED else 10):
        view, row = views[rng.integers(len(views))], rng.integers(3)
        encoder.write(view.states, np.array([view.viewer]), np.array([row]), arrays, written)
        assert all_bytes({name: array[row] for name, array in arrays.items()}) == all_bytes(encoder.observe(view))


def test_rows_that_are_not_written_stay_as_they_were() -> None:
    view = Game("docklands", seed=0).view(1)
    for kind, belief, moves in RICHEST:
        encoder = Encoder(view.board, view.rules, kind, belief=belief, moves=moves)
        arrays = make_dirty(encoder.new_arrays(3), seed=2)
        before = {name: array[[0, 2]].tobytes() for name, array in arrays.items()}
        encoder.write(view.states, np.array([1]), np.array([1]), arrays)
        assert {name: array[[0, 2]].tobytes() for name, array in arrays.items()} == before


def test_an_observation_stays_as_it_is_when_the_next_is_made() -> None:
    game = random_game("docklands", "docklands", 2, seed=1, actions=3)
    for kind, belief, moves in RICHEST:
        encoder = Encoder(game.board, game.rules, kind, belief=belief, moves=moves)
        first = encoder.observe(game.view(game.seat))
        before = all_bytes(first)
        encoder.observe(Game("docklands", "docklands", seed=2).view(MR_X))
        assert all_bytes(first) == before


# ------------------------------------------------------------------------------------------ hidden stays hidden


def elsewhere(game: Game) -> Iterator[Game]:
    """Make games that differ from this one only in where Mr. X hides; all have the same public past."""
    others = [station for station in game.possible if station != game.stations[MR_X]]
    for station in {others[0], others[len(others) // 2], others[-1]}:
        there = game.clone()
        there.state.station[MR_X] = station
        yield there


def hiding(setting: Setting, seed: int) -> Iterator[Game]:
    """Return moments of a game at which Mr. X may be on more than one station."""
    found = (game for game in moments(setting, seed, every=4) if len(game.possible) > 1)
    return itertools.islice(found, None if IS_COMPILED else 3)


def shown_to(game: Game, viewer: int) -> list[dict[str, bytes]]:
    """Make every kind of observation with all that can be asked for, from what the viewer may know."""
    view = game.view(viewer)
    return [all_bytes(encoder_of(game.board, game.rules, *options).observe(view)) for options in RICHEST]


def shown_of_the_truth_to(game: Game, viewer: int) -> list[dict[str, bytes]]:
    """Make the same from a record that still holds the secret: nothing but the viewer keeps it from being told."""
    found = []
    for options in RICHEST:
        encoder = encoder_of(game.board, game.rules, *options)
        arrays = encoder.new_arrays(1)
        encoder.write(game.states, np.array([viewer]), np.array([0]), arrays)
        found.append(all_bytes(arrays))
    return found


@some_settings
def test_no_observation_but_his_own_depends_on_where_mr_x_hides(setting: Setting) -> None:
    met = 0
    for seed in range(4 if IS_COMPILED else 1):
        for game in hiding(setting, seed):
            shown = {viewer: shown_to(game, viewer) for viewer in viewers_of(game)}
            for there in elsewhere(game):
                met += 1
                assert there.state.tobytes() != game.state.tobytes()
                for viewer in viewers_of(game)[1:]:
                    assert shown_to(there, viewer) == shown[viewer], f"viewer {viewer}, {game!r}"
                for here, other in zip(shown[MR_X], shown_to(there, MR_X), strict=True):
                    assert here["observation"] != other["observation"]
    assert met > 0


@some_settings
def test_not_even_from_the_truth_is_an_observation_made_that_tells_where_mr_x_hides(setting: Setting) -> None:
    for game in hiding(setting, seed=5):
        shown = {viewer: shown_to(game, viewer) for viewer in viewers_of(game)}
        for there in (game, *elsewhere(game)):
            for viewer in viewers_of(game)[1:]:
                assert shown_of_the_truth_to(there, viewer) == shown[viewer], f"viewer {viewer}, {game!r}"


def test_arrays_with_too_few_rows_are_refused() -> None:
    game = Game("docklands", seed=0)
    encoder = Encoder(game.board, game.rules)
    with pytest.raises(ValueError, match=r"1 rows up to 3, and 3 in the arrays; give a state, a viewer and a row"):
        encoder.write(game.states, np.zeros(1, np.int64), np.array([3]), encoder.new_arrays(3))
