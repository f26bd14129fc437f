"""Whatever a policy does: it forfeits or is contained, the others' results stay as they are, nothing is left behind."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from pathlib import Path
from typing import Any

import odd_policies
import pytest
from odd_policies import CONTAINED, FORFEITS, IN_WORKERS, Odd

from scotyard_env.arena import Tournament, tournament
from scotyard_env.policy import PolicyError

OPTIONS: dict[str, Any] = {"games": 1, "board": "docklands", "seed": 1}


def play(kinds: Any, **options: Any) -> Tournament:
    entries = {"before": "greedy", **{kind: Odd(kind=kind) for kind in kinds}, "after": "random"}
    return tournament("random", entries, **{**OPTIONS, **options})


def outcomes(played: Tournament) -> dict[str, Any]:
    return {result.detectives: result for result in played.results}


@pytest.fixture(scope="module")
def healthy() -> dict[str, Any]:
    return outcomes(
        tournament("random", {"before": "greedy", "odd": odd_policies.First(), "after": "random"}, **OPTIONS)
    )


@pytest.fixture(scope="module")
def here() -> dict[str, Any]:
    return outcomes(play([*FORFEITS, *CONTAINED]))


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that misbehave in workers, in one tournament that has a temporary folder of its own."""
    temporary = tmp_path_factory.mktemp("temporary")
    before = tempfile.tempdir
    tempfile.tempdir = str(temporary)
    try:
        played = play([*FORFEITS, *CONTAINED, *IN_WORKERS], workers=2)
    finally:
        tempfile.tempdir = before
    assert list(temporary.glob("**/odd-*")) == []
    return outcomes(played)


@pytest.mark.parametrize("kind", FORFEITS)
def test_who_misbehaves_forfeits_in_any_process_with_a_clear_reason(kind: str, here: Any, there: Any) -> None:
    for results in (here, there):
        assert (results[kind].forfeit, results[kind].winner, results[kind].round) == ("detectives", "mr_x", 3)
        assert FORFEITS[kind][1] in results[kind].reason
    assert here[kind].same == there[kind].same


@pytest.mark.parametrize("kind", CONTAINED)
def test_what_does_no_harm_is_played_on_and_touches_nobody(kind: str, here: Any, there: Any, healthy: Any) -> None:
    assert same(here[kind]) == same(there[kind]) == same(healthy["odd"])


@pytest.mark.parametrize("kind", IN_WORKERS)
def test_what_would_spoil_a_process_spoils_only_its_own(kind: str, there: Any, healthy: Any) -> None:
    reason = IN_WORKERS[kind][1]
    if reason is None:
        assert same(there[kind]) == same(healthy["odd"])
    else:
        assert (there[kind].forfeit, there[kind].winner, there[kind].reason) == ("detectives", "mr_x", reason)


def test_the_others_play_as_if_nobody_had_misbehaved(here: Any, there: Any, healthy: Any) -> None:
    for name in ("before", "after"):
        assert here[name].same == there[name].same == healthy[name].same


@pytest.mark.usefixtures("here", "there")
def test_nothing_is_left_behind() -> None:
    assert [one for one in threading.enumerate() if not one.daemon] == [threading.main_thread()]
    assert children() == []
    assert Path.cwd() == Path(os.environ["PWD"])


def test_a_policy_may_forfeit_on_one_side_only() -> None:
    entries = {"odd": odd_policies.RaisesAsMrX(), "random": "random"}
    played = tournament(entries, entries, **OPTIONS)
    assert [result.forfeit for result in played.results] == ["mr_x", "mr_x", None, None]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import no_such_library", "cannot be made: ModuleNotFoundError: No module named 'no_such_library'"),
        ("raise RuntimeError('not today')", "cannot be made: RuntimeError: not today"),
        ("import sys; sys.exit(0)", "cannot be made"),
    ],
)
def test_a_module_that_fails_is_refused_before_anything_is_played(
    line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fails_early.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PolicyError) as error:
        tournament("random", "fails_early:make", out=tmp_path / "out", **OPTIONS)
    assert words in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_policy_that_can_be_made_only_here_forfeits_in_a_worker() -> None:
    entries = {"odd": odd_policies.BornOnce(born=os.getpid()), "after": "random"}
    odd, after = tournament("random", entries, workers=1, **OPTIONS).results
    assert (odd.forfeit, odd.reason) == ("detectives", "could not be made: raised OSError: born elsewhere")
    assert after.forfeit is None


def test_ctrl_c_of_a_person_stops_a_tournament_in_this_process() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            tournament("random", odd_policies.Interrupted(), **OPTIONS)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def same(result: Any) -> dict[str, Any]:
    return {**result.same, "detectives": ""}


def children() -> list[str]:
    """The processes that a policy here has started, by what they were started with."""
    own = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().decode()
            environment = (entry / "environ").read_bytes().decode()
        except OSError:
            continue
        if "time.sleep(3600)" in command and f"PYTEST_VERSION={pytest.__version__}" in environment:
            own.append(command)
    return own


# Time


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for less long."""
    monkeypatch.setattr("scotyard_env.arena.guard.GRACE", 0.2)
    monkeypatch.setattr("scotyard_env.arena.processes.GRACE", 0.2)
    monkeypatch.setattr("scotyard_env.arena.member.GRACE", 0.2)
    monkeypatch.setattr("scotyard_env.arena.member.LOADING", 0.2)


def test_a_policy_that_never_answers_is_stopped_though_no_limit_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scotyard_env.arena.processes.SILENCE", 0.2)
    played = tournament("random", {"hangs": odd_policies.Hangs(), "after": "random"}, workers=1, **OPTIONS)
    assert [result.reason for result in played.results] == ["took longer than 0.2 s for a move", None]


def test_a_policy_that_hangs_on_its_first_move_is_stopped_once_and_asked_no_more() -> None:
    entries = {"hangs": odd_policies.Hangs(since=0), "after": "random"}
    played = tournament("random", entries, workers=1, **{**OPTIONS, "games": 6, "move_limit": 1})
    reasons = [result.reason for result in played.results if result.detectives == "hangs"]
    late = "took longer than 1 s for a move"
    assert sorted(map(str, reasons)) == [late, *[f"was not asked again after it {late}"] * 5]
    alone = tournament("random", {"after": "random"}, **{**OPTIONS, "games": 6, "move_limit": 1})
    assert [one.same for one in played.results if one.detectives == "after"] == [one.same for one in alone.results]


@pytest.mark.parametrize("workers", [None, 1])
def test_a_policy_that_hangs_match_after_match_is_not_asked_again(workers: int | None) -> None:
    played = tournament("random", odd_policies.Hangs(), workers=workers, **{**OPTIONS, "games": 5, "move_limit": 0.1})
    late = "took longer than 0.1 s for a move"
    assert [result.reason for result in played.results] == [late] * 3 + [f"was not asked again after it {late}"] * 2
    assert [result.round for result in played.results] == [3, 3, 3, 0, 0]


def test_a_limit_holds_in_a_process_that_ignores_interrupts_as_jobs_in_the_background_do() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        played = tournament("random", odd_policies.Hangs(), **{**OPTIONS, "games": 1, "move_limit": 0.1})
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert [result.reason for result in played.results] == ["took longer than 0.1 s for a move"]
