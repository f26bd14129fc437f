"""L and U over training, read from runs, kept in a small file and drawn from it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from small_runs import SMALL

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_training import curves, ppo, value_curves  # noqa: E402
from scotyard_training.curves import read_curves  # noqa: E402

MR_X = ppo.Command(**SMALL, side="mr_x", opponent="greedy", eval_interval=512, total_timesteps=1024)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of a Mr. X whom his opponents know, of one whom nobody knows, and of a league of two sides."""
    folder = tmp_path_factory.mktemp("runs")
    ppo.train(dataclasses.replace(MR_X, knowing_share=0.6, plain_plan_share=0.5, out=folder / "known"))
    ppo.train(dataclasses.replace(MR_X, out=folder / "response"))
    return {"known": folder / "known", "response": folder / "response", "both": folder}


def test_low_is_the_worse_of_those_who_know_him_and_high_the_only_opponent(
    runs: dict[str, Path], tmp_path: Path
) -> None:
    picture, kept = tmp_path / "value.svg", tmp_path / "value.json"
    value_curves.Command(picture, kept, (runs["known"],), (runs["response"],)).run()
    bounds = value_curves.read_kept(kept)
    (known,), (response,) = (read_curves(runs[name]).values() for name in ("known", "response"))
    steps = [decisions for decisions, _ in response["greedy"]]
    assert [decisions for decisions, _ in bounds.low["known"]] == steps
    for index, (_, rate) in enumerate(bounds.low["known"]):
        plans = known["knowingdetectives"][index][1], known["knowinghunters"][index][1]
        assert rate == pytest.approx(min(plans), abs=1e-4)
    assert bounds.high["response"] == [
        (decisions, pytest.approx(rate, abs=1e-4)) for decisions, rate in response["greedy"]
    ]


def test_the_picture_is_drawn_again_from_what_is_kept(runs: dict[str, Path], tmp_path: Path) -> None:
    picture, kept = tmp_path / "value.svg", tmp_path / "value.json"
    value_curves.Command(picture, kept, (runs["known"],), (runs["response"],)).run()
    whole = picture.stat().st_size
    picture.unlink()
    value_curves.Command(picture, kept).run()
    assert picture.stat().st_size == whole


def test_runs_that_have_no_such_curve_are_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    picture, kept = tmp_path / "value.svg", tmp_path / "value.json"
    for wrong, words in (
        ({"mr_x": (runs["response"],)}, "never evaluated against those who know it: train it with --knowing-share"),
        ({"responses": (runs["known"],)}, "has 3 opponents: give a run of scotyard train best_response"),
        ({"mr_x": (runs["both"],)}, "holds several runs: known, response; name each of them"),
        ({"mr_x": (tmp_path / "nowhere",)}, "holds no evaluations"),
    ):
        with pytest.raises(ValueError, match=words):
            value_curves.Command(picture, kept, **wrong).run()
    assert not kept.exists()
    assert not picture.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        json.dumps({"format": value_curves.FORMAT, "low": 3, "high": {}}),
        json.dumps({"format": value_curves.FORMAT, "low": {"run": []}, "high": {}}),
    ],
)
def test_a_damaged_file_is_refused_with_what_writes_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "value.json").write_text(text)
    with pytest.raises(ValueError, match=r"value\.json cannot be read: .*--mr-x and --responses write it from runs"):
        value_curves.Command(tmp_path / "value.svg", tmp_path / "value.json").run()


def test_the_picture_of_the_page_has_its_curves_kept() -> None:
    docs = Path(__file__).parents[1] / "docs"
    bounds = value_curves.read_kept(docs / "value_curves.json")
    assert bounds.low
    assert bounds.high
    assert "value.svg" in (docs / "value.md").read_text(encoding="utf-8")


def test_a_bound_of_which_no_runs_are_given_stays(runs: dict[str, Path], tmp_path: Path) -> None:
    picture, kept = tmp_path / "value.svg", tmp_path / "value.json"
    value_curves.Command(picture, kept, (runs["known"],), (runs["response"],)).run()
    before = value_curves.read_kept(kept)
    value_curves.Command(picture, kept, mr_x=(runs["known"],)).run()
    value_curves.Command(picture, kept, responses=(runs["response"],)).run()
    assert value_curves.read_kept(kept) == before


def test_runs_of_one_name_have_curves_of_their_own(runs: dict[str, Path], tmp_path: Path) -> None:
    again = tmp_path / "again" / "response"
    shutil.copytree(runs["response"], again)
    value_curves.Command(tmp_path / "v.svg", tmp_path / "v.json", responses=(runs["response"], again)).run()
    assert list(value_curves.read_kept(tmp_path / "v.json").high) == [str(runs["response"]), str(again)]


def test_a_picture_of_another_kind_is_refused_before_anything_is_kept(runs: dict[str, Path], tmp_path: Path) -> None:
    commands = [
        value_curves.Command(tmp_path / "value.txt", tmp_path / "value.json", responses=(runs["response"],)),
        curves.Command(runs["response"], tmp_path / "value.txt"),
    ]
    for command in commands:
        with pytest.raises(ValueError, match=r"value\.txt: the endings that can be written are \.svg, \.png"):
            command.run()
    assert not list(tmp_path.iterdir())
