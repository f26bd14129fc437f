"""What a tournament comes to: the tables and the page say what the results say, and are made again at will."""

from __future__ import annotations

import html.parser
import re
from collections import Counter
from pathlib import Path
from typing import Any

import odd_policies
import pytest

from scotyard_env.arena import Tournament, tournament
from scotyard_env.arena.figures import caught_by, draw_captures, shade
from scotyard_env.arena.folder import CONFIG, RESULTS, FolderError
from scotyard_env.arena.page import write_page
from scotyard_env.arena.report import PAGE, TABLE, write_report
from scotyard_env.arena.report import read as read_folder
from scotyard_env.arena.summary import Pairing, command_of, pair_up
from scotyard_env.arena.table import duration, grid, quartiles, write_table
from scotyard_env.board import Board


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tournament with everything in it: two sides, a policy by the clock, a forfeit, a name out of HTML."""
    out = tmp_path_factory.mktemp("arena")
    mr_x = {"random": "random", "<b>odd</b>": odd_policies.Raises(), "clock": odd_policies.Timed()}
    tournament(mr_x, ["random", "greedy"], games=6, board="docklands", seed=1, out=out)
    return out


def played(**options: Any) -> Tournament:
    return tournament(["random", "hider"], ["greedy"], **{"games": 5, "board": "docklands", **options})


class Reader(html.parser.HTMLParser):
    """Reads a page as a browser does: every element is closed in order, nothing is fetched from elsewhere."""

    EMPTY = ("meta", "wbr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.seen: Counter[str] = Counter()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_the_page_is_whole_and_needs_nothing_from_elsewhere(folder: Path) -> None:
    write_report([folder])
    page = (folder / PAGE).read_text()
    reader = read(page)
    assert {link for link in reader.links if not link.startswith("games/")} == {"#board"}
    assert "script" not in reader.seen
    assert "url(" not in page
    assert not re.search(r"https?://", page.replace("http://www.w3.org/2000/svg", ""))
    assert 'name="viewport"' in page


def test_the_page_links_a_game_of_every_pairing_that_was_played_without_a_forfeit(folder: Path) -> None:
    _, page = write_report([folder])
    links = [link for link in read(page.read_text()).links if link.startswith("games/")]
    whole = [one for one in pair_up(*read_folder(folder)) if any(result.forfeit is None for result in one.results)]
    assert len(links) == len(whole) in (4, 5)  # of six: one policy for Mr. X raises sooner or later
    for link in links:
        assert (folder / link).read_text().startswith("<!doctype html>")
    assert {link.removeprefix("games/") for link in links} == {file.name for file in (folder / "games").iterdir()}


def test_a_tournament_without_replays_has_a_report_without_games(tmp_path: Path) -> None:
    tournament(["random"], ["random"], games=2, board="docklands", out=tmp_path, replays=False)
    _, page = write_report([tmp_path])
    assert set(read(page.read_text()).links) <= {"#board"}
    assert not (tmp_path / "games").exists()


def test_the_page_shows_every_policy_and_each_of_its_figures(folder: Path) -> None:
    write_report([folder])
    reader = read((folder / PAGE).read_text())
    for words in ("<b>odd</b>", "clock*", "greedy", "Win rates", "Ratings", "Capture rounds", "Where Mr. X is caught"):
        assert words in reader.text
    assert "raised ZeroDivisionError: nobody divides by zero" in reader.text
    assert "thinks by the clock" in reader.text
    assert reader.seen["use"] == 4  # the board under all captures, and under those of each policy for Mr. X


def test_tables_and_page_are_made_again_to_the_same_bytes(folder: Path) -> None:
    write_report([folder])
    before = {name: (folder / name).read_bytes() for name in (TABLE, PAGE)}
    for name in before:
        (folder / name).unlink()
    assert write_report([folder]) == (before[TABLE].decode(), folder / PAGE)
    assert {name: (folder / name).read_bytes() for name in (TABLE, PAGE)} == before


def test_the_table_says_what_the_results_say() -> None:
    done = played()
    table = str(done)
    wins = sum(result.winner == "detectives" for result in done.results if result.mr_x == "hider")
    assert f"| hider              | {100 * wins / 5:.1f} % [" in table
    assert "5 games a pairing, the same deals for each" in table
    assert "scotyard tournament --mr-x random,hider --detectives greedy --games 5 --board docklands" in table
    assert len(done.pairings) == 2
    assert {rating.name for rating in done.ratings} == {"random", "hider", "greedy"}


def test_a_command_is_given_only_where_one_makes_the_same_results() -> None:
    assert command_of(played(move_limit=2.5).config) == (
        "scotyard tournament --mr-x random,hider --detectives greedy --games 5 --board docklands --rules docklands"
        " --seed 0 --move-limit 2.5"
    )
    assert command_of(tournament({"a": "random"}, "greedy", games=1, board="docklands").config) is None
    own = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-8 8-T-1", name="ring")
    assert command_of(tournament("random", "greedy", games=1, board=own).config) is None


def test_half_a_tournament_has_a_report_too(folder: Path, tmp_path: Path) -> None:
    for lines in (0, 1, 7):
        (tmp_path / CONFIG).write_bytes((folder / CONFIG).read_bytes())
        kept = (folder / RESULTS).read_text().splitlines(keepends=True)[:lines]
        (tmp_path / RESULTS).write_text("".join(kept) + '{"torn')
        write_report([tmp_path])
        read((tmp_path / PAGE).read_text())
        assert "Tournament: docklands on docklands" in (tmp_path / TABLE).read_text()


def test_a_board_of_ones_own_is_drawn_in_the_report(tmp_path: Path) -> None:
    own = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-8 8-T-1", name="ring")
    tournament("random", "greedy", games=3, board=own, out=tmp_path)
    assert "custom on ring" in write_report([tmp_path])[0]
    read((tmp_path / PAGE).read_text())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "holds no tournament"),
        ("{", "cannot be read"),
        ("[]", "is of no tournament"),
        ("{}", "is of no tournament"),
    ],
)
def test_what_is_no_tournament_is_refused(content: str | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / CONFIG).write_text(content)
    with pytest.raises(FolderError, match=words):
        write_report([tmp_path])


def test_results_of_others_are_not_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / CONFIG).write_bytes((folder / CONFIG).read_bytes())
    (tmp_path / RESULTS).write_text((folder / RESULTS).read_text().replace('"greedy"', '"stranger"'))
    with pytest.raises(FolderError, match="is of another tournament: random v stranger"):
        write_report([tmp_path])


# Several tournaments


def test_tournaments_with_the_same_deals_are_reported_together(tmp_path: Path) -> None:
    options: dict[str, Any] = {"games": 4, "board": "docklands", "seed": 3}
    tournament("random", ["random", "greedy"], out=tmp_path / "a", **options)
    tournament(["hider", "random"], ["greedy"], out=tmp_path / "b", **options)
    table, page = write_report([tmp_path / "a", tmp_path / "b"], tmp_path / "both")
    assert "| hider              | - " in table  # against random, which neither has played
    assert "; 4 games a pairing" in table
    assert not any(line.startswith("| hider") and "| random" in line for line in table.splitlines())
    assert table.count("Made by `scotyard tournament") == 2
    read(page.read_text())
    whole = tournament(["random", "hider"], ["random", "greedy"], **options)
    for line in str(whole).splitlines():
        if line.startswith("| random             |"):
            assert line in table


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 4}, "cannot be reported together with .*: seed is 4 there, 3 here"),
        ({"mr_x": {"random": "hider"}}, "has another policy by the name of 'random'"),
    ],
)
def test_tournaments_that_do_not_go_together_are_not_reported(changes: Any, words: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"mr_x": "random", "detectives": "greedy", "games": 1, "board": "docklands", "seed": 3}
    tournament(**options, out=tmp_path / "a")
    tournament(**{**options, **changes}, out=tmp_path / "b")
    with pytest.raises(FolderError, match=words):
        write_report([tmp_path / "a", tmp_path / "b"], tmp_path / "both")
    with pytest.raises(FolderError, match="say where it shall go with --out"):
        write_report([tmp_path / "a", tmp_path / "b"])


# Pieces


def test_curves_rise_to_the_share_of_games_in_which_mr_x_was_caught() -> None:
    pairing: Pairing = played(games=20).pairings[0]
    last = max(result.round for result in pairing.results)
    shares = caught_by(pairing, last)
    assert len(shares) == last + 1
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(pairing.rate.share)


def test_the_map_is_hottest_where_mr_x_is_caught_most() -> None:
    drawn = draw_captures(Board.named("docklands"), Counter({5: 4, 9: 1}))
    assert "station 5: caught 4 times" in drawn
    opacities = [float(value) for value in re.findall(r'fill-opacity="([\d.]+)"', drawn)]
    assert opacities == pytest.approx([0.9, 0.5], abs=0.01)


def test_letters_are_legible_on_every_shade() -> None:
    for percent in range(101):
        background, letters = re.findall(r"rgb\((.*?)\)|color:(#\w+)$", shade(percent / 100))
        assert contrast(tuple(map(int, background[0].split(","))), letters[1]) >= 4.5


def contrast(background: tuple[int, ...], letters: str) -> float:
    """The contrast ratio of the web's accessibility guidelines."""
    ink = {"#fff": (255, 255, 255), "#000": (0, 0, 0)}[letters]
    light, dark = sorted((luminance(background), luminance(ink)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: tuple[int, ...]) -> float:
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_small_things_read_well() -> None:
    assert [duration(seconds) for seconds in (2.5, 0.0123, 0.0000456, float("nan"))] == [
        "2.5 s",
        "12.3 ms",
        "45.6 us",
        "-",
    ]
    assert quartiles([]) == "-"
    assert quartiles([4, 5, 6, 20]) == "5 (4-6)"
    assert grid(["a", "bc"], [["long", "d"]]) == "| a    | bc |\n|------|----|\n| long | d  |"


def test_nobody_caught_is_said_in_words() -> None:
    done = played(games=1)
    escaped = [result for result in done.results if result.caught is None]
    assert "he was never caught" in write_page(done.config, escaped)
    assert "| -" in write_table(done.config, escaped)
