"""The analysis of a game: chances as slow play finds them, verdicts beyond chance, work that is kept."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, refuse
from playing import random_game

from scotyard_env.analysis import review
from scotyard_env.analysis.command import Command
from scotyard_env.analysis.judges import JudgeError, Wanted, choose_judges
from scotyard_env.analysis.opinions import MOST, shorten, tell_opinion
from scotyard_env.analysis.record import Record, digest_game, digest_task, load_record
from scotyard_env.analysis.review import ENDING, analyse, list_decisions, list_moments, plan
from scotyard_env.analysis.rollouts import CURVES, Players, Share, play_on, table_belief
from scotyard_env.analysis.shelf import tidy
from scotyard_env.analysis.swing import ERRORS, Chance, Chances, Decision, judge, settle
from scotyard_env.analysis.telling import Teller
from scotyard_env.belief import sample_particles
from scotyard_env.explanation import Explanation
from scotyard_env.game import Game
from scotyard_env.policy import POLICIES
from scotyard_env.policy import Decision as PolicyDecision
from scotyard_env.replay import Replay
from scotyard_env.rng import policy_rng
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.view import View
from scotyard_env.web.page import write_page

ROOT = Path(__file__).resolve().parents[1]
LONDON = Replay.load(ROOT / "docs" / "game.jsonl")
RANDOM = Wanted("random", "random", "paths")
MOST_BYTES = 250_000  # of the page of a long game


class Last:
    """Plays the last of its legal actions, so that a game has one course."""

    def act(self, view: View, rng: np.random.Generator) -> PolicyDecision:
        return PolicyDecision(view.legal[-1])


def small_game(seed: int = 1) -> Replay:
    return Replay.of(random_game("docklands", "docklands", 2, seed=seed))


def play_slowly(game: Game, station: int) -> bool:
    """Play on with the last action each, Mr. X on some station; return whether the detectives win."""
    on = game.clone()
    on.state.station[MR_X] = station
    while on.winner is None:
        on.play(on.legal[-1])
    return on.winner == "detectives"


# Chances


@pytest.mark.parametrize("seed", range(3))
def test_games_that_are_played_on_end_as_slow_play_ends(seed: int) -> None:
    moments = list_moments(small_game(seed))[:-1]
    ats = (0, len(moments) // 3, len(moments) - 1)
    shares = [Share(at, curve, 20) for at in ats for curve in CURVES]
    won = play_on(moments, shares, Players(Last(), Last(), "paths"), "key")
    for share, wins in zip(shares, won, strict=True):
        game = moments[share.at]
        belief = table_belief(game.view(SPECTATOR), "paths")
        drawn = sample_particles(belief, share.games, policy_rng("key", share.at, "stations"))
        stations = drawn if share.curve == "table" else [game.stations[MR_X]] * share.games
        assert wins == sum(play_slowly(game, int(station)) for station in stations)


def test_chances_agree_with_games_played_one_by_one_by_chance() -> None:
    moments, many = list_moments(small_game(2)), 400
    players = Players(*(review.make_policy("random"),) * 2, "paths")
    won = play_on(moments, [Share(3, "truth", many)], players, "key")[0]
    slow, rng = 0, np.random.default_rng(0)
    for _ in range(many):
        game = moments[3].clone()
        while game.winner is None:
            legal = game.legal
            game.play(legal[rng.integers(len(legal))])
        slow += game.winner == "detectives"
    assert abs(won - slow) < 4 * np.sqrt(many / 2)  # four deviations of the difference at the most


@pytest.mark.parametrize("setting", [("docklands", "docklands", 2), ("london", "classic", 5)])
def test_mr_x_can_go_on_from_wherever_the_table_reckons_with_him(setting: tuple[str, str, int]) -> None:
    for game in list_moments(Replay.of(random_game(*setting, seed=5)))[:-1:4]:
        view = game.view(SPECTATOR)
        for station in np.flatnonzero(table_belief(view, "choice_model")):
            on = game.clone()
            on.states[0] = view.imagine(int(station))
            assert on.legal


@pytest.mark.parametrize("belief", ["paths", "evasive", "choice_model"])
def test_after_a_miss_the_belief_is_what_is_left_of_it(belief: str) -> None:
    for before, after in zip(moments := list_moments(small_game(4)), moments[1:], strict=False):
        if before.seat != MR_X and after.winner is None and after.seat != MR_X:
            left = table_belief(before.view(SPECTATOR), belief)
            left[after.stations[before.seat]] = 0.0
            np.testing.assert_allclose(left / left.sum(), table_belief(after.view(SPECTATOR), belief), atol=1e-6)


def test_a_belief_that_excludes_what_happened_gives_way_to_what_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    view = list_moments(small_game())[1].view(SPECTATOR)
    monkeypatch.setattr("scotyard_env.analysis.rollouts.weigh", lambda view, _: np.zeros(view.board.stations + 1))
    weights = table_belief(view, "odd")
    assert np.flatnonzero(weights).tolist() == view.possible
    assert weights.sum() == pytest.approx(1)


def test_rounds_begin_first_and_every_moment_gets_as_many_games_as_are_wanted() -> None:
    moments = list_moments(LONDON)
    steps = plan(moments, 100)
    first = {share.at for share in steps[0]}
    assert all(moments[at].seat == MR_X for at in first)
    games = {(at, curve): 0 for at in range(len(LONDON)) for curve in CURVES}
    for share in (share for step in steps for share in step):
        games[share.at, share.curve] += share.games
    assert set(games.values()) == {100}


# Verdicts


def two(before: Chance, after: Chance, side: str = "detectives") -> Chances:
    curve = "table" if side == "detectives" else "truth"
    other = "truth" if side == "detectives" else "table"
    return {curve: [before, after], other: [Chance(), Chance()]}  # type: ignore[dict-item,misc]


def test_the_interval_of_a_loss_is_newcombes() -> None:
    found = judge(Decision(0, "detectives"), two(Chance(56, 70), Chance(48, 80)), 1)
    assert found is not None
    assert (found.loss, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)  # his table II, 10


def test_a_move_that_might_have_found_mr_x_is_worth_that_too() -> None:
    found = judge(Decision(0, "detectives", hit=0.4), two(Chance(500, 1000), Chance(300, 1000)), 1)
    assert found is not None
    assert found.loss == pytest.approx(0.5 - (0.4 + 0.6 * 0.3))
    assert not found.is_blunder


def test_mr_x_is_judged_by_what_the_detectives_gain() -> None:
    chances = two(Chance(300, 1000), Chance(500, 1000), "mr_x")
    found = judge(Decision(0, "mr_x"), chances, 50)
    assert found is not None
    assert found.loss == pytest.approx(0.2)
    assert found.low < found.loss < found.high
    assert found.is_blunder


@pytest.mark.parametrize(
    ("before", "after", "is_blunder"),
    [
        (Chance(60, 100), Chance(40, 100), False),  # may be chance, with fifty decisions
        (Chance(600, 1000), Chance(400, 1000), True),
        (Chance(5300, 10000), Chance(4700, 10000), False),  # sure, but little
        (Chance(400, 1000), Chance(600, 1000), False),  # a gain
        (Chance(600, 1000), Chance(0, 1, is_known=True), True),
    ],
)
def test_a_blunder_is_large_and_beyond_the_interval(before: Chance, after: Chance, is_blunder: bool) -> None:
    found = judge(Decision(0, "detectives"), two(before, after), 50)
    assert found is not None
    assert found.is_blunder == is_blunder


def test_what_wins_the_game_or_is_not_played_on_yet_is_not_judged() -> None:
    assert judge(Decision(0, "detectives", is_capture=True), two(Chance(1, 9), Chance(9, 9)), 1) is None
    assert judge(Decision(0, "detectives"), two(Chance(1, 9), Chance()), 1) is None


def test_games_without_blunders_are_seldom_said_to_have_any() -> None:
    rng, games, decisions = np.random.default_rng(0), 40, 30
    wrong = 0
    for _ in range(games):
        share = rng.uniform(0.1, 0.9)
        few, many = rng.binomial(32, share, decisions + 1), rng.binomial(96, share, decisions + 1)
        looks = [
            [Chance(int(wins), 32) for wins in few],
            [Chance(int(a + b), 128) for a, b in zip(few, many, strict=True)],
        ]
        pairs = (
            two(before[at], after[at + 1])
            for before, after in ((looks[0], looks[0]), (looks[1], looks[1]))
            for at in range(decisions)
        )
        wrong += any(
            found is not None and found.is_blunder
            for found in (judge(Decision(0, "detectives"), one, decisions) for one in pairs)
        )
    assert wrong <= games * ERRORS + 3


def test_skill_and_luck_add_up_to_the_result() -> None:
    rng, moments = np.random.default_rng(1), 9
    chances: Chances = {curve: [Chance(int(rng.integers(65)), 64) for _ in range(moments)] for curve in CURVES}
    for curve in CURVES:
        chances[curve][-1] = Chance(0, 1, is_known=True)
    sides = ["mr_x", "detectives", "detectives"] * 3
    decisions = [Decision(at, sides[at], 0.1 * at if at % 3 else 0.0) for at in range(moments - 1)]  # type: ignore[arg-type]
    account = settle(decisions, chances)
    assert account is not None
    assert account.start + account.detectives.value + account.mr_x.value + account.luck.value == pytest.approx(
        account.end
    )
    lost = [judge(one, chances, 1) for one in decisions if one.side == "detectives"]
    assert account.detectives.value == pytest.approx(-sum(one.loss for one in lost if one is not None))
    assert account.detectives.low < account.detectives.value < account.detectives.high
    chances["truth"][2] = Chance()
    assert settle(decisions, chances) is None


def test_decisions_are_those_that_could_have_been_others() -> None:
    replay = small_game(3)
    moments = list_moments(replay)
    found = list_decisions(replay, "paths")
    assert [one.at for one in found] == [at for at, game in enumerate(moments[:-1]) if len(game.legal) > 1]
    for one in found:
        station = moments[one.at + 1].stations[moments[one.at].seat]
        likely = table_belief(moments[one.at].view(SPECTATOR), "paths")[station]
        assert one.hit == pytest.approx(0.0 if one.side == "mr_x" or one.is_capture else likely)


# Judges and opinions


def test_the_judges_are_the_strongest_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    found = choose_judges(small_game(), Wanted())
    assert (found.mr_x, found.detectives, found.belief) == ("hider", "hunters", "choice_model")
    assert found.asked("detectives") == ("bayes", "hunters")
    installed = {name: entry for name, entry in POLICIES.find().items() if name in ("greedy", "random")}
    monkeypatch.setattr(POLICIES, "find", lambda: installed)
    found = choose_judges(small_game(), Wanted())
    assert (found.mr_x, found.detectives, found.asked("mr_x")) == ("greedy", "greedy", ("greedy",))
    monkeypatch.setattr(POLICIES, "find", dict)
    with pytest.raises(JudgeError, match="nobody here can play mr_x in this game: install one of hider, greedy"):
        choose_judges(small_game(), Wanted())


def test_on_london_the_learned_mr_x_judges() -> None:
    assert choose_judges(LONDON, Wanted(detectives="greedy")).mr_x == "ppo_mr_x"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(mr_x="hunters"), "hunters cannot judge this game"),
        (Wanted(detectives="nobody"), "there is no policy 'nobody'"),
        (Wanted(detectives="web_policies:Raises"), "cannot say what it would play: ZeroDivisionError"),
        (Wanted("random", "random", "tarot"), "there is no belief 'tarot'"),
    ],
)
def test_who_cannot_judge_is_refused(wanted: Wanted, said: str) -> None:
    with pytest.raises(JudgeError, match=said):
        choose_judges(small_game(), wanted)


def test_an_opinion_says_what_it_thinks_of_the_move_that_was_played() -> None:
    moves = tuple((f"T{number}", 1.0 / number) for number in range(1, 12))
    told = Explanation("wise", 1, 9, "T1", gap=0.5, confidence=0.6, candidates=moves)
    assert tell_opinion(told, "T1") == "wise would play T1 too, a clear choice"
    assert tell_opinion(told, "T2") == "wise would play T1, a clear choice; T2 is its choice 2 (0.5)"
    short = shorten(told, "T11")
    assert [move for move, _ in short.candidates] == [*(f"T{number}" for number in range(1, MOST + 1)), "T11"]
    assert tell_opinion(short, "T11").endswith("T11 is far down its list (0.0909)")
    drawn = Explanation("drawn", 1, 9, "T1", confidence=0.05, probabilities=(("T1", 0.6), ("T2", 0.4)))
    assert tell_opinion(drawn, "T2") == "drawn would play T1, a close call; T2 is its choice 2 (40%)"


# Work that is kept


def run(replay: Replay, folder: Path | None, rollouts: int = 40) -> list[Record]:
    return list(analyse(replay, RANDOM, rollouts, folder))


def test_an_analysis_that_was_stopped_goes_on_and_comes_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = small_game()
    whole = run(replay, None)
    assert [record.steps for record in whole] == list(range(whole[-1].planned + 1))
    stopped = analyse(replay, RANDOM, 40, tmp_path)
    for _ in range(3):
        next(stopped)
    stopped.close()
    rest = run(replay, tmp_path)
    assert rest[0].steps == 2
    assert rest[-1] == whole[-1]
    monkeypatch.setattr(review, "play_on", None)  # not asked again
    assert run(replay, tmp_path) == [whole[-1]]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "",
        lambda _: "{",
        lambda _: "[]",
        lambda fields: json.dumps(fields)[:-20],
        lambda fields: json.dumps({**fields, "counts": {"truth": [], "table": []}}),
        lambda fields: json.dumps({**fields, "counts": {"truth": [[9, 3]] * 60, "table": [[0, 0]] * 60}}),
        lambda fields: json.dumps({**fields, "steps": 10**6}),
        lambda fields: json.dumps({**fields, "steps": -1}),
        lambda fields: json.dumps({**fields, "game": "other"}),
        lambda fields: json.dumps({**fields, "opinions": {"0": [{"policy": "<b>"}]}}),
        lambda fields: json.dumps({**fields, "opinions": {"999": []}}),
        lambda fields: json.dumps({**fields, "opinions": []}),
        lambda fields: json.dumps({**fields, "judges": {}}),
    ],
)
def test_a_damaged_file_is_made_anew(damage: Any, tmp_path: Path) -> None:
    replay = small_game()
    whole = run(replay, tmp_path)[-1]
    file = tmp_path / f"{whole.task}{ENDING}"
    file.write_text(damage(json.loads(file.read_text())))
    with pytest.raises(ValueError, match="holds no analysis of this game"):
        load_record(file, replay)
    assert run(replay, tmp_path)[-1] == whole
    assert load_record(file, replay) == whole


def test_what_is_kept_goes_by_game_judges_and_rollouts_but_not_by_what_was_said() -> None:
    game, other = small_game(1), small_game(2)
    tasks = [
        digest_task(*one) for one in ((game, RANDOM, 40), (other, RANDOM, 40), (game, Wanted(), 40), (game, RANDOM, 41))
    ]
    assert len(set(tasks)) == 4
    assert digest_game(game.explain("random", "random")) == digest_game(game)


def test_the_oldest_files_go_when_there_are_too_many(tmp_path: Path) -> None:
    for number in range(5):
        file = tmp_path / f"{number}{ENDING}"
        file.touch()
        os.utime(file, (number, number))
    (tmp_path / "other.json").touch()
    tidy(tmp_path, 2)
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"3{ENDING}", f"4{ENDING}", "other.json"]


def test_a_game_that_was_given_up_is_analysed_to_where_it_stands() -> None:
    replay = Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=7))
    last = run(replay, None)[-1]
    assert replay.winner is None
    assert all(games == 40 for curve in CURVES for _, games in last.counts[curve])
    assert Teller(replay, "paths").tell(last)["account"].startswith("The detectives' chances came from")


# Pages and commands


def opinionated(replay: Replay) -> Record:
    """Return an analysis as long as they come: two opinions of many moves at every decision."""
    record = run(replay, None, 2)[-1]
    told = Explanation("a_policy_with_a_long_name:parameter=1", 1, 9, "T1", 0.1, 0.1, 0.1, (("T100", 0.123456),) * 6)
    seats = [game.seat for game in replay.games()]
    opinions = {at: (dataclasses.replace(told, seat=seats[at]),) * 2 for at in range(len(replay))}
    return dataclasses.replace(record, opinions=opinions)


def test_the_page_of_the_longest_game_stays_small_with_its_analysis() -> None:
    longest = max((Replay.of(random_game("london", "ravensburger_2013", 5, seed)) for seed in range(12)), key=len)
    page = write_page(longest, MR_X, analysis=opinionated(longest))
    assert len(longest) > 100
    assert '"judged":[' in page
    assert len(page) < MOST_BYTES


def test_an_analysis_is_in_no_page_of_others_than_mr_x() -> None:
    replay = small_game()
    record = run(replay, None, 2)[-1]
    for viewer in (SPECTATOR, 1, None):
        with pytest.raises(ValueError, match=r"an analysis tells where Mr\. X was"):
            write_page(replay, viewer, analysis=record)


def test_the_command_prints_a_table_and_writes_a_file_and_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path / "cache"))
    replay = small_game()
    replay.save(tmp_path / "game.jsonl")
    options = "--mr-x random --detectives random --belief paths --rollouts 40"
    assert call(monkeypatch, f"analyse {tmp_path}/game.jsonl {options} --out {tmp_path}/game.json") == 0
    said = capsys.readouterr().out
    assert "played on by random against random, belief paths, 40 games from each moment" in said
    assert said.count("\n  ") >= len(replay)
    assert "The detectives' chances came from" in said
    assert load_record(tmp_path / "game.json", replay) == run(replay, None)[-1]
    assert (
        call(monkeypatch, f"watch {tmp_path}/game.jsonl --analysis {tmp_path}/game.json --out {tmp_path}/a.html") == 0
    )
    assert call(monkeypatch, f"analyse {tmp_path}/game.jsonl {options} --out {tmp_path}/b.html") == 0
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


def test_a_game_is_named_by_the_folder_of_its_match_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path / "cache"))
    (tmp_path / "match").mkdir()
    small_game().save(tmp_path / "match" / "replay.jsonl")
    options = "--mr-x random --detectives random --belief paths --rollouts 40"
    assert call(monkeypatch, f"analyse {tmp_path}/match {options}") == 0
    assert "The detectives' chances came from" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no folder of a tournament"):
        Command(tmp_path / "match" / "replay.jsonl", match=1).run()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("analyse {folder}/none.jsonl", "No such file or directory"),
        (f"analyse {__file__}", "line 1: this is not JSON"),
        ("analyse {folder}/game.jsonl --rollouts 0", "rollouts is 0: give a whole number from 1 to 100000"),
        ("analyse {folder}/game.jsonl --mr-x hunters", "hunters cannot judge this game"),
        ("analyse {folder}/game.jsonl --mr-x random --detectives random --belief tarot", "there is no belief 'tarot'"),
        ("analyse {folder}/game.jsonl --out {folder}/x.txt", "the endings that can be written are .json, .html"),
        ("analyse {folder}/empty.jsonl", "has no moves: there is nothing to analyse"),
        ("watch {folder}/game.jsonl --analysis {folder}/game.jsonl --out {folder}/x.html", "holds no analysis of this"),
        ("watch {folder}/game.jsonl --analysis {folder}/game.jsonl", "give --out game.html"),
        (
            "watch {folder}/game.jsonl --analysis {folder}/game.jsonl --viewer detectives --out {folder}/x.html",
            "detectives may not see it, give --viewer mr_x",
        ),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_one_sentence(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCOTYARD_CACHE", str(tmp_path / "cache"))
    small_game().save(tmp_path / "game.jsonl")
    Replay.of(random_game("docklands", "docklands", 2, seed=1, actions=0)).save(tmp_path / "empty.jsonl")
    assert said in refuse(monkeypatch, capsys, words.format(folder=tmp_path))
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    ("after", "said"),
    [(400, "gives away 20 points [16, 24]"), (600, "gives away 0 points [-4, 4]"), (700, "gains 10 points [6, 14]")],
)
def test_a_verdict_is_said_in_games_of_a_hundred(after: int, said: str) -> None:
    found = judge(Decision(0, "mr_x"), two(Chance(1000 - 600, 1000), Chance(1000 - after, 1000), "mr_x"), 9)
    assert found is not None
    told = Teller(small_game(), "paths").tell_verdict(found)
    assert told.startswith(f"Round 1, Mr. X: {small_game().moves[0]} {said}")
