"""A replay as a page: nothing hidden is in it, it says what happened, and it needs nothing but itself."""

from __future__ import annotations

import dataclasses
import json
import re
from html import unescape
from pathlib import Path

import pytest
from calling import call, refuse
from playing import all_settings, random_game
from twins import seen_by_all, twin_of

from scotyard_env.board import Board
from scotyard_env.explanation import Explanation
from scotyard_env.game import Game
from scotyard_env.notation import PASS_TEXT
from scotyard_env.render.captions import why_over
from scotyard_env.replay import Practice, Replay
from scotyard_env.rules import CAUGHT, DETECTIVES_STUCK, LOG_FULL, ending
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.web.chart import draw_chart
from scotyard_env.web.page import frame_page, save_page, write_page
from scotyard_env.web.scenes import list_changes, list_scenes

MOST_BYTES = 250_000  # of the page of a long game
GAME = Path(__file__).resolve().parents[1] / "docs" / "game.jsonl"
SETTINGS = [("london", "classic", 5), ("london", "ravensburger_2013", 4), ("docklands", "docklands", 2)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_page_of_a_detective_is_the_same_wherever_mr_x_hides(setting: tuple[str, str, int], seed: int) -> None:
    here = Replay.of(random_game(*setting, seed=seed, actions=21))
    there = twin_of(here)
    assert here.moves != there.moves
    for viewer in (SPECTATOR, *range(1, 1 + here.rules.detectives)):
        assert write_page(here, viewer) == write_page(there, viewer)
    assert write_page(here, MR_X) != write_page(there, MR_X)
    assert write_page(here, None) != write_page(there, None)  # he looks on when it is his turn


def test_what_mr_x_thinks_is_in_no_page_of_a_detective() -> None:
    here = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=12))
    told = [replay.explain("hider", "greedy") for replay in (here, twin_of(here))]
    assert write_page(told[0], 1) == write_page(told[1], 1)
    assert "greedy plays" in write_page(told[0], 1) or "greedy would play" in write_page(told[0], 1)
    assert "hider" not in write_page(told[0], 1)
    assert "hider" in write_page(told[0], MR_X)
    assert "greedy" not in write_page(told[0], MR_X)
    assert "greedy" not in write_page(told[0], SPECTATOR)


def test_not_even_the_end_tells_a_detective_where_mr_x_was() -> None:
    for seed in range(60):
        here = Replay.of(random_game("docklands", "docklands", 2, seed=seed))
        if here.winner == "mr_x" and len(here.game().possible) > 2:
            break
    there = twin_of(here)
    assert here.game().stations[MR_X] != there.game().stations[MR_X] or here.moves != there.moves
    assert write_page(here, 1) == write_page(there, 1)


@pytest.mark.parametrize("setting", list(all_settings())[::7])
def test_every_action_is_told_as_the_table_saw_it_and_to_mr_x_as_it_was(setting: tuple[str, str, int]) -> None:
    for seed in range(3):
        replay = Replay.of(random_game(*setting, seed=seed))
        public = [scene["move"] for scene in list_scenes(replay, 1, None)]
        assert public == ["", *(move.text for move in seen_by_all(replay))]
        assert [scene["move"] for scene in list_scenes(replay, MR_X, None)] == ["", *replay.moves]


def test_sentences_say_who_did_what() -> None:
    scenes = list_scenes(Replay.load(GAME), SPECTATOR, None)
    told = "\n".join(scene["told"] for scene in scenes)
    assert scenes[0]["told"] == "The game begins."
    assert re.search(r"^Mr\. X pays with a black ticket\.$", told, re.MULTILINE)
    assert re.search(r"^Mr\. X \w.* and shows himself on \d+\.$", told, re.MULTILINE)
    assert re.search(r"^Detective \d takes the underground to \d+\.$", told, re.MULTILINE)
    assert re.fullmatch(r"(Detective \d) takes .* to (\d+)\. \1 caught Mr\. X on \2 in round \d+\.", scenes[-1]["told"])


def test_the_end_is_told_with_its_reason() -> None:
    reasons = set()
    for board, rules, detectives in list(all_settings())[::2]:
        for seed in range(3):
            replay = Replay.of(random_game(board, rules, detectives, seed))
            last = list_scenes(replay, 1, None)[-1]
            caught = replay.game().stations[MR_X] in replay.game().stations[1:]
            assert ("caught Mr. X on" in last["told"]) == caught
            assert ("free" in last["told"]) == (replay.winner == "mr_x")
            assert ("passes" in last["told"]) == (replay.moves[-1] == PASS_TEXT)
            assert last["told"].endswith(f". {why_over(replay.game().view(1))}")
            view = replay.game().view(1)
            reasons.add(int(ending(view.board.arrays, view.rule_arrays, view.state)))
    assert {CAUGHT, LOG_FULL, DETECTIVES_STUCK} <= reasons


def test_help_that_somebody_had_is_said_on_the_page() -> None:
    replay = Replay.load(GAME)
    assert "practice" not in json.loads(data_of(write_page(replay)))["about"]
    helped = dataclasses.replace(replay, practice=Practice(undos=2, hints=3))
    told = json.loads(data_of(write_page(helped)))["about"]
    assert told.endswith("; a practice game (moves taken back: 2, hints: 3)")


def test_changes_make_every_moment_again() -> None:
    scenes = list_scenes(Replay.load(GAME), SPECTATOR, "evasive")
    told: dict[str, object] = {}
    for scene, change in zip(scenes, list_changes(scenes), strict=True):
        told |= change
        assert told == scene


def test_the_page_of_the_longest_game_stays_small_even_with_explanations() -> None:
    replays = [Replay.of(random_game("london", "ravensburger_2013", 5, seed)) for seed in range(12)]
    longest = max(replays, key=len)
    assert len(longest) > 100
    assert len(write_page(longest, None)) < MOST_BYTES
    assert len(write_page(longest.explain("hider", "greedy"), None)) < MOST_BYTES


def test_nothing_in_a_name_can_end_the_script_or_become_markup() -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-1", name="</script><img src=x onerror=alert(1)>\u2028&")
    game = Game(board, detectives=1, seed=1)
    game.play(game.legal_moves[0])
    why = Explanation("<!--<script>", 0, game.stations[MR_X], game.moves[0])
    page = write_page(Replay.of(game, [why]), MR_X)
    assert page.count("</script") == page.count("<script") == 2
    assert not {"<img", "<!--", "\u2028"} & set(re.findall(r"<img|<!--|\u2028", page))
    assert json.loads(data_of(page))["scenes"][0]["why"]["title"].startswith("<!--<script>")


def data_of(page: str) -> str:
    found = re.search(r'<script type="application/json" id="replay">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_page_fetches_nothing_and_allows_nothing_else() -> None:
    page = write_page(Replay.load(GAME))
    assert not re.search(r"https?://", page.replace("http://www.w3.org/2000/svg", ""))
    assert not re.search(r"\b(src|href)=|url\(|@import|^import |innerHTML|eval\(", page, re.MULTILINE)
    assert "default-src 'none'" in page
    assert "unsafe" not in page


def test_every_link_of_a_board_is_drawn() -> None:
    for name in Board.names():
        board = Board.named(name)
        drawn = draw_chart(board)
        assert sum(len(transports) for _, _, transports, _ in drawn["links"]) == len(board.links)
        assert len(drawn["points"]) == len(drawn["rooms"]) == 1 + board.stations


def test_a_notebook_gets_the_page_in_a_sandbox_over_a_picture() -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=3))
    shown = replay._repr_html_()
    assert shown == frame_page(replay)
    assert 'src="data:image/svg+xml;base64,' in shown
    assert 'sandbox="allow-scripts"' in shown
    assert unescape(shown.partition('srcdoc="')[2].partition('"')[0]) == write_page(replay)


def test_the_game_of_the_documentation_is_the_page_that_is_made_today() -> None:
    assert GAME.with_suffix(".html").read_text(encoding="utf-8") == write_page(Replay.load(GAME))


def test_the_command_writes_the_page_for_a_viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(monkeypatch, f"watch {GAME} --out {tmp_path}/g.html --viewer mr_x --at 7 --belief evasive") == 0
    assert (tmp_path / "g.html").read_text() == write_page(Replay.load(GAME), MR_X, "evasive", 7)
    assert list(tmp_path.iterdir()) == [tmp_path / "g.html"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{GAME} --out {{folder}}/missing/g.html", "missing/g.html: No such file or directory"),
        (f"{GAME} --out {{folder}}", "the endings that can be written are .html, .gif, .mp4, .png, .svg"),
        (f"{GAME} --out {{folder}}/g.html --at 999", "there is no moment 999: this replay has 0 (the start) to 54"),
        (f"{GAME} --out {{folder}}/g.html --belief tarot", "there is no belief 'tarot'"),
        (f"{__file__} --out {{folder}}/g.html", "line 1: this is not JSON"),
        ("{folder}/none.jsonl --out {folder}/g.html", "No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refuse(monkeypatch, capsys, f"watch {words.format(folder=tmp_path)}")
    assert list(tmp_path.iterdir()) == []


def test_a_viewer_who_does_not_exist_is_refused(tmp_path: Path) -> None:
    replay = Replay.load(GAME)
    with pytest.raises(
        ValueError, match=r"there is no seat 9: this game has 0 \(Mr\. X\) to 5, and -1 for a spectator"
    ):
        save_page(replay, tmp_path / "g.html", viewer=9)
    with pytest.raises(ValueError, match=r"the endings that can be written are \.html"):
        save_page(replay, tmp_path / "g.htm")
    assert list(tmp_path.iterdir()) == []
