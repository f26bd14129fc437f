"""The scores of bristol_mr_x and the moves that it searches, written down again, slowly, for trees of any version."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playing import random_game

from scotyard_baselines.bristol.scoring import CAUGHT, ESCAPED, THREATENED, TRAPPED
from scotyard_baselines.bristol_mr_x import BristolMrX
from scotyard_baselines.exact.alphabeta import backward_induction
from scotyard_baselines.exact.visible_game import VisibleGame, VisibleNode
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.rules import apply, destination, double_action, pass_action
from scotyard_env.state import BLACK, DOUBLE, MR_X, TRANSPORTS, State
from scotyard_env.view import Position, View

Solve = Callable[[VisibleGame, VisibleNode], tuple[float, tuple[VisibleNode, ...] | None]]
DEFAULT = BristolMrX()


def allowed(at: Position, is_root: bool, policy: BristolMrX = DEFAULT) -> list[int]:
    """List the actions that a version lets the seat to move consider."""
    return allowed_to_mr_x(at, is_root, policy) if at.seat == MR_X else allowed_to_detective(at, policy)


def allowed_to_mr_x(at: Position, is_root: bool, policy: BristolMrX = DEFAULT) -> list[int]:
    double = double_action(at.board.arrays)
    moves = [action for action in at.legal if action != double]
    if policy.black == "ferries":
        ways: dict[int, list[int]] = {}
        for action in moves:
            ways.setdefault(destination(action), []).append(action)
        moves = [action for same in ways.values() for action in same if action % 4 != BLACK or same == [action]]
    scores = {action: slow_move_score(at, action) for action in moves}
    if policy.switches.safe and at.state.owed != 2:
        moves = [action for action in moves if scores[action] >= 0] or [max(moves, key=lambda action: scores[action])]
    wanted = policy.doubling != "never" and max(scores.values()) < 0
    if double in at.legal and (wanted or (is_root and policy.doubling == "priced")):
        moves.append(double)
    return moves


def allowed_to_detective(at: Position, policy: BristolMrX = DEFAULT) -> list[int]:
    if not policy.switches.closer or at.legal == [pass_action(at.board.arrays)]:
        return at.legal
    target = at.stations[MR_X]
    distances = {action: at.board.distance(destination(action), target) for action in at.legal}
    catching = [action for action in at.legal if distances[action] == 0]
    here = at.board.distance(at.stations[at.seat], target)
    keeping = [action for action in at.legal if distances[action] <= here]
    return catching or keeping or [min(at.legal, key=lambda action: distances[action])]


def after(at: Position, action: int) -> Position:
    state = at.state.copy()
    apply(at.board.arrays, at.rule_arrays, state, action)
    return Position(at.board, at.rules, state)


def slow_move_score(at: Position, action: int) -> float:
    """Score where he stands after a move, as long as nobody has answered it."""
    moved = after(at, action)
    exits = [to for to, fare in neighbours(at.board, moved.stations[MR_X]) if has_ticket(moved.state, fare)]
    if all(to in moved.stations[1:] for to in exits):
        return TRAPPED
    return slow_score(moved, 1, at.tickets[MR_X])


def slow_score(at: Position, first: int, purse: list[int]) -> float:
    here = at.stations[MR_X]
    distances = [at.board.distance(station, here) for station in at.stations[1:]]
    fares = [fare for _, fare in neighbours(at.board, here) if purse[fare] or purse[BLACK]]
    total = 5 * sum(distances) / len(distances) + sum([1, 3, 8, 40][fare] for fare in fares)
    return total + (THREATENED if 1 in distances[first - 1 :] else 0)


def neighbours(board: Board, station: int) -> Iterator[tuple[int, int]]:
    for a, b, transport in board.links:
        if station in (a, b):
            yield a + b - station, TRANSPORTS.index(transport)


def has_ticket(state: State, fare: int) -> bool:
    return bool(state.tickets[MR_X, fare] or state.tickets[MR_X, BLACK])


def slow_value(at: Position, doubles: int, policy: BristolMrX = DEFAULT) -> float:
    if at.winner is not None:
        return CAUGHT + at.round if at.winner == "detectives" else ESCAPED
    exits = [to for to, fare in neighbours(at.board, at.stations[MR_X]) if has_ticket(at.state, fare)]
    if all(to in at.stations[1:] for to in exits):
        return TRAPPED
    first = 1 if policy.threat == "any" else len(at.stations) if at.seat == MR_X else at.seat
    return slow_score(at, first, at.tickets[MR_X]) - 500 * (doubles - at.tickets[MR_X][DOUBLE])


def tree_of(view: View, depth: int, policy: BristolMrX = DEFAULT) -> VisibleGame:
    """Make the tree that the search looks at, with the slow scores at its leaves."""
    doubles = view.tickets[MR_X][DOUBLE]
    return VisibleGame(
        view,
        depth,
        lambda at: slow_value(at, doubles, policy),
        actions=lambda at: allowed(at, at.action is None, policy),
    )


def root_values(
    view: View, depth: int, solve: Solve = backward_induction, policy: BristolMrX = DEFAULT
) -> dict[int, float]:
    """Return what each of his actions is worth, each tree below one solved by itself."""
    tree = tree_of(view, depth, policy)
    return {int(node.action or 0): solve(tree, node)[0] for node in tree.children(tree.root)}


def positions(board: str, seeds: range, detectives: int = 5) -> list[Game]:
    """Collect positions of games played at random: one early in each game, its last ones and one in between."""
    rules = "classic" if board == "london" else board
    games = []
    for seed in seeds:
        length = len(random_game(board, rules, detectives, seed).moves)
        moments = {seed % 7, length // 2, *range(max(0, length - detectives - 1), length)}
        games += [random_game(board, rules, detectives, seed, actions) for actions in moments]
    return [game for game in games if game.winner is None]


def mr_x_positions(board: str, seeds: range, detectives: int = 5) -> list[View]:
    return [game.view(MR_X) for game in positions(board, seeds, detectives) if game.seat == MR_X]


def check_against(truth: dict[int, float], moves: tuple[tuple[int, float], ...]) -> None:
    """Compare what a search found with what his actions are worth."""
    ranked = sorted(truth.values(), reverse=True)
    assert {action for action, _ in moves} == truth.keys()
    assert truth[moves[0][0]] == pytest.approx(ranked[0])
    assert [value for _, value in moves[:2]] == pytest.approx(ranked[:2])  # the runner-up is exact too
    assert all(value >= truth[action] - 1e-9 for action, value in moves)  # and the others no less than the truth
