"""Places for tables are few and come free again: whose people have left is parked, on disk only, until a visit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rooms import TWO, Advice, ask

from scotyard_env.policy import make_policy
from scotyard_env.web import limits
from scotyard_env.web.journal import Journal
from scotyard_env.web.registry import FullError, Registry
from scotyard_env.web.seating import Setup
from scotyard_env.web.table import Table

SETUP = Setup("docklands", "docklands", TWO)


@pytest.fixture
def in_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give a function that calls another one with a registry that has two places."""
    monkeypatch.setattr("scotyard_env.web.registry.TABLES", 2)

    def call(act: Callable[[Registry], Awaitable[None]]) -> None:
        async def run() -> None:
            journal = Journal(tmp_path)
            registry = Registry(journal, Advice(), {"random": make_policy("random")}, {})  # type: ignore[arg-type]
            try:
                await act(registry)
            finally:
                await registry.close()
                journal.close()

        asyncio.run(run())

    return call


async def make_abandoned(registry: Registry, seconds: float = limits.ABANDONED + 1) -> tuple[str, dict[str, str]]:
    """Make a table that nobody has visited for a while."""
    name, tokens = await registry.make(SETUP)
    room = registry.find(name)
    assert room is not None
    room.left -= seconds
    return name, tokens


def test_a_table_that_nobody_visits_gives_its_place_to_another_and_is_there_again_for_who_comes(
    in_registry: Callable[..., None],
) -> None:
    async def act(registry: Registry) -> None:
        first, tokens = await make_abandoned(registry)
        second, _ = await make_abandoned(registry)
        third, _ = await registry.make(SETUP)  # in the place of the first
        assert set(registry._rooms) == {second, third}
        room = registry.find(first)  # in the place of the second
        assert room is not None
        assert set(registry._rooms) == {first, third}
        me = await room.enter(tokens["person:1"])
        assert me is not None
        assert await ask(room, me, type="move", n=0, move=room.table.look(me.seats).legal_moves[0]) is None

    in_registry(act)


def test_a_game_that_is_over_or_left_in_the_middle_gives_its_place_too_and_nothing_of_it_is_lost(
    in_registry: Callable[..., None],
) -> None:
    async def act(registry: Registry) -> None:
        over, left = await make_abandoned(registry), await make_abandoned(registry)
        for (name, tokens), what in ((over, "resign"), (left, "move")):
            room = registry.find(name)
            assert room is not None
            me = await room.enter(tokens["person:1"])
            assert me is not None
            move = {"move": room.table.look(me.seats).legal_moves[0]} if what == "move" else {}
            assert await ask(room, me, type=what, n=0, **move) is None
            room.leave(me)
            room.left -= limits.ABANDONED + 1
        await registry.make(SETUP)
        await registry.make(SETUP)
        found = [registry.look_up(name) for name, _ in (over, left)]
        assert [table.n for table in found if table is not None] == [1, 1]
        assert found[0] is not None
        assert found[0].published() is not None
        assert len(registry._rooms) == 2  # looking a game up takes no place

    in_registry(act)


def test_a_table_where_somebody_sits_or_just_sat_or_a_policy_moves_keeps_its_place(
    in_registry: Callable[..., None],
) -> None:
    async def act(registry: Registry) -> None:
        parked, _ = await make_abandoned(registry)
        name, tokens = await make_abandoned(registry)
        await registry.make(Setup("docklands", "docklands", ("policy:random", "person:1", "person:1")))
        room = registry.find(name)
        assert room is not None
        me = await room.enter(tokens["person:1"])
        assert me is not None
        room.left -= limits.IDLE + 1
        registry.park()
        for taken in (registry.make(SETUP), find(registry, parked)):
            with pytest.raises(FullError):
                await taken
        room.leave(me)
        with pytest.raises(FullError):
            await registry.make(SETUP)
        room.left -= limits.ABANDONED + 1
        await registry.make(SETUP)

    in_registry(act)


async def find(registry: Registry, name: str) -> None:
    registry.find(name)


def test_tables_are_parked_in_time_without_being_asked_for(in_registry: Callable[..., None]) -> None:
    async def act(registry: Registry) -> None:
        await make_abandoned(registry)
        await make_abandoned(registry, limits.IDLE + 1)
        registry.park()
        assert len(registry._rooms) == 1

    in_registry(act)


def test_a_folder_takes_so_many_tables_and_no_more(
    in_registry: Callable[..., None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("scotyard_env.web.registry.KEPT", 1)

    async def act(registry: Registry) -> None:
        name, _ = await registry.make(SETUP)
        with pytest.raises(FullError):
            await registry.make(SETUP)
        assert registry.find(name) is not None

    in_registry(act)
    assert "1 tables are kept, as many as may be: move some files away" in caplog.text


def test_tables_that_are_asked_for_at_once_do_not_overrun_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Journal):
        def __init__(self) -> None:
            self.is_full = False

        def names(self) -> list[str]:
            return []

        async def begin(self, name: str, table: Table) -> None:
            await asyncio.sleep(0)
            if self.is_full:
                raise OSError("no space left")

    async def make() -> None:
        journal = Slow()
        registry = Registry(journal, Advice(), {}, {})  # type: ignore[arg-type]
        setup = Setup("docklands", "docklands", TWO)
        journal.is_full = True
        with pytest.raises(OSError, match="no space"):
            await registry.make(setup)  # and gives its place back
        journal.is_full = False
        made = await asyncio.gather(*(registry.make(setup) for _ in range(5)), return_exceptions=True)
        assert [type(one) for one in made] == [tuple] * 3 + [FullError] * 2

    monkeypatch.setattr("scotyard_env.web.registry.TABLES", 3)
    asyncio.run(make())
