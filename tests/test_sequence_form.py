"""Linear programming in sequence form finds the values of games that are known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from scotyard_baselines.exact.sequence_form import START, Player, solve


def matrix_value(earned: np.ndarray) -> float:
    """Solve a game in which both sides choose once, in the textbook's form."""
    rows, columns = earned.shape
    answer = linprog(
        [0.0] * rows + [-1.0],
        A_ub=np.hstack([-earned.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -float(answer.fun)


def one_choice_each(earned: np.ndarray) -> tuple[Player, Player, list[tuple[int, int, float]]]:
    first, second = Player(), Player()
    rows = first.add_information_set([(START, 1.0)], earned.shape[0])
    columns = second.add_information_set([(START, 1.0)], earned.shape[1])
    payoffs = [(rows[i], columns[j], float(earned[i, j])) for i, j in np.ndindex(earned.shape)]
    return first, second, payoffs


def test_rock_paper_scissors_is_played_with_thirds() -> None:
    found = solve(*one_choice_each(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])))
    assert found.value == pytest.approx(0)
    assert found.first == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])
    assert found.second == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("seed", range(10))
def test_one_choice_each_has_the_value_of_the_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    earned = rng.normal(size=rng.integers(1, 6, 2))
    assert solve(*one_choice_each(earned)).value == pytest.approx(matrix_value(earned))


def kuhn_poker() -> tuple[Player, Player, list[tuple[int, int, float]]]:
    """Three cards, one each; a bet of one on top of the ante; the first may answer a bet that follows his check."""
    first, second, payoffs = Player(), Player(), []
    opening = [first.add_information_set([(START, 1.0)], 2) for _ in range(3)]  # check or bet, by his card
    answer = [first.add_information_set([(opening[card][0], 1.0)], 2) for card in range(3)]  # fold or call
    after_check = [second.add_information_set([(START, 1.0)], 2) for _ in range(3)]  # check or bet
    after_bet = [second.add_information_set([(START, 1.0)], 2) for _ in range(3)]  # fold or call
    for mine, theirs in itertools.permutations(range(3), 2):
        sign = 1 if mine > theirs else -1
        payoffs += [
            (opening[mine][0], after_check[theirs][0], sign / 6),
            (answer[mine][0], after_check[theirs][1], -1 / 6),
            (answer[mine][1], after_check[theirs][1], 2 * sign / 6),
            (opening[mine][1], after_bet[theirs][0], 1 / 6),
            (opening[mine][1], after_bet[theirs][1], 2 * sign / 6),
        ]
    return first, second, payoffs


def test_kuhn_poker_costs_the_first_player_an_eighteenth() -> None:
    assert solve(*kuhn_poker()).value == pytest.approx(-1 / 18)


def test_both_plans_earn_the_value_against_each_other() -> None:
    first, second, payoffs = kuhn_poker()
    found = solve(first, second, payoffs)
    assert sum(found.first[i] * found.second[j] * earned for i, j, earned in payoffs) == pytest.approx(found.value)
    assert first.constraint_matrix() @ found.first == pytest.approx(first.constraint_vector())
    assert second.constraint_matrix() @ found.second == pytest.approx(second.constraint_vector())


def test_moves_that_enter_the_same_set_add_up() -> None:
    first, second = Player(), Player()
    ways = first.add_information_set([(START, 1.0)], 2)
    choice = first.add_information_set([(way, 1.0) for way in ways], 2)
    guess = second.add_information_set([(START, 1.0)], 2)
    payoffs = [(choice[i], guess[j], float(i == j)) for i in range(2) for j in range(2)]
    found = solve(first, second, payoffs)
    assert found.value == pytest.approx(0.5)
    assert found.first[choice] == pytest.approx([0.5, 0.5])
