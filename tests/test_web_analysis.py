"""Analyses at finished tables: not a word before the end, one at a time, streamed, kept, stopped; and in a browser."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from browsing import complaints, open_browser, open_page
from playing import random_game
from serving import PATIENCE, Seat, Server

from scotyard_env.analysis.judges import Wanted
from scotyard_env.analysis.record import Record
from scotyard_env.analysis.review import ENDING, analyse
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X
from scotyard_env.web import analysis as web_analysis
from scotyard_env.web.analysis import FOLDER, Analyses, BusyError, Message
from scotyard_env.web.page import write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RANDOM = Wanted("random", "random")
ROLLOUTS = 40
OPTIONS = f"--judges random,random --rollouts {ROLLOUTS}"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def small_game(seed: int = 1) -> Replay:
    return Replay.of(random_game("glasses", "glasses", 2, seed=seed))


async def follow(analyses: Analyses, replay: Replay) -> list[Message]:
    return [message async for message in analyses.follow(replay)]


# On the server


def test_an_analysis_is_streamed_from_a_process_and_is_the_one_that_is_made_here(tmp_path: Path) -> None:
    async def listen() -> tuple[list[Message], list[Message], list[Message]]:
        analyses = Analyses(tmp_path, RANDOM, ROLLOUTS)
        one, two = await asyncio.gather(follow(analyses, small_game()), follow(analyses, small_game()))
        again = await follow(analyses, small_game())
        await analyses.close()
        return one, two, again

    one, two, again = asyncio.run(listen())
    *_, record = analyse(small_game(), RANDOM, ROLLOUTS)
    wanted = {"type": "analysis", **web_analysis.Teller(small_game(), record.judges.belief).tell(record)}
    assert again == [wanted]
    for told in (one, two):
        assert told[0] == {"type": "queued", "ahead": 0}
        steps = [message["done"] for message in told[1:]]
        assert steps == sorted(set(steps))
        assert {**told[1], **told[-1]} == wanted
        assert ["opinions" in message for message in told[1:]] == [True] + [False] * (len(told) - 2)


def test_what_is_kept_on_disk_is_told_after_a_restart_and_what_is_damaged_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FOLDER).mkdir()
    *_, record = analyse(small_game(), RANDOM, ROLLOUTS, tmp_path / FOLDER)

    async def listen() -> list[Message]:
        analyses = Analyses(tmp_path, RANDOM, ROLLOUTS)
        told = await follow(analyses, small_game())
        await analyses.close()
        return told

    with monkeypatch.context() as patched:
        patched.setattr(web_analysis, "_Worker", None)  # nobody is asked
        kept = asyncio.run(listen())
    assert [message["type"] for message in kept] == ["analysis"]
    (tmp_path / FOLDER / f"{record.task}{ENDING}").write_text('{"format": "scotyard-analysis-1"}')
    assert asyncio.run(listen())[-1]["truth"] == kept[0]["truth"]


def test_one_is_analysed_at_a_time_others_wait_and_too_many_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_analysis, "ANALYSES", 2)
    monkeypatch.setattr(web_analysis, "SOCKETS", 1)
    monkeypatch.setattr(web_analysis, "_Worker", Endless)
    games = [small_game(seed) for seed in (1, 2, 3)]

    async def listen() -> None:
        analyses = Analyses(tmp_path, RANDOM, ROLLOUTS)
        running, waiting = analyses.follow(games[0]), analyses.follow(games[1])
        assert await anext(running) == {"type": "queued", "ahead": 0}
        assert (await anext(running))["done"] == 1
        assert await anext(waiting) == {"type": "queued", "ahead": 1}
        assert not analyses.has_room_for(games[2])
        assert not analyses.has_room_for(games[0])  # as many listen to it as may
        with pytest.raises(BusyError):
            await anext(analyses.follow(games[2]))
        await running.aclose()  # nobody listens any more: the next one gets its turn
        assert (await anext(waiting))["done"] == 1
        assert analyses.has_room_for(games[0])
        await waiting.aclose()
        await analyses.close()

    asyncio.run(listen())
    assert Endless.ended == 2


class Endless:
    """A process that has news once, and is never done."""

    ended = 0

    def __init__(self, *_: object) -> None:
        self._is_ended = False

    def begin(self, line: str) -> Message:
        return {"type": "analysis", "done": 1, "planned": 9, "opinions": {}}

    def receive(self) -> Message:
        while not self._is_ended:
            time.sleep(0.01)
        raise EOFError

    def end(self) -> None:
        self._is_ended = True
        Endless.ended += 1


@pytest.mark.parametrize("failure", [EOFError, TimeoutError])
def test_a_process_that_dies_or_is_stuck_is_said_to_have_failed_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    class Failing(Endless):
        def receive(self) -> Message:
            raise failure

    async def listen() -> None:
        analyses = Analyses(tmp_path, RANDOM, ROLLOUTS)
        monkeypatch.setattr(web_analysis, "_Worker", Failing)
        assert (await follow(analyses, small_game()))[-1] == {"type": "error", "code": "no_analysis"}
        monkeypatch.undo()
        assert (await follow(analyses, small_game()))[-1]["type"] == "analysis"
        await analyses.close()

    asyncio.run(listen())


def test_a_game_that_nobody_can_judge_is_said_to_be_one(tmp_path: Path) -> None:
    async def listen() -> None:
        analyses = Analyses(tmp_path, Wanted("random", "random", "tarot"), ROLLOUTS)
        assert (await follow(analyses, small_game()))[-1] == {"type": "error", "code": "no_analysis"}
        await analyses.close()

    asyncio.run(listen())


def test_only_so_many_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_analysis, "ANALYSES_KEPT", 2)
    (tmp_path / FOLDER).mkdir()
    games = [small_game(seed) for seed in (1, 2, 3)]
    for game in games:
        list(analyse(game, RANDOM, 2, tmp_path / FOLDER))

    async def listen() -> int:
        analyses = Analyses(tmp_path, RANDOM, 2)
        for game in games:
            assert len(await follow(analyses, game)) == 1
        return len(analyses._finished)

    assert asyncio.run(listen()) == 2


# Over the network


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("tables"), "random,greedy", 0, *OPTIONS.split())
    yield started
    started.kill()


@pytest.fixture(scope="module")
def finished(server: Server) -> str:
    """Return the name of a table whose game is over."""
    table, _ = server.make_table(["policy:random"] * 3)
    Seat(server, table).hear("over")
    return table


def test_nobody_is_told_a_word_before_the_end(server: Server) -> None:
    table, tokens = server.make_table(["person:1", "person:2", "person:2"])
    seat = Seat(server, table, tokens["person:1"])
    seat.say(type="move", n=0, move=seat.hear("frame")["legal"][0])
    seat.hear("frame")
    path = f"{server.url}api/1/tables/{table}"
    answers = [
        httpx.post(f"{path}/analysis", timeout=PATIENCE),
        httpx.get(f"{path}/replay.json", timeout=PATIENCE),
        httpx.post(f"{path}x/analysis", timeout=PATIENCE),
    ]
    assert [(one.status_code, one.json()["code"]) for one in answers] == [(404, "unknown_replay")] * 3
    assert httpx.get(f"{path}/analysis", timeout=PATIENCE).status_code == 405
    seat.say(type="resign", n=1)
    seat.hear("over")
    assert httpx.get(f"{path}/replay.json", timeout=PATIENCE).status_code == 200
    seat.close()


def test_everybody_may_follow_the_analysis_of_a_finished_game_line_by_line(server: Server, finished: str) -> None:
    address = f"{server.url}api/1/tables/{finished}/analysis"
    with httpx.stream("POST", address, timeout=COURTESY) as answer:
        assert answer.headers["content-type"] == "application/jsonl"
        told = [json.loads(line) for line in answer.iter_lines()]
    assert {message["type"] for message in told} <= {"queued", "analysis"}
    assert told[-1]["done"] == told[-1]["planned"]
    allowed = {"type", "about", "done", "planned", "truth", "table", "judged", "account", "opinions"}
    assert all(message.keys() <= allowed for message in told if message["type"] == "analysis")
    evil = {"origin": "http://evil.example"}
    assert httpx.post(address, headers=evil, timeout=PATIENCE).status_code == 403


def test_who_hangs_up_stops_the_analysis(tmp_path: Path) -> None:
    server = Server(tmp_path, "random,greedy", 0, "--judges", "random,random", "--rollouts", "100000")
    tables = [server.make_table(["policy:random"] * 3)[0] for _ in range(2)]
    for table in tables:
        Seat(server, table).hear("over")
    try:
        for table in tables:
            with httpx.stream("POST", f"{server.url}api/1/tables/{table}/analysis", timeout=COURTESY) as answer:
                lines = answer.iter_lines()
                assert json.loads(next(lines))["type"] == "queued"
                assert json.loads(next(lines))["done"] == 0  # it has its turn: the one before was stopped
                assert json.loads(next(lines))["done"] > 0
        assert httpx.get(server.url, timeout=PATIENCE).status_code == 200
    finally:
        server.kill()


# In a browser

COURTESY = 5 * PATIENCE  # seconds for an analysis, whose process lets all others go first
Opener = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    """Give a function that opens a page; what goes wrong in it fails the test."""
    problems: list[str] = []

    def go_to(address: str, **options: Any) -> Page:
        page = open_page(browser, **{"viewport": DESK, **options})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: None if "503" in message.text else problems.append(message.text))
        page.goto(address)
        return page

    yield go_to
    for context in browser.contexts:
        context.close()
    assert problems == []


def test_a_finished_table_is_analysed_before_ones_eyes(server: Server, finished: str, opened: Opener) -> None:
    page = opened(f"{server.url}table#{finished}/")
    page.get_by_role("button", name="Analyse").click()
    page.locator(".swing .truth-line").wait_for(timeout=1000 * COURTESY)
    page.locator("#analysis progress").wait_for(state="hidden", timeout=1000 * COURTESY)
    assert page.locator(".swing .table-band").count() == 1
    last = page.locator("#moves button").count() - 1
    assert page.inner_text(".said").startswith(f"Moment {last}:")
    for key, at in (("Home", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("End", last), ("ArrowLeft", last - 1)):
        page.keyboard.press(key)
        assert page.inner_text(".said").startswith(f"Moment {at}:")
    page.keyboard.press("Home")
    assert page.inner_text("#told") == "The game begins."
    assert "random would play" in page.inner_text(".said")
    page.locator("#moves button").nth(2).click()
    assert page.inner_text(".said").startswith("Moment 2:")
    page.keyboard.press("[")
    page.keyboard.press("]")
    box = page.locator(".swing").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 11, box["y"] + 40)
    assert page.inner_text(".said").startswith(f"Moment {last}:")


def test_a_game_that_was_given_up_ends_so_when_it_is_looked_at_again(server: Server, opened: Opener) -> None:
    table, tokens = server.make_table(["person:1", "person:2", "person:2"])
    seat = Seat(server, table, tokens["person:1"])
    seat.say(type="move", n=0, move=seat.hear("frame")["legal"][0])
    seat.say(type="resign", n=1)
    seat.hear("over")
    page = opened(f"{server.url}table#{table}/")
    page.get_by_role("button", name="Analyse").click()
    page.locator("#moves button").first.wait_for()
    for key, headline, told in (
        ("Home", "Round 1: Mr. X to move", "The game begins."),
        ("End", "The detectives win in round 1", "Mr. X gives up: the detectives win."),
    ):
        page.keyboard.press(key)
        assert (page.inner_text("#headline"), page.inner_text("#told")) == (headline, told)
    seat.close()


BLUNDERS = (4, 10)


def judged_game() -> tuple[Replay, Record]:
    """Return a game with an analysis in which two decisions of the detectives gave much away."""
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=0))
    *_, record = analyse(replay, RANDOM, 2)
    table = [(900, 1000)] * (len(replay) + 1)
    for at in range(1 + BLUNDERS[0], len(replay) + 1):
        table[at] = (500, 1000) if at <= BLUNDERS[1] else (90, 1000)
    counts = {"truth": [(500, 1000)] * (len(replay) + 1), "table": table}
    return replay, dataclasses.replace(record, counts=counts, rollouts=1000)  # type: ignore[arg-type]


def test_keys_and_marks_lead_from_blunder_to_blunder(opened: Opener, tmp_path: Path) -> None:
    replay, record = judged_game()
    file = tmp_path / "page.html"
    file.write_text(write_page(replay, MR_X, analysis=record), encoding="utf-8")
    page = opened(file.as_uri())
    assert page.locator(".swing .mark").count() == 2
    seen = []
    for key in ("b", "b", "b", "B"):
        page.keyboard.press(key)
        seen.append(int(page.input_value("#slider")))
    assert seen == [*BLUNDERS, *BLUNDERS]
    assert "Blunder." in page.inner_text(".said")
    page.locator(".blunders button").first.click()
    assert page.input_value("#slider") == str(BLUNDERS[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_to_complain_about(opened: Opener, tmp_path: Path, size: dict[str, int], scheme: str) -> None:
    replay, record = judged_game()
    file = tmp_path / "page.html"
    file.write_text(write_page(replay, MR_X, analysis=record), encoding="utf-8")
    page = opened(file.as_uri(), viewport=size, color_scheme=scheme, bypass_csp=True)
    page.keyboard.press("b")
    assert complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def test_axe_finds_nothing_at_a_table_either(server: Server, finished: str, opened: Opener) -> None:
    page = opened(f"{server.url}table#{finished}/", viewport=PHONE, bypass_csp=True, reduced_motion="reduce")
    page.get_by_role("button", name="Analyse").click()
    page.locator(".swing .truth-line").wait_for(timeout=1000 * COURTESY)
    assert complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_server_that_has_no_time_says_so(server: Server, finished: str, opened: Opener) -> None:
    page = opened("about:blank")
    page.route(
        "**/analysis",
        lambda route: route.fulfill(
            status=503, json={"code": "busy", "told": "Other games are being analysed: try again later."}
        ),
    )
    page.goto(f"{server.url}table#{finished}/")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_text("Other games are being analysed: try again later.").wait_for()
