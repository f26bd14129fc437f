"""coverage: detectives who spread so that Mr. X is near to one of them wherever he may be."""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.one_ply.detectives import score_by_coverage
from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.encode.features import new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.policy import Side
from scotyard_env.rules import legal_actions
from scotyard_env.view import Views


@dataclass(frozen=True)
class Coverage(OnePly):
    """Go where the distances from the possible stations to their nearest detective add up to least."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        scores = new_scores(views)
        score_rows(views.board.packed, views.rules.packed(views.board), views.states, new_scratch(), *scores)
        return scores


@kernel
def score_rows(boards, rules, states, scratches, actions, values, counts):
    """Score the legal actions of every view."""
    for index in range(len(states)):
        counts[index] = legal_actions(boards[0], rules[0], states[index], actions[index])
        score_by_coverage(boards[0], states[index], scratches[0], actions[index], values[index], counts[index])
