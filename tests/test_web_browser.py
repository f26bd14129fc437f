"""The page of a replay in a real browser: from disk and in a sandbox, by mouse, keys and fingers, for everybody."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from browsing import complaints, open_browser, open_page
from PIL import Image
from playing import random_game

from scotyard_env.arena import tournament
from scotyard_env.arena.report import write_report
from scotyard_env.replay import Replay
from scotyard_env.state import SPECTATOR
from scotyard_env.web.page import STATIC, frame_page, write_page
from scotyard_env.web.scenes import list_scenes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
GAME = Replay.load(ROOT / "docs" / "game.jsonl")
SCENES = list_scenes(GAME, SPECTATOR, None)
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

Opener = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Give a function that opens a page from disk; what it asks for elsewhere or gets wrong fails the test."""
    problems: list[str] = []

    def go_to(content: str, at: str = "", **options: Any) -> Page:
        file = tmp_path / "page.html"
        file.write_text(content, encoding="utf-8")
        page = open_page(browser, **{"viewport": DESK, "bypass_csp": False, **options})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: None if request.url.startswith("file://") else problems.append(request.url))
        page.goto(f"{file.as_uri()}{at}")
        return page

    yield go_to
    for context in browser.contexts:
        context.close()
    assert problems == []


def moment_of(page: Page) -> int:
    found = re.match(r"Moment (\d+) of 54", page.inner_text("#moment"))
    assert found is not None
    return int(found[1])


SHOWN = """() => {
  const text = (selector) => document.querySelector(selector).textContent;
  const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent);
  const count = (selector) => document.querySelectorAll(selector).length;
  return {
    headline: text('#headline'), told: text('#told'), moment: text('#moment'), stations: texts('.seat b'),
    entries: count('#log button'), hot: count('.board .glow.is-hot'),
    pawns: texts('.pawn[visibility="visible"] .number'),
  };
}"""


def test_every_moment_is_shown_as_python_tells_it(opened: Opener) -> None:
    page = opened(write_page(GAME))
    for at, scene in enumerate(SCENES):
        shown = page.evaluate(SHOWN)
        assert shown.pop("moment") == f"Moment {at} of 54"
        assert sorted(shown.pop("pawns")) == sorted(str(station) for station in scene["stations"] if station)
        assert shown == {
            "headline": scene["headline"],
            "told": scene["told"],
            "stations": [str(station or "?") for station in scene["stations"]],
            "entries": len(scene["log"]),
            "hot": len(scene["possible"]),
        }
        page.keyboard.press("ArrowRight")


def test_keys_lead_through_the_game(opened: Opener) -> None:
    page = opened(write_page(GAME), at="#25")
    rounds = [at for at, scene in enumerate(SCENES) if at and scene["round"] != SCENES[at - 1]["round"]]
    seen = [moment_of(page)]
    for key in ("ArrowLeft", "Home", "ArrowLeft", "]", "]", "[", "End", "ArrowRight"):
        page.keyboard.press(key)
        seen.append(moment_of(page))
    assert seen == [25, 24, 0, 0, rounds[0], rounds[1], rounds[0], 54, 54]
    for heat in ("possible", "none", "belief"):
        page.keyboard.press("h")
        assert page.input_value("#heat") == heat
        assert (page.locator(".board .glow.is-hot").count() == 0) == (heat == "none")
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help")
    page.get_by_role("button", name="Help").click()
    page.get_by_role("button", name="Close").click()
    assert not page.is_visible("#help")


def test_buttons_rows_entries_and_the_slider_lead_there_too(opened: Opener) -> None:
    page = opened(write_page(GAME, at=10))
    for name, at in (("Next move", 11), ("Move before", 10), ("End of the game", 54), ("Start of the game", 0)):
        page.get_by_role("button", name=name).click()
        assert moment_of(page) == at
    page.locator("#moves button").nth(30).click()
    assert moment_of(page) == 30
    page.get_by_role("button", name="Entry 3: bus, shown on 180").click()
    assert len(SCENES[moment_of(page)]["log"]) == 3
    page.get_by_role("slider", name="Moment").fill("40")
    assert moment_of(page) == 40


def test_it_plays_by_itself_until_the_end_or_until_it_is_stopped(opened: Opener) -> None:
    page = opened(write_page(GAME), at="#52")
    page.select_option("#speed", "fast")
    page.locator("body").press(" ")
    page.get_by_text("Moment 54 of 54").wait_for()
    assert page.get_attribute("#play", "aria-label") == "Play"
    page.select_option("#speed", "normal")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("Moment 1 of 54").wait_for()
    page.get_by_role("button", name="Pause").click()
    assert page.get_attribute("#play", "aria-label") == "Play"


def test_a_picture_of_the_map_can_be_saved(opened: Opener, tmp_path: Path) -> None:
    page = opened(write_page(GAME), at="#25")
    with page.expect_download() as saving:
        page.keyboard.press("p")
    assert saving.value.suggested_filename == "moment-25.png"
    saving.value.save_as(tmp_path / "moment.png")
    picture = np.asarray(Image.open(tmp_path / "moment.png").convert("RGB"))
    assert picture.shape[1] > DESK["width"]
    colours = {tuple(int(channel) for channel in pixel) for pixel in picture[::3, ::3].reshape(-1, 3)}
    assert {(255, 255, 255), (201, 58, 66), (14, 125, 117)} <= colours  # stations, underground, bus
    assert {(0, 114, 178), (187, 79, 0), (0, 127, 92)} <= colours  # detectives


def test_an_explanation_is_told_and_drawn(opened: Opener) -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=9)).explain("hider", "greedy")
    page = opened(write_page(replay, None))
    told = [scene["why"] for scene in list_scenes(replay, None, None)]
    for why in told:
        assert page.is_visible("#why") == (why is not None)
        if why is not None:
            assert page.inner_text("#why-title") == why["title"]
            assert page.locator(".sign").count() == len(why["numbers"])
        page.keyboard.press("ArrowRight")
    assert any(why is not None for why in told)


def test_it_works_in_the_sandbox_of_a_notebook(opened: Opener) -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=3))
    page = opened(f"<!doctype html><meta charset=utf-8><title>notebook</title>{frame_page(replay)}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="End of the game").click()
    assert frame.locator("#moment").inner_text() == f"Moment {len(replay)} of {len(replay)}"
    cover, picture = page.locator("iframe").bounding_box(), page.locator("img").bounding_box()
    assert cover is not None
    assert picture is not None
    assert cover["width"] >= picture["width"]
    assert cover["height"] >= picture["height"]


def test_on_a_desk_the_whole_map_is_seen(opened: Opener) -> None:
    page = opened(write_page(GAME), at="#25")
    x, y, width, height = map(float, (page.get_attribute(".board", "viewBox") or "").split())
    assert x <= 0
    assert y <= 0
    assert x + width >= 1000
    assert y + height >= 740


def test_on_a_phone_the_map_is_legible_and_can_be_moved_and_nothing_sticks_out(opened: Opener) -> None:
    page = opened(write_page(GAME), at="#25", viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    width = page.evaluate("document.querySelector('.station .face').getBoundingClientRect().width")
    assert width > 16
    assert page.locator("#play").is_visible()
    before = page.get_attribute(".board", "viewBox")
    box = page.locator(".board").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 120)
    page.mouse.up()
    assert page.get_attribute(".board", "viewBox") != before
    page.get_by_role("button", name="Show the whole map").tap()
    for station in page.locator(".station").all()[::40]:
        place = station.bounding_box()
        assert place is not None
        assert 0 <= place["x"] < PHONE["width"]


def test_who_is_zoomed_in_sees_every_move(opened: Opener) -> None:
    page = opened(write_page(GAME), reduced_motion="reduce")
    for _ in range(4):
        page.keyboard.press("+")
    inside = """() => {
      const all = document.querySelector('.board').getBoundingClientRect();
      return [...document.querySelectorAll('.pawn')].map((pawn) => {
        const one = pawn.querySelector('.lens').getBoundingClientRect();
        return one.left >= all.left && one.right <= all.right && one.top >= all.top && one.bottom <= all.bottom;
      }).reverse();
    }"""
    for at in range(1, 12):
        page.keyboard.press("ArrowRight")
        mover = SCENES[at - 1]["seat"]
        if mover != 0:
            page.wait_for_function(f"() => ({inside})()[{mover}]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_to_complain_about(opened: Opener, size: dict[str, int], scheme: str) -> None:
    replay = GAME.explain(detectives="greedy")
    page = opened(write_page(replay, 1), at="#25", viewport=size, color_scheme=scheme, bypass_csp=True)
    assert complaints(page) == []
    page.keyboard.press("?")
    assert complaints(page) == []


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_in_the_report_of_a_tournament_and_its_links_lead_to_games(
    opened: Opener, size: dict[str, int], tmp_path: Path
) -> None:
    tournament(["random", "hider"], ["random", "greedy"], games=2, board="docklands", out=tmp_path)
    _, report = write_report([tmp_path])
    page = opened("", viewport=size, bypass_csp=True)
    page.goto(report.as_uri())
    assert complaints(page) == []
    links = page.get_by_role("link", name="watch")
    assert links.count() == 4
    page.get_by_role("link", name="watch hider against greedy").click()
    page.get_by_role("button", name="End of the game").click()
    assert "win" in page.inner_text("#headline")
    assert complaints(page) == []


def test_who_wants_no_motion_gets_none(opened: Opener) -> None:
    page = opened(write_page(GAME), reduced_motion="reduce")
    style = page.evaluate(
        "(({transitionDuration, animationName}) => [transitionDuration, animationName])"
        "(getComputedStyle(document.querySelector('.pawn.is-next .lens')))"
    )
    assert style[1] == "none"
    assert page.evaluate("getComputedStyle(document.querySelector('.pawn')).transitionProperty") == "none"


def test_the_scripts_pass_a_strict_type_checker() -> None:
    local = ROOT / ".venv" / "node" / "node_modules" / ".bin" / "tsc"
    checker = str(local) if local.exists() else which("tsc")
    if checker is None or which("node") is None:
        pytest.skip("no TypeScript on this machine: make browser installs it where there is Node")
    strict = "--noEmit --checkJs --allowJs --strict --target es2023 --lib es2023,dom,dom.iterable --module es2022"
    files = [str(file) for file in STATIC.glob("*.js")]
    done = subprocess.run([checker, *strict.split(), *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
