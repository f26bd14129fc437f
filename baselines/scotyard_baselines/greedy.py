"""greedy: the one-ply heuristics of the literature's playouts. Both sides.

After J. Nijssen and M. Winands, "Monte-Carlo Tree Search for the Game of Scotland Yard" (CIG 2011): the detectives go
where the distances to all possible stations of Mr. X add up to least; Mr. X goes where the nearest detective is
farthest, and of several such stations where he may be on the most stations. He keeps double moves for emergencies,
which they do not say, and does not spend black tickets where they hide nothing, which is their filter.
"""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.one_ply.detectives import score_by_total_distance
from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_baselines.one_ply.mr_x import score_by_distance
from scotyard_env.encode.features import new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.policy import Side
from scotyard_env.rules import legal_actions
from scotyard_env.state import MR_X
from scotyard_env.view import Views


@dataclass(frozen=True)
class Greedy(OnePly):
    """Go nearest to where Mr. X may be; as Mr. X, farthest from the nearest detective, doubling in emergencies."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x", "detectives")

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        scores = new_scores(views)
        score_rows(views.board.packed, views.rules.packed(views.board), views.states, new_scratch(), *scores)
        return scores


@kernel
def score_rows(boards, rules, states, scratches, actions, values, counts):
    """Score the legal actions of every view."""
    for index in range(len(states)):
        view = states[index]
        counts[index] = legal_actions(boards[0], rules[0], view, actions[index])
        if view.seat == MR_X:
            score_by_distance(boards[0], rules[0], view, scratches[0], actions[index], values[index], counts[index])
        else:
            score_by_total_distance(boards[0], view, scratches[0], actions[index], values[index], counts[index])
