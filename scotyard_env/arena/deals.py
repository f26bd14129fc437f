"""The deals of a tournament: the same for every pairing, Mr. X's start stratified.

Match number n of every pairing has the same deal and the same rngs, so that pairings differ by their
policies alone. Every start card of Mr. X comes up equally often: they are shuffled in blocks of one deck, and the
detectives are dealt as ever, on condition that he draws the card whose turn it is. A deal depends on seed and number
only, not on how many matches there are.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.kernel import kernel
from scotyard_env.rules import deal
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MAX_SEATS, MR_X, new_states

DEALS, BLOCKS = 3, 4  # last word of the seeds of what deals and of what shuffles the cards
TRIES = 64  # deals drawn at once


def deal_game(board: Board, rules: RuleSet, seed: int, number: int) -> Game:
    """Deal match number ``number`` of every pairing."""
    states, wanted = new_states(1), start_of_mr_x(board, rules, seed, number)
    rng = np.random.default_rng([seed, number, DEALS])
    while not deal_wanted(board.packed, rules.packed(board), states, rng.random((TRIES, MAX_SEATS)), wanted):
        pass
    return Game.from_start(board, rules, states[0])


def start_of_mr_x(board: Board, rules: RuleSet, seed: int, number: int) -> int:
    """Tell where Mr. X starts in match number ``number``: each of his cards once in every block of one deck."""
    deck = start_cards(board, rules)
    block, place = divmod(number, len(deck))
    return int(_shuffle(deck, seed, block)[place])


@functools.lru_cache(maxsize=64)
def _shuffle(deck: tuple[int, ...], seed: int, block: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, block, BLOCKS]).permutation(np.array(deck, np.int64))


@functools.lru_cache(maxsize=64)
def start_cards(board: Board, rules: RuleSet) -> tuple[int, ...]:
    """List the start cards of Mr. X that can be left to him once the detectives have drawn theirs."""
    everywhere = tuple(range(1, board.stations + 1))
    mr_x, detectives = rules.mr_x_starts or everywhere, rules.detective_starts or everywhere
    always_taken = detectives if len(detectives) == rules.detectives else ()
    return tuple(card for card in mr_x if card not in always_taken)


@kernel
def deal_wanted(boards, rules, states, draws, wanted):
    """Deal from one row of draws after the other until Mr. X starts where he is wanted; tell whether he does."""
    for row in range(len(draws)):
        deal(boards[0], rules[0], states[0], draws[row])
        if states[0].station[MR_X] == wanted:
            return True
    return False
