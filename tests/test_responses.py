"""Learned responses as files: read as they were written, and refused in a sentence whatever is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from damage import damage_bytes, damage_values
from responses import make_weights, store_response

from scotyard_baselines.robustness.response import RECORD, WEIGHTS, ResponseError, find_responses, load_response
from scotyard_env.policy import make_policy


def test_a_response_is_read_as_it_was_written(tmp_path: Path) -> None:
    stored = store_response(tmp_path, "hunters:starts=2", "detectives", wins=7)
    assert load_response(tmp_path) == stored
    told = json.loads((tmp_path / RECORD).read_text(encoding="utf-8"))
    assert told["against"]["parameters"]["starts"] == 2
    assert told["against_side"] == "detectives"
    assert told["budget"] == {"name": "own", "total_timesteps": 100, "seeds": [0, 1], "starts": ["blank"]}
    assert (told["wins"], told["games"], told["chosen"]) == (7, 10, 1)
    assert told["interval"] == [0.3968, 0.8922]


def test_the_weights_are_a_policy(tmp_path: Path) -> None:
    stored = store_response(tmp_path, "greedy", "detectives", wins=7)
    assert make_policy(f"file:{(tmp_path / WEIGHTS).absolute()}") == stored.player


def test_every_response_below_a_folder_is_found_in_the_order_of_paths(tmp_path: Path) -> None:
    for name in ("b", "a/deep", "c"):
        store_response(tmp_path / name, "greedy", "detectives", wins=1)
    assert [one.folder for one in find_responses(tmp_path)] == [tmp_path / name for name in ("a/deep", "b", "c")]


def refuses(folder: Path) -> bool:
    """Read a response; tell whether it was refused, and then in one sentence that names its file."""
    try:
        load_response(folder)
    except ResponseError as error:
        told = str(error)
    else:
        return False
    assert str(folder) in told
    assert "\n" not in told
    return True


def test_a_record_with_the_wrong_thing_in_any_place_is_refused_or_says_the_same(tmp_path: Path) -> None:
    store_response(tmp_path, "greedy", "detectives", wins=7)
    whole = json.loads((tmp_path / RECORD).read_text(encoding="utf-8"))
    free = {"version", "command", "settings", "against", "rules", "budget"}  # what was asked can be anything
    for damaged in damage_values(whole):
        (tmp_path / RECORD).write_text(json.dumps(damaged), encoding="utf-8")
        if not refuses(tmp_path):
            changed = {name for name in whole | damaged if whole.get(name) != damaged.get(name)}
            assert changed <= free or (changed == {"runs"} and plausible(damaged["runs"])), changed


def plausible(runs: list[dict[str, Any]]) -> bool:
    """Tell whether runs might have come to this, the second one being chosen."""
    return 0 <= runs[0]["wins"] <= runs[1]["wins"] <= 10


@pytest.mark.parametrize("name", [RECORD, WEIGHTS])
def test_damaged_bytes_are_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    store_response(tmp_path, "greedy", "detectives", wins=7)
    whole = (tmp_path / name).read_bytes()
    cases = [content for content in damage_bytes(whole, 10, seed=1) if content != whole]
    refused = 0
    for content in cases:
        (tmp_path / name).write_bytes(content)
        refused += refuses(tmp_path)
    assert refused >= 0.8 * len(cases) if name == RECORD else refused == len(cases)


def change(**fields: Any) -> dict[str, Any]:
    return fields


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (change(format="scotyard-response-9"), 'it lacks "format": "scotyard-response-1"'),
        (change(wins=11), "its wins cannot be 11"),
        (change(wins=8), "its fields do not fit together: interval is"),
        (change(chosen=2), "its chosen cannot be 2"),
        (change(chosen=0), "its chosen cannot be 0: another run wins more"),
        (change(runs=[]), "its chosen cannot be 1"),
        (change(runs=[{"start": "blank", "seed": 0, "wins": 1, "games": 10}] * 2), "its runs are not those"),
        (change(against_side="both"), "its against_side cannot be 'both'"),
        (change(board_signature="x"), "another board that is also called 'docklands'"),
        (change(budget={"name": "own"}), "its seeds cannot be None"),
        (change(more=1), "its fields do not fit together: more is 1 there, None here"),
    ],
)
def test_what_was_changed_is_named(fields: dict[str, Any], words: str, tmp_path: Path) -> None:
    store_response(tmp_path, "greedy", "detectives", wins=7)
    told = json.loads((tmp_path / RECORD).read_text(encoding="utf-8"))
    (tmp_path / RECORD).write_text(json.dumps(told | fields), encoding="utf-8")
    with pytest.raises(ResponseError, match=r"response\.json is no response that can be read: ") as caught:
        load_response(tmp_path)
    assert words in str(caught.value)


def test_weights_that_the_record_does_not_tell_of_are_refused(tmp_path: Path) -> None:
    store_response(tmp_path, "greedy", "detectives", wins=7)
    (tmp_path / WEIGHTS).write_bytes(make_weights(32, seed=9))
    with pytest.raises(ResponseError, match=r"is not the player that response\.json tells of"):
        load_response(tmp_path)
    (tmp_path / WEIGHTS).unlink()
    with pytest.raises(ResponseError, match=r"has no response\.npz beside it"):
        load_response(tmp_path)
