"""Small tools that several tests share: random play, a slow game beside a fast one, slow distances."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import networkx as nx
import numpy as np
from slow_rules import SlowGame

from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.plugins import OURS
from scotyard_env.policy import POLICIES
from scotyard_env.ruleset import RuleSet

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"  # plain Python plays the same games, only fewer of them


def our_policies() -> list[str]:
    """List the baselines by name, and not what other packages may have installed."""
    return [name for name, entry in POLICIES.find().items() if entry.dist is not None and entry.dist.name == OURS]


def all_settings() -> Iterator[tuple[str, str, int]]:
    """Every board, edition and number of detectives that go together."""
    for board in Board.names():
        for rules in RuleSet.names():
            for detectives in range(1, 6):
                if fits(board, rules, detectives):
                    yield board, rules, detectives


def fits(board: str, rules: str, detectives: int) -> bool:
    try:
        Game(board, rules, detectives=detectives, seed=0)
    except ValueError:
        return False
    return True


def random_actions(game: Game, seed: int) -> Iterator[int]:
    """Play a game to its end at random, giving each action before it is played."""
    rng = np.random.default_rng(seed)
    while game.winner is None:
        legal = game.legal
        action = legal[rng.integers(len(legal))]
        yield action
        game.play(action)


def random_game(board: str, rules: str, detectives: int, seed: int, actions: int | None = None) -> Game:
    """Play a game at random to its end, or for so many actions."""
    game = Game(board, rules, detectives=detectives, seed=seed)
    for number, _ in enumerate(random_actions(game, seed)):
        if number == actions:
            break
    return game


def slow_twin(game: Game) -> SlowGame:
    """Make a slow game of the position in which a game has just begun."""
    return SlowGame(
        game.board.links,
        game.stations,
        [[None if count == -1 else count for count in purse] for purse in game.tickets],
        log_entries=game.rules.log_entries,
        round_limit=game.rules.round_limit,
        reveals=game.rules.reveals,
        hand_over=game.rules.hand_over,
    )


def table_of(game: Game | SlowGame) -> tuple[object, ...]:
    """Everything that two games must agree on, in one form."""
    tickets = [[None if count == -1 else count for count in purse] for purse in game.tickets]
    return game.seat, game.stations, tickets, game.log, game.round, game.winner


def distance(board: Board, a: int, b: int) -> int:
    """Count a detective's moves from a to b, tickets aside; a great many if there is no way."""
    return lengths(board)[a].get(b, 10**6)


@functools.cache
def lengths(board: Board) -> dict[int, dict[int, int]]:
    """Measure the shortest ways between all stations, without the ferry."""
    graph = nx.Graph()
    graph.add_nodes_from(range(1, board.stations + 1))
    graph.add_edges_from((a, b) for a, b, transport in board.links if transport != "ferry")
    return dict(nx.all_pairs_shortest_path_length(graph))
