"""Commands are found by name wherever they are installed; one that is broken says so and stands in nobody's way."""

from __future__ import annotations

import contextlib
import runpy
import shlex
import sys
from pathlib import Path

import pytest
from calling import call

from scotyard_env import cli
from scotyard_env.commands import find_commands, load_command, summarise, write_call
from scotyard_env.plugins import OURS

PLUGIN = '''
"""A module of somebody else."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Greet:
    """Say hello.

    Nothing else.
    """

    name: str = "you"

    def run(self) -> None:
        if self.name == "nobody":
            raise ValueError("nobody is there\\nto be greeted")
        if self.name == "ctrl-c":
            raise KeyboardInterrupt
        if self.name == "later":
            import no_such_library.part
        print(f"hello {self.name}")


class NoCommand:
    pass


if __name__ == "__main__":
    from scotyard_env.commands import run_module

    run_module(Greet)
'''

ENTRY_POINTS = """
[scotyard_env.commands]
greet = their_plugin:Greet
greet.twice = their_plugin:Greet
match = their_plugin:Greet
train = their_plugin:Greet
train.ours = their_plugin:Greet [fast]
train.slow = their_slow_plugin:Greet [fast, slow]
no.command = their_plugin:NoCommand
no.module = their_missing_plugin:Greet
no.name = their_plugin:Nothing
no.luck = their_broken_plugin:Greet
a b = their_plugin:Greet
"""


@pytest.fixture(autouse=True)
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that adds commands of its own, of which some are no good."""
    (tmp_path / "their_plugin.py").write_text(PLUGIN)
    (tmp_path / "their_slow_plugin.py").write_text('"""Needs more."""\nimport no_such_library.part\n' + PLUGIN)
    (tmp_path / "their_broken_plugin.py").write_text("1 / 0\n")
    information = tmp_path / "their_plugin-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: their-plugin\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "their_plugin", raising=False)


def test_another_package_adds_a_command_and_one_to_our_groups(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "greet --name Watson") == 0
    assert call(monkeypatch, "train ours") == 0
    assert capsys.readouterr().out == "hello Watson\nhello you\n"


@pytest.mark.parametrize(("line", "lists"), [("--help", "greet"), ("-h", "train ppo"), ("train --help", "train ours")])
def test_help_lists_commands_with_a_line_each(
    line: str, lists: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, line) == 0
    shown = [row for row in capsys.readouterr().out.splitlines() if row.startswith(f"  {lists} ")]
    assert len(shown) == 1
    assert len(shown[0].split()) > len(lists.split()) + 1
    assert "their_plugin" not in sys.modules  # the line is read, not imported


def test_help_of_a_command_lists_its_arguments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "greet --help") == 0
    shown = capsys.readouterr().out
    assert "usage: scotyard greet" in shown
    assert "--name" in shown


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("play --level silly", "('easy', 'normal', 'hard', 'best')"),
        ("play --level None", "'best')"),
        ("play --as 3", "'detectives')"),
    ],
)
def test_a_choice_that_is_none_is_told_what_may_be_chosen_and_no_more(
    line: str, right: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert call(monkeypatch, line) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert right in said
    assert "'None'" not in said.partition("Expected")[2]


def test_what_may_be_left_out_is_asked_for_as_what_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.parse(["match", "--board", "docklands"]).board == "docklands"  # type: ignore[attr-defined]
    assert cli.parse(["match"]).board is None  # type: ignore[attr-defined]
    assert call(monkeypatch, "match --help") == 0
    assert "{None}" not in capsys.readouterr().out


@pytest.mark.parametrize("line", ["", "train"])
def test_a_group_alone_is_listed_as_wrong_use(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, line) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "train ppo" in said.err


def test_who_comes_second_is_left_out_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "match --help") == 0
    said = capsys.readouterr()
    assert "--mr-x" in said.out
    before = "is left out: the command"
    for words in (
        f"the command 'match' of their-plugin {before} 'match' of scotyard-env was there before",
        f"the command 'train' of their-plugin {before} 'train best_response' of scotyard-env was there before",
        f"the command 'greet twice' of their-plugin {before} 'greet' of their-plugin was there before",
        "the command 'a b' of their-plugin is left out: a name is words with dots between them",
    ):
        assert f"scotyard: warning: {words}\n" in said.err


def test_a_broken_command_is_named_in_the_list_and_the_others_are_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "--help") == 0
    said = capsys.readouterr()
    broken = "the command 'no module' of their-plugin is broken: there is no module their_missing_plugin"
    assert f"scotyard: warning: {broken}" in said.err
    assert "no module" not in said.out
    assert "tournament" in said.out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("greeet", "there is no command 'greeet': did you mean greet?"),
        ("train pp", "there is no command 'train pp': did you mean train ppo?"),
        ("train zzz", "there is no command 'train zzz': there are "),
        ("greet --name nobody", "nobody is there to be greeted"),
        ("greet --name later", "scotyard greet needs no_such_library, which is not installed"),
        ("train slow", "scotyard train slow needs no_such_library: pip install 'their-plugin[fast,slow]'"),
        ("train ours --name later", "scotyard train ours needs no_such_library: pip install 'their-plugin[fast]'"),
        ("no command", "the command 'no command' of their-plugin is no command: their_plugin:NoCommand should be"),
        ("no module", "the command 'no module' of their-plugin cannot be loaded: ModuleNotFoundError: "),
        ("no name", "the command 'no name' of their-plugin cannot be loaded: AttributeError: "),
        ("no luck", "the command 'no luck' of their-plugin cannot be loaded: ZeroDivisionError: "),
    ],
)
def test_what_cannot_be_run_is_one_line(
    line: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, line) == 2
    said = capsys.readouterr()
    assert said.out == ""
    told = [row for row in said.err.splitlines() if "warning" not in row]
    assert len(told) == 1
    assert told[0].startswith(f"scotyard: {words}")


def test_who_interrupts_is_not_shown_where(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(monkeypatch, "greet --name ctrl-c") == 130


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["--name", "Holmes"], 0, "hello Holmes\n", ""),
        (["--name", "nobody"], 2, "", "scotyard: nobody is there to be greeted\n"),
    ],
)
def test_a_module_runs_by_itself_by_the_same_rules(
    arguments: list[str],
    code: int,
    out: str,
    err: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["their_plugin", *arguments])
    with contextlib.nullcontext() if code == 0 else pytest.raises(SystemExit, match=str(code)):
        runpy.run_module("their_plugin", run_name="__main__", alter_sys=True)
    assert capsys.readouterr() == (out, err)


@pytest.mark.parametrize(
    "words", [words for words, entry in find_commands().entries.items() if entry.dist.name == OURS]
)  # type: ignore[union-attr]
def test_each_of_our_commands_can_be_loaded_and_says_what_it_does(words: str) -> None:
    if words == "train rllib":
        pytest.importorskip("ray.rllib")
    entry = find_commands().entries[words]
    told = summarise(entry)
    assert told
    assert told.endswith(".")
    assert (load_command(words, entry).__doc__ or "").startswith(told)


def test_an_install_without_commands_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    for words in (["--help"], ["match"]):
        monkeypatch.setattr(sys, "argv", ["scotyard", *words])
        with pytest.raises(SystemExit):
            cli.main()
    printed = capsys.readouterr()
    assert "none is installed: install scotyard-env again" in printed.out
    assert "there is no command 'match': none is installed" in printed.err


@pytest.mark.parametrize(
    "words",
    [
        "exploitability",
        "exploitability --board docklands --reveals 3 8 --policy greedy hunters:starts=2,uniform_mix=0",
        "tournament --out 'my results' --no-replays --move-limit 0.5",
        "robustness --slow --games 7",
    ],
)
def test_a_command_is_written_as_it_was_called_and_read_again(words: str) -> None:
    command = cli.parse(shlex.split(words))
    written = write_call(words.split()[0], command)
    assert sorted(shlex.split(written)) == sorted(["scotyard", *shlex.split(words)])
    assert cli.parse(shlex.split(written)[1:]) == command
