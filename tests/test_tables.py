"""One command plays what the published tables lack, and puts whole tables into the pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import insert as inserting
from bench import tables as module
from bench.table_plan import PlanError, read_plan
from bench.table_text import as_many, name_strongest
from bench.tables import Command
from scotyard_baselines.benchmark.task import Task
from scotyard_env.arena.engine import Engine
from scotyard_env.arena.folder import hold_folder
from scotyard_env.arena.rating import Rating
from scotyard_env.arena.referee import Outcome, Setting
from scotyard_env.arena.result import Key
from scotyard_env.arena.score import Score
from scotyard_env.arena.score_file import read_scores
from scotyard_env.policy import make_policy

PLAN = """
[game.small]
board = "glasses"
rules = "glasses"
seed = 3
[names]
"careful" = "hider:exits=1"
[[table]]
name = "first"
game = "small"
[[table.block]]
mr_x = ["random", "careful"]
detectives = ["random"]
games = 4
[[table]]
name = "everyone"
game = "small"
front = 1
[[table.block]]
mr_x = ["random", "careful"]
detectives = ["random", "greedy"]
games = {games}
[[measure]]
name = "small_truth"
command = "scotyard exploitability --board glasses --policy random"
policies = ["random"]
"""
PAGE = """<!-- table: first -->
old
<!-- end -->
<!-- tables: everyone -->
old
<!-- end -->
<!-- row: greedy -->
old
<!-- end -->
<!-- tables: small_truth -->
<!-- end -->
<!-- strength: greedy -->
<!-- end -->
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return the command for a small plan and a page of its own."""
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(PAGE, encoding="utf-8")
    Path("plan.toml").write_text(PLAN.replace("{games}", "6"), encoding="utf-8")
    monkeypatch.setattr(inserting, "PAGES", (Path("page.md"),))
    monkeypatch.setattr(inserting, "update_cards", lambda _: None)
    monkeypatch.setattr(module, "Engine", lambda **_: Engine())  # this process plays
    return Command(plan=Path("plan.toml"), scores=Path("scores"), results=Path("results"))


def test_it_plays_keeps_and_puts_in(command: Command) -> None:
    command.run()
    page = Path("page.md").read_text(encoding="utf-8")
    scores = read_scores(Path("scores/small.json"))
    assert {pair: score.games for pair, score in scores.pairs.items()} == {
        (mr_x, detectives): 6 for mr_x in ("random", "careful") for detectives in ("random", "greedy")
    }
    assert str(scores.pairs["careful", "random"].rate) in page
    assert "old" not in page
    assert "Made by `python -m bench.tables --only first` from `docs/scores/small.json`" in page
    assert "catches `random`" in page
    assert "value of the game" in page
    assert "`greedy` catch" in page
    assert page.count("<details") == 2


def test_what_is_kept_is_not_played_again_and_more_games_are_added(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command.run()
    before = read_scores(Path("scores/small.json"))
    played: list[int] = []
    real = module.play_missing

    def spy(scores: object, setting: object, wanted: dict[tuple[str, str], int], *rest: object, **more: object) -> bool:
        played.append(sum(games - scores.games(pair) for pair, games in wanted.items()))  # type: ignore[attr-defined]
        return real(scores, setting, wanted, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "play_missing", spy)
    command.run()
    Path("plan.toml").write_text(PLAN.replace("{games}", "9"), encoding="utf-8")
    command.run()
    assert [games for games in played if games] == [12]
    after = read_scores(Path("scores/small.json"))
    assert all(after.pairs[pair].won & 63 == score.won for pair, score in before.pairs.items())


def test_what_a_task_of_the_benchmark_has_is_not_played_again_for_a_table_nor_the_other_way_round(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task("shared", 1, "", "glasses", "glasses", 3, 6, ("random",), ("random",))
    monkeypatch.setattr(module, "find_task", lambda _: task)
    rows = '[[benchmark]]\ntask = "shared"\nmr_x = ["random"]\ndetectives = ["greedy"]\n'
    Path("plan.toml").write_text(PLAN.replace("{games}", "6") + rows, encoding="utf-8")
    played: list[str] = []
    real = Engine.play

    def spy(engine: Engine, setting: Setting, keys: list[Key]) -> Iterator[Outcome]:
        played.extend(f"{key.mr_x} {key.detectives}" for key in keys)
        return real(engine, setting, keys)

    monkeypatch.setattr(Engine, "play", spy)
    command.run()
    assert len(played) == len(set(played)) * 6
    Path("scores/small.json").unlink()
    played.clear()
    command.run()
    assert set(played) == {"careful random", "careful greedy"}


def test_a_pair_is_shown_against_pimbot_of_growing_size_sides_swapped(command: Command) -> None:
    blocks = [(["hider"], ["pimbot:iterations=2", "pimbot:iterations=9"]), (["pimbot:iterations=9"], ["greedy"])]
    blocks.append((["pimbot:iterations=2"], ["greedy"]))
    plan = PLAN.partition("[[table]]")[0] + '[[table]]\nname = "curve"\ngame = "small"\ncurve = ["hider", "greedy"]\n'
    for mr_x, detectives in blocks:
        plan += f"[[table.block]]\nmr_x = {mr_x}\ndetectives = {detectives}\ngames = 3\n"
    Path("plan.toml").write_text(plan, encoding="utf-8")
    Path("page.md").write_text("<!-- table: curve -->\n<!-- end -->\n", encoding="utf-8")
    command.run()
    scores = read_scores(Path("scores/small.json")).pairs
    rows = [
        [cell.strip() for cell in line.split("|")] for line in Path("page.md").read_text().splitlines() if "%" in line
    ]
    told = [row[1:6] for row in rows if len(row) > 5]
    for (size, games, _, as_mr_x, as_detectives), iterations in zip(told, (2, 9), strict=True):
        escaped = 3 - scores["hider", f"pimbot:iterations={iterations}"].rate.wins
        assert (size, games) == (str(iterations), "3")
        assert as_mr_x.startswith(f"{100 * escaped / 3:.1f} %")
        assert as_detectives == str(scores[f"pimbot:iterations={iterations}", "greedy"].rate)


def test_both_sides_of_a_pair_count_alike_where_one_has_more_games() -> None:
    scores = as_many(Score("a", "b", games=3, won=0b101), Score("b", "a", games=5, won=0b11110))
    assert [(score.games, score.rate.wins) for score in scores] == [(3, 2), (3, 2)]


def test_without_time_nothing_is_played_and_the_pages_stay(command: Command) -> None:
    Command(plan=command.plan, scores=command.scores, results=command.results, minutes=0.0).run()
    assert Path("page.md").read_text(encoding="utf-8") == PAGE


def test_who_thinks_by_the_clock_waits_for_a_quiet_machine(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (3.0, 3.0, 3.0))
    monkeypatch.setattr(module, "find_clocked", lambda _, wanted: {("random", "random"): wanted["random", "random"]})
    Command(plan=command.plan, scores=command.scores, only=("first",)).run()
    assert "the machine is busy (load 3.0)" in capsys.readouterr().err
    assert set(read_scores(Path("scores/small.json")).pairs) == {("careful", "random")}
    Command(plan=command.plan, scores=command.scores, only=("first",), busy=True).run()
    assert len(read_scores(Path("scores/small.json")).pairs) == 2


def test_a_table_that_is_not_there_is_said(command: Command) -> None:
    with pytest.raises(PlanError, match="there is no table 'third': choose from first, everyone, small_truth"):
        Command(plan=command.plan, only=("third",)).run()


def test_the_strongest_come_first() -> None:
    ratings = [Rating(name, "mr_x", points, 0.0, 0.0) for name, points in (("a", 1.0), ("b", 3.0), ("c", 2.0))]
    assert name_strongest(ratings, "mr_x", 2) == ["b", "c"]


def test_the_plan_names_policies_that_exist() -> None:
    plan = read_plan()
    for table in plan.tables:
        for name in table.mr_x:
            if not plan.names.get(name, name).startswith("file:"):
                make_policy(plan.names.get(name, name), side="mr_x")
        for name in table.detectives:
            make_policy(plan.names.get(name, name), side="detectives")
    assert {table.name for table in plan.tables} >= {"baselines", "strong", "everyone", "bayes", "bristol"}


def test_every_table_of_the_plan_has_a_place_in_a_page() -> None:
    root = Path(__file__).resolve().parents[1]
    pages = "".join((root / page).read_text(encoding="utf-8") for page in inserting.PAGES)
    plan = read_plan()
    for name in (*(one.name for one in plan.tables), *(one.name for one in plan.measures)):
        assert f"table: {name} -->" in pages or f"tables: {name} -->" in pages, f"no page keeps a place for {name}"


def test_two_of_them_do_not_write_the_same_scores(command: Command) -> None:
    with hold_folder(command.scores), pytest.raises(ValueError, match="scores is in use: another process writes there"):
        command.run()


def test_outside_a_clone_nothing_is_played(
    command: Command, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, elsewhere = command.plan.absolute(), tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    with pytest.raises(ValueError, match=r"there is no .*\.md here: run it in the folder of a clone"):
        Command(plan=plan).run()
    assert not list(elsewhere.iterdir())
