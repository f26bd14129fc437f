"""coverage: detectives who spread so that Mr. X is near to one of them wherever he may be."""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.encode.features import list_possible, new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, fare_of, legal_actions, pass_action
from scotyard_env.view import Views


@dataclass(frozen=True)
class Coverage(OnePly):
    """Go where the distances from the possible stations to their nearest detective add up to least."""

    sides: ClassVar[tuple[str, ...]] = ("detectives",)

    def score(self, views: Views) -> Scores:
        """Score every legal action of every view."""
        scores = new_scores(views)
        score_rows(views.board.packed, views.rules.packed(views.board), views.states, new_scratch(), *scores)
        return scores


@kernel
def score_rows(boards, rules, states, works, actions, values, counts):
    """Score the legal actions of every view."""
    for index in range(len(states)):
        counts[index] = legal_actions(boards[0], rules[0], states[index], actions[index])
        score(boards[0], states[index], works[0], actions[index], values[index], counts[index])


@kernel
def score(board, view, work, actions, values, count):
    """Score by the team's mean distance after the move; among equals, by its own, then by the tickets left."""
    size = list_possible(board, view, work)
    for index in range(count):
        if actions[index] == pass_action(board):
            values[index] = 0.0
            continue
        to, own, team = destination(actions[index]), 0, 0
        for place in range(size):
            distance = board.distance[to, work.stations[place]]
            own += distance
            team += min(distance, work.colleagues[place])
        tickets = view.tickets[view.seat, fare_of(actions[index])]
        values[index] = -team / size - 1e-3 * own / size + 1e-6 * tickets
