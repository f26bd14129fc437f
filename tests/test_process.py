"""Programs as policies: they play, fail as any policy fails, and are gone when whoever asked for them is."""

from __future__ import annotations

import copy
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from record_transcripts import FOLDER, GAMES, ROOT, transcribe
from test_wire import validator

from scotyard_env.arena import play_match, tournament
from scotyard_env.bot import answer_all
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.outside import LONGEST_ANSWER
from scotyard_env.policy import PolicyError, files_of, make_policy
from scotyard_env.state import MR_X
from scotyard_env.testing import policy_test
from scotyard_env.wire import WireError, frame, from_line, hello, to_line

FIRST = """
import json, sys
for number, line in enumerate(sys.stdin):
    message = json.loads(line)
    if message["type"] == "hello":
        continue
    move = message["frame"]["legal"][0]
    {misbehaviour}
    print(json.dumps({{"move": move}}), flush=True)
"""
REPLAYER = """
import sys
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("<"):
        print(line[2:], end="", flush=True)
    elif (said := sys.stdin.readline()) != line[2:]:
        sys.exit(f"expected {line[2:]} and heard {said}")
"""


def write(path: Path, misbehaviour: str = "pass") -> str:
    """Write a program that plays the first legal move, but for some misbehaviour; return its name as a policy."""
    path.write_text(FIRST.format(misbehaviour=misbehaviour))
    return f"process:{sys.executable} {path}"


def is_alive(pid: int) -> bool:
    """Tell whether a process is there, and no zombie that nobody has asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 20
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_alive, pids))


# What is said


@pytest.mark.parametrize("name", GAMES)
def test_the_example_answers_as_in_its_transcript(name: str) -> None:
    assert "".join(transcribe(*GAMES[name])) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_program_is_asked_as_in_the_transcript(name: str, tmp_path: Path) -> None:
    (tmp_path / "replayer.py").write_text(REPLAYER)
    policy = make_policy(f"process:{sys.executable} {tmp_path / 'replayer.py'} {FOLDER / name}.txt")
    board, side = GAMES[name]
    game, rng = Game(board, seed=2), np.random.default_rng(2)
    while game.winner is None:
        asked = (game.seat == MR_X) == (side == "mr_x")
        game.play(policy.act(game.view(game.seat), rng).action if asked else int(rng.choice(game.legal)))


@pytest.mark.parametrize("name", GAMES)
def test_every_line_of_a_transcript_is_as_the_schema_says(name: str) -> None:
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        message = from_line(line[2:].encode())
        validator("answer" if line[0] == "<" else message["type"]).validate(message)


# Playing


@pytest.mark.parametrize(
    "program",
    [
        "node examples/bot.mjs",
        f"{sys.executable} examples/bot.py",
        f"{sys.executable} examples/bot_0_1_0.py random",  # what it needs of 0.1.0 is still there
    ],
)
def test_the_examples_play_both_sides(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which(program.split()[0]) is None:
        pytest.skip(f"there is no {program.split()[0]} here")
    monkeypatch.chdir(ROOT)
    match = play_match(f"process:{program}", f"process:{program}", board="docklands", seed=1)
    assert match.game.winner is not None


def test_a_program_keeps_the_contract_of_policies(tmp_path: Path) -> None:
    report = policy_test(write(tmp_path / "bot.py"), quick=True)
    assert not [finding for finding in report.findings if finding.problem]


def test_a_program_plays_in_workers_and_is_gone_afterwards(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    name = write(tmp_path / "bot.py", f"import os; open({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')")
    played = tournament(name, ["random", name], games=3, board="glasses", workers=2)
    assert [result.forfeit for result in played.results] == [None] * 6
    assert wait_until_gone([int(pid) for pid in pids.read_text().split()])


def test_a_copy_has_a_program_of_its_own(tmp_path: Path) -> None:
    policy, view = make_policy(write(tmp_path / "bot.py")), Game("glasses", seed=0).view(0)
    for one in (policy, copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert one == policy
        assert one.act(view, np.random.default_rng(0)).action == view.legal[0]


def test_its_files_tell_two_versions_of_a_program_apart(tmp_path: Path) -> None:
    policy = make_policy(write(tmp_path / "bot.py"))
    assert files_of(policy) == (Path(sys.executable), tmp_path / "bot.py")


# Failing


@pytest.mark.parametrize(
    ("misbehaviour", "words"),
    [
        ("sys.exit('lost my way')", "the program ended with code 1: lost my way"),
        ("import os; os.kill(os.getpid(), 9)", "ended with code 137"),
        ("import os, time; os.close(1); time.sleep(60)", "ended with code 137"),
        ("print('no idea', flush=True)", 'answered \'no idea\': give a line such as {"move": "T45"}'),
        ("print('[1]', flush=True)", "give a line such as"),
        ("move = 7", "give a line such as"),
        ("print(json.dumps({'move': move}) * 2)", "give a line such as"),
        ("move = json.dumps({'move': move}); print(move + '\\n' + move)", "give one line for each decision"),
        ("move = 'T0'", "'T0' leads nowhere"),
        ("move = 'T255'", "'T255' leads nowhere"),
        ("move = 'B1'", "played an illegal move"),
        ("sys.stdout.write('x' * 10_000_000)", f"answered more than {LONGEST_ANSWER} bytes"),
        ("print('[' * 60_000, flush=True)", "give a line such as"),
        ("sys.stdout.buffer.write(bytes(range(128, 138)) + b'\\n'); sys.stdout.flush()", "give a line such as"),
        ("sys.stderr.write('x' * 1_000_000); sys.exit(3)", "ended with code 3: xxx"),
    ],
)
def test_a_program_that_fails_forfeits(misbehaviour: str, words: str, tmp_path: Path) -> None:
    name = write(tmp_path / "bot.py", misbehaviour)
    played = tournament("random", {"bot": name, "greedy": "greedy"}, games=1, board="glasses")
    by_name = {result.detectives: result for result in played.results}
    assert by_name["greedy"].forfeit is None
    assert by_name["bot"].forfeit == "detectives"
    assert words in str(by_name["bot"].reason)


def test_the_next_game_of_a_program_that_failed_has_a_new_one(tmp_path: Path) -> None:
    once = f"p = __import__('pathlib').Path({str(tmp_path / 'grave')!r}); p.exists() or (p.touch(), sys.exit(1))"
    policy, view = make_policy(write(tmp_path / "bot.py", once)), Game("glasses", seed=0).view(0)
    with pytest.raises(ValueError, match="ended with code 1"):
        policy.act(view, np.random.default_rng(0))
    assert policy.act(view, np.random.default_rng(0)).action == view.legal[0]


OWNER = """
import sys, numpy as np
from scotyard_env import Game, make_policy
policy = make_policy(sys.argv[1])
policy.act(Game("glasses", seed=0).view(0), np.random.default_rng(0))
"""


def test_whoever_kills_us_kills_the_program_and_what_it_has_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    hang = (
        "import os, subprocess, time; child = subprocess.Popen(['sleep', '600']);"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}\\n'); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", OWNER, write(tmp_path / "bot.py", hang)])
    try:
        deadline = time.monotonic() + 60
        while not (pids.exists() and pids.read_text().endswith("\n")) and time.monotonic() < deadline:
            time.sleep(0.02)
        left = [int(pid) for pid in pids.read_text().split()]
        assert all(map(is_alive, left))
    finally:
        owner.kill()
        owner.wait()
    assert wait_until_gone(left)


def test_a_program_that_hangs_costs_its_limit(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    note = f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}} ')"
    name = write(tmp_path / "bot.py", f"import os, time; number > 2 and ({note}, time.sleep(600))")
    result = tournament("random", name, games=1, board="docklands", workers=1, move_limit=0.5).results[0]
    assert "took longer than 0.5 s for a move" in str(result.reason)
    assert wait_until_gone([int(pid) for pid in pids.read_text().split()])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("process:", "'process:' names no command: write process:COMMAND"),
        ("process: ", "names no program"),
        ("process:no_such_program --flag", "there is no program 'no_such_program' that can be run"),
        ("process:./README.md", "there is no program './README.md' that can be run"),
        ("process:python3 'bot.py", "No closing quotation"),
    ],
)
def test_what_is_no_program_is_refused_at_once(name: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(name)
    assert words in str(error.value)


# The other way round


def test_a_bot_answers_as_its_policy_decides() -> None:
    game, policy, lines, decided = Game("docklands", seed=4), make_policy("greedy"), [], []
    lines.append(to_line(hello(game.board, game.rules, "detectives")))
    for seed in range(12):
        view = game.view(game.seat)
        action = policy.act(view, np.random.default_rng(seed)).action
        if game.seat != MR_X:
            lines.append(to_line({"type": "decide", "seed": seed, "frame": frame(view)}))
            decided.append({"move": action_text(game.board, action)})
        game.play(action)
    assert [from_line(answer) for answer in answer_all("greedy", lines)] == decided


@pytest.mark.parametrize("line", [b'{"type":"decide","seed":1,"frame":{}}', b'{"type":"goodbye"}', b"[]", b"?"])
def test_a_bot_refuses_what_it_does_not_understand(line: bytes) -> None:
    with pytest.raises(WireError):
        list(answer_all("greedy", [line]))


def test_a_bot_is_a_program_whose_prints_are_no_answers(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text(
        "from scotyard_env.policy import Decision\n"
        "class Chatty:\n"
        "    def act(self, view, rng):\n"
        "        print('let me see')\n"
        "        return Decision(view.legal[0])\n"
    )
    main = f"import sys; sys.path.append({str(tmp_path)!r}); from scotyard_env.cli import main; main()"
    match = play_match(
        "random", f"process:{sys.executable} -c '{main.replace(chr(39), chr(34))}' bot chatty:Chatty", board="glasses"
    )
    assert match.game.winner is not None
