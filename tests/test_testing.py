"""The contract of a policy is noticed to be broken, promise by promise, and the sentence says which and where."""

from __future__ import annotations

import inspect
import itertools
import re
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from scotyard_env import cli
from scotyard_env.game import Game
from scotyard_env.policy import Decision, PolicyError, Side
from scotyard_env.state import MR_X
from scotyard_env.testing import PolicyTestError, policy_test
from scotyard_env.view import View, Views


@dataclass(frozen=True)
class First:
    """Plays the first legal action: a policy that keeps its promises, for others to break."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0])


class PlaysNothing(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return view.legal[0]  # type: ignore[return-value]


class PlaysAnything(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(-1)


class PlaysText(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal_moves[0])  # type: ignore[arg-type]


class FailsWithOneDetective(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal[0] + 0 * view.stations[2])


class ChangesTheView(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        action = view.legal[0]
        view.state.tickets[1, 0] += 1
        return Decision(action)


class ChangesTheRules(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        view.packed_rules["log_entries"] += 1
        return Decision(view.legal[0])


class ThrowsItsOwnDice(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(int(np.random.default_rng().choice(view.legal)))


class Remembers:
    """Plays the first action in its first game, and another later."""

    def __init__(self) -> None:
        self.views = 0

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.views += 1
        return Decision(view.legal[self.views % len(view.legal)])


class LearnsFromGames(First):
    """Counts the games that it began, and plays another way once there were some."""

    def __init__(self) -> None:
        self.games = 0

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.games += view.round == 0 or (view.round == 1 and view.seat == 1)
        return Decision(view.legal[-1 if self.games > 40 else 0])


class RemembersWithoutEffect(First):
    def __init__(self) -> None:
        self.met: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        self.met.append(view.seat)
        return super().act(view, rng)


class Peeks(First):
    """Finds the game that the view was made of."""

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        for frame in inspect.stack():
            spot = frame.frame.f_locals.get("spot")
            if spot is not None:
                return Decision(view.legal[spot.game.stations[MR_X] % len(view.legal)])
        return super().act(view, rng)


class BatchesWrongly(First):
    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.array([legal[-1] for legal in legal_in(views)])


class BatchesInTheWrongOrder(First):
    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.array([legal[0] for legal in legal_in(views)])[::-1]


class BatchesTooFew(First):
    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.array([legal[0] for legal in legal_in(views)])[:-1]


class BatchesByOtherFrequencies(First):
    def act(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(int(rng.choice(view.legal)))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.array([legal[int(rng.random() < 0.1)] for legal in legal_in(views)])


def legal_in(views: Views) -> list[list[int]]:
    return [View(views.board, views.rules, state, state.seat).legal * 2 for state in views.states]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (PlaysNothing, r"It gives a Decision with a legal action.*: it gives \d+, which is no Decision, on "),
        (
            PlaysAnything,
            r"It gives a Decision with a legal action.*: its action -1 is not legal: legal are \[.*\], on ",
        ),
        (PlaysText, r"It gives a Decision with a legal action.*: its action is '\w+', which is no integer, on "),
        (FailsWithOneDetective, r"with 1 to 5 detectives: it raises IndexError: .* with 1 detective, seed \d+, after"),
        (ChangesTheView, "It changes nothing in the view, as nobody can .*: it changes the view, on "),
        (ChangesTheRules, "with 1 to 5 detectives: it raises ValueError: output array is read-only, on "),
        (ThrowsItsOwnDice, r"same view and the same rng .*: it decides Decision\(.*\), then Decision\(.*\), on"),
        (Remembers, r"What it decided before plays no part.*: a new one decides .*, one that has played decides "),
        (LearnsFromGames, "It comes out of a game as it went in.*: its attribute 'games' changes from game to game"),
        (
            RemembersWithoutEffect,
            "It comes out of a game as it went in.*: its attribute 'met' changes from game to game",
        ),
        (Peeks, r"does not depend on where Mr\. X hides: it decides .* with Mr\. X on \d+ or on \d+, on "),
        (BatchesWrongly, r"The actions of act_batch are those of act.*: act gives \d+, act_batch \d+, on "),
        (BatchesInTheWrongOrder, r"The actions of act_batch are those of act.*: (its action|act gives) \d+"),
        (BatchesTooFew, r"The actions of act_batch are those of act.*: act_batch gives shape \(7,\) for 8 views"),
        (BatchesByOtherFrequencies, r"act_batch are those of act.*: act chooses \d+ \d+ times in 60, act_batch \d+"),
    ],
)
def test_a_broken_promise_is_named_with_its_position(policy: type[Any], words: str) -> None:
    with pytest.raises(PolicyTestError, match=f"^{policy.__name__} breaks a promise. .*{words}"):
        policy_test(policy, quick=True)


def test_a_position_can_be_played_again() -> None:
    with pytest.raises(PolicyTestError) as error:
        policy_test(PlaysAnything, "detectives", quick=True, seed=3)
    said = str(error.value)
    found = re.search(r", on (\S+) by (\S+) with (\d) detectives?, seed (\d+), after (.*)$", said)
    assert found is not None
    board, rules, detectives, seed, moves = found.groups()
    game = Game(board, rules, detectives=int(detectives), seed=int(seed))
    for move in moves.split():
        game.play(move)
    assert game.seat != MR_X
    assert f"legal are {game.legal}" in said


def test_the_rules_are_as_they_were_after_somebody_changed_them() -> None:
    before = Game("docklands", seed=0).packed_rules.tobytes()
    with pytest.raises(PolicyTestError):
        policy_test(ChangesTheRules, quick=True)
    assert Game("docklands", seed=0).packed_rules.tobytes() == before


@pytest.mark.parametrize("policy", [First, First(), f"{__name__}:First", lambda: First()])
def test_a_policy_is_taken_as_class_object_name_or_what_makes_it(policy: Any) -> None:
    report = policy_test(policy, "mr_x", quick=True)
    assert [finding.problem for finding in report.findings] == [None] * 8
    assert [finding.skipped for finding in report.findings if finding.skipped] == [
        "it does not play the detectives",
        "it has no act_batch",
    ]


def test_who_thinks_by_the_clock_is_not_asked_to_repeat_itself() -> None:
    class Timed(First):
        is_timed: ClassVar[bool] = True
        counter = itertools.count()

        def act(self, view: View, rng: np.random.Generator) -> Decision:
            return Decision(view.legal[next(self.counter) % len(view.legal)])

    report = policy_test(Timed, quick=True)
    assert [finding.skipped for finding in report.findings].count("it thinks by the clock") == 5
    assert "skipped  The same view and the same rng give the same decision: it thinks by the clock" in str(report)


def test_a_policy_without_fields_known_to_us_is_not_asked_for_parameters() -> None:
    class Plain:
        def act(self, view: View, rng: np.random.Generator) -> Decision:
            return Decision(view.legal[0])

    assert policy_test(Plain, quick=True).findings[-1].skipped is not None


def test_a_side_that_a_policy_does_not_play_is_refused() -> None:
    class Fugitive(First):
        sides: ClassVar[tuple[Side, ...]] = ("mr_x",)

    with pytest.raises(PolicyError, match="plays mr_x, not detectives"):
        policy_test(Fugitive, "detectives", quick=True)


# The command


def check(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["scotyard", "check", *arguments, "--quick"])
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_check_prints_what_holds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(monkeypatch, "greedy", "--side", "mr_x") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["holds"] * 5 + ["skipped"] + ["holds"] * 2


def test_check_goes_on_after_what_does_not_hold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(monkeypatch, f"{__name__}:BatchesWrongly") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["holds"] * 6 + ["FAILS", "holds"]
    assert check(monkeypatch, "nobody") == 2
