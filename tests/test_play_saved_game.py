"""A saved game: enough to go on, no secret at a glance, and one line for a file that is none."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from playing import random_game

from scotyard_env.json_files import LONGEST
from scotyard_env.play.saved_game import SavedGame, SavedGameError, claim_file, seal
from scotyard_env.replay import Practice, Replay, ReplayError


def saved(actions: int | None = 7, practice: Practice | None = None) -> SavedGame:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=3, actions=actions))
    return SavedGame("detectives", "greedy", "hunters", "key", dataclasses.replace(replay, practice=practice))


@pytest.mark.parametrize("practice", [None, Practice(2, 1)])
def test_a_saved_game_comes_back_as_it_was(practice: Practice | None, tmp_path: Path) -> None:
    saved(practice=practice).save(tmp_path / "g.jsonl")
    assert SavedGame.load(tmp_path / "g.jsonl") == saved(practice=practice)


def test_where_mr_x_is_cannot_be_read_at_a_glance_while_the_game_goes_on(tmp_path: Path) -> None:
    game = saved()
    game.save(tmp_path / "g.jsonl")
    text = (tmp_path / "g.jsonl").read_text()
    assert not any(move in text.replace(json.loads(text)["game"], "") for move in game.replay.moves)
    assert "stations" not in text


def test_once_it_is_over_it_is_a_replay_that_tells_of_practice(tmp_path: Path) -> None:
    game = saved(actions=None, practice=Practice(2, 1))
    game.save(tmp_path / "g.jsonl")
    assert Replay.load(tmp_path / "g.jsonl") == game.replay
    assert str(game.replay.practice) == "a practice game (moves taken back: 2, hints: 1)"
    with pytest.raises(SavedGameError, match="is a replay and has nobody who goes on with it: scotyard watch shows it"):
        SavedGame.load(tmp_path / "g.jsonl")


def test_a_game_that_is_not_over_is_no_replay(tmp_path: Path) -> None:
    saved().save(tmp_path / "g.jsonl")
    with pytest.raises(ReplayError, match="not over: scotyard play --resume goes on with it"):
        Replay.load(tmp_path / "g.jsonl")


def damaged(**changes: Any) -> str:
    fields = {"format": "scotyard-saved-game-1", "side": "mr_x", "against": "greedy", "adviser": "", "key": "1"}
    return json.dumps({**fields, "game": seal(saved().replay.to_line()), **changes})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "cannot be read as a game that scotyard play has saved"),
        ("nonsense", "cannot be read as a game that scotyard play has saved"),
        ("[]", "is no game that scotyard play has saved"),
        (damaged(format="other"), "is no game that scotyard play has saved"),
        (damaged(side="both"), "is damaged: it does not say who plays whom"),
        (damaged(key=7), "is damaged"),
        (damaged(game="%%%"), "its game is damaged"),
        (damaged(game="AAAA"), "its game is damaged"),
        (damaged(game=seal("{}")), "this is not a replay"),
        (damaged(game=seal(" " * (LONGEST + 9))), "not JSON"),
        (damaged()[:-30], "cannot be read as a game that scotyard play has saved"),
    ],
)
def test_what_is_no_saved_game_is_refused_in_one_line(content: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "g.jsonl"
    file.write_text(content)
    with pytest.raises(SavedGameError) as error:
        SavedGame.load(file)
    assert words in str(error.value)
    assert str(error.value).startswith(str(file))
    assert "\n" not in str(error.value)


FOREIGN = ("os:system", "foreign:Policy:depth=2", "process:depth=1", "minimax:belief=foreign:Policy", "a b", "x:y=../z")


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_alone_is_not_trusted_with_code_that_is_not_installed(name: str, tmp_path: Path) -> None:
    opposed, advised = dataclasses.replace(saved(), against=name), dataclasses.replace(saved(), adviser=name)
    for game, option in ((opposed, "--against"), (advised, "--hints")):
        with pytest.raises(SavedGameError, match=f"which is no installed policy .* give {option} "):
            game.check_trust(None, None)
        assert shlex.split(game.resume_line(tmp_path))[-2:] == [option, name]
    opposed.check_trust(name, None)
    advised.check_trust(None, name)
    with pytest.raises(SavedGameError, match="as it was begun: --against was 'greedy', not "):
        saved().check_trust(name, None)


@pytest.mark.parametrize("name", ["greedy", "minimax:belief=evasive", "minimax:depth=2,belief=uniform"])
def test_installed_policies_go_on_without_being_named_again(name: str, tmp_path: Path) -> None:
    game = dataclasses.replace(saved(), against=name)
    game.check_trust(None, None)
    assert game.resume_line(tmp_path) == f"scotyard play --resume {tmp_path}"


@pytest.mark.parametrize("practice", [{}, [], {"undos": -1, "hints": 0}, {"undos": 1, "hints": "2"}, 7])
def test_practice_of_a_wrong_kind_is_refused(practice: object) -> None:
    fields = json.loads(saved().replay.to_line())
    with pytest.raises(ReplayError, match="practice has counts of undos and hints"):
        Replay.from_line(json.dumps({**fields, "practice": practice}))


def test_every_game_has_a_file_of_its_own(tmp_path: Path) -> None:
    files = [claim_file(tmp_path / "deep") for _ in range(3)]
    assert [file.name for file in files] == ["game_1.jsonl", "game_2.jsonl", "game_3.jsonl"]
