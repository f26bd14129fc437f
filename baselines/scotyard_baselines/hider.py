"""hider: a Mr. X who stays out of reach and then keeps the detectives guessing. A far better yardstick than greedy.

Safety comes first; then the number of stations where he may be for all the table knows, weighed against room to run:
with the possible set alone he walks into dead ends, and greedy detectives catch him in 77 games of 100 in place of 51.
"""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.geometry.threats import best_second_half, is_black_wasted, is_double_due, price_of
from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.encode.features import look_ahead, new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, double_action, fare_of, legal_actions
from scotyard_env.threats import count_safe_exits, is_threatened, nearest_detective
from scotyard_env.view import Views


@dataclass(frozen=True)
class Hider(OnePly):
    """Avoid stations a detective could step to, then keep the set of possible stations largest."""

    sides: ClassVar[tuple[str, ...]] = ("mr_x",)
    exits: float = 4.0  # possible stations that a safe way out of the destination is worth
    distance: float = 4.0  # possible stations that a move of distance from the nearest detective is worth

    def score(self, views: Views) -> Scores:
        """Score every legal action of every view."""
        scores = new_scores(views)
        score_rows(
            views.board.packed,
            views.rules.packed(views.board),
            views.states,
            new_scratch(),
            self.exits,
            self.distance,
            *scores,
        )
        return scores


@kernel
def score_rows(boards, rules, states, works, exits, distance, actions, values, counts):
    """Score the legal actions of every view."""
    for index in range(len(states)):
        counts[index] = legal_actions(boards[0], rules[0], states[index], actions[index])
        weights = exits, distance
        score(boards[0], rules[0], states[index], works[0], weights, actions[index], values[index], counts[index])


@kernel
def score(board, rules, view, work, weights, actions, values, count):
    """Score by safety first, then by the number of stations where he may then be and by room to run."""
    exits, distance = weights
    work.sizes[:] = 0
    wasted = is_black_wasted(board, rules, view)
    is_reveal = rules.reveals[view.entries + 1]
    for index in range(count):
        action = actions[index]
        if action == double_action(board):
            values[index] = 10_000.0 if is_double_due(board, view) else -10_000.0
            continue
        to, fare = destination(action), fare_of(action)
        if view.owed == 2:
            values[index] = best_second_half(board, view, to, fare) - price_of(fare, wasted)
        else:
            look_ahead(board, view, work, fare)
            size = 1 if is_reveal else work.sizes[fare]
            safety = 0.0 if is_threatened(board, view, to) else 1000.0
            room = exits * count_safe_exits(board, view, to) + distance * nearest_detective(board, view, to)
            values[index] = safety + size + room - 20.0 * price_of(fare, wasted)
