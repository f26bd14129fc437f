"""What is hidden at a table stays hidden: all that anybody but Mr. X is sent, and who may see the whole game."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import pytest
from playing import random_game
from rooms import START, TWO, ask, heard, open_room, seat_table
from twins import twin_of

from scotyard_env.replay import Replay
from scotyard_env.state import MR_X
from scotyard_env.web import limits
from scotyard_env.web.listener import Listener
from scotyard_env.web.room import Room
from scotyard_env.web.table import RefusedError, keyed_rng

WEB = Path(__file__).resolve().parents[1] / "scotyard_env" / "web"
GUESSES = [f"{fare}{station}" for station in range(1, 33) for fare in "TBUK"] + ["2x", "--"]


async def bytes_told(replay: Replay, players: tuple[str, ...], practice: bool) -> list[object]:
    """Play a game at a table; collect every byte that anybody but Mr. X is sent, whatever they try on the way."""
    room = open_room(seat_table(replay, players, practice))
    mr_x, told, names = await room.enter("person:1"), list[object](), [*dict.fromkeys(players[1:]), ""]
    others = [other for name in names if (other := await room.enter(name)) is not None]
    assert mr_x is not None
    assert len(others) == len(names)
    for number, move in enumerate(replay.moves):
        legal = room.table.look(others[0].seats).legal_moves if room.table.seat != MR_X else []
        for other in others:
            for n in (number - 1, number, number + 1):
                is_turn = n == number and room.table.seat in other.seats
                guesses = [guess for guess in GUESSES if not is_turn or guess not in legal]
                told += [await ask(room, other, type="move", n=n, move=guess) for guess in guesses]
            told.append(await ask(room, other, type="hint", n=number))
            told += [await ask(room, other, type=kind, n=number + 1) for kind in ("undo", "resign")]
            told.append(await want_rematch(room, other))
        player = next(one for one in (mr_x, *others) if room.table.seat in one.seats)
        assert await ask(room, player, type="move", n=number, move=move) is None
        told += [heard(other) for other in others]
        told.append(room.table.published())  # what the address of the replay gives
        heard(mr_x)
    late = [await room.enter(name) for name in (*names, "wrong token")]
    return [*told, *(heard(one) if one is not None else None for one in late)]


async def want_rematch(room: Room, listener: Listener) -> str:
    """Ask for a rematch before its time."""
    with pytest.raises(RefusedError) as refused:
        await room.move_on(listener, never)
    return refused.value.code


async def never() -> str:
    raise AssertionError("no table is opened")


@pytest.mark.parametrize("players", [TWO, ("person:1", "person:2", "person:3")], ids=["together", "each"])
@pytest.mark.parametrize("practice", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_nobody_but_mr_x_is_told_anything_that_depends_on_where_he_hides(
    seed: int, practice: bool, players: tuple[str, ...]
) -> None:
    games = (random_game("docklands", "docklands", 2, seed=number, actions=14) for number in range(seed, 100, 3))
    here = Replay.of(next(game for game in games if game.winner is None))
    there = twin_of(here)
    assert asyncio.run(bytes_told(here, players, practice)) == asyncio.run(bytes_told(there, players, practice))


def test_guessing_his_last_move_is_answered_as_any_other_guess() -> None:
    table = seat_table(Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1)))
    move = table.look(frozenset([MR_X])).legal_moves[0]
    table.apply({"move": move})
    for guess in (move, "T1", "nonsense"):
        with pytest.raises(RefusedError, match="stale"):
            table.play(frozenset([1, 2]), 0, guess)
    assert table.play(frozenset([MR_X]), 0, move) == []  # his own, sent again


def test_only_five_modules_may_see_the_whole_game() -> None:
    allowed = {"table.py", "journal.py", "page.py", "scenes.py", "analysis.py"}
    for file in WEB.glob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module in ("scotyard_env.game", "scotyard_env.replay")
            for alias in node.names
        }
        assert not names & {"Game", "Replay"} or file.name in allowed, file.name
        assert ".replay()" not in file.read_text(encoding="utf-8") or file.name in allowed, file.name


@pytest.mark.parametrize("elapsed", [0.0, 0.001, 0.3, 0.4999, 0.5, 0.7, 3.2])
def test_moves_of_policies_come_at_ticks_however_long_they_think(
    elapsed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = iter([100.0, 100.0 + elapsed])  # when the policy begins, and when it is done

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return next(clock, 1000.0)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def play() -> None:
        room = open_room(seat_table(START, ("policy:random", "person:1", "person:1")))
        monkeypatch.setattr("scotyard_env.web.room.time", Clock)
        monkeypatch.setattr("scotyard_env.web.room.asyncio.sleep", sleep)
        room.go_on()
        assert room._thinking is not None
        await room._thinking
        assert room.table.n == 1

    asyncio.run(play())
    assert len(slept) == 1
    assert (elapsed + slept[0]) / limits.TICK == pytest.approx(round((elapsed + slept[0]) / limits.TICK))
    assert slept[0] > 0


def test_pages_are_built_without_html_text() -> None:
    for file in (WEB / "static").glob("*.js"):
        text = file.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, file.name


def test_a_generator_of_a_decision_tells_nothing_of_the_next_and_is_the_same_again() -> None:
    draws = {keyed_rng(b"secret", f"move {n}").integers(2**63) for n in range(50)}
    assert len(draws) == 50
    assert keyed_rng(b"secret", "move 7").integers(2**63) in draws
    assert keyed_rng(b"other", "move 7").integers(2**63) not in draws
