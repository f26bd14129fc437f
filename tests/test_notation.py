"""Every action has a text, and the text leads back to it."""

from __future__ import annotations

import pytest

from scotyard_env.board import Board
from scotyard_env.notation import NotationError, action_text, parse_action
from scotyard_env.rules import action_count


@pytest.mark.parametrize("name", Board.names())
def test_text_and_action_translate_into_each_other(name: str) -> None:
    board = Board.named(name)
    texts = [action_text(board, action) for action in range(action_count(board.arrays))]
    assert len(set(texts)) == 4 * board.stations + 2
    assert [parse_action(board, text) for text in texts] == list(range(len(texts)))


def test_the_letters_are_those_of_the_tickets() -> None:
    board = Board.named("london")
    assert [action_text(board, action) for action in (176, 229, 182, 459, 796, 797)] == [
        "T45",
        "B58",
        "U46",
        "K115",
        "2x",
        "--",
    ]


@pytest.mark.parametrize("text", ["", "T", "45", "F45", "T45 ", "T-1", "T1000", "T٤", "2X", "T200", "T0"])
def test_text_that_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_action(Board.named("london"), text)


@pytest.mark.parametrize("action", [-1, 798])
def test_an_integer_that_is_no_action_is_refused(action: int) -> None:
    with pytest.raises(NotationError, match="0 to 797"):
        action_text(Board.named("london"), action)
