"""hider: a Mr. X who stays out of reach and then keeps the detectives guessing. A far better yardstick than greedy.

Safety comes first; then the number of stations where he may be for all the table knows, weighed against room to run:
with the possible set alone he walks into dead ends.
"""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_baselines.one_ply.mr_x import DISTANCE_WEIGHT, EXIT_WEIGHT, score_by_hiding
from scotyard_env.encode.features import new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.policy import Side
from scotyard_env.ranges import Finite, check_ranges
from scotyard_env.rules import legal_actions
from scotyard_env.view import Views


@dataclass(frozen=True)
class Hider(OnePly):
    """Avoid stations a detective could step to, then keep the set of possible stations largest."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x",)
    exits: Finite = EXIT_WEIGHT  # possible stations that a safe way out of the destination is worth
    distance: Finite = DISTANCE_WEIGHT  # possible stations that a move of distance from the nearest detective is worth

    def __post_init__(self) -> None:
        check_ranges(self)

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        scores, rules = new_scores(views), views.rules.packed(views.board)
        score_rows(views.board.packed, rules, views.states, new_scratch(), self.exits, self.distance, *scores)
        return scores


@kernel
def score_rows(boards, rules, states, scratches, exits, distance, actions, values, counts):
    """Score the legal actions of every view."""
    weights = exits, distance
    for index in range(len(states)):
        view = states[index]
        counts[index] = legal_actions(boards[0], rules[0], view, actions[index])
        score_by_hiding(boards[0], rules[0], view, scratches[0], weights, actions[index], values[index], counts[index])
