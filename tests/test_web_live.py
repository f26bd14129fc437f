"""Tables in a real browser: both sides played to the end by clicks and by keys, watched, interrupted, gone on with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from browsing import complaints, open_browser, open_page
from serving import Proxy, Seat, Server

from scotyard_env.policy import make_policy
from scotyard_env.web.offer import RATINGS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocketRoute

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
MR_X = ["person:1", "policy:random", "policy:random"]
DETECTIVES = ["policy:random", "person:1", "person:1"]

Opener = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("tables"))
    yield started
    started.kill()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    """Give a function that opens a page; what goes wrong in it, or leaves this machine, fails the test."""
    problems: list[str] = []

    def go_to(address: str, **options: Any) -> Page:
        page = open_page(browser, **{"viewport": DESK, **options})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: None if "//127.0.0.1" in request.url else problems.append(request.url))
        page.goto(address)
        return page

    yield go_to
    for context in browser.contexts:
        context.close()
    assert [problem for problem in problems if not problem.startswith("data:")] == []


def at_table(server: Server, players: list[str], person: str = "person:1", **more: Any) -> str:
    """Make a table; return the address of a person's seat."""
    table, tokens = server.make_table(players, **more)
    return f"{server.url}table#{table}/{tokens.get(person, '')}"


def wait_for_turn(page: Page) -> bool:
    """Wait until it is this player's turn, or until the game is over; return whether it goes on."""
    page.locator("#turn.is-mine, #after:not([hidden])").first.wait_for()
    return not page.is_visible("#after")


def click_station(page: Page) -> None:
    """Click the first station on the map that can be reached, and confirm."""
    box = page.locator(".station.is-legal").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#chosen .go").first.click()


def played(page: Page) -> int:
    return page.locator("#moves .line").count()


@pytest.mark.parametrize("players", [MR_X, DETECTIVES], ids=["mr_x", "detectives"])
def test_a_game_is_played_to_its_end_by_clicks_and_once_more_on_the_other_side(
    server: Server, opened: Opener, players: list[str]
) -> None:
    page = opened(at_table(server, players))
    while wait_for_turn(page):
        before = played(page)
        click_station(page)
        page.locator("#moves .line").nth(before).wait_for()
    assert re.match(r"(Mr\. X wins|The detectives win) in round \d+", page.inner_text("#headline"))
    assert re.search(r"caught Mr\. X on \d+|log is full|could not move|could move any more", page.inner_text("#told"))
    assert "?" not in page.locator(".seat b").all_inner_texts()  # now everybody may know
    page.get_by_role("button", name="Swap sides").click()
    side = "the detectives" if players is MR_X else "Mr. X"
    page.get_by_text(f"you are {side} against random").wait_for()
    assert wait_for_turn(page)


@pytest.mark.parametrize("players", [MR_X, DETECTIVES], ids=["mr_x", "detectives"])
def test_a_game_is_played_to_its_end_by_keys_alone(server: Server, opened: Opener, players: list[str]) -> None:
    page = opened(at_table(server, players))
    while wait_for_turn(page):
        before = played(page)
        if before % 2:  # by typing
            page.keyboard.press("m")
            fare = ("t", "taxi ", "")[before // 2 % 3]  # all of which mean a taxi here
            page.keyboard.type(f"{fare}{page.locator('.fares button').first.inner_text()}")
            page.keyboard.press("Enter")
        else:  # by walking to a button
            walk_to(page, ".fares button")
            page.keyboard.press(" ")
        page.keyboard.press("Enter")
        page.locator("#moves .line").nth(before).wait_for()
    walk_to(page, "#after button")
    page.keyboard.press("Enter")
    page.locator("#after").wait_for(state="hidden")
    assert wait_for_turn(page)


def walk_to(page: Page, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(60):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


KEYS = [
    *"[]bBhp+-=0?m tx25",
    *["Enter", "Escape", "Tab", "Shift+Tab", "Home", "End", "ArrowLeft", "ArrowRight", "Backspace", "Control+a"],
]


@pytest.mark.parametrize("seed", range(2))
def test_no_keys_in_whatever_order_break_a_table(server: Server, opened: Opener, seed: int) -> None:
    page = opened(at_table(server, ["person:1", "person:2", "person:2"], board="docklands", practice=True))
    wait_for_turn(page)
    for key in np.random.default_rng(seed).choice(KEYS, 150):
        page.keyboard.press(key)
    while page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    page.locator(".board").wait_for()
    assert re.search(r"Round \d+: |win", page.inner_text("#headline"))


def test_a_double_move_is_announced_and_then_played(server: Server, opened: Opener) -> None:
    may_copy = {"permissions": ["clipboard-read", "clipboard-write"]}
    page = opened(at_table(server, ["person:1", "person:2", "person:2"], board="docklands"), **may_copy)
    wait_for_turn(page)
    page.keyboard.press("m")
    page.keyboard.type("t999")
    page.keyboard.press("Enter")
    page.get_by_text("t999 cannot be played now: open to you are").wait_for()
    page.get_by_role("button", name="Double move").click()
    assert "final" in page.inner_text("#chosen")
    page.locator("#chosen .go").click()
    for owed in (2, 1):
        page.get_by_text(f"double move, {owed} to go").first.wait_for()
        click_station(page)
    page.get_by_text("Detective 1 is to move: a person").wait_for()
    assert page.locator("#moves .line i").all_inner_texts()[0] == "2x"
    with page.expect_download() as saving:
        page.get_by_role("button", name="Picture").click()
    assert saving.value.suggested_filename == "move-3.png"
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Link copied").wait_for()
    shared = page.evaluate("navigator.clipboard.readText()")
    assert shared == f"{page.url.rpartition('/')[0]}/"  # without the token


def test_on_a_phone_a_tap_beside_a_station_is_meant_for_it(server: Server, opened: Opener) -> None:
    page = opened(at_table(server, MR_X, board="docklands"), viewport=PHONE, has_touch=True, is_mobile=True)
    wait_for_turn(page)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.get_by_role("button", name="Show the whole map").tap()
    page.wait_for_timeout(300)  # for the glide to the pawn to move
    boxes = [station.bounding_box() for station in page.locator(".station.is-legal .face").all()]
    box = min((one for one in boxes if one is not None), key=lambda one: one["x"])  # away from the buttons for zooming
    page.touchscreen.tap(box["x"] + box["width"] + 8, box["y"] + box["height"] / 2)
    page.locator("#chosen .go").first.tap()
    page.locator("#moves .line").first.wait_for()


def test_who_watches_sees_the_moves_but_not_mr_x(server: Server, opened: Opener) -> None:
    address = at_table(server, ["person:1", "person:2", "person:2"], board="docklands")
    player, watcher = opened(address), opened(f"{address.rpartition('/')[0]}/")
    wait_for_turn(player)
    click_station(player)
    watcher.locator("#moves .line").first.wait_for()
    assert watcher.inner_text("#about") == "docklands, you are watching"
    assert watcher.locator(".seat b").first.inner_text() == "?"
    assert player.locator(".seat b").first.inner_text() != "?"
    assert watcher.locator(".fares button").count() == 0
    assert "1 watching" in player.inner_text("#presence")


def test_at_a_hot_seat_the_board_is_covered_when_the_side_changes(server: Server, opened: Opener) -> None:
    page = opened(at_table(server, ["person:1"] * 3))
    page.get_by_text("Mr. X to move: take the screen").wait_for()
    page.get_by_role("button", name="Show the board").click()
    click_station(page)
    page.get_by_text("The detectives to move: take the screen").wait_for()
    page.keyboard.press("Escape")
    assert page.is_visible("#cover")
    page.get_by_role("button", name="Show the board").click()
    assert page.locator(".seat b").first.inner_text() == "?"
    assert "T?" in page.locator("#moves .line i").all_inner_texts()


def test_practice_has_hints_and_undo_and_a_game_can_be_given_up(server: Server, opened: Opener) -> None:
    page = opened(at_table(server, MR_X, board="docklands", practice=True))
    wait_for_turn(page)
    page.get_by_role("button", name="Hint").click()
    page.locator("#why").wait_for()
    click_station(page)
    page.get_by_text("Your turn: Mr. X").wait_for()
    page.locator("#moves .line").nth(2).wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator("#moves .line").first.wait_for(state="detached")
    page.get_by_role("button", name="Resign").click()
    page.locator("#sure").get_by_role("button", name="Resign").click()
    page.get_by_role("heading", name="The detectives win").wait_for()


def test_a_page_goes_on_after_the_server_was_killed_and_sends_what_was_chosen_meanwhile(
    opened: Opener, tmp_path: Path
) -> None:
    server = Server(tmp_path)
    page = opened(at_table(server, ["person:1", "person:2", "person:2"], board="docklands"))
    wait_for_turn(page)
    server.kill()
    page.get_by_text("The connection is lost").wait_for()
    click_station(page)  # is sent when there is somebody to hear it
    again = Server(tmp_path, port=server.port)
    page.locator("#moves .line").first.wait_for()
    assert not page.get_by_text("The connection is lost").is_visible()
    assert played(page) == 1
    page.get_by_text("Detective 1 is to move: a person").wait_for()
    again.kill()


@pytest.mark.parametrize(
    ("link", "said"),
    [
        *(
            ("#nowhere/", "There is no such table."),
            ("", "There is no such table."),
            ("#../x", "There is no such table."),
        ),
        ("#{table}/wrong", "This link opens no seat"),
    ],
)
def test_a_link_that_leads_nowhere_says_why_and_where_tables_are_opened(
    server: Server, opened: Opener, link: str, said: str
) -> None:
    table, _ = server.make_table(MR_X)
    page = opened(f"{server.url}table{link.format(table=table)}", bypass_csp=True)
    page.get_by_role("heading", name=said).wait_for()
    page.wait_for_timeout(300)  # in which the socket is closed
    assert not page.is_visible("#map")
    check_page(page)
    page.get_by_role("link", name="open a table").click()
    page.get_by_role("button", name="Open a table").wait_for()


def test_the_lobby_opens_a_table_and_has_links_for_others(server: Server, opened: Opener) -> None:
    page = opened(server.url)
    page.get_by_text("The detectives win if").wait_for()  # the rules, on the first visit
    page.select_option("#game", label="docklands")
    page.select_option("#detectives", "2")
    page.select_option("#others", "persons")
    page.get_by_role("button", name="Open a table").click()
    page.locator("#invitations li").first.wait_for()
    assert page.locator("#invitations b").all_inner_texts() == [
        "Mr. X (you)",
        "Detective 1",
        "Detective 2",
        "Spectators",
    ]
    page.get_by_role("link", name="open").nth(1).click()
    page.get_by_text("you are Detective 1").wait_for()
    page.goto(server.url)
    assert not page.get_by_text("The detectives win if").is_visible()
    page.get_by_role("button", name="Open a table").click()
    page.get_by_text("you are Mr. X").wait_for()


def test_opponents_are_in_groups_with_what_is_known_of_them_and_the_usual_one_is_chosen(
    opened: Opener, tmp_path: Path
) -> None:
    ratings = json.loads(RATINGS.read_text(encoding="utf-8"))
    ratings["ratings"] = [one for one in ratings["ratings"] if one["name"] != "last_known"]
    (tmp_path / "ratings.json").write_text(json.dumps(ratings), encoding="utf-8")
    policies, told = "random,hunters,astar_greedy,hider,last_known", ("--ratings", str(tmp_path / "ratings.json"))
    server = Server(tmp_path / "tables", policies, 0, *told)
    page = opened(server.url, bypass_csp=True)
    page.locator("#open:not([disabled])").wait_for()
    assert page.input_value("#others") == "policy:astar_greedy"
    assert page.inner_text("#others-about") == (make_policy("astar_greedy").__doc__ or "").splitlines()[0]
    groups = {
        group.get_attribute("label"): group.locator("option").all_inner_texts()
        for group in page.locator("#others optgroup").all()
    }
    measured, unmeasured, people = groups.values()
    assert [text.partition(":")[0] for text in measured] == ["hunters", "astar_greedy", "random"]
    assert unmeasured == ["last_known"]
    assert len(people) == 2
    page.select_option("#others", "policy:hunters")
    page.select_option("#game", label="docklands")  # which leaves what was chosen
    assert page.input_value("#others") == "policy:hunters"
    page.select_option("#others", "person")
    assert page.inner_text("#others-about") == ""
    page.select_option("#me", "detectives")
    assert page.input_value("#mr-x") == "policy:hider"
    assert page.is_visible("#mr-x-about")
    check_page(page)
    server.kill()


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
NO_COPIES = f"{NO_CLIPBOARD}; document.execCommand = () => false"


@pytest.mark.parametrize("is_able", [True, False])
def test_links_are_copied_without_tls_too_and_shown_where_nothing_can_be_copied(
    server: Server, opened: Opener, is_able: bool
) -> None:
    page = opened("about:blank")
    page.add_init_script(NO_CLIPBOARD if is_able else NO_COPIES)  # as browsers do with pages of other machines
    page.goto(at_table(server, MR_X))
    wait_for_turn(page)
    page.get_by_role("button", name="Share").click()
    page.get_by_text("Link copied" if is_able else f"{page.url.rpartition('/')[0]}/").wait_for()
    page.goto(server.url)
    page.select_option("#others", "person")
    page.get_by_role("button", name="Open a table").click()
    page.get_by_role("button", name="Copy the link for Spectators").click()
    page.locator("#invitations li").last.get_by_text("Copied" if is_able else server.url).wait_for()


def test_a_map_that_did_not_arrive_is_asked_for_again(server: Server, opened: Opener) -> None:
    page = opened("about:blank")
    page.route("**/boards/*", lambda route: route.abort(), times=1)
    page.goto(at_table(server, MR_X))
    wait_for_turn(page)
    click_station(page)
    page.locator("#moves .line").first.wait_for()


def test_what_is_asked_for_while_the_server_is_gone_is_said_to_be_lost(opened: Opener, tmp_path: Path) -> None:
    server = Server(tmp_path)
    page, over, lobby = (
        opened(address)
        for address in (
            at_table(server, MR_X, board="docklands", practice=True),
            at_table(server, ["policy:random", "policy:greedy", "policy:greedy"]),
            server.url,
        )
    )
    wait_for_turn(page)
    over.locator("#after").wait_for()
    lobby.locator("#open:not([disabled])").wait_for()
    server.kill()
    for name in ("Hint", "Undo"):
        forget(page)
        page.get_by_role("button", name=name).click()
        assert page.inner_text("#problem") == "The connection is lost: trying again."
    assert page.inner_text("#told") == "The game begins."  # nobody thinks of a hint
    for name in ("Watch another game of theirs", "Analyse"):
        forget(over)
        over.get_by_role("button", name=name).click()
        over.get_by_text("The connection is lost: trying again.").wait_for()
    lobby.get_by_role("button", name="Open a table").click()
    lobby.get_by_text("The server does not answer: load this page again later.").wait_for()


def forget(page: Page) -> None:
    """Let nothing be said, and nothing be said by itself."""
    page.get_by_text("The connection is lost: trying again.").wait_for()
    page.evaluate("document.getElementById('problem').textContent = ''; window.setTimeout = () => 0")


def test_a_page_whose_socket_is_killed_connects_again_and_misses_nothing(server: Server, opened: Opener) -> None:
    table, tokens = server.make_table(["person:1", "person:2", "person:2"], board="docklands")
    sockets: list[WebSocketRoute] = []

    def hold(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page = opened("about:blank")
    page.route_web_socket(re.compile("/ws/1/"), hold)
    page.goto(f"{server.url}table#{table}/{tokens['person:2']}")
    page.get_by_text("Mr. X is to move: a person").wait_for()
    sockets[0].close()
    page.get_by_text("The connection is lost").wait_for()
    mr_x = Seat(server, table, tokens["person:1"])
    mr_x.say(type="move", n=0, move=mr_x.hear("frame")["legal"][0])
    assert wait_for_turn(page)
    assert not page.get_by_text("The connection is lost").is_visible()
    assert (played(page), len(sockets)) == (1, 2)
    mr_x.close()


def test_two_people_play_by_links_and_once_more_with_sides_swapped(server: Server, opened: Opener) -> None:
    table, tokens = server.make_table(["person:1", "person:2", "person:2"])
    mr_x, detectives = (opened(f"{server.url}table#{table}/{tokens[person]}") for person in tokens)
    watcher = opened(f"{server.url}table#{table}/")
    mr_x.get_by_text("also here: detectives 1, 2").wait_for()
    wait_for_turn(mr_x)
    click_station(mr_x)
    wait_for_turn(detectives)
    detectives.get_by_role("button", name="Resign").click()
    detectives.locator("#sure").get_by_role("button", name="Resign").click()
    for page in (mr_x, detectives, watcher):
        page.get_by_role("heading", name="Mr. X wins in round 1").wait_for()
        assert page.inner_text("#told") == "The detectives give up: Mr. X wins."
        assert page.locator("#moves .line span").all_inner_texts()[1:] == ["The detectives give up: Mr. X wins."]
    mr_x.get_by_role("button", name="Swap sides").click()
    mr_x.get_by_text("you are the detectives").wait_for()
    detectives.get_by_role("button", name="Join the rematch").click()
    detectives.get_by_text("you are Mr. X").wait_for()
    watcher.get_by_role("button", name="Watch the rematch").click()
    watcher.get_by_text("you are watching").wait_for()
    assert wait_for_turn(detectives)


def test_policies_play_each_other_while_somebody_watches(server: Server, opened: Opener) -> None:
    page = opened(at_table(server, ["policy:random", "policy:greedy", "policy:greedy"]))
    page.get_by_text("you are watching random and greedy").wait_for()
    page.locator("#after").wait_for()
    page.get_by_role("button", name="Watch another game of theirs").click()
    page.locator("#after").wait_for(state="hidden")


def test_all_works_behind_a_path_of_a_proxy(server: Server, opened: Opener) -> None:
    with Proxy(server, "/yard") as proxy:
        page = opened(f"{proxy.url}/")
        page.select_option("#game", label="glasses")
        page.select_option("#others", "policy:random")
        page.get_by_role("button", name="Open a table").click()
        wait_for_turn(page)
        click_station(page)
        page.locator("#moves .line").first.wait_for()
        page.get_by_role("button", name="Resign").click()
        page.locator("#sure").get_by_role("button", name="Resign").click()
        with page.expect_download() as saving:
            page.get_by_role("link", name="Replay (page)").click()
        assert "Scotland Yard" in Path(saving.value.path()).read_text(encoding="utf-8")
        page.get_by_role("link", name="Another table").click()
        page.get_by_role("button", name="Open a table").wait_for()
        assert page.url.startswith(proxy.url)


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_to_complain_about(server: Server, opened: Opener, size: dict[str, int]) -> None:
    options = {"viewport": size, "bypass_csp": True}
    lobby = opened(server.url, **options)
    lobby.select_option("#others", "persons")
    lobby.get_by_role("button", name="Open a table").click()
    lobby.locator("#invitations li").first.wait_for()
    check_page(lobby)
    page = opened(at_table(server, MR_X, board="docklands", practice=True), **options)
    wait_for_turn(page)
    page.get_by_role("button", name="Hint").click()
    page.locator("#why").wait_for()
    page.locator(".fares button").first.click()
    check_page(page)
    page.get_by_role("button", name="Choose again").click()
    page.locator("#open-help").click()
    check_page(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Resign").click()
    check_page(page)
    page.locator("#sure").get_by_role("button", name="Resign").click()
    page.locator("#after").wait_for()
    check_page(page)
    hot = opened(at_table(server, ["person:1"] * 3), **options)
    hot.locator("#cover").wait_for()
    check_page(hot)


def check_page(page: Page) -> None:
    """See that axe-core finds nothing, neither by day nor by night, and that nothing sticks out."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
