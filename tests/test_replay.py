"""A replay is a start and its moves; it brings back every moment of a game, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import all_settings, random_actions, random_game

from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.replay import Replay, ReplayError

GOLDEN = Path(__file__).with_name("golden_games.jsonl")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(all_settings())), st.integers(0, 10**6))
def test_a_replay_rebuilds_every_state_byte_for_byte(setting: tuple[str, str, int], seed: int) -> None:
    game = Game(setting[0], setting[1], detectives=setting[2], seed=seed)
    states = [game.state.tobytes() for _ in random_actions(game, seed)]
    states.append(game.state.tobytes())
    replay = Replay.from_line(Replay.of(game).to_line())
    assert [moment.state.tobytes() for moment in replay.games()] == states
    assert replay.game().rules == game.rules


def test_any_moment_of_a_saved_game_comes_back(tmp_path: Path) -> None:
    game = random_game("london", "classic", 5, seed=4)
    game.save(tmp_path / "g.jsonl")
    replay = Replay.load(tmp_path / "g.jsonl")
    assert replay == Replay.of(game)
    for at in (0, 1, 12, len(replay)):
        assert replay.game(at=at).moves == game.moves[:at]


def test_a_game_on_a_board_of_ones_own_brings_its_board_along(tmp_path: Path) -> None:
    board = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 6-T-7 7-T-1", name="ring")
    game = Game(board, detectives=1, seed=1)
    list(random_actions(game, 1))
    game.save(tmp_path / "ring.jsonl")
    assert Replay.load(tmp_path / "ring.jsonl").board == board


def test_the_golden_games_are_still_played_the_same_way() -> None:
    replays = list(Replay.load_all(GOLDEN))
    assert len(replays) >= 10
    for replay, line in zip(replays, GOLDEN.read_text().splitlines(), strict=True):
        assert Replay.of(replay.game()).to_line() == line


@pytest.mark.parametrize("at", [-1, 10**6])
def test_a_moment_that_does_not_exist_is_refused(at: int) -> None:
    replay = Replay.of(random_game("glasses", "glasses", 2, seed=0))
    with pytest.raises(ReplayError, match=rf"no moment {at}: this replay has 0 \(the start\) to {len(replay)}"):
        replay.game(at=at)


def test_saving_replaces_the_file_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    for seed in (1, 2):
        random_game("glasses", "glasses", 2, seed=seed).save(path)
    assert len(list(Replay.load_all(path))) == 1
    assert list(tmp_path.iterdir()) == [path]


def damaged(**changes: object) -> str:
    fields = json.loads(Replay.of(random_game("docklands", "docklands", 2, seed=0)).to_line())
    for name, value in changes.items():
        if value is None:
            del fields[name]
        else:
            fields[name] = value
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "not JSON"),
        (damaged()[:-40], "not JSON"),
        ("[]", "not a replay"),
        (damaged(format="scotyard-replay-9"), "not a replay"),
        (damaged(board="atlantis"), "atlantis"),
        (damaged(board="glasses"), "another board"),
        (damaged(board_signature="0" * 12), "another board that is also called 'docklands'"),
        (damaged(rules={"detectives": 9}), "detectives is 9"),
        (damaged(rules=[]), "wrong kind"),
        (damaged(stations=None), "no field 'stations'"),
        (damaged(stations=[1, 1, 2]), "both stand on station 1"),
        (damaged(stations=7), "wrong kind"),
        (damaged(stations=[1, 2]), "2 stations for 3 seats"),
        (damaged(moves="T1 nonsense"), "move 1 cannot be played"),
        (damaged(moves=["T1"]), "wrong kind"),
        (damaged(moves=""), "but its moves end with None"),
        (damaged(winner="nobody"), "names nobody as winner"),
    ],
)
def test_a_damaged_replay_is_refused_with_file_and_line(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(ReplayError) as error:
        Replay.load(path)
    assert words in str(error.value)
    assert f"{path}, line 1" in str(error.value)


def test_an_empty_file_holds_no_replay(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.touch()
    with pytest.raises(ReplayError, match="the file is empty"):
        Replay.load(path)
