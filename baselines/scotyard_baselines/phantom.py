"""phantom: a Mr. X who plays every way out on against detectives like ours, and vanishes by the best.

Every turn that he can make is played on for some rounds: the detectives, a mixture of simpler hunters, who expect the
mean reply and draw their doubts anew, coverage and greedy, know what the table knows; he goes on like the hider. Where
the play ends, a logistic guess learned from games tells his odds (odds.py). The worse half of the turns is dropped
again and again until one is left. Double moves are only looked at when no single move is good enough. What is unlikely
to the learned ``ppo_mr_x`` must gain more: he reads the probabilities of its network, weights and all, once a decision
(``trust``).

Classic London, survived in the arena with 95 % Wilson interval: hunters 42.2 % [37.5, 47.1], minimax 83.8 % [79.8,
87.0], ppo_detectives 60.0 % [55.1, 64.7] and ``pimbot:iterations=1000`` 95.0 % [92.4, 96.7] of 400 games each,
``pimbot:iterations=10000`` 81.7 % [70.1, 89.4] of 60, where that itself survives in 27.5 %. With the suspicion of an
earlier version in his rollouts he survives today's hunters in 36 of 100 games, with today's in 47; with ``trust=0.2``
in 51, with 0.03 in 45. Against hunters of that version, and before: without the network (``trust=0.0``) he survived
``pimbot:iterations=1000`` in 38.0 % [30.6, 46.0] of 150, since he hides beside detectives who would not look there, and
pimbot does; without it, 50 rollouts of two rounds survived those hunters in 44 of 100 games, coverage in 71 (42 if only
hunters and greedy are expected), greedy in 70; of three rounds hunters in 48 of 80; of one round, with weights of the
odds set by hand, hunters in 24 of 100.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines import coverage, greedy, hider
from scotyard_baselines.beliefs.choice_model import infer_belief
from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.one_ply.frame import pick
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.planner import PlannerScratch, choose_action, make_plain_weights, new_planner_scratch
from scotyard_baselines.ppo import PpoMrX
from scotyard_baselines.rollouts.turns import MAX_TURNS, TURN, list_turns, mean_value, sort_turns
from scotyard_baselines.rollouts.win_probability import FEATURES, WEIGHTS, guess_odds
from scotyard_env.encode.features import most_moves, new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.rng import draw_seeds, draw_unit
from scotyard_env.rules import apply, legal_actions
from scotyard_env.state import DETECTIVES_WIN, FARES, MAX_DETECTIVES, MR_X, PLAYING, new_states
from scotyard_env.view import View, Views

score_coverage = coverage.score
score_greedy = greedy.score_detective
score_hider = hider.score
HIDER_WEIGHTS = hider.Hider().exits, hider.Hider().distance
NEVER = 0.001  # actions less likely than that are all alike to the learned player

STYLE = np.dtype(  # how a phantom searches: its parameters, where kernels read them
    (
        np.record,
        np.dtype(
            [
                ("rollouts", "i8"),
                ("rounds", "i8"),
                ("greedy", "f8"),
                ("coverage", "f8"),
                ("doubt", "f8"),
                ("alarm", "f8"),
                ("double_price", "f8"),
                ("black_price", "f8"),
                ("odds", "f8", (len(FEATURES),)),
            ],
            align=True,
        ),
    )
)


class Desk(NamedTuple):
    """All that a search writes on."""

    styles: NDArray[np.void]
    states: NDArray[np.void]  # the game played on, and two of a turn begun
    turns: NDArray[np.void]
    order: NDArray[np.int64]  # the turns still in the running, best first
    chances: NDArray[np.uint64]
    planner: PlannerScratch
    works: NDArray[np.void]
    weights: NDArray[np.void]
    draws: NDArray[np.float64]  # none: the modelled hunters climb from the nearest plan only
    legal: NDArray[np.int64]  # (3, most)
    dislikes: NDArray[np.float64]  # by action: what the learned player holds against it
    values: NDArray[np.float64]
    row: NDArray[np.float64]


class Advice(NamedTuple):
    """What the learned player holds against the legal actions of many views; those of view i are firsts[i] on."""

    firsts: NDArray[np.int64]  # (views + 1,)
    actions: NDArray[np.int64]
    dislikes: NDArray[np.float64]


@dataclass(frozen=True)
class Phantom:
    """Play every turn on against modelled detectives and take the one with the best odds of getting away."""

    sides: ClassVar[tuple[str, ...]] = ("mr_x",)
    rollouts: int = 200  # of a decision, and as many again if double moves are looked at
    rounds: int = 3  # that each is played on for
    greedy: float = 0.1  # share of rollouts in which the detectives are greedy
    coverage: float = 0.2  # and of those in which they spread out; in all others they are hunters
    doubt: float = 0.6  # of the modelled hunters
    alarm: float = 0.6  # odds below which double moves are looked at
    double_price: float = 0.05  # odds that a double move must gain
    black_price: float = 0.01  # and a black ticket
    trust: float = 0.1  # odds that an action must gain for being e times less likely to ``ppo_mr_x``; 0 = do not ask it

    def __post_init__(self) -> None:
        if self.rollouts < 1:
            raise ValueError(f"rollouts is {self.rollouts}: give a whole number of at least 1")
        if not 1 <= self.rounds <= 24:
            raise ValueError(f"rounds is {self.rounds}: give a whole number from 1 to 24")
        for name in ("greedy", "coverage", "doubt", "alarm"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}: give a share from 0 to 1")
        if not 0.0 <= self.trust < np.inf:
            raise ValueError(f"trust is {self.trust}: give a number of at least 0")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the action that the best turn begins with; values are the odds of getting away."""
        actions, desk, count = self._search(Views(view.board, view.rules, view.states), rng)
        best: dict[int, float] = {int(actions[0]): -np.inf}
        for turn in desk.turns[:count]:
            if turn.visits > 0:
                value = float(turn.total / turn.visits - turn.price)
                best[int(turn.actions[0])] = max(best.get(int(turn.actions[0]), -np.inf), value)
        first = int(actions[0])
        others = sorted(((action, value) for action, value in best.items() if action != first), key=lambda p: -p[1])
        gap = best[first] - others[0][1] if others else None
        return Decision(first, value=best[first], confidence=gap, candidates=((first, best[first]), *others))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        return self._search(views, rng)[0]

    def _search(self, views: Views, rng: np.random.Generator) -> tuple[NDArray[np.int64], Desk, int]:
        actions, desk = np.empty(len(views), np.int64), self._make_desk(views)
        packed = views.board.packed, views.rules.packed(views.board), capture_times(views.board)
        count = search_rows(*packed, views.states, draw_seeds(rng, len(views)), self._ask(views), desk, actions)
        return actions, desk, count

    def _ask(self, views: Views) -> Advice:
        """Ask the learned player what it holds against every legal action."""
        if self.trust == 0.0:
            return Advice(np.zeros(len(views) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))
        inputs, chances = PpoMrX().probabilities(views)
        return Advice(inputs.firsts, inputs.ids, -self.trust * np.log(np.maximum(chances, NEVER)))

    def _make_desk(self, views: Views) -> Desk:
        style = np.zeros(1, STYLE)
        for name in ("rollouts", "rounds", "greedy", "coverage", "doubt", "alarm", "double_price", "black_price"):
            style[name] = getattr(self, name)
        style[0].odds[:] = WEIGHTS
        return Desk(
            styles=style,
            states=new_states(3),
            turns=np.zeros(MAX_TURNS, TURN),
            order=np.zeros(MAX_TURNS, np.int64),
            chances=np.zeros(1, np.uint64),
            planner=new_planner_scratch(),
            works=new_scratch(),
            weights=make_plain_weights(),
            draws=np.zeros((0, MAX_DETECTIVES)),
            legal=np.zeros((3, most_moves(views.board)), np.int64),
            dislikes=np.zeros(FARES * views.board.stations + 2),
            values=np.zeros(most_moves(views.board)),
            row=np.zeros(len(FEATURES)),
        )


@kernel
def search_rows(boards, rules, times, states, seeds, advice, desk, actions):
    """Write the best action for each of many views; give the number of turns listed for the last."""
    count = 0
    for index in range(len(states)):
        desk.chances[0] = seeds[index]
        for row in range(advice.firsts[index], advice.firsts[index + 1]):
            desk.dislikes[advice.actions[row]] = advice.dislikes[row]
        count = search(boards[0], rules[0], times, states, index, desk)
        actions[index] = desk.turns[desk.order[0]].actions[0]
    return count


# ---------------------------------------------------------------------------------------------------------- the root


@kernel
def search(board, rules, times, states, index, desk):
    """Put the best turn first in desk.order; give the number of turns that are listed."""
    singles, total = list_turns(board, rules, states, index, desk)
    if total == 1:
        desk.order[0] = 0
        return total
    if singles == 0:
        halve(board, rules, times, states, index, desk, 0, total)
        return total
    halve(board, rules, times, states, index, desk, 0, singles)
    best = desk.order[0]
    if total > singles and mean_value(desk.turns[best]) < desk.styles[0].alarm:
        halve(board, rules, times, states, index, desk, singles, total)
        if mean_value(desk.turns[best]) >= mean_value(desk.turns[desk.order[0]]):
            desk.order[0] = best
    return total


@kernel
def halve(board, rules, times, states, index, desk, first, last):
    """Share the rollouts out among some turns, dropping the worse half of them again and again."""
    left, phases, rollouts = last - first, 1, desk.styles[0].rollouts
    for place in range(left):
        desk.order[place] = first + place
    while 2**phases < left:
        phases += 1
    while True:
        for place in range(left):
            for _ in range(max(1, rollouts // (phases * left))):
                turn = desk.turns[desk.order[place]]
                turn.total += roll_out(board, rules, times, states, index, desk, turn)
                turn.visits += 1
        sort_turns(desk, left)
        if left <= 2:
            break
        left = (left + 1) // 2


# ------------------------------------------------------------------------------------------------------ playing on


@kernel
def roll_out(board, rules, times, states, index, desk, turn):
    """Play a turn and some rounds after it; give the odds of Mr. X where they end."""
    style = desk.styles[0]
    desk.states[0] = states[index]
    state = desk.states[0]
    for step in range(turn.steps):
        apply(board, rules, state, turn.actions[step])
    last = state.rounds + style.rounds - 1
    model = draw_unit(desk.chances)
    while state.winner == PLAYING:
        if state.seat != MR_X:
            apply(board, rules, state, choose_detective(board, rules, times, state, desk, model))
        elif state.owed == 0 and state.rounds >= last:
            infer_belief(board, times, state, desk.planner.beliefs[0])
            return guess_odds(board, rules, times, state, desk.planner.beliefs[0].belief, style.odds, desk.row)
        else:
            apply(board, rules, state, choose_flight(board, rules, state, desk))
    return 0.0 if state.winner == DETECTIVES_WIN else 1.0


@kernel
def choose_detective(board, rules, times, state, desk, model):
    """Choose the move of a modelled detective; the model is a draw in [0, 1)."""
    style = desk.styles[0]
    if model < style.greedy + style.coverage:
        count = legal_actions(board, rules, state, desk.legal[1])
        if model < style.greedy:
            score_greedy(board, state, desk.works[0], desk.legal[1], desk.values, count)
        else:
            score_coverage(board, state, desk.works[0], desk.legal[1], desk.values, count)
        return pick(desk.legal[1], desk.values, count, draw_unit(desk.chances))
    doubt = style.doubt * int(3.0 * draw_unit(desk.chances)) / 2.0
    return choose_action(board, times, state, MAX_PARTICLES, doubt, desk.draws, desk.weights[0], desk.planner)


@kernel
def choose_flight(board, rules, state, desk):
    """Choose Mr. X's next action as the hider would."""
    count = legal_actions(board, rules, state, desk.legal[1])
    score_hider(board, rules, state, desk.works[0], HIDER_WEIGHTS, desk.legal[1], desk.values, count)
    return pick(desk.legal[1], desk.values, count, draw_unit(desk.chances))
