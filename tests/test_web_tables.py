"""Who may do what at a table, when, and what is said to those who may not."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import random_game
from rooms import START, Advice, Memory, ask, heard, open_room, seat_table

from scotyard_env.explanation import Explanation
from scotyard_env.policy import SIDES, Side
from scotyard_env.replay import Practice, Replay
from scotyard_env.state import MR_X
from scotyard_env.view import View
from scotyard_env.web import limits
from scotyard_env.web.app import answer
from scotyard_env.web.bots import BotError, Bots, Failure
from scotyard_env.web.journal import Journal
from scotyard_env.web.listener import Listener
from scotyard_env.web.messages import WANTED, MessageError, read_message
from scotyard_env.web.narration import tell_loss
from scotyard_env.web.registry import Registry
from scotyard_env.web.room import Room
from scotyard_env.web.seating import SetupError, read_setup
from scotyard_env.web.table import Code
from scotyard_env.web.tokens import digest, find_holder, new_token


def test_a_table_refuses_what_is_not_open_now_and_says_only_why() -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1))

    async def try_all() -> None:
        room = open_room(seat_table(replay))
        mr_x, detectives, watcher = await room.enter("person:1"), await room.enter("person:2"), await room.enter("")
        assert None not in (mr_x, detectives, watcher)
        legal = room.table.look(mr_x.seats).legal_moves
        assert await ask(room, detectives, type="move", n=0, move=legal[0]) == "not_your_turn"
        assert await ask(room, watcher, type="move", n=0, move=legal[0]) == "not_your_turn"
        assert await ask(room, mr_x, type="move", n=0, move="T999") == "illegal"
        assert await ask(room, mr_x, type="move", n=3, move=legal[0]) == "stale"
        assert await ask(room, mr_x, type="undo", n=0) == "not_practice"
        assert await ask(room, mr_x, type="hint", n=0) == "not_practice"
        assert await ask(room, watcher, type="resign", n=0) == "no_seat"
        assert await ask(room, mr_x, type="move", n=0, move=legal[0]) is None
        assert await ask(room, detectives, type="resign", n=2) == "stale"  # what has yet to happen
        assert await ask(room, detectives, type="resign", n=0) is None  # although something has happened since
        assert room.table.winner == "mr_x"
        assert await ask(room, detectives, type="resign", n=2) == "over"
        assert json.loads(heard(watcher)[-1]) == {"type": "over", "winner": "mr_x", "reason": "resigned"}

    asyncio.run(try_all())


def test_practice_games_have_hints_and_undo() -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1))

    async def practise() -> None:
        table = seat_table(replay, ("person:1",) * 3, practice=True)
        room = open_room(table)
        me = await room.enter("person:1")
        assert me is not None
        assert await ask(room, me, type="undo", n=0) == "nothing_to_undo"
        before = table.look(me.seats).states.tobytes()
        await ask(room, me, type="hint", n=0)
        hint = json.loads(heard(me)[-1])
        assert hint["move"] in table.look(me.seats).legal_moves
        await ask(room, me, type="move", n=0, move=hint["move"])
        assert await ask(room, me, type="undo", n=1) is None
        assert table.look(me.seats).states.tobytes() == before
        assert table.n == 2

    asyncio.run(practise())


def test_help_is_noted_before_it_is_given_and_marked_in_the_replay(tmp_path: Path) -> None:
    async def practise() -> None:
        journal, table = Journal(tmp_path), seat_table(START, ("person:1",) * 3, practice=True)
        await journal.begin("room", table)
        room = Room("room", table, journal, Advice(), {"mr_x": "random", "detectives": "random"})  # type: ignore[arg-type]
        me = await room.enter("person:1")
        assert me is not None
        for _ in range(2):  # twice for one decision is one hint
            assert await ask(room, me, type="hint", n=0) is None
        await ask(room, me, type="move", n=0, move=table.look(me.seats).legal_moves[0])
        await ask(room, me, type="undo", n=1)
        await ask(room, me, type="hint", n=2)
        await ask(room, me, type="resign", n=2)
        assert room.table.n == 3  # hints are no events of the game
        for kept in (room.table, journal.load("room")):
            replay = kept.published()
            assert replay is not None
            assert replay.practice == Practice(undos=1, hints=2)
            assert Replay.from_line(replay.to_line()) == replay
        journal.close()

    asyncio.run(practise())


def test_undo_ends_somewhere_so_that_no_table_grows_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_env.web.table.UNDOS", 2)

    async def practise() -> None:
        room = open_room(seat_table(START, ("person:1",) * 3, practice=True))
        me = await room.enter("person:1")
        assert me is not None
        said = []
        for _ in range(3):
            move = room.table.look(me.seats).legal_moves[0]
            assert await ask(room, me, type="move", n=room.table.n, move=move) is None
            heard(me)
            said.append(await ask(room, me, type="undo", n=room.table.n))
            said += [json.loads(text).get("undos") for text in heard(me)[:1]]
        assert said == [None, 1, None, 0, "no_more_undo"]

    asyncio.run(practise())


@pytest.mark.parametrize(("side", "winner"), [("person:1", "The detectives win"), ("person:2", "Mr. X wins")])
def test_who_gives_up_is_told_to_all_as_a_line_of_its_own(side: str, winner: str) -> None:
    async def give_up() -> None:
        room = open_room(seat_table(START))
        mr_x, detectives, watcher = await room.enter("person:1"), await room.enter("person:2"), await room.enter("")
        assert None not in (mr_x, detectives, watcher)
        await ask(room, mr_x, type="move", n=0, move=room.table.look(mr_x.seats).legal_moves[0])
        heard(watcher)
        await ask(room, mr_x if side == "person:1" else detectives, type="resign", n=1)
        frame, over = (json.loads(text) for text in heard(watcher))
        assert (frame["move"], frame["legal"], frame["headline"]) == ("", [], f"{winner} in round 1")
        assert re.fullmatch("(Mr. X gives|The detectives give) up: .* wins?.", frame["told"])
        assert (frame["winner"], over["reason"]) == (over["winner"], "resigned")
        late = await room.enter("")
        assert late is not None
        welcome = json.loads(heard(late)[0])
        assert [told for _, told, _ in welcome["past"]][1:] == [frame["told"]]

    asyncio.run(give_up())


@pytest.mark.parametrize("reason", ["resigned", "late", "crashed"])
@pytest.mark.parametrize("lost", SIDES)
def test_every_loss_names_who_wins(reason: str, lost: Side) -> None:
    told = tell_loss(lost, reason)
    assert told.endswith(": the detectives win." if lost == "mr_x" else ": Mr. X wins.")


def test_at_a_hot_seat_everybody_sees_through_the_eyes_of_who_moves() -> None:
    table = seat_table(Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=1)), ("person:1",) * 3)
    seats = frozenset([0, 1, 2])
    assert table.look(seats).stations[MR_X] != 0
    table.apply({"move": table.look(seats).legal_moves[0]})
    assert table.look(seats).viewer == 1
    assert table.look(seats).stations[MR_X] == 0


def test_a_stuck_detective_passes_by_itself() -> None:
    for seed in range(200):
        replay = Replay.of(random_game("docklands", "docklands", 2, seed=seed))
        if "--" in replay.moves:
            break
    at = replay.moves.index("--")

    async def play() -> None:
        table = seat_table(replay)
        room = open_room(table)
        mr_x, detectives = await room.enter("person:1"), await room.enter("person:2")
        assert None not in (mr_x, detectives)
        for move in replay.moves[:at]:
            player = mr_x if table.seat == MR_X else detectives
            assert await ask(room, player, type="move", n=table.n, move=move) is None
        assert [event["move"] for event in table.events][at] == "--"

    asyncio.run(play())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"board": "../london"}, "board is one of docklands, "),
        ({"rules": "none"}, "rules is one of "),
        ({"players": ["person:1"]}, "players has one"),
        ({"players": ["person:1", "policy:subprocess:Popen:args=ls"]}, "policy: and one of "),
        ({"players": ["person:1", 7]}, "policy: and one of "),
        ({"players": ["person:1", "person:1", "person:2"]}, "hot seat"),
        ({"board": "glasses", "rules": "classic"}, "cannot be played"),
        ({"speed": 3}, "a table has"),
        ({"practice": "yes"}, "practice is true or false"),
        ({"board": ["docklands"]}, "board is one of "),
    ],
)
def test_a_table_that_cannot_be_is_refused(changes: dict[str, Any], words: str) -> None:
    fields = {"board": "docklands", "rules": "docklands", "players": ["person:1", "policy:greedy"], **changes}
    with pytest.raises(SetupError, match=words):
        read_setup(fields, {"greedy"})


def test_a_token_opens_its_own_seats_only() -> None:
    tokens = {person: new_token() for person in ("person:1", "person:2")}
    keys = {person: digest(token) for person, token in tokens.items()}
    assert [find_holder(token, keys) for token in tokens.values()] == ["person:1", "person:2"]
    assert find_holder("", keys) is find_holder("person:1", keys) is find_holder(keys["person:1"], keys) is None
    assert not set(tokens.values()) & set(keys.values())


def test_who_does_not_listen_is_dropped_and_holds_up_nobody() -> None:
    async def shout() -> None:
        listener = Listener(frozenset())
        for number in range(3 * limits.QUEUE):
            listener.tell({"type": "presence", "number": number})
        assert listener.is_gone
        assert listener.outbox.get_nowait() is None

    asyncio.run(shout())


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.binary(), st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps)))
def test_what_is_no_message_is_refused(text: str | bytes) -> None:
    with pytest.raises(MessageError):
        read_message(text)


ODD = st.none() | st.booleans() | st.integers(-3, 5) | st.text(max_size=4) | st.sampled_from(["T1", "2x", "--", "T?"])
FIELDS = {name: ODD for fields in WANTED.values() for name in fields}
CODES = {None, "message", *get_args(Code)}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.fixed_dictionaries({"type": st.sampled_from(sorted(WANTED))}, optional=FIELDS), max_size=8))
def test_whatever_is_said_is_done_or_answered_with_a_code_of_the_list(messages: list[dict[str, Any]]) -> None:
    async def say() -> None:
        room = open_room(seat_table(START, ("person:1",) * 3, practice=True))
        people = [await room.enter("person:1"), await room.enter("")]
        registry = Registry(Memory(), Advice(), {}, {})  # type: ignore[arg-type]
        for message, person in itertools.product(messages, people):
            assert person is not None
            assert await answer(registry, room, person, json.dumps(message)) in CODES
            for text in heard(person):
                told = json.loads(text)
                assert told["type"] != "error" or told["code"] in CODES

    asyncio.run(say())


@pytest.mark.parametrize(("name", "reason"), [("Sleeper", "late"), ("Leaver", "crashed"), ("Raises", "crashed")])
def test_a_policy_that_is_late_or_crashes_is_replaced_and_said_to_be(name: str, reason: str) -> None:
    view = random_game("docklands", "docklands", 2, seed=1, actions=0).view(0)

    async def decide() -> None:
        bots = Bots({"odd": f"web_policies:{name}", "random": "random"}, workers=1, limit=0.5, first=0.5)
        try:
            with pytest.raises(BotError, match=reason):
                await bots.decide("odd", view, np.random.default_rng(0))
            bots.first = 60.0  # there may be something to compile
            decision = await bots.decide("random", view, np.random.default_rng(0))
            assert decision.move in view.legal_moves
        finally:
            bots.close()

    asyncio.run(decide())


def test_a_policy_that_crashes_once_is_started_again_and_plays(tmp_path: Path) -> None:
    view = random_game("docklands", "docklands", 2, seed=1, actions=0).view(0)

    async def decide() -> None:
        bots = Bots({"odd": f"web_policies:Stumbles:marker={tmp_path / 'crashed'}"}, workers=1, limit=60, first=60)
        try:
            assert (await bots.decide("odd", view, np.random.default_rng(0))).move in view.legal_moves
        finally:
            bots.close()

    asyncio.run(decide())
    assert (tmp_path / "crashed").exists()


@pytest.mark.parametrize(
    ("reason", "told"), [("late", "The policy of Mr. X took too long"), ("crashed", "The policy of Mr. X failed twice")]
)
def test_a_policy_that_gives_no_move_forfeits_and_everybody_is_told(
    reason: Failure, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scotyard_env.web.room.TICK", 0.01)

    class Silent(Advice):
        async def decide(self, name: str, view: View, rng: np.random.Generator) -> Explanation:
            raise BotError(reason)

    async def watch() -> None:
        room = Room("room", seat_table(START, ("policy:random", "person:1", "person:1")), Memory(), Silent(), {})  # type: ignore[arg-type]
        watcher = await room.enter("")
        assert watcher is not None
        while room.table.winner is None:
            await asyncio.sleep(0.01)
        frame, over = (json.loads(text) for text in heard(watcher)[-2:])
        assert frame["told"] == f"{told}: the detectives win."
        assert over == {"type": "over", "winner": "detectives", "reason": reason}

    asyncio.run(watch())
