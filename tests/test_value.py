"""The value of the game: both bounds are measured against the strongest there is, on deals he was not chosen by."""

from __future__ import annotations

from pathlib import Path

import pytest
from responses import store_response

from scotyard_baselines.commands import value
from scotyard_baselines.commands.value import Command, draw_seed
from scotyard_baselines.robustness.response import ResponseError
from scotyard_env.duel import play_games
from scotyard_env.policy import make_policy

FIELDS = {"mr_x": "greedy", "detectives": "greedy", "compared": 6, "games": 6, "seeds": 2, "transferred_games": 3}


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    store_response(tmp_path / "to_detectives", "greedy", "detectives", wins=3, board="london", seed=1)
    store_response(tmp_path / "to_mr_x", "greedy", "mr_x", wins=3, board="london", seed=3)
    store_response(tmp_path / "elsewhere", "greedy", "mr_x", wins=3, board="docklands")
    return tmp_path


def read_rows(told: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in told.splitlines() if line.startswith("|")]
    return rows[2:]


def test_the_bounds_are_those_of_the_strongest_on_other_deals(
    responses: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Command(responses=responses, **FIELDS).run()  # type: ignore[arg-type]
    ((rules, number, low, pursuer, high, fugitive, games),) = read_rows(capsys.readouterr().out)
    assert (rules, number, games) == ("classic", "5", "12")
    assert (pursuer, fugitive) == ("tracker", "greedy")  # networks by chance neither catch nor escape anybody
    greedy, tracker = make_policy("greedy"), make_policy("tracker:against=greedy,samples=1")
    seeds = [draw_seed(seed, "report") for seed in range(2)]
    escaped = [12 - sum(play_games(greedy, one, 6, seed) for seed in seeds) for one in (tracker, greedy)]
    assert [low.partition(" ")[0], high.partition(" ")[0]] == [f"{100 * wins / 12:.1f}" for wins in escaped]


def test_a_mr_x_who_is_named_counts_as_well(responses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = {"mr_x": "random", "detectives": "random", "fugitives": ("greedy",)}
    Command(responses=responses, compared=6, games=6, seeds=1, **players).run()  # type: ignore[arg-type]
    ((_, _, _, _, high, fugitive, _),) = read_rows(capsys.readouterr().out)
    assert (fugitive, high.partition(" ")[0]) == ("greedy", "100.0")  # greedy is never caught by random detectives


def test_other_editions_and_numbers_of_detectives_are_marked_as_transferred(
    responses: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Command(responses=responses, rules=("classic", "bristol"), numbers=(5, 3), **FIELDS).run()  # type: ignore[arg-type]
    rows = read_rows(capsys.readouterr().out)
    assert [(row[0], row[1], row[6]) for row in rows] == [
        ("classic", "5", "12"),
        ("classic, transferred", "3", "3"),
        ("bristol, transferred", "5", "3"),
        ("bristol, transferred", "3", "3"),
    ]


def test_who_is_strongest_is_found_on_deals_that_are_not_reported() -> None:
    assert len({draw_seed(seed, purpose) for seed in range(3) for purpose in ("compare", "report")}) == 6


def test_wrong_input_is_refused(tmp_path: Path, responses: Path) -> None:
    with pytest.raises(ResponseError, match="there is no such folder; give one with results of scotyard train"):
        Command(responses=tmp_path / "nowhere").run()
    with pytest.raises(ValueError, match="give at least one of each"):
        Command(responses=responses, numbers=()).run()
    with pytest.raises(ValueError, match="seeds is 0"):
        value.Command(responses=responses, seeds=0).run()


def test_a_wrong_edition_is_refused_before_anything_is_played(responses: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value, "play_games", lambda *_: pytest.fail("a game was played"))
    with pytest.raises(ValueError, match="there is no rule set 'nothing'"):
        Command(responses=responses, rules=("classic", "nothing")).run()
    with pytest.raises(ValueError, match="detectives is 9: the game takes 1 to 5"):
        Command(responses=responses, numbers=(5, 9)).run()
