"""Views as JSON: nothing hidden is in it, all that may be known is, and every message is as the schema says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import scotyard_env.wire
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.policy import SIDES
from scotyard_env.ruleset import RuleSet, RuleSetError, resolve
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.wire import Frame, WireError, frame, from_line, hello, read_frame, read_hello, to_line

SCHEMA = json.loads(Path(scotyard_env.wire.__file__).with_name("messages.schema.json").read_text(encoding="utf-8"))


def settings() -> Iterator[tuple[Board, RuleSet]]:
    """Every board by every edition that it fits."""
    for board in Board.names():
        for rules in RuleSet.names():
            try:
                yield resolve(board, rules)
            except RuleSetError:
                continue


SETTINGS = list(settings())


def moments(board: Board, rules: RuleSet, seed: int) -> Iterator[Game]:
    """Give a game of random moves at every moment, the end included."""
    game, rng = Game(board, rules, seed=seed), np.random.default_rng(seed)
    yield game
    while game.winner is None:
        game.play(int(rng.choice(game.legal)))
        yield game


def validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_what_others_are_told_does_not_depend_on_where_mr_x_hides(number: int) -> None:
    swapped = 0
    for game in moments(*SETTINGS[number], seed=number):
        other = game.clone()
        elsewhere = [station for station in game.possible if station != game.stations[MR_X]]
        if game.winner is not None or not elsewhere:
            continue
        other.state.station[MR_X] = elsewhere[len(elsewhere) // 2]
        swapped += 1
        for viewer in range(SPECTATOR, 1 + game.rules.detectives):
            here, there = (to_line(frame(one.view(viewer))) for one in (game, other))
            assert (here == there) == (viewer != MR_X)
    assert swapped > 3


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_a_frame_is_as_the_schema_says_and_holds_all_that_may_be_known(number: int) -> None:
    board, rules = SETTINGS[number]
    check = validator("frame")
    for moment, game in enumerate(moments(board, rules, seed=number)):
        for viewer in {SPECTATOR, MR_X, game.seat, rules.detectives}:
            view = game.view(viewer)
            told = from_line(to_line(frame(view)))
            if moment % 8 == 0 or game.winner is not None:  # it takes its time
                check.validate(told)
            assert read_frame(board, rules, told).states.tobytes() == view.states.tobytes()  # type: ignore[arg-type]
            assert told["legal"] == (game.legal_moves if viewer == game.seat else [])


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_a_hello_is_as_the_schema_says_and_comes_back(number: int) -> None:
    board, rules = SETTINGS[number]
    for side in SIDES:
        told = from_line(to_line(hello(board, rules, side)))
        validator("hello").validate(told)
        found, edition, played = read_hello(told)  # type: ignore[arg-type]
        assert (found.links, found.name, edition, played) == (board.links, board.name, rules, side)


def test_the_schema_lets_nothing_through_that_it_does_not_name() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = {name: one for name, one in SCHEMA["$defs"].items() if one.get("type") == "object"}
    assert [name for name, one in objects.items() if one.get("additionalProperties") is not False] == ["answer"]
    assert list(SCHEMA["$defs"]["frame"]["properties"]) == list(Frame.__annotations__)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("log", ["Z"]),
        ("log", [3]),
        ("stations", None),
        ("stations", [0] * 9),
        ("viewer", 17),
        ("possible", [999]),
        ("trail", [[1, 2, 3]]),
        ("fares", ["TTT"]),
        ("fares", ["Z-"]),
        ("fares", None),
        ("seat", 10**9),
        ("winner", "nobody"),
    ],
)
def test_what_is_no_frame_is_refused(field: str, value: object) -> None:
    game = Game("docklands", seed=1)
    told: Any = {**frame(game.view(0)), field: value}
    with pytest.raises(WireError, match="this is no frame"):
        read_frame(game.board, game.rules, told)
    with pytest.raises(WireError, match="this is no frame"):
        read_frame(game.board, game.rules, {})  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"protocol": 2}, "the protocol is 2: this version speaks 1"),
        ({"board": {}}, "this is no hello"),
        ({"rules": {"speed": 3}}, "this is no hello"),
        ({"side": "thief"}, "the side is 'thief'"),
    ],
)
def test_what_is_no_hello_is_refused(changes: dict[str, Any], words: str) -> None:
    game = Game("glasses", seed=1)
    told: Any = {**hello(game.board, game.rules, "mr_x"), **changes}
    with pytest.raises(WireError, match=words):
        read_hello(told)
