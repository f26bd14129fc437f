"""Measured tables come into the pages whole or in short, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import insert as module
from bench.insert import SPEEDS, insert, insert_rows, read_cells, read_tables

PAGE = """before

<!-- table: mine -->
old
<!-- end -->

<!-- tables: mine -->
<!-- end -->

<!-- table: other -->
old
<!-- end -->
"""
TABLE = "# Tournament\n\nWin rates.\n\n| a |\n|---|\n| 1 |\n\nRatings.\n\n| b |\n|---|\n| 2 |\n\nMade by `scotyard`\n"


def test_a_place_gets_the_first_table_and_the_command_and_another_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "table.md").write_text(TABLE, encoding="utf-8")
    page, places = insert(PAGE, "mine", read_tables(tmp_path))
    short = "Win rates.\n\n| a |\n|---|\n| 1 |\n\n"
    whole = f"{short}Ratings.\n\n| b |\n|---|\n| 2 |\n\n"
    end = "Made by `scotyard`\n<!-- end -->\n\n"
    expected = f"before\n\n<!-- table: mine -->\n{short}{end}<!-- tables: mine -->\n{whole}{end}"
    assert page == f"{expected}<!-- table: other -->\nold\n<!-- end -->\n"
    assert places == 2


def test_the_note_on_a_mark_comes_with_the_table_that_has_the_mark(tmp_path: Path) -> None:
    note = "* slow: thinks by the clock."
    for cell, kept in (("slow* ", 2), ("slow", 1)):
        (tmp_path / "mine.md").write_text(f"| {cell} |\n|---|\n\n| b |\n|---|\n\n{note}\n", encoding="utf-8")
        page, _ = insert(PAGE, "mine", read_tables(tmp_path / "mine.md"))
        assert page.count(f"\n\\{note}\n") == kept  # escaped, so that it is no list; always under all tables


def test_inserting_twice_is_inserting_once(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text(TABLE, encoding="utf-8")
    paragraphs = read_tables(tmp_path / "mine.md")
    once, _ = insert(PAGE, "mine", paragraphs)
    assert insert(once, "mine", paragraphs) == (once, 2)


def test_a_row_says_whom_a_policy_catches_and_who_catches_it() -> None:
    table = """| Mr. X \\ detectives | greedy | minimax |
|--|--|--|
| slow* | 1.0 % [0.0, 2.0] | - |
| greedy | 3.0 % [2.0, 4.0] | 4.0 % [3.0, 5.0] |"""
    cells = read_cells(["Win rates.", table])
    page = "".join(f"<!-- row: {name} -->\nold\n<!-- end -->\n" for name in ("greedy", "minimax", "slow", "unknown"))
    filled, places = insert_rows(page, cells)
    said = [line.partition(": ")[2] for line in filled.splitlines() if line.startswith("*")]
    assert said == [
        "catches `slow` 1.0 %, `greedy` 3.0 %; is caught by `greedy` 3.0 %, `minimax` 4.0 %.",
        "catches `greedy` 4.0 %.",
        "is caught by `greedy` 1.0 %.",
    ]
    assert "<!-- row: unknown -->\nold\n<!-- end -->" in filled
    assert places == 4


def test_the_speeds_are_read_from_the_figures_of_the_bench(tmp_path: Path) -> None:
    figures = {name: 10.0**place for place, name in enumerate(SPEEDS)} | {"something_else": 1.0}
    (tmp_path / "bench.json").write_text(json.dumps(figures), encoding="utf-8")
    table, command = read_tables(tmp_path / "bench.json")
    assert table.count("\n") == 1 + len(SPEEDS)
    assert command == "Made by `make bench`"


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("mine", "nowhere.md", "No such file"),
        ("mine", "empty.md", "there is no table in empty.md"),
        ("nothing", "table.md", "no page keeps a place for 'nothing'"),
    ],
)
def test_what_cannot_be_put_in_is_said_and_the_page_stays(
    name: str, source: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in (("page.md", PAGE), ("table.md", TABLE), ("empty.md", "nothing")):
        Path(file).write_text(text, encoding="utf-8")
    monkeypatch.setattr(module, "PAGES", (Path("page.md"),))
    monkeypatch.setattr("sys.argv", ["insert", name, source])
    with pytest.raises(SystemExit, match=words):
        module.main()
    assert Path("page.md").read_text(encoding="utf-8") == PAGE
