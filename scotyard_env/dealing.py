"""The deal card by card, for whoever goes through all deals: which cards are left, and the game that begins with them.

Cards are drawn as the rules say: the detectives' in the order of their seats, then Mr. X's.
"""

from collections.abc import Sequence

from scotyard_env.board import Board
from scotyard_env.game import set_up
from scotyard_env.rules import is_taken
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, State, new_states


def next_to_draw(rules: RuleSet, drawn: Sequence[int]) -> int:
    """Return the seat that draws the next card; there is none after Mr. X's."""
    return 1 + len(drawn) if len(drawn) < rules.detectives else MR_X


def cards_left(board: Board, rules: RuleSet, drawn: Sequence[int]) -> list[int]:
    """List the cards of which the next is drawn, ascending; each is as likely as the others."""
    arrays, state = rules.arrays(board), new_states(1)[0]
    state.station[1 : 1 + len(drawn)] = drawn
    if next_to_draw(rules, drawn) == MR_X:
        deck = arrays.mr_x_starts[: arrays.mr_x_cards]
    else:
        deck = arrays.detective_starts[: arrays.detective_cards]
    return sorted(int(card) for card in deck if not is_taken(state, card))


def start_with(board: Board, rules: RuleSet, drawn: Sequence[int]) -> State:
    """Return the record of the game that begins with these cards, one for each seat."""
    *detectives, mr_x = drawn
    return set_up(board, rules, (mr_x, *detectives), None, rules.mr_x_starts)
