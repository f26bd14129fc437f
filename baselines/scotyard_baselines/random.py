"""random: any legal action, all the same to it. Both sides."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_env.encode.features import most_moves
from scotyard_env.explanation import Explains
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision, Side
from scotyard_env.rules import legal_actions
from scotyard_env.view import View, Views


@dataclass(frozen=True)
class Random(Explains):
    """Play any legal action, each as likely as the others."""

    sides: ClassVar[tuple[Side, ...]] = ("mr_x", "detectives")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action."""
        legal = view.legal
        chosen = legal[int(rng.random() * len(legal))]
        return Decision(chosen, probabilities=tuple((action, 1 / len(legal)) for action in legal))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        actions = np.empty(len(views), np.int64)
        legal = np.empty(most_moves(views.board), np.int64)
        choose_at_random(views.board.packed, views.packed_rules, views.states, rng.random(len(views)), legal, actions)
        return actions


@kernel
def choose_at_random(boards, rules, states, draws, legal, actions):
    """Write a legal action for each state, picked by its draw in [0, 1)."""
    for index in range(len(states)):
        count = legal_actions(boards[0], rules[0], states[index], legal)
        actions[index] = legal[int(draws[index] * count)]
