"""last_known: the detectives of the report "Scotland Yard Model", in its first version."""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.kernel import kernel
from scotyard_env.policy import Side
from scotyard_env.rules import destination, legal_actions, pass_action
from scotyard_env.state import NOWHERE
from scotyard_env.view import Views


@dataclass(frozen=True)
class LastKnown(OnePly):
    """Go towards the station where Mr. X was seen last; anywhere before that."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        scores = new_scores(views)
        score_rows(views.board.packed, views.rules.packed(views.board), views.states, *scores)
        return scores


@kernel
def score_rows(boards, rules, states, actions, values, counts):
    """Score the legal actions of every view by the distance to where Mr. X was seen last."""
    board = boards[0]
    for index in range(len(states)):
        view = states[index]
        counts[index] = legal_actions(board, rules[0], view, actions[index])
        for place in range(counts[index]):
            action = actions[index, place]
            if action == pass_action(board) or view.seen == NOWHERE:
                values[index, place] = 0.0
            else:
                values[index, place] = -float(board.distance[destination(action), view.seen])
