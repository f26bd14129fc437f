"""Who lacks tickets comes later: detours agree with shortest paths, and plans count on those who can come."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from playing import random_game

from scotyard_baselines.capture.times import LONG
from scotyard_baselines.geometry.detours import ALL_KINDS, detours
from scotyard_baselines.hunters import Hunters
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.state import BLACK, MR_X, TRANSPORTS


@pytest.mark.parametrize("name", ["glasses", "docklands", "london"])
def test_a_detour_is_the_longer_way_by_the_tickets_that_are_left(name: str) -> None:
    board = Board.named(name)
    found = detours(board)
    for kinds in range(1 + ALL_KINDS):
        left = [TRANSPORTS[kind] for kind in range(BLACK) if kinds >> kind & 1]
        graphs = [nx.Graph(), nx.Graph()]
        for graph, transports in zip(graphs, (left, TRANSPORTS[:BLACK]), strict=True):
            graph.add_nodes_from(range(1, board.stations + 1))
            graph.add_edges_from((a, b) for a, b, transport in board.links if transport in transports)
        for station in range(1, board.stations + 1, 7):
            with_left, with_all = (nx.single_source_shortest_path_length(graph, station) for graph in graphs)
            for other, moves in with_all.items():
                assert found[kinds, station, other] == min(with_left.get(other, 99) - moves, LONG)


def value_of_pursuit(tickets: list[int], counts_tickets: bool) -> float:
    """Let a detective on 2 decide where Mr. X is known to be on 4, with a colleague on 6 who has these tickets.

    1 -T- 2 -T- 3 -T- 4 -T- 5 -T- 6 -B- 7
    """
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-B-7")
    purses = [[9, 9, 9, 0, 0], [9, 9, 9, 0, 0], tickets]
    game = Game.from_position(board, stations=[3, 1, 6], possible=[3], tickets=purses)
    game.play("T4")
    policy = Hunters(counts_tickets=counts_tickets, hedge_rounds=0, ticket_cost=0.0)
    game.play("T2")
    value = policy.act(game.view(2), np.random.default_rng(0)).value
    assert value is not None
    return value


def test_who_has_spent_the_tickets_that_it_needs_is_no_pursuer() -> None:
    able, unable = [9, 9, 9, 0, 0], [1, 9, 9, 0, 0]
    assert value_of_pursuit(able, counts_tickets=False) == value_of_pursuit(unable, counts_tickets=False)
    assert value_of_pursuit(unable, counts_tickets=True) < value_of_pursuit(able, counts_tickets=True)


def test_who_has_all_kinds_of_tickets_plans_as_if_tickets_were_granted() -> None:
    game = random_game("london", "classic", 5, 5, actions=14)
    view = game.view(game.seat)
    assert view.seat != MR_X
    assert min(min(purse[:BLACK]) for purse in view.tickets[1:]) > 1
    counted, granted = (Hunters(counts_tickets=on).act(view, np.random.default_rng(1)) for on in (True, False))
    assert counted == granted
