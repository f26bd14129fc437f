"""A rematch: the same people at another table, with the tokens they have, sides swapped if they like."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from rooms import Advice, ask, heard

from scotyard_env.policy import make_policy
from scotyard_env.web.journal import Journal
from scotyard_env.web.listener import Listener
from scotyard_env.web.registry import Registry
from scotyard_env.web.room import Room
from scotyard_env.web.seating import Setup
from scotyard_env.web.table import RefusedError


def play_again(folder: Path, players: tuple[str, ...], swap: bool) -> tuple[list[str | None], list[Setup | None]]:
    """End a game, have a watcher, a person and another person ask for a rematch; return codes and both setups."""

    async def act() -> tuple[list[str | None], list[Setup | None]]:
        journal = Journal(folder)
        policies = {name: make_policy(name) for name in ("random", "hunters")}
        registry = Registry(journal, Advice(), policies, {})  # type: ignore[arg-type]
        name, tokens = await registry.make(Setup("docklands", "docklands", players))
        room = registry.find(name)
        assert room is not None
        people = [await room.enter(token) for token in ("", *tokens.values())]
        codes = [await want(registry, room, people[1], swap)]
        await ask(room, people[1], type="resign", n=room.table.n)
        codes += [await want(registry, room, person, swap) for person in people]
        told = {json.loads(heard(person)[-1]).get("table", "") for person in people if person is not None}
        tables = [registry.look_up(name), registry.look_up(told.pop())]
        assert not told  # all are told of one and the same table
        if tables[1] is not None:
            again = registry.find(room.table.rematch)
            assert again is not None
            assert None not in [await again.enter(token) for token in tokens.values()]  # their tokens are good there
            assert journal.load(name).rematch == again.name
        await registry.close()
        journal.close()
        return codes, [None if table is None else table.setup for table in tables]

    return asyncio.run(act())


async def want(registry: Registry, room: Room, person: Listener | None, swap: bool) -> str | None:
    assert person is not None
    try:
        await registry.rematch(room, person, swap)
    except RefusedError as refused:
        return refused.code
    return None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("person:1", "person:2", "person:2"), ("person:2", "person:1", "person:1")),
        (("person:1", "person:2", "person:3"), ("person:2", "person:3", "person:1")),
        (("person:1", "policy:random", "policy:random"), ("policy:random", "person:1", "person:1")),
    ],
)
@pytest.mark.parametrize("swap", [False, True])
def test_the_same_people_play_again_with_the_tokens_they_have_on_the_other_side_if_they_like(
    before: tuple[str, ...], after: tuple[str, ...], swap: bool, tmp_path: Path
) -> None:
    codes, (first, second) = play_again(tmp_path, before, swap)
    assert codes[:3] == ["not_over", "no_seat", None]
    assert first is not None
    assert second is not None
    assert first.players == before
    assert second.players == (after if swap else before)


def test_a_policy_that_plays_one_side_only_does_not_swap(tmp_path: Path) -> None:
    codes, _ = play_again(tmp_path, ("person:1", "policy:hunters", "policy:hunters"), swap=True)
    assert codes == ["not_over", "no_seat", "no_swap"]
