"""phantom: a Mr. X who plays every way out on against detectives like ours, and vanishes by the best.

Every turn that he can make is played on for some rounds: the detectives, a mixture of hunters who draw their doubts
anew, coverage and greedy, know what the table knows; he goes on like the hider. Where the play ends, a logistic guess
learned from games tells his odds (odds.py). The worse half of the turns is dropped again and again until one is left.
Double moves are only looked at when no single move is good enough.

Classic London: 50 rollouts of two rounds get away from hunters in 44 of 100 games, from coverage in 71 (42 if only
hunters and greedy are expected), from greedy in 70; of three rounds from hunters in 48 of 80, of one round only in 24
of 100 (these with weights of the odds set by hand). 300 rollouts of two rounds get away from hunters in 45 of 80, but
from ``pimbot:iterations=1000`` only in 17 of 40, where pimbot itself does in 31: he hides beside detectives who would
not look there, and pimbot does.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import coverage, greedy, hider
from baselines.ascent import CLIMB
from baselines.capture import capture_times
from baselines.chance import draw_seeds, draw_unit
from baselines.evasion import is_threatened
from baselines.hunters import choose_action
from baselines.joint_moves import MAX_PARTICLES
from baselines.odds import FEATURES, WEIGHTS, guess_odds
from baselines.one_ply import pick
from baselines.plans import NODE, TABLE, make_weights
from baselines.suspicion import suspect
from scotyard_env.features import most_moves, new_work
from scotyard_env.kernel import kernel
from scotyard_env.policy import Decision
from scotyard_env.rules import apply, destination, double_action, fare_of, legal_actions
from scotyard_env.state import BLACK, DETECTIVES_WIN, MAX_DETECTIVES, MR_X, PLAYING, new_states
from scotyard_env.view import View, Views

score_coverage = coverage.score
score_greedy = greedy.score_detective
score_hider = hider.score
HIDER_WEIGHTS = hider.Hider().exits, hider.Hider().distance
MAX_TURNS = 1024

TURN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("total", "f8"),  # value of all rollouts
                ("price", "f8"),  # of the tickets it spends
                ("actions", "i8", (3,)),
                ("steps", "i8"),  # how many of them
                ("visits", "i8"),
            ],
            align=True,
        ),
    )
)

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
    nodes: NDArray[np.void]
    tables: NDArray[np.void]
    sheets: NDArray[np.void]
    works: NDArray[np.void]
    weights: NDArray[np.void]
    belief: NDArray[np.float64]
    draws: NDArray[np.float64]  # none: the modelled hunters climb from the nearest plan only
    legal: NDArray[np.int64]  # (3, most)
    values: NDArray[np.float64]
    row: NDArray[np.float64]


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

    def __post_init__(self) -> None:
        if self.rollouts < 1:
            raise ValueError(f"rollouts is {self.rollouts}: give a whole number of at least 1")
        if not 1 <= self.rounds <= 24:
            raise ValueError(f"rounds is {self.rounds}: give a whole number from 1 to 24")
        for name in ("greedy", "coverage", "doubt", "alarm"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}: give a share from 0 to 1")

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
        count = search_rows(*packed, views.states, draw_seeds(rng, len(views)), desk, actions)
        return actions, desk, count

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
            nodes=np.zeros(1, NODE),
            tables=np.zeros(1, TABLE),
            sheets=np.zeros(1, CLIMB),
            works=new_work(),
            weights=make_weights(0.8, 0.002),
            belief=np.zeros((2, views.board.stations + 1)),
            draws=np.zeros((0, MAX_DETECTIVES)),
            legal=np.zeros((3, most_moves(views.board)), np.int64),
            values=np.zeros(most_moves(views.board)),
            row=np.zeros(len(FEATURES)),
        )


@kernel
def search_rows(boards, rules, times, states, seeds, desk, actions):
    """Write the best action for each of many views; give the number of turns listed for the last."""
    count = 0
    for index in range(len(states)):
        desk.chances[0] = seeds[index]
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
def mean_value(turn):
    """Value a turn by its rollouts, its price paid."""
    return turn.total / turn.visits - turn.price


@kernel
def list_turns(board, rules, states, index, desk):
    """List every turn of Mr. X, single moves first; give how many those are, and how many all are."""
    count = 0
    double = double_action(board)
    moves = legal_actions(board, rules, states[index], desk.legal[0])
    for move in range(moves):
        if desk.legal[0, move] != double and states[index].owed != 2:
            write_turn(desk, count, desk.legal[0, move], -1, -1)
            count += 1
    singles = count
    if moves > 0 and desk.legal[0, moves - 1] == double:
        desk.states[1] = states[index]
        apply(board, rules, desk.states[1], double)
        count = list_pairs(board, rules, desk, count, double)
    elif states[index].owed == 2:
        desk.states[1] = states[index]
        count = list_pairs(board, rules, desk, count, -1)
    return singles, count


@kernel
def list_pairs(board, rules, desk, count, double):
    """List the pairs of moves of a double that is announced in desk.states[1]; those that end in safety, if any do."""
    before = count
    for is_wary in (True, False):
        firsts = legal_actions(board, rules, desk.states[1], desk.legal[1])
        for first in range(firsts):
            desk.states[2] = desk.states[1]
            apply(board, rules, desk.states[2], desk.legal[1, first])
            seconds = legal_actions(board, rules, desk.states[2], desk.legal[2])
            for second in range(seconds):
                to = destination(desk.legal[2, second])
                if count < MAX_TURNS and not (is_wary and is_threatened(board, desk.states[2], to)):
                    if double >= 0:
                        write_turn(desk, count, double, desk.legal[1, first], desk.legal[2, second])
                    else:
                        write_turn(desk, count, desk.legal[1, first], desk.legal[2, second], -1)
                    count += 1
        if count > before:
            break
    return count


@kernel
def write_turn(desk, place, first, second, third):
    """Write a turn down: its actions, -1 where there are fewer, and its price."""
    turn, style = desk.turns[place], desk.styles[0]
    turn.actions[0], turn.actions[1], turn.actions[2] = first, second, third
    turn.total = 0.0
    turn.visits = 0
    turn.steps = 1 if second < 0 else 2 if third < 0 else 3
    turn.price = style.double_price if third >= 0 else 0.0
    for step in range(1 if third >= 0 else 0, turn.steps):
        if fare_of(turn.actions[step]) == BLACK:
            turn.price += style.black_price


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


@kernel
def sort_turns(desk, left):
    """Put the best turns first."""
    for place in range(1, left):
        turn, here = desk.order[place], place
        while here > 0 and mean_value(desk.turns[desk.order[here - 1]]) < mean_value(desk.turns[turn]):
            desk.order[here] = desk.order[here - 1]
            here -= 1
        desk.order[here] = turn


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
            suspect(board, times, state, desk.belief[0], desk.belief[1], desk.sheets[0].near)
            return guess_odds(board, rules, times, state, desk.belief[0], style.odds, desk.row)
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
    node, table, sheet = desk.nodes[0], desk.tables[0], desk.sheets[0]
    return choose_action(
        board, times, state, MAX_PARTICLES, doubt, desk.draws, desk.belief, desk.weights[0], node, table, sheet
    )


@kernel
def choose_flight(board, rules, state, desk):
    """Choose Mr. X's next action as the hider would."""
    count = legal_actions(board, rules, state, desk.legal[1])
    score_hider(board, rules, state, desk.works[0], HIDER_WEIGHTS, desk.legal[1], desk.values, count)
    return pick(desk.legal[1], desk.values, count, draw_unit(desk.chances))
