"""Where the search of bristol_mr_x spends its time: its parts run again, alone, over the nodes of real searches.

The parts are compiled into one another, so that none can be timed inside the search; what a part takes is the time of a
run with it less that of the run without.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.baselines import positions
from scotyard_baselines.bristol.moves import FRAME, list_moves
from scotyard_baselines.bristol.scoring import score_move, score_position
from scotyard_baselines.bristol.search import Search
from scotyard_baselines.bristol.tree import assume_seen
from scotyard_baselines.bristol_mr_x import BristolMrX
from scotyard_env.kernel import kernel
from scotyard_env.rules import apply, destination, double_action, fare_of, legal_actions
from scotyard_env.state import BLACK, MR_X, STATE, State
from scotyard_env.view import View

DEPTH, SEARCHES, REPEATS = 7, 24, 15
REST = "alpha-beta, backing up, the rest"


class Nodes(NamedTuple):
    """The nodes of a search."""

    parents: NDArray[np.void]  # states in which a move was played
    actions: NDArray[np.int64]  # the moves
    inner: NDArray[np.void]  # states whose moves were listed
    leaves: NDArray[np.void]  # states that were scored


def profile_nodes() -> tuple[dict[str, float], int]:
    """Return the CPU seconds of the parts of some searches, and how many nodes those looked at."""
    views = positions("mr_x", games=30)[:: 300 // SEARCHES][:SEARCHES]
    settings, seconds, count = BristolMrX().settings, dict[str, float](), 0
    for view in views:
        search = Search(view, settings)
        nodes = collect(search)
        count += len(nodes.parents)
        for part, spent in time_parts(view, nodes, search).items():
            seconds[part] = seconds.get(part, 0.0) + spent
    return seconds, count


def collect(search: Search) -> Nodes:
    """Search one node at a time, and keep what is looked at."""
    parents: list[State] = []
    actions, inner, leaves = [], [], []
    search.begin(DEPTH)
    while not search.go_on(1):
        ply = int(search.trees[0].ply)
        is_leaf = search.frames[ply].next > 0
        parent = ply if is_leaf else ply - 1
        parents.append(search.states[parent].copy())
        actions.append(int(search.frames[parent].actions[search.frames[parent].next - 1]))
        (leaves if is_leaf else inner).append(search.states[parent + 1].copy())
    return Nodes(np.array(parents, STATE), np.array(actions), np.array(inner, STATE), np.array(leaves, STATE))


def time_parts(view: View, nodes: Nodes, search: Search) -> dict[str, float]:
    """Return the CPU seconds of every part, over the nodes of one search."""
    board, rules, trees = view.board.packed, view.rules.packed(view.board), search.trees
    state, frame = np.zeros(1, STATE), np.empty(1, FRAME)
    trees[0].ply = 1  # not at the root
    copied = fastest(lambda: copy_each(nodes.parents, state))
    applied = fastest(lambda: apply_each(board, rules, nodes.parents, nodes.actions, state))
    legal = fastest(lambda: list_legal(board, rules, nodes.inner, frame))
    scored = fastest(lambda: score_moves(board, rules, nodes.inner, frame, trees))
    listed = fastest(lambda: list_each(board, rules, nodes.inner, frame, trees))
    judged = fastest(lambda: score_leaves(board, nodes.leaves, trees))

    def whole() -> None:
        search.begin(DEPTH)
        search.go_on(1 << 60)

    parts = {
        "states copied": copied,
        "moves played": applied - copied,
        "legal moves listed": legal,
        "his moves scored": scored - legal,
        "moves sorted, those to search kept": listed - scored,
        "positions scored": judged,
    }
    return {**parts, REST: fastest(whole) - sum(parts.values())}


def fastest(run: Callable[[], Any]) -> float:
    """Return the least CPU seconds of some runs: noise only ever adds."""
    run()
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


@kernel
def copy_each(states, copied):
    """Copy every state."""
    for index in range(len(states)):
        copied[0] = states[index]


@kernel
def apply_each(boards, rules, states, actions, played):
    """Copy every state and play its move."""
    for index in range(len(states)):
        played[0] = states[index]
        apply(boards[0], rules[0], played[0], actions[index])
        if states[index].seat == MR_X:
            assume_seen(played[0])


@kernel
def list_legal(boards, rules, states, frames):
    """List the legal moves of every state."""
    total = 0
    for index in range(len(states)):
        total += legal_actions(boards[0], rules[0], states[index], frames[0].actions)
    return total


@kernel
def score_moves(boards, rules, states, frames, trees):
    """List the legal moves of every state, and score those of Mr. X that the search would."""
    total = 0.0
    for index in range(len(states)):
        count = legal_actions(boards[0], rules[0], states[index], frames[0].actions)
        previous = 0
        for place in range(count if states[index].seat == MR_X else 0):
            action = frames[0].actions[place]
            is_other_way = fare_of(action) == BLACK and destination(action) == previous
            if action != double_action(boards[0]) and not is_other_way:
                total += score_move(boards[0], states[index], trees[0], action)
            previous = destination(action)
    return total


@kernel
def list_each(boards, rules, states, frames, trees):
    """List the moves to search of every state."""
    for index in range(len(states)):
        list_moves(boards[0], rules[0], states[index], frames[0], trees[0])


@kernel
def score_leaves(boards, states, trees):
    """Score every state."""
    total = 0.0
    for index in range(len(states)):
        total += score_position(boards[0], states[index], trees[0])
    return total
