"""Files of scores tell what matches came to, are extended, and drop what a policy that changed has played."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from scotyard_env.arena import Tournament, tournament
from scotyard_env.arena.contenders import read_contenders
from scotyard_env.arena.engine import Engine
from scotyard_env.arena.fingerprint import take_fingerprint
from scotyard_env.arena.rating import rate_all
from scotyard_env.arena.referee import Setting
from scotyard_env.arena.score import Score
from scotyard_env.arena.score_file import ScoreFileError, Scores, checksum, read_scores, write_scores
from scotyard_env.arena.score_keeping import play_missing
from scotyard_env.arena.summary import Pairing
from scotyard_env.arena.tournament import make_setting
from scotyard_env.policy import make_policy, policy_factory, policy_names, sides_of
from scotyard_env.release import release
from scotyard_env.ruleset import resolve

PAIRS = [("greedy", "greedy"), ("greedy", "random"), ("hider", "greedy"), ("hider", "random")]
BOARD, RULES = resolve("docklands", None)


def begin() -> tuple[Scores, Setting]:
    setting = make_setting(["greedy", "hider"], ["greedy", "random"], board="docklands")
    scores = Scores(setting.board, setting.rules, setting.seed)
    scores.welcome((*setting.mr_x, *setting.detectives))
    return scores, setting


def play(scores: Scores, setting: Setting, games: int) -> Scores:
    assert play_missing(scores, setting, dict.fromkeys(PAIRS, games), Engine(), lambda: None)
    return scores


@pytest.fixture(scope="module")
def scores() -> Scores:
    return play(*begin(), games=12)


@pytest.fixture(scope="module")
def played() -> Tournament:
    return tournament(["greedy", "hider"], ["greedy", "random"], games=12, board="docklands")


def facts(one: Score | Pairing) -> list[Any]:
    return [one.games, one.rate, one.capture_rounds, one.black, one.double, pytest.approx(one.mean_possible, abs=1e-3)]


def test_a_score_tells_what_the_matches_of_a_tournament_tell(scores: Scores, played: Tournament) -> None:
    for pairing in played.pairings:
        assert facts(scores.pairs[pairing.mr_x, pairing.detectives]) == facts(pairing)


def test_ratings_come_out_as_from_matches(scores: Scores, played: Tournament) -> None:
    matches = [match for score in scores.pairs.values() for match in score.matches]
    assert rate_all(["greedy", "hider"], ["greedy", "random"], matches) == played.ratings


def test_playing_on_is_as_good_as_playing_at_once(scores: Scores) -> None:
    some, setting = begin()
    play(some, setting, games=5)
    there = dict(some.pairs)
    play(some, setting, games=12)
    for pair, score in some.pairs.items():
        assert dataclasses.replace(score, thinking=(0.0, 0.0)) == dataclasses.replace(
            scores.pairs[pair], thinking=(0.0, 0.0)
        )
        assert there[pair].first == score.first


def test_what_is_there_is_not_played_again(scores: Scores) -> None:
    _, setting = begin()

    class Idle(Engine):
        def play(self, *_: Any) -> Any:
            raise AssertionError("a match is played")

    assert play_missing(scores, setting, dict.fromkeys(PAIRS, 12), Idle(), lambda: None)


def test_stopped_half_way_the_matches_are_kept_that_follow_each_other() -> None:
    some, setting = begin()
    saved = []

    class Backwards(Engine):
        def play(self, setting: Setting, keys: Any, folder: Path | None = None) -> Any:
            *others, first = super().play(setting, reversed(list(keys)))
            yield from (*others[-2:], first)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_missing(some, setting, {PAIRS[0]: 8}, Backwards(), lambda: saved.append(some.games(PAIRS[0])))
    assert saved == [3]


def test_a_file_is_read_as_it_was_written(scores: Scores, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.json", scores)
    read = read_scores(tmp_path / "scores.json")
    assert read.pairs == scores.pairs
    assert read.players == scores.players
    assert (tmp_path / "scores.json").stat().st_size < 600 * len(PAIRS) + 1500


def test_times_are_no_part_of_the_checksum_and_all_else_is(scores: Scores) -> None:
    told = scores.to_json()
    slower = json.loads(json.dumps(told))
    slower["scores"][0]["seconds"] = [9.0, 9.0]
    luckier = json.loads(json.dumps(told))
    luckier["scores"][0]["won"] = "0"
    assert checksum(slower) == checksum(told)
    assert checksum(luckier) != checksum(told)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told["scores"][0].update(games=11), "its checksum is another"),
        (lambda told: told.update(format="other"), 'lacks "format"'),
        (lambda told: told.pop("checksum"), "its checksum is another"),
    ],
)
def test_a_file_that_was_changed_is_refused(change: Any, words: str, scores: Scores, tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    write_scores(file, scores)
    told = json.loads(file.read_text(encoding="utf-8"))
    change(told)
    file.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ScoreFileError, match=words):
        read_scores(file)


@pytest.mark.parametrize(
    "change",
    [
        {"games": -1},
        {"won": "ffffffff"},
        {"won": "g"},
        {"caught": [100]},
        {"tickets": [1]},
        {"moved": 13},
        {"first": []},
        {"seconds": ["x", 1]},
        {"mr_x": 7},
        {"forfeits": [["nobody", "left", 1]]},
    ],
    ids=str,
)
def test_numbers_that_do_not_fit_together_are_refused(change: dict[str, Any], scores: Scores) -> None:
    told = scores.to_json()
    told["scores"][0] |= change
    with pytest.raises(ValueError, match=r"a score of it is not whole|do not fit together"):
        Scores.from_json(told)


def test_scores_of_a_policy_that_plays_differently_are_dropped(scores: Scores) -> None:
    changed = Scores.from_json(scores.to_json())
    hider = changed.players["mr_x"]["hider"]
    changed.players["mr_x"]["hider"] = dataclasses.replace(hider, fingerprint="another")
    _, setting = begin()
    assert changed.welcome(setting.mr_x) == ["hider (mr_x) does not play as it did: 2 pairings are played again"]
    assert set(changed.pairs) == {pair for pair in PAIRS if pair[0] != "hider"}


def test_games_of_another_file_are_taken_over_by_whoever_played_them(scores: Scores) -> None:
    setting = make_setting({"plain": "greedy"}, ["greedy"], board="docklands")
    mine = Scores(setting.board, setting.rules, setting.seed)
    mine.welcome((*setting.mr_x, *setting.detectives))
    mine.take_over(scores, {("plain", "greedy"): 12})
    taken = mine.pairs["plain", "greedy"]
    assert (taken.games, taken.won, taken.first) == (12, *pick(scores.pairs["greedy", "greedy"]))
    assert play_missing(mine, setting, {("plain", "greedy"): 14}, Engine(), lambda: None)
    assert mine.pairs["plain", "greedy"].won & (1 << 12) - 1 == taken.won


def pick(score: Score) -> tuple[int, tuple[str, ...]]:
    return score.won, score.first


def test_games_are_not_taken_over_of_other_deals_other_players_or_where_there_are_too_many(scores: Scores) -> None:
    mine, _ = begin()
    mine.take_over(dataclasses.replace(scores, seed=1), {("greedy", "greedy"): 12})
    mine.take_over(scores, {("greedy", "greedy"): 11})
    other = make_setting({"greedy": "decoy"}, ["greedy"], board="docklands")
    changed = Scores(other.board, other.rules, other.seed)
    changed.welcome((*other.mr_x, *other.detectives))
    changed.take_over(scores, {("greedy", "greedy"): 12})
    assert not mine.pairs
    assert not changed.pairs


def test_a_fingerprint_tells_policies_apart_by_what_they_decide() -> None:
    found = {
        name: take_fingerprint(read_contenders(name, "mr_x")[0], BOARD, RULES)
        for name in ("greedy", "hider", "hider:exits=0", "random")
    }
    assert len(set(found.values())) == len(found)
    assert take_fingerprint(read_contenders("hider:exits=4.0", "mr_x")[0], BOARD, RULES) == found["hider"]


def test_strangers_are_not_asked() -> None:
    (stranger,) = read_contenders("odd_policies:First", "mr_x")
    assert take_fingerprint(stranger, BOARD, RULES) is None


@pytest.mark.parametrize("name", ["bristol_mr_x", "pimbot:seconds=0.01,iterations=20", "minimax:seconds=0.01,depth=1"])
def test_who_thinks_by_the_clock_is_asked_without_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = make_policy(name)
    (contender,) = read_contenders(name, sides_of(policy)[0])
    before = take_fingerprint(contender, BOARD, RULES)
    assert policy.is_timed  # type: ignore[attr-defined]
    assert before == take_fingerprint(contender, BOARD, RULES)
    monkeypatch.setattr("scotyard_env.__version__", "9.0.0")
    assert take_fingerprint(contender, BOARD, RULES) == before
    assert not policy.without_clock().is_timed  # type: ignore[attr-defined]


def test_every_policy_of_ours_that_can_think_by_the_clock_can_do_without() -> None:
    factories = {name: policy_factory(name) for name in policy_names()}
    timed = {name for name, factory in factories.items() if hasattr(factory, "is_timed")}
    assert timed == {name for name, factory in factories.items() if hasattr(factory, "without_clock")}
    assert timed >= {"bristol_mr_x", "minimax", "pimbot"}


def test_a_version_on_the_way_to_a_release_belongs_to_it() -> None:
    assert [release(version) for version in ("0.2.0", "0.2.0.dev0", "1.10.3.dev12")] == ["0.2.0", "0.2.0", "1.10.3"]
