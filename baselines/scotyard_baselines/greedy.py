"""greedy: the one-ply heuristics of the literature's playouts. Both sides.

After J. Nijssen and M. Winands, "Monte-Carlo Tree Search for the Game of Scotland Yard" (CIG 2011): the detectives go
where the distances to all possible stations of Mr. X add up to least; Mr. X goes where the nearest detective is
farthest, and among equals where he may be on the most stations. He keeps double moves for emergencies, which they do
not say, and does not spend black tickets where they hide nothing, which is their filter.
"""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.geometry.threats import best_second_half, is_black_wasted, is_double_due, price_of
from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.encode.features import list_possible, look_ahead, new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, double_action, fare_of, legal_actions, pass_action
from scotyard_env.state import MR_X
from scotyard_env.threats import nearest_detective
from scotyard_env.view import Views


@dataclass(frozen=True)
class Greedy(OnePly):
    """Go nearest to where Mr. X may be; as Mr. X, farthest from the nearest detective, doubling in emergencies."""

    sides: ClassVar[tuple[str, ...]] = ("mr_x", "detectives")

    def score(self, views: Views) -> Scores:
        """Score every legal action of every view."""
        scores = new_scores(views)
        score_rows(views.board.packed, views.rules.packed(views.board), views.states, new_scratch(), *scores)
        return scores


@kernel
def score_rows(boards, rules, states, works, actions, values, counts):
    """Score the legal actions of every view."""
    for index in range(len(states)):
        view = states[index]
        counts[index] = legal_actions(boards[0], rules[0], view, actions[index])
        if view.seat == MR_X:
            score_mr_x(boards[0], rules[0], view, works[0], actions[index], values[index], counts[index])
        else:
            score_detective(boards[0], view, works[0], actions[index], values[index], counts[index])


@kernel
def score_detective(board, view, work, actions, values, count):
    """Score by the mean distance to all possible stations; among equals, by the tickets left."""
    size = list_possible(board, view, work)
    for index in range(count):
        if actions[index] == pass_action(board):
            values[index] = 0.0
            continue
        to, total = destination(actions[index]), 0
        for place in range(size):
            total += board.distance[to, work.stations[place]]
        values[index] = -total / size + 1e-6 * view.tickets[view.seat, fare_of(actions[index])]


@kernel
def score_mr_x(board, rules, view, work, actions, values, count):
    """Score by the distance to the nearest detective; among equals, by the number of stations where he may then be."""
    work.sizes[:] = 0
    wasted = is_black_wasted(board, rules, view)
    for index in range(count):
        action = actions[index]
        if action == double_action(board):
            values[index] = 1000.0 if is_double_due(board, view) else -1000.0
            continue
        to, fare = destination(action), fare_of(action)
        if view.owed == 2:
            values[index] = best_second_half(board, view, to, fare) - price_of(fare, wasted)
        else:
            look_ahead(board, view, work, fare)
            values[index] = nearest_detective(board, view, to) + work.sizes[fare] / 1000.0 - price_of(fare, wasted)
