"""The board: what is printed on it, what kernels read of it, and what is refused."""

import copy
import itertools
import json
import math
import os
import pickle
import subprocess
import sys
from collections import Counter, deque

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scotyard_env.board import DATA, FORMAT, Board
from scotyard_env.links import BoardError, Link
from scotyard_env.packing import BOARD, MAX_MOVES, UNREACHABLE
from scotyard_env.state import BLACK, BUS, FARES, FERRY, MAX_STATIONS, TAXI, TRANSPORTS, UNDERGROUND, station_list

#     1 --T-- 2 --T-- 3
#             B       T
#             4 --T-- 5
SQUARE = Board.from_text("1-T-2 2-T-3 2-B-4 3-T-5 4-T-5")
POINTS = {1: (0, 0), 2: (100, 0), 3: (200, 0), 4: (100, 100), 5: (200, 100)}

#     1 --T-- 2 --F-- 3 --U-- 4,  and a bus beside the taxi
FERRY_LINE = Board.from_text("1-T-2 1-B-2 2-F-3 3-U-4")

EVERY_BOARD = pytest.mark.parametrize("name", Board.names())


# Slow and obvious restatements


def neighbours(board, station, transports):
    """List the distinct stations one link away."""
    found = set()
    for a, b, transport in board.links:
        if transport in transports and station in (a, b):
            found.add(b if a == station else a)
    return sorted(found)


def walk(near, start):
    """Count the moves to every station that can be reached, breadth first; near lists each one's neighbours."""
    moves, queue = {start: 0}, deque([start])
    while queue:
        station = queue.popleft()
        for other in near[station]:
            if other not in moves:
                moves[other] = moves[station] + 1
                queue.append(other)
    return moves


def assert_distances_are_walked(board, table, transports):
    expected = np.full((MAX_STATIONS + 1, MAX_STATIONS + 1), UNREACHABLE)
    near = {station: neighbours(board, station, transports) for station in range(1, board.stations + 1)}
    for start in near:
        for station, moves in walk(near, start).items():
            expected[start, station] = moves
    assert np.array_equal(table, expected)


def restate_moves(board):
    """List (station, to, fare) straight from the links: the ticket of the transport, or black for any of them."""
    rows = []
    for station in range(1, board.stations + 1):
        for fare in (TAXI, BUS, UNDERGROUND):
            rows += [(station, to, fare) for to in neighbours(board, station, TRANSPORTS[fare])]
        rows += [(station, to, BLACK) for to in neighbours(board, station, TRANSPORTS)]
    return sorted(rows)


def read_moves(arrays):
    return [
        (station, int(arrays.to[row]), int(arrays.fare[row]))
        for station in range(arrays.stations + 1)
        for row in range(arrays.first[station], arrays.first[station + 1])
    ]


# The printed boards


def count_by_transport(board):
    counts = Counter(link.transport for link in board.links)
    return tuple(counts[transport] for transport in TRANSPORTS)


@pytest.mark.parametrize(
    ("name", "stations", "counts"),
    [
        ("london", 199, (345, 99, 20, 3)),
        ("london_1983", 199, (346, 99, 20, 3)),
        ("london_milton_bradley_1985", 199, (345, 101, 20, 3)),
        ("glasses", 11, (12, 0, 0, 0)),
        ("docklands", 32, (46, 13, 3, 2)),
    ],
)
def test_a_named_board_has_all_the_links_of_the_printed_board(name, stations, counts):
    board = Board.named(name)
    assert (board.name, board.stations, count_by_transport(board)) == (name, stations, counts)


@pytest.mark.parametrize(
    ("station", "transport", "reached"),
    [
        (74, "taxi", [58, 73, 75, 92]),
        (74, "bus", [58, 94]),
        (74, "underground", [46]),
        (74, "ferry", []),
        (153, "taxi", [139, 152, 154, 166, 167]),
    ],
)
@pytest.mark.parametrize("name", ["london", "london_1983", "london_milton_bradley_1985"])
def test_the_examples_of_the_rulebooks_hold(name, station, transport, reached):
    assert neighbours(Board.named(name), station, (transport,)) == reached


def test_the_ferry_calls_at_four_stations():
    ferry = [link[:2] for link in Board.named("london").links if link.transport == "ferry"]
    assert ferry == [(108, 115), (115, 157), (157, 194)]


def differences(name):
    base, edition = set(Board.named("london").links), set(Board.named(name).links)
    return edition - base, base - edition


def test_the_light_board_of_1983_adds_one_taxi_link():
    assert differences("london_1983") == ({(13, 14, "taxi")}, set())


def test_the_milton_bradley_board_has_its_misprint():
    added = {(13, 14, "taxi"), (185, 199, "bus"), (187, 199, "bus")}
    assert differences("london_milton_bradley_1985") == (added, {(198, 199, "taxi")})


def test_editions_are_drawn_like_london():
    for name in ("london_1983", "london_milton_bradley_1985"):
        assert np.array_equal(Board.named(name).coordinates, Board.named("london").coordinates)


def test_glasses_are_two_lenses_and_a_bridge():
    glasses = Board.named("glasses")
    assert glasses == Board.from_text(
        "1-T-2 2-T-3 2-T-4 3-T-5 4-T-5 5-T-6 6-T-7 7-T-8 7-T-9 8-T-10 9-T-10 10-T-11",
        coordinates={station: glasses.coordinates[station] for station in range(1, 12)},
    )
    x, y = glasses.coordinates[1:].T
    assert np.array_equal(x + x[::-1], np.full(11, x[0] + x[-1]))  # its own mirror image
    assert y[2] == y[7] < y[1] < y[3] == y[8]


# Docklands


def docklands_points():
    return {station: complex(x, y) for station, (x, y) in enumerate(Board.named("docklands").coordinates) if station}


def side(p, q, r):
    """Tell on which side of the line from p to q the point r is, by the sign."""
    return ((q - p).conjugate() * (r - p)).imag


def do_cross(points, one, other):
    p, q, r, s = (points[station] for station in (*one[:2], *other[:2]))
    return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0


def gap_to_link(points, link, station):
    a, b, at = points[link.a], points[link.b], points[station]
    along = ((b - a).conjugate() * (at - a)).real / abs(b - a) ** 2
    return abs(a + min(max(along, 0), 1) * (b - a) - at)


def test_docklands_has_no_dead_ends_and_mostly_three_or_four_neighbours():
    degree = Board.named("docklands").degree[1:]
    assert degree.min() >= 2
    assert np.isin(degree, (3, 4)).mean() > 0.6


def test_docklands_is_crossed_in_seven_moves():
    board = Board.named("docklands")
    on_board = slice(1, board.stations + 1)
    assert board.arrays.distance[on_board, on_board].max() == 7


def test_taxi_links_of_docklands_do_not_cross_and_others_hardly():
    board, points = Board.named("docklands"), docklands_points()
    pairs = [pair for pair in itertools.combinations(board.links, 2) if do_cross(points, *pair)]
    assert len(pairs) <= 2
    assert not any(one.transport == other.transport == "taxi" for one, other in pairs)


def test_no_station_of_docklands_lies_on_another_or_on_a_foreign_link():
    board, points = Board.named("docklands"), docklands_points()
    assert min(abs(points[a] - points[b]) for a, b in itertools.combinations(points, 2)) > 100
    gaps = [gap_to_link(points, link, s) for link in board.links for s in points if s not in link[:2]]
    assert min(gaps) > 30


def test_the_ferries_of_docklands_cross_the_river_where_nothing_else_does():
    board = Board.named("docklands")
    for a, b, transport in board.links:
        if transport == "ferry":
            assert board.distance(a, b) >= 2
            assert board.distance(a, b, ferry=True) == 1


def test_taxi_alone_gets_everywhere_in_docklands():
    board = Board.named("docklands")
    near = {station: neighbours(board, station, ("taxi",)) for station in range(1, board.stations + 1)}
    assert len(walk(near, 1)) == board.stations


# What kernels read


@EVERY_BOARD
def test_first_to_and_fare_restate_the_links(name):
    board = Board.named(name)
    assert read_moves(board.arrays) == restate_moves(board)


@pytest.mark.parametrize("board", [SQUARE, FERRY_LINE], ids=["square", "ferry_line"])
def test_small_boards_restate_their_links_too(board):
    assert read_moves(board.arrays) == restate_moves(board)


def test_a_ferry_takes_only_black_tickets():
    assert read_moves(FERRY_LINE.arrays) == [
        (1, 2, TAXI), (1, 2, BUS), (1, 2, BLACK),
        (2, 1, TAXI), (2, 1, BUS), (2, 1, BLACK), (2, 3, BLACK),
        (3, 2, BLACK), (3, 4, UNDERGROUND), (3, 4, BLACK),
        (4, 3, UNDERGROUND), (4, 3, BLACK),
    ]  # fmt: skip


@EVERY_BOARD
def test_reach_holds_the_same_moves_as_sets(name):
    arrays = Board.named(name).arrays
    moves = read_moves(arrays)
    for station, fare in itertools.product(range(arrays.stations + 1), range(FARES)):
        expected = [to for at, to, by in moves if (at, by) == (station, fare)]
        assert station_list(arrays.reach[fare, station]) == expected


@EVERY_BOARD
def test_served_holds_the_stations_with_a_move_for_a_fare(name):
    arrays = Board.named(name).arrays
    moves = read_moves(arrays)
    for fare in range(FARES):
        assert station_list(arrays.served[fare]) == sorted({at for at, _, by in moves if by == fare})


@EVERY_BOARD
def test_distances_are_those_of_a_plain_walk(name):
    board = Board.named(name)
    assert_distances_are_walked(board, board.arrays.distance, ("taxi", "bus", "underground"))
    assert_distances_are_walked(board, board.arrays.mr_x_distance, TRANSPORTS)


def test_a_station_beyond_the_ferry_is_unreachable_for_detectives():
    assert FERRY_LINE.distance(1, 4) == UNREACHABLE
    assert FERRY_LINE.distance(1, 4, ferry=True) == 3


def test_links_are_counted_by_station_and_transport():
    board = Board.named("london")
    for station in (1, 74, 108, 199):
        counts = Counter(link.transport for link in board.links if station in link[:2])
        assert board.arrays.links[station].tolist() == [counts[transport] for transport in TRANSPORTS]
    assert board.arrays.links[108, FERRY] == 1
    assert not board.arrays.links[0].any()


def test_a_board_is_one_record_with_room_for_the_largest():
    assert FERRY_LINE.arrays.dtype == BOARD
    assert {name: (BOARD[name].base.name, BOARD[name].shape) for name in BOARD.names} == {
        "stations": ("int32", ()),
        "first": ("int32", (257,)),
        "to": ("int16", (MAX_MOVES,)),
        "fare": ("int8", (MAX_MOVES,)),
        "reach": ("uint64", (4, 256, 4)),
        "served": ("uint64", (4, 4)),
        "distance": ("uint8", (256, 256)),
        "mr_x_distance": ("uint8", (256, 256)),
        "links": ("int16", (256, 4)),
    }


def test_stations_beyond_the_board_have_no_moves_and_no_way():
    arrays = FERRY_LINE.arrays
    assert arrays.stations == 4
    assert (arrays.first[5:] == 12).all()
    assert not arrays.reach[:, 5:].any()
    assert (arrays.distance[5:] == UNREACHABLE).all()
    assert (arrays.mr_x_distance[:, 5:] == UNREACHABLE).all()


def test_what_all_games_on_a_board_share_is_read_only():
    arrays = Board.named("glasses").arrays
    with pytest.raises(ValueError, match="read-only"):
        arrays.stations = 7
    fields = [arrays[name] for name in BOARD.names[1:]]
    for array in (*fields, FERRY_LINE.coordinates, FERRY_LINE.degree, FERRY_LINE.centrality):
        assert not array.flags.writeable


def test_there_is_room_for_every_link_there_can_be() -> None:
    links = [(a, b, by) for a, b in itertools.combinations(range(1, 61), 2) for by in ("taxi", "bus", "underground")]
    assert Board(links).arrays.first[61] == 60 * 59 * 4
    assert MAX_MOVES == 255 * 254 * 4


def test_the_largest_board_fits_the_arrays():
    board = Board([(station, station + 1, "taxi") for station in range(1, MAX_STATIONS)])
    assert board.distance(1, MAX_STATIONS) == MAX_STATIONS - 1 != UNREACHABLE
    assert station_list(board.arrays.reach[TAXI, 254]) == [253, 255]


# The value


def test_degree_counts_distinct_neighbours():
    assert FERRY_LINE.degree.tolist() == [0, 1, 2, 2, 1]


def test_centrality_is_the_share_of_shortest_ways_through_a_station():
    assert Board.from_text("1-T-2 2-T-3").centrality.tolist() == [0, 0, 1, 0]


def test_a_named_board_is_the_same_object_each_time():
    assert Board.named("london") is Board.named("london")


def test_boards_are_equal_by_content_and_not_by_name():
    placed = Board(SQUARE.links, POINTS, "placed")
    moved = Board(SQUARE.links, POINTS | {5: (200, 101)})
    assert Board(reversed(SQUARE.links), name="other") == SQUARE
    relinked = Board.from_text("1-T-2 2-T-3 2-T-4 3-T-5 4-T-5", coordinates=POINTS)
    assert Board(placed.links, POINTS) == placed
    assert placed not in (moved, relinked)
    assert hash(Board(placed.links, POINTS)) == hash(placed)
    assert SQUARE != FERRY_LINE
    assert SQUARE != "square"


def test_signature_is_of_the_links_and_not_of_the_drawing():
    assert Board(SQUARE.links, POINTS).signature == SQUARE.signature
    signatures = {Board.named(name).signature for name in Board.names()}
    assert len(signatures) == len(Board.names())
    assert all(len(signature) == 12 and int(signature, 16) for signature in signatures)


def test_the_signature_of_london_does_not_drift():
    assert Board.named("london").signature == "a0c939ea5622"


def test_a_board_shows_its_name_and_size():
    assert repr(Board.named("london")) == "<Board london: 199 stations, 467 links>"


def test_a_board_does_not_change():
    with pytest.raises(AttributeError, match="does not change"):
        SQUARE.name = "circle"
    with pytest.raises(AttributeError, match="does not change"):
        del SQUARE.links
    with pytest.raises(ValueError, match="read-only"):
        SQUARE.coordinates[1] = 0


def test_a_board_without_coordinates_is_laid_out_the_same_each_time():
    again = Board.from_text(SQUARE.to_text())
    assert again is not SQUARE
    assert np.array_equal(again.coordinates, SQUARE.coordinates)
    points = {tuple(point) for point in SQUARE.coordinates[1:]}
    assert len(points) == 5
    assert np.isfinite(SQUARE.coordinates).all()


def test_links_are_sorted_whichever_way_they_are_given():
    assert Board([(3, 2, "bus"), (2, 1, "taxi")]).links == (Link(1, 2, "taxi"), Link(2, 3, "bus"))


def test_whole_numbers_of_numpy_are_station_numbers():
    board = Board([(np.int64(1), np.int16(2), "taxi")])
    assert type(board.links[0].a) is int
    assert board.distance(np.int16(1), np.uint8(2)) == 1


def test_a_board_that_is_played_on_does_not_import_networkx():
    code = (
        "import scotyard_env.board, sys; scotyard_env.Board.named('london').arrays; sys.exit('networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Round trips


@EVERY_BOARD
def test_a_board_comes_back_from_networkx_json_and_pickle(name, tmp_path):
    board = Board.named(name)
    board.save(tmp_path / "board.json")
    assert Board.from_networkx(board.to_networkx()) == board
    assert Board.load(tmp_path / "board.json") == board
    assert Board.from_dict(json.loads(json.dumps(board.to_dict()))) == board
    assert pickle.loads(pickle.dumps(board)) == board
    assert Board.from_text(board.to_text()).links == board.links


def test_name_and_arrays_come_back_too(tmp_path):
    board = Board(FERRY_LINE.links, name="line")
    board.save(tmp_path / "line.json")
    for twin in (Board.load(tmp_path / "line.json"), pickle.loads(pickle.dumps(board))):
        assert twin.name == "line"
        assert twin.arrays.tobytes() == board.arrays.tobytes()
        assert not twin.arrays.distance.flags.writeable


def test_a_copy_of_a_value_is_the_value():
    assert copy.copy(SQUARE) is SQUARE
    assert copy.deepcopy([SQUARE])[0] is SQUARE


def test_a_graph_says_its_transports_and_positions():
    graph = Board(FERRY_LINE.links, {s: (s, 0.5) for s in range(1, 5)}, "line").to_networkx()
    assert graph.name == "line"
    assert graph.nodes[3]["pos"] == (3, 0.5)
    assert sorted(graph.edges(keys=True)) == [(1, 2, "bus"), (1, 2, "taxi"), (2, 3, "ferry"), (3, 4, "underground")]
    assert all(key == data["transport"] for *_, key, data in graph.edges(keys=True, data=True))


def test_a_plain_graph_without_positions_is_a_board():
    graph = nx.Graph()
    graph.add_edge(2, 1, transport="taxi")
    assert Board.from_networkx(graph).links == (Link(1, 2, "taxi"),)


def test_board_files_are_for_reading():
    lines = (DATA / "london.json").read_text().splitlines()
    assert len(lines) < 150
    assert all(len(line) <= 120 for line in lines)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "board.json"
    SQUARE.save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        FERRY_LINE.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@st.composite
def boards(draw):
    """Draw a connected board: every station but the first hangs on an earlier one, and some more links."""
    stations = draw(st.integers(2, 12))
    transport = st.sampled_from(TRANSPORTS)
    links = {(draw(st.integers(1, b - 1)), b, draw(transport)) for b in range(2, stations + 1)}
    pair = st.lists(st.integers(1, stations), min_size=2, max_size=2, unique=True).map(sorted)
    links |= {(a, b, by) for (a, b), by in draw(st.lists(st.tuples(pair, transport), max_size=12))}
    number = st.floats(-1e6, 1e6)
    points = draw(st.lists(st.tuples(number, number), min_size=stations, max_size=stations))
    return Board(draw(st.permutations(sorted(links))), dict(enumerate(points, start=1)))


@settings(max_examples=60, deadline=None)
@given(boards())
def test_any_board_comes_back_unchanged_and_is_read_right(board):
    assert Board.from_networkx(board.to_networkx()) == board
    assert Board.from_dict(json.loads(json.dumps(board.to_dict()))) == board
    assert pickle.loads(pickle.dumps(board)) == board
    assert Board.from_text(board.to_text()).signature == board.signature
    assert read_moves(board.arrays) == restate_moves(board)
    assert_distances_are_walked(board, board.arrays.distance, ("taxi", "bus", "underground"))
    assert_distances_are_walked(board, board.arrays.mr_x_distance, TRANSPORTS)


# What is refused


def refuse(culprit, make, *args, **kwargs):
    """Make sure that an error is raised and that it has each of the words of the culprit."""
    with pytest.raises(BoardError) as caught:
        make(*args, **kwargs)
    for word in culprit.split(" & "):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("links", "culprit"),
    [
        ([], "at least one link"),
        ([(1, 2, "tram")], "1-2 & 'tram' & taxi, bus, underground, ferry"),
        ([(1, 2, None)], "1-2 & None & taxi, bus, underground, ferry"),
        ([(1, 2, "Taxi")], "1-2 & 'Taxi'"),
        ([(1, 2, ["taxi"])], "1-2 & ['taxi']"),
        ([(1, 2, "taxi"), (2, 2, "bus")], "2-2 (bus) & two different stations"),
        ([(1, 2, "taxi"), (2, 1, "taxi")], "1-2 (taxi) & twice"),
        ([(0, 1, "taxi")], "0-1 & 0 is no station number & 1 to 255"),
        ([(-1, 1, "taxi")], "-1 is no station number"),
        ([(1, 256, "taxi")], "256 is no station number & 1 to 255"),
        ([(1, 2.0, "taxi")], "2.0 is no station number"),
        ([(1, "2", "taxi")], "'2' is no station number"),
        ([(True, 2, "taxi")], "True is no station number"),
        ([(np.True_, 2, "taxi")], "True & is no station number"),
        ([(1, 2, "taxi"), (2, 4, "taxi")], "station 3 has no link & 1 to 4"),
        ([(2, 3, "taxi")], "station 1 has no link"),
        ([(1, 2, "taxi"), (3, 4, "bus")], "station 3 cannot be reached"),
        ([(1, 2)], "(1, 2) is no link"),
        ([7], "7 is no link"),
    ],
)
def test_a_broken_link_is_refused_by_name(links, culprit):
    refuse(culprit, Board, links)


@pytest.mark.parametrize(
    ("coordinates", "culprit"),
    [
        ({1: (0, 0), 2: (0, 1)}, "station 3 has no coordinates"),
        ({}, "station 1 has no coordinates"),
        ({1: (0, 0), 2: (0, 1), 3: (1, 1), 4: (2, 2)}, "station 4 has coordinates but no link & 1 to 3"),
        ({0: (0, 0), 1: (0, 0), 2: (0, 1), 3: (1, 1)}, "coordinates & 0 is no station number"),
        ({True: (0, 0), 2: (0, 1), 3: (1, 1)}, "True is no station number"),
        ({1: (0, 0), 2: (0, math.nan), 3: (1, 1)}, "station 2 & two finite numbers"),
        ({1: (0, 0), 2: (0, 1), 3: (math.inf, 1)}, "station 3 & two finite numbers"),
        ({1: (0, 0), 2: (0, 1), 3: (10**400, 1)}, "station 3 & two finite numbers"),
        ({1: (0, 0), 2: (0, 1, 2), 3: (1, 1)}, "station 2 & (0, 1, 2)"),
        ({1: (0, 0), 2: ("0", "1"), 3: (1, 1)}, "station 2 & ('0', '1')"),
        ({1: (0, 0), 2: 7, 3: (1, 1)}, "station 2 & 7"),
        ([(0, 0), (0, 1), (1, 1)], "coordinates map every station"),
    ],
)
def test_broken_coordinates_are_refused_by_station(coordinates, culprit):
    refuse(culprit, Board.from_text, "1-T-2 2-T-3", coordinates=coordinates)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("", "at least one link"),
        ("1-T-2 2-X-3", "'2-X-3' & 1-T-2 & T, B, U, F"),
        ("1-T-2 2-t-3", "'2-t-3'"),
        ("1-T-2, 2-T-3", "'1-T-2,'"),
        ("1-T-2 2T3", "'2T3'"),
        ("1-T-2 2--T-3", "'2--T-3'"),
        ("1-T-2 2-T-999", "999 is no station number"),
        ("1-T-2 2-T-99999999999", "'2-T-99999999999'"),
    ],
)
def test_text_that_does_not_parse_is_refused_by_piece(text, culprit):
    refuse(culprit, Board.from_text, text)


def test_a_name_is_a_text():
    refuse("7", Board, SQUARE.links, name=7)


def test_an_unknown_board_is_answered_with_the_names():
    refuse(f"'atlantis' & {', '.join(Board.names())}", Board.named, "atlantis")
    refuse("'../data/london'", Board.named, "../data/london")


@pytest.mark.parametrize("station", [0, 6, -1, 2.0, "2", True, None])
def test_the_distance_from_an_unknown_station_is_refused(station):
    refuse(f"{station!r} & 1 to 5", SQUARE.distance, station, 1)
    refuse(f"{station!r} & 1 to 5", SQUARE.distance, 1, station)


def graph_of(*links, kind=nx.MultiGraph):
    graph = kind()
    for a, b, *transport in links:
        graph.add_edge(a, b, **({"transport": transport[0]} if transport else {}))
    return graph


@pytest.mark.parametrize(
    ("graph", "culprit"),
    [
        (graph_of((1, 2, "taxi"), (2, 3)), "2-3 & has no transport & taxi, bus, underground, ferry"),
        (graph_of((1, 2, "tram")), "1-2 & 'tram'"),
        (graph_of((1, 2, "taxi"), (1, 2, "taxi")), "1-2 (taxi) & twice"),
        (graph_of((1, 2, "taxi"), (2, 2, "taxi")), "2-2"),
        (graph_of((1, 2, "taxi"), kind=nx.DiGraph), "undirected"),
        (graph_of((1, 2, "taxi"), kind=nx.MultiDiGraph), "undirected"),
        (graph_of((1, 400, "taxi")), "400 is no station number"),
        (graph_of(("a", "b", "boat")), "boat"),
        (nx.Graph(), "at least one link"),
        ({1: [2]}, "networkx graph & dict"),
    ],
)
def test_a_broken_graph_is_refused_by_link(graph, culprit):
    refuse(culprit, Board.from_networkx, graph)


def test_a_station_of_a_graph_without_links_is_refused():
    graph = SQUARE.to_networkx()
    graph.add_node(6, pos=(0, 0))
    refuse("station 6 has no link", Board.from_networkx, graph)


@pytest.mark.parametrize(
    ("nodes", "labels"),
    [
        ((1, 2, 3), {}),
        ((0, 1, 2), {1: "0", 2: "1", 3: "2"}),
        (("king's cross", "angel", "bank"), {1: "angel", 2: "bank", 3: "king's cross"}),
        (((1, 1), (0, 1), (0, 0)), {1: "(0, 0)", 2: "(0, 1)", 3: "(1, 1)"}),
        (("b", 7, (1,)), {1: "b", 2: "7", 3: "(1,)"}),  # no order among them but that of the graph
    ],
)
def test_a_graph_with_any_nodes_becomes_a_board_that_tells_their_numbers(nodes, labels, tmp_path):
    first, second, third = nodes
    board = Board.from_networkx(graph_of((first, second, "taxi"), (second, third, "bus")))
    assert dict(board.labels) == labels
    numbers = {label: number for number, label in labels.items()} or {str(node): node for node in nodes}
    assert {(link.a, link.b) for link in board.links} == {
        tuple(sorted((numbers[str(a)], numbers[str(b)]))) for a, b in ((first, second), (second, third))
    }
    board.save(tmp_path / "board.json")
    for twin in (Board.load(tmp_path / "board.json"), pickle.loads(pickle.dumps(board))):
        assert (twin, twin.labels) == (board, board.labels)
    assert nx.get_node_attributes(board.to_networkx(), "label") == labels


@pytest.mark.parametrize(
    ("labels", "culprit"),
    [
        ({"x": "a"}, "'x' is no station number"),
        ({"9": "a"}, "no station 9 & 1 to 3"),
        ({"1": 5}, "station 1 & text & 5"),
    ],
)
def test_labels_are_texts_of_stations_that_are_there(labels, culprit):
    refuse(culprit, Board.from_dict, contents(labels=labels))


def test_positions_of_a_graph_are_for_all_stations_or_for_none():
    graph = SQUARE.to_networkx()
    del graph.nodes[4]["pos"]
    refuse("station 4 has no coordinates & for all stations or for none", Board.from_networkx, graph)


def contents(**changes):
    fields = {"format": FORMAT, "name": "line", "links": {"taxi": [[1, 2], [2, 3]]}} | changes
    return {field: value for field, value in fields.items() if value is not None}


def edition(**changes):
    return contents(links=None, based_on="glasses", add={"bus": [[1, 3]]}) | changes


@pytest.mark.parametrize(
    ("data", "culprit"),
    [
        ([], "not a board"),
        ({"name": "x"}, f"not a board & {FORMAT}"),
        (contents(format="scotyard_env board 2"), "not a board"),
        (contents(links=None), '"links" is missing'),
        (contents(name=None), '"name" is missing'),
        (contents(name=7), '"name" must be a text, not 7'),
        (contents(links=[[1, 2]]), '"links" must be an object'),
        (contents(coordinates=[[0, 0]]), '"coordinates" must be an object'),
        (contents(colour="red"), "unknown field 'colour' & coordinates"),
        (contents(links={"tram": [[1, 2]]}), "1-2 & 'tram'"),
        (contents(links={"taxi": {"1": 2}}), '"taxi" must be a list of pairs'),
        (contents(links={"taxi": [[1, 2], [2, 3, 4]]}), '"taxi" holds [2, 3, 4]'),
        (contents(links={"taxi": [[1, 2], "23"]}), "\"taxi\" holds '23'"),
        (contents(links={"taxi": [[1, 2], [2, "3"]]}), "'3' is no station number"),
        (contents(links={}), "at least one link"),
        (contents(coordinates={"1": [0, 0], "2": [1, 0], "x": [2, 0]}), "'x' is no station number"),
        (contents(coordinates={"1": [0, 0], "2": [1, 0], "03": [2, 0]}), "'03' is no station number"),
        (contents(coordinates={"1": [0, 0], "2": [1, 0], "3": ["2", 0]}), "station 3"),
        (edition(based_on="atlantis"), "'atlantis' & glasses"),
        (edition(links={}), "unknown field 'links' & based_on"),
        (edition(add={"taxi": [[2, 1]]}), "1-2 (taxi) & twice"),
        (edition(remove={"bus": [[1, 2]]}), "1-2 (bus) cannot be removed & glasses"),
        (edition(remove=[[1, 2]]), '"remove" must be an object'),
    ],
)
def test_a_broken_file_is_refused_by_file_and_field(data, culprit, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data))
    refuse(culprit, Board.from_dict, data)
    refuse(f"broken.json & {culprit}", Board.load, path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"taxi 1 2"])
def test_a_file_that_is_not_json_is_refused_by_name(content, tmp_path):
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    refuse("broken.json is not a JSON file", Board.load, path)


def test_a_file_that_is_not_there_is_missing():
    with pytest.raises(FileNotFoundError):
        Board.load("nowhere.json")


def test_an_edition_adds_and_removes_links_of_a_named_board():
    board = Board.from_dict(edition(remove={"taxi": [[5, 3]]}))
    base = Board.named("glasses")
    assert set(board.links) == set(base.links) - {(3, 5, "taxi")} | {(1, 3, "bus")}
    assert np.array_equal(board.coordinates, base.coordinates)
