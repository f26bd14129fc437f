"""Explanations: what they tell, who may read them, and where they are shown."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, refuse

from scotyard_env import render
from scotyard_env.arena.match import play_match
from scotyard_env.explanation import Explains, Explanation, explain
from scotyard_env.game import Game
from scotyard_env.policy import Decision, PolicyError, make_policy, policy_names
from scotyard_env.replay import Replay, ReplayError
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.view import View, may_know_thoughts

CLOCKED = {"bristol_mr_x": "bristol_mr_x:depth=2", "phantom": "phantom:rollouts=20", "pimbot": "pimbot:iterations=50"}


def moments() -> list[Game]:
    """Return games with Mr. X, the first and a later detective to move."""
    game = Game("docklands", seed=4)
    found = [game.clone()]
    for _ in range(2):
        game.play(game.legal[0])
        found.append(game.clone())
    return found


@pytest.fixture(scope="module")
def explained() -> Replay:
    return Replay.of(play_match("hider", "hunters", board="docklands", seed=3).game).explain("greedy", "hunters")


# ------------------------------------------------------------------------------------------------------ what they tell


@pytest.mark.parametrize("name", policy_names())
def test_every_policy_explains_the_move_that_it_makes(name: str) -> None:
    policy = make_policy(CLOCKED.get(name, name))
    assert isinstance(policy, Explains)
    for game in moments():
        side = "mr_x" if game.seat == MR_X else "detectives"
        if side in policy.sides:  # type: ignore[attr-defined]
            told = policy.explain(game.view(game.seat))
            decision = policy.act(game.view(game.seat), np.random.default_rng(0))  # type: ignore[attr-defined]
            assert told == Explanation.of(game.view(game.seat), decision, type(policy).__name__, told.belief or None)
            assert told.move in game.legal_moves
            assert told.confidence is not None
            assert 0 <= told.confidence <= 1
            assert sum(share for _, share in told.probabilities) == pytest.approx(1 if told.probabilities else 0)
            assert not told.terms or sum(part for _, part in told.terms) == pytest.approx(told.value)
            assert not told.plan or told.plan[0] == (game.seat, told.move)


def test_an_explanation_reads_as_lines() -> None:
    told = Explanation(
        policy="hunters",
        seat=2,
        station=45,
        move="T46",
        value=0.5,
        gap=0.0314159,
        confidence=0.25,
        candidates=(("T46", 0.5), ("B58", 0.4685841)),
        plan=((2, "T46"), (3, "--")),
        terms=(("capture times", 0.6), ("tickets", -0.1)),
        belief="paths",
        believed=((115, 0.75), (8, 0.25)),
    )
    assert str(told).splitlines() == [
        "hunters: detective_2 plays T46 from 45",
        "    value 0.5, gap 0.0314, confidence 0.25",
        "    weighed    T46 0.5, B58 0.469",
        "    plan       detective_2 T46, detective_3 --",
        "    made up of capture times 0.6, tickets -0.1",
        "    believes   115 75%, 8 25% (belief paths)",
    ]


def test_what_is_very_unlikely_is_not_listed_and_long_lists_are_cut() -> None:
    shares = (("T1", 0.9), ("T2", 0.001), *((f"B{station}", 0.012) for station in range(3, 11)))
    line = Explanation("ppo_mr_x", MR_X, 9, "T1", probabilities=shares).lines()[-1]
    assert line == "drawn from T1 90%, B3 1%, B4 1%, B5 1%, B6 1%, B7 1% and 3 more"


def test_any_belief_can_be_told() -> None:
    view = moments()[1].view(1)
    assert explain("greedy", view).believed == ()
    told = explain("greedy", view, belief="uniform")
    assert told.believed == tuple((station, 1 / len(view.possible)) for station in view.possible)
    assert explain("hunters", view).belief == "choice_model"
    with pytest.raises(ValueError, match="there is no weighting 'tea leaves'"):
        explain("greedy", view, belief="tea leaves")


class Stranger:
    """A policy that tells of actions that are none."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0], candidates=((10**6, 1.0), (-3, 0.5)), plan=(view.legal[0], 10**9))


def test_actions_of_a_stranger_that_are_none_are_shown_as_unknown() -> None:
    told = explain(Stranger(), moments()[1].view(1))
    assert told.candidates == (("?", 1.0), ("?", 0.5))
    assert told.plan[1] == (2, "?")
    render.svg(moments()[1].view(1), explanation=told)


def test_a_plan_has_one_action_for_each_seat_also_with_a_double_move() -> None:
    """A Mr. X who searches knows the moves of the detectives after both of his; they are no part of the plan."""
    game, told = Game.from_position("london", stations=[45, 46, 58, 13, 29, 67], possible=[45]), []
    while game.seat == MR_X:
        told.append(make_policy("bristol_mr_x:depth=3,double_cost=-1e5").explain(game.view(MR_X)))  # type: ignore[attr-defined]
        game.play(told[-1].move)
    assert told[0].move == "2x"
    assert [one.plan for one in told] == [((MR_X, one.move),) for one in told]


class Odd:
    """A policy that does one of many odd things."""

    def __init__(self, how: str) -> None:
        self.how = how

    def __getattr__(self, name: str) -> str:
        if name == "belief" and self.__dict__.get("how") == "raises when asked for its belief":
            raise ZeroDivisionError
        raise AttributeError(name)

    def act(self, view: View, rng: np.random.Generator) -> Any:
        legal = view.legal
        if self.how == "changes its view":
            view.states["seat"][0] = 99
            view.states["possible"][0] = 0
        if self.how == "loses its board":
            del view.board
        return {
            "tells a long plan": Decision(legal[0], plan=tuple(legal) * 40),
            "tells many candidates": Decision(legal[0], candidates=tuple((number, 1.0) for number in range(1000))),
            "tells huge numbers": Decision(legal[0], value=10**400, candidates=((legal[0], 1e308), (1, -1e308))),
            "tells no tuples": Decision(legal[0], candidates=5, terms="why"),  # type: ignore[arg-type]
        }.get(self.how, Decision(legal[0]))


ODD = (
    "changes its view",
    "loses its board",
    "raises when asked for its belief",
    "tells a long plan",
    "tells many candidates",
    "tells huge numbers",
    "tells no tuples",
)


@pytest.mark.parametrize("how", ODD)
def test_a_match_with_an_odd_policy_is_explained_and_can_be_watched(
    how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(f"{__name__}.made", lambda: Odd(how), raising=False)
    match = f"match --mr-x random --detectives {__name__}:made --board glasses --explain --out {tmp_path}"
    assert call(monkeypatch, match) == 0
    assert call(monkeypatch, f"watch {tmp_path} --explain") == 0
    assert call(monkeypatch, f"watch {tmp_path} --detectives {__name__}:made") == 0
    assert capsys.readouterr().err == ""


WRONG_DECISIONS = {
    "no Decision": (lambda _: 7, "which is no Decision"),
    "an illegal action": (lambda _: Decision(-1), "would play -1, which is no legal action"),
    "an error": (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize(("act", "message"), WRONG_DECISIONS.values(), ids=WRONG_DECISIONS)
def test_a_policy_that_cannot_decide_is_named(act: Any, message: str) -> None:
    policy = type("Broken", (), {"act": lambda *given: act(given)})()
    with pytest.raises(PolicyError, match=f"policy 'Broken'.*{message}"):
        explain(policy, moments()[1].view(1))


def test_a_policy_explains_only_the_side_that_it_plays(explained: Replay) -> None:
    with pytest.raises(PolicyError, match="plays detectives, not mr_x"):
        explain("hunters", moments()[0].view(MR_X))
    with pytest.raises(PolicyError, match="plays mr_x, not detectives"):
        explained.explain(detectives="hider")


def test_only_the_view_of_the_seat_to_move_can_be_explained() -> None:
    with pytest.raises(ValueError, match="this is a view of seat 0, and seat 1 is to move: explain its own view"):
        explain("greedy", moments()[1].view(MR_X))
    over = play_match("random", "greedy", board="glasses", seed=0).game
    with pytest.raises(ValueError, match="the game is over"):
        explain("greedy", over.view(over.seat))


# ---------------------------------------------------------------------------------------------------- who may read them


def test_a_side_may_know_its_own_thoughts_and_a_spectator_all_of_them_after_the_game() -> None:
    for is_over in (False, True):
        assert may_know_thoughts(MR_X, MR_X, is_over)
        assert may_know_thoughts(1, 3, is_over)
        assert not may_know_thoughts(MR_X, 1, is_over)
        assert not may_know_thoughts(2, MR_X, is_over)
        assert may_know_thoughts(SPECTATOR, MR_X, is_over) == may_know_thoughts(SPECTATOR, 1, is_over) == is_over


def test_moments_of_a_replay_tell_a_viewer_only_what_its_side_thought(explained: Replay) -> None:
    seats = {viewer: set() for viewer in (MR_X, 1, SPECTATOR)}  # type: dict[int, set[int]]
    for viewer, told in seats.items():
        told |= {moment.explanation.seat for moment in explained.moments(viewer) if moment.explanation is not None}
    assert seats == {MR_X: {MR_X}, 1: {1, 2}, SPECTATOR: set()}
    everything = [moment for moment in explained.moments() if moment.explanation is not None]
    assert len(everything) == len(explained)
    assert all(moment.view.viewer == moment.explanation.seat for moment in everything)  # type: ignore[union-attr]


@pytest.mark.parametrize(("viewer", "seat"), [(MR_X, 1), (1, MR_X), (SPECTATOR, 1), (SPECTATOR, MR_X)])
def test_no_picture_shows_a_viewer_thoughts_of_others(viewer: int, seat: int) -> None:
    game = moments()[min(seat, 1)]
    told = explain("greedy", game.view(game.seat))
    with pytest.raises(ValueError, match=r"who may not know what (Mr\. X|Detective 1) thinks"):
        render.svg(game.view(viewer), explanation=told)


def test_what_detectives_are_told_does_not_depend_on_where_mr_x_is() -> None:
    games = []
    for start in (5, 9):
        games.append(Game.from_position("docklands", stations=[start, 1, 12], possible=[5, 9]))
        games[-1].play(next(move for move in games[-1].legal_moves if move.startswith("T")))
    for name in ("hunters", "minimax", "astar_greedy", "ppo_detectives"):
        one, other = (explain(name, game.view(1)) for game in games)
        assert one == other
        assert render.svg(games[0].view(1), explanation=one) == render.svg(games[1].view(1), explanation=other)


# -------------------------------------------------------------------------------------------------------- in replays


def test_a_replay_keeps_explanations(explained: Replay, tmp_path: Path) -> None:
    explained.save(tmp_path / "game.jsonl")
    again = Replay.load(tmp_path / "game.jsonl")
    assert again.moves == explained.moves
    for one, other in zip(again.explanations, explained.explanations, strict=True):
        assert one is not None
        assert other is not None
        assert (one.move, one.plan, one.policy) == (other.move, other.plan, other.policy)
        assert one.value == pytest.approx(other.value, rel=1e-5)
        assert one == Explanation.from_dict(one.to_dict(), again.board, 3)
    assert "explanations" not in dataclasses.replace(explained, explanations=()).to_line()


WRONG: dict[str, tuple[Any, str]] = {
    "no list": ({}, "explanations is not a list"),
    "too few": ([None], "there are 1 explanations of"),
    "no object": (["why"], "an explanation has policy, seat, station, move"),
    "an unknown field": ({"mood": 3}, "an explanation has policy, seat, station, move"),
    "no such seat": ({"seat": 9}, "seat of an explanation is 9: it should be a whole number of 0 to 2"),
    "no such station": ({"station": 900}, "station of an explanation is 900"),
    "no move": ({"move": "walk"}, "'walk' is not an action"),
    "a move elsewhere": ({"plan": [[1, "T999"]]}, "leads nowhere"),
    "no number": ({"value": "high"}, "value of an explanation is 'high': it should be a number"),
    "a huge number": ({"value": 10**400}, "value of an explanation is 1000"),
    "another seat": ({"seat": 0}, "the replay explains a move of seat 0 where seat 1 moves"),
    "a negative share": ({"believed": [[1, -0.5]]}, "it should have numbers from 0 to 1"),
    "no pairs": ({"candidates": [["T1", 1, 2]]}, "candidates of an explanation is a list of at most 300 pairs"),
    "too many": ({"candidates": [["T1", 1]] * 301}, "candidates of an explanation is a list of at most 300 pairs"),
    "what steers a terminal": ({"policy": "\x1b[2J"}, "policy of an explanation should be a text of one line"),
    "a long term": ({"terms": [["x" * 61, 1]]}, "terms of an explanation should be a text of one line"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_a_replay_with_wrong_explanations_is_refused(change: Any, message: str, explained: Replay) -> None:
    fields = json.loads(explained.to_line())
    if isinstance(change, dict) and change:
        fields["explanations"][1] |= change
    elif isinstance(change, list) and change == ["why"]:
        fields["explanations"][1] = "why"
    else:
        fields["explanations"] = change
    with pytest.raises(ReplayError, match=message):
        Replay.from_line(json.dumps(fields))


# ------------------------------------------------------------------------------------------------------- in pictures


def test_a_picture_shows_the_plan_and_what_was_weighed() -> None:
    game = moments()[1]
    told = explain("hunters", game.view(1))
    plain, drawn = render.svg(game.view(1)), render.svg(game.view(1), explanation=told)
    assert drawn.count("<polygon") == len(told.plan)  # the heads of arrows
    assert plain.count("<polygon") == 0
    assert f"hunters plays {told.move}" in drawn
    assert f">{told.candidates[0][1]:.3g}<" in drawn
    assert render.rgb_array(game.view(1), 320, 240, explanation=told).shape == (240, 320, 3)


def test_the_belief_of_an_explanation_is_the_heat_unless_another_is_given() -> None:
    game = moments()[2]
    told = explain("hunters", game.view(game.seat))
    silent = dataclasses.replace(told, believed=(), belief="")
    view = game.view(game.seat)
    assert render.svg(view, explanation=told) != render.svg(view, explanation=silent)
    belief = np.ones(view.board.stations + 1)
    assert render.svg(view, belief=belief, explanation=told) == render.svg(view, belief=belief, explanation=silent)


# ------------------------------------------------------------------------------------------------------- in commands


def test_a_match_explains_itself_and_watch_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    match = f"--mr-x decoy --detectives hunters --board docklands --out {tmp_path}"
    assert call(monkeypatch, f"match {match} --explain") == 0
    shown = capsys.readouterr().out
    replay = Replay.load(tmp_path / "replay.jsonl")
    assert shown.count("made up of capture times") == sum(one.policy == "hunters" for one in replay.explanations)  # type: ignore[union-attr]
    assert call(monkeypatch, f"watch {tmp_path} --explain") == 0
    again = capsys.readouterr().out
    assert again.count("made up of capture times") == shown.count("made up of capture times")
    assert f"decoy plays {replay.moves[0]}" in again
    assert call(monkeypatch, f"watch {tmp_path} --explain --viewer detectives") == 0
    assert "decoy plays" not in capsys.readouterr().out
    assert call(monkeypatch, f"watch {tmp_path} --explain --at 1 --out {tmp_path}/why.svg") == 0
    assert "hunters plays" in (tmp_path / "why.svg").read_text(encoding="utf-8")
    assert call(monkeypatch, f"watch {tmp_path}") == 0
    assert "plays" not in capsys.readouterr().out


def test_watch_asks_policies_what_they_would_have_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    play_match("random", "random", board="docklands", seed=1).game.save(tmp_path / "game.jsonl")
    assert call(monkeypatch, f"watch {tmp_path}/game.jsonl --detectives greedy") == 0
    shown = capsys.readouterr().out
    assert "greedy would play" in shown


def test_watch_shows_what_is_kept_beside_what_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], explained: Replay, tmp_path: Path
) -> None:
    explained.save(tmp_path / "game.jsonl")
    assert call(monkeypatch, f"watch {tmp_path}/game.jsonl --explain --mr-x random") == 0
    shown = capsys.readouterr().out
    assert "random " in shown
    assert "hunters plays" in shown
    assert "greedy" not in shown


def test_a_forfeited_match_keeps_its_explanations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = type("Broken", (), {"act": lambda *_: 1 / 0})
    monkeypatch.setattr(f"{__name__}.made", broken, raising=False)
    match = f"match --mr-x random --detectives {__name__}:made --board glasses --explain --out {tmp_path}"
    assert call(monkeypatch, match) == 3
    assert Replay.load(tmp_path / "replay.jsonl").explanations[0] is not None


def test_watch_draws_the_heat_of_any_belief(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play_match("hider", "greedy", board="docklands", seed=1).game.save(tmp_path / "game.jsonl")
    pictures = []
    for belief in ("", "--belief evasive", "--belief paths"):
        assert call(monkeypatch, f"watch {tmp_path}/game.jsonl --at 6 {belief} --out {tmp_path}/a.svg") == 0
        pictures.append((tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert len(set(pictures)) == 3


WRONG_WATCHES = {
    "nothing to explain": ("--explain", "the replay has no explanations: scotyard match --explain keeps them"),
    "a spectator": ("--mr-x greedy --viewer spectator", "a spectator is not told what the players think"),
    "no such policy": ("--mr-x nobody", "there is no policy 'nobody'"),
    "no such belief": ("--belief tea --out a.svg", "there is no weighting 'tea'"),
    "a belief without a picture": ("--belief evasive", "--belief colours pages, pictures and films: give --out"),
    "the other side": ("--mr-x greedy --viewer detectives", "detectives are not told what mr_x would play"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG_WATCHES.values(), ids=WRONG_WATCHES)
def test_a_wrong_watch_gets_one_line(
    arguments: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    play_match("random", "random", board="glasses", seed=1).game.save("game.jsonl")
    assert message in refuse(monkeypatch, capsys, f"watch game.jsonl {arguments}")
    assert not (tmp_path / "a.svg").exists()
