"""Programs behind a socket as policies: they play, fail as any policy fails, and nothing secret is written down."""

from __future__ import annotations

import contextlib
import copy
import http
import json
import os
import pickle
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import refuse
from playing import random_game
from record_transcripts import ROOT
from test_wire import validator
from twins import twin_of
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.http11 import Request, Response
from websockets.sync.client import connect
from websockets.sync.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from scotyard_env import remote
from scotyard_env.arena import play_match, tournament
from scotyard_env.arena.report import write_report
from scotyard_env.bot_server import read_listen
from scotyard_env.game import Game
from scotyard_env.outside import LONGEST_ANSWER
from scotyard_env.policy import Policy, PolicyError, make_policy
from scotyard_env.remote import SUBPROTOCOL
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X
from scotyard_env.testing import policy_test
from scotyard_env.view import View
from scotyard_env.wire import hello, to_line

Handler = Callable[[ServerConnection], None]
Misbehaviour = Callable[[ServerConnection, int], str | bytes | None]  # with the number of the decision


def choose(question: dict[str, Any]) -> dict[str, str]:
    """Answer a decision by the first legal move."""
    return {"move": question["frame"]["legal"][0]}


def play(connection: ServerConnection, misbehave: Misbehaviour = lambda *_: None) -> None:
    """Answer one caller by first legal moves, but for some misbehaviour, which may give another answer."""
    decisions = 0
    for text in connection:
        message = json.loads(text)
        if message["type"] == "decide":
            decisions += 1
            connection.send(misbehave(connection, decisions) or json.dumps(choose(message)))


@contextlib.contextmanager
def serving(handler: Handler, subprotocols: list[str] | None = None, **options: Any) -> Iterator[str]:
    """Let a server run in this process; give its address."""
    named = [Subprotocol(one) for one in subprotocols or [SUBPROTOCOL]]
    server: Server = serve(handler, "127.0.0.1", 0, subprotocols=named, **options)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
    finally:
        server.shutdown()
        thread.join()


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, for two minutes at most."""
    deadline = time.monotonic() + 120
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)


def ask_often(policy: Policy, view: View) -> None:
    """Ask for a thousand decisions."""
    for _ in range(1000):
        policy.act(view, np.random.default_rng(0))


@contextlib.contextmanager
def running(*words: str) -> Iterator[str]:
    """Let a program run that plays behind a socket; give its address."""
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        said = program.stdout.readline() if program.stdout is not None else ""
        found = re.search(r"ws://127\.0\.0\.1:\d+", said)
        assert found is not None, said
        yield found[0]
    finally:
        program.kill()
        program.communicate()


# Playing


@pytest.mark.parametrize("program", ["node examples/bot_server.mjs", f"{sys.executable} examples/bot_server.py"])
def test_the_example_servers_play_both_sides(program: str) -> None:
    if shutil.which(program.split()[0]) is None:
        pytest.skip(f"there is no {program.split()[0]} here")
    with running(*program.split(), "0") as address:
        for board in ("docklands", "london"):
            match = play_match(f"remote:{address}", f"remote:{address}", board=board, seed=1)
            assert match.game.winner is not None


def test_a_policy_behind_a_socket_decides_as_it_does_here_and_plays_in_workers() -> None:
    with running(sys.executable, "-m", "scotyard_env.cli", "bot", "greedy", "--listen", "0") as address:
        there, here, game = make_policy(f"remote:{address}"), make_policy("greedy"), Game("docklands", seed=3)
        while game.winner is None:
            view, seed = game.view(game.seat), np.random.default_rng(game.seat).integers(2**32)
            action = there.act(view, np.random.default_rng(game.seat)).action
            assert action == here.act(view, np.random.default_rng(seed)).action
            game.play(action)
        played = tournament([f"remote:{address}"], ["random", "greedy"], games=3, board="docklands", workers=2)
    assert [result.forfeit for result in played.results] == [None] * 6


def test_a_program_behind_a_socket_keeps_the_contract_of_policies() -> None:
    with serving(play) as address:
        report = policy_test(f"remote:{address}", quick=True)
    assert not [finding for finding in report.findings if finding.problem]


def test_every_worker_has_a_connection_of_its_own_and_closes_it() -> None:
    ports, ended = set[int](), list[int]()

    def note(connection: ServerConnection) -> None:
        port = int(connection.remote_address[1])
        with contextlib.suppress(ConnectionClosed):
            play(connection, lambda *_: ports.add(port))
        ended.append(port)

    with serving(note) as address:
        played = tournament("random", f"remote:{address}", games=8, board="glasses", workers=2)
        wait_until(lambda: ports <= set(ended))
    assert [result.forfeit for result in played.results] == [None] * 8
    assert 1 <= len(ports) <= 2
    assert ports <= set(ended)


def test_a_copy_has_a_connection_of_its_own() -> None:
    view = Game("glasses", seed=0).view(0)
    with serving(play) as address:
        policy = make_policy(f"remote:{address}")
        for one in (policy, copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
            assert one == policy
            assert one.act(view, np.random.default_rng(0)).action == view.legal[0]


# What is said


def test_messages_are_those_of_the_schema_and_tell_nothing_of_where_mr_x_hides() -> None:
    heard: list[str] = []

    def listen(connection: ServerConnection) -> None:
        for text in connection:
            heard.append(str(text))
            message = json.loads(text)
            validator(message["type"]).validate(message)
            if message["type"] == "decide":
                connection.send(json.dumps(choose(message)))

    def told(replay: Replay, address: str) -> list[str]:
        heard.clear()
        policy, game = make_policy(f"remote:{address}"), replay.game(0)
        for move in replay.moves:
            if game.seat != MR_X:
                policy.act(game.view(game.seat), np.random.default_rng(1))
            game.play(move)
        return list(heard)

    games = (random_game("docklands", "docklands", 2, seed=number, actions=14) for number in range(100))
    here = Replay.of(next(game for game in games if game.winner is None))
    with serving(listen) as address:
        one, other = told(here, address), told(twin_of(here), address)
    assert len(one) > 5
    assert one == other


# Failing


def say(text: str | bytes) -> Misbehaviour:
    return lambda *_: text


def hang_up(code: int, reason: str, number: int = 1) -> Misbehaviour:
    return lambda connection, now: connection.close(code, reason) if now == number else None


def cut(connection: ServerConnection, _: int) -> None:
    connection.socket.shutdown(socket.SHUT_RDWR)


def babble(connection: ServerConnection, _: int) -> None:
    connection.socket.sendall(b"\xff" * 40)  # no frame of a WebSocket


@pytest.mark.parametrize(
    ("misbehave", "words"),
    [
        (say("no idea"), 'the program answered \'no idea\': give a line such as {"move": "T45"}'),
        (say("[1]"), "give a line such as"),
        (say('{"move": 7}'), "give a line such as"),
        (say("[" * 60_000), "give a line such as"),
        (say(bytes(range(128, 138))), "give a line such as"),
        (say("x" * (LONGEST_ANSWER + 1)), f"answered more than {LONGEST_ANSWER} bytes"),
        (say('{"move": "T255"}'), "'T255' leads nowhere"),
        (say('{"move": "B1"}'), "played an illegal move"),
        (hang_up(1011, "lost my way"), "the program closed the connection: 1011 lost my way"),
        (hang_up(1000, ""), "the program closed the connection: 1000"),
        (cut, "the program closed the connection"),
        (babble, "the program sent what is no WebSocket message"),
    ],
)
def test_a_program_that_fails_forfeits(misbehave: Misbehaviour, words: str) -> None:
    def handle(connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            play(connection, misbehave)

    with serving(handle) as address:
        played = tournament("random", {"bot": f"remote:{address}", "greedy": "greedy"}, games=1, board="glasses")
    by_name = {result.detectives: result for result in played.results}
    assert by_name["greedy"].forfeit is None
    assert by_name["bot"].forfeit == "detectives"
    assert words in str(by_name["bot"].reason)


def test_who_says_more_than_asked_forfeits() -> None:
    def twice(connection: ServerConnection, _: int) -> None:
        connection.send(json.dumps({"move": "--"}))

    with serving(lambda connection: play(connection, twice)) as address:
        policy, view = make_policy(f"remote:{address}"), Game("glasses", seed=0).view(0)
        with pytest.raises(ValueError, match="give one message for each decision"):
            ask_often(policy, view)  # until the second answer is there before the next question


@pytest.mark.parametrize("workers", [None, 1])
def test_a_program_that_hangs_costs_its_limit(workers: int | None) -> None:
    over = threading.Event()

    def hang(_: ServerConnection, number: int) -> None:
        if number > 2:
            over.wait(60)

    def handle(connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            play(connection, hang)

    with serving(handle) as address:
        options: dict[str, Any] = {} if workers is None else {"workers": workers}
        result = tournament("random", f"remote:{address}", games=1, board="docklands", move_limit=0.5, **options)
        over.set()
    assert "took longer than 0.5 s for a move" in str(result.results[0].reason)


def test_a_connection_that_is_closed_between_decisions_is_made_again() -> None:
    callers: list[ServerConnection] = []

    def answer_once(connection: ServerConnection) -> None:
        callers.append(connection)
        for text in connection:
            message = json.loads(text)
            if message["type"] == "decide":
                connection.send(json.dumps(choose(message)))
                return

    with serving(answer_once) as address:
        policy, view = make_policy(f"remote:{address}"), Game("glasses", seed=0).view(0)
        for _ in range(3):
            assert policy.act(view, np.random.default_rng(0)).action == view.legal[0]
            wait_until(lambda: bool(vars(policy)["_talk"].is_lost))  # the goodbye has come
    assert len(callers) == 3
    with pytest.raises(ValueError, match="cannot be reached"):
        policy.act(view, np.random.default_rng(0))


# At the door


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "'remote:' names no address: write remote:ADDRESS"),
        ("127.0.0.1:8421", "no address of a WebSocket: write remote:ws://host:port"),
        ("http://127.0.0.1:8421", "no address of a WebSocket"),
        ("ws://", "no address of a WebSocket"),
        ("ws://127.0.0.1:port", "no address of a WebSocket"),
        ("ws://127.0.0.1:99999", "no address of a WebSocket"),
        ("ws://[::1", "no address of a WebSocket"),
        ("ws://$HOST/", "no address of a WebSocket"),
        ("ws://127.0.0.1:1/a b", "no address of a WebSocket"),
        ("ws://me:secret@127.0.0.1:1", "put it into an environment variable"),
        ("ws://127.0.0.1:1/?key=secret", "put it into an environment variable"),
        ("ws://127.0.0.1:1/?secret", "put it into an environment variable"),
        ("ws://127.0.0.1:1/?secret=", "put it into an environment variable"),
        ("ws://127.0.0.1:1/?key=$PATH&secret", "put it into an environment variable"),
        ("ws://127.0.0.1:1/#secret", "put it into an environment variable"),
        ("ws://127.0.0.1:1/?key=$NO_SUCH_KEY", "names $NO_SUCH_KEY, and there is no such environment variable"),
        pytest.param(f"ws://127.0.0.1:{free_port()}", "cannot be reached (Connection refused)", id="nobody listens"),
        ("ws://no-such-host.invalid:1", "no-such-host.invalid:1 cannot be reached"),
    ],
)
def test_what_is_no_address_of_a_program_is_refused_at_once(address: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        make_policy(f"remote:{address}")
    assert words in str(error.value)


@pytest.mark.parametrize("subprotocol", ["scotyard-bot-2", "chat"])
def test_another_protocol_is_refused_at_once(subprotocol: str) -> None:
    with serving(play, [subprotocol]) as address, pytest.raises(PolicyError, match="is no program that plays"):
        make_policy(f"remote:{address}")


def test_a_server_of_something_else_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "OPENING", 0.3)
    with (
        serving(play, select_subprotocol=lambda *_: None) as address,
        pytest.raises(PolicyError, match="is something else than scotyard-bot-1"),
    ):
        make_policy(f"remote:{address}")
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(PolicyError, match=r"did not answer within 0\.3 s"),
    ):
        make_policy(f"remote:ws://127.0.0.1:{silent.getsockname()[1]}")


def test_a_tournament_with_nobody_at_an_address_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"tournament --mr-x random --detectives remote:ws://127.0.0.1:{free_port()} --out {tmp_path}/out"
    assert "cannot be reached (Connection refused): scotyard bot POLICY" in refuse(monkeypatch, capsys, line)
    assert not (tmp_path / "out").exists()


def test_wss_asks_for_a_certificate_that_can_be_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here, which makes a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]  # no name is looked up
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*make, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setattr(remote, "OPENING", 60.0)  # a busy machine may let both ends wait
    with serving(play, ssl=context) as address:
        name = f"remote:{address.replace('ws://', 'wss://')}"
        with pytest.raises(PolicyError, match="certificate"):
            make_policy(name)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        view = Game("glasses", seed=0).view(0)
        assert make_policy(name).act(view, np.random.default_rng(0)).action == view.legal[0]


# Secrets


def test_a_secret_reaches_the_program_and_stands_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", "s3cr3t/&")
    paths: list[str] = []

    def handle(connection: ServerConnection) -> None:
        assert connection.request is not None
        paths.append(f"{connection.request.path} {connection.request.headers.get('Authorization')}")
        play(connection, hang_up(1011, "tired", number=3))

    with serving(handle) as address:
        name = f"remote:{address.replace('//', '//me:$BOT_KEY@').replace('me', '$USER_OF_BOT')}/x?key=${{BOT_KEY}}"
        monkeypatch.setenv("USER_OF_BOT", "me")
        tournament("random", [name, "greedy"], games=2, board="docklands", out=tmp_path)
        write_report([tmp_path])
    assert paths[0] == "/x?key=s3cr3t%2F%26 Basic bWU6czNjcjN0LyY="
    written = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert any(b"BOT_KEY" in content for content in written)
    assert any(b"tired" in content for content in written)
    assert not any(b"s3cr3t" in content for content in written)


def test_an_error_at_the_door_keeps_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", "s3cr3t")
    with pytest.raises(PolicyError, match="cannot be reached") as error:
        make_policy(f"remote:ws://127.0.0.1:{free_port()}/$BOT_KEY")
    assert "s3cr3t" not in str(error.value)


@pytest.mark.parametrize("target", ["http://else.example/s3cr3t", "ws://[s3cr3t", "/s3cr3t"])
def test_a_server_that_sends_elsewhere_does_not_get_the_secret_printed(target: str) -> None:
    def redirect(connection: ServerConnection, _: Request) -> Response:
        response = connection.respond(http.HTTPStatus.FOUND, "")
        response.headers["Location"] = target
        return response

    with serving(play, process_request=redirect) as address, pytest.raises(PolicyError, match="no program") as error:
        make_policy(f"remote:{address}")
    assert "s3cr3t" not in str(error.value)


# The other end


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("8421", ("127.0.0.1", 8421)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::1]:8421", ("::1", 8421)),
        (":0", ("127.0.0.1", 0)),
    ],
)
def test_where_to_listen_is_this_machine_unless_said_otherwise(text: str, where: tuple[str, int]) -> None:
    assert read_listen(text) == where


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("greedy --listen here", "--listen is 'here': give a port such as 8421"),
        ("greedy --listen 99999", "--listen is '99999'"),
        ("nobody --listen 0", "there is no policy 'nobody'"),
        ("greedy --listen {taken}", "cannot listen on 127.0.0.1, port {taken}"),
    ],
)
def test_a_bot_that_cannot_listen_is_refused_in_one_sentence(
    words: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert said.format(taken=port) in refuse(monkeypatch, capsys, f"bot {words.format(taken=port)}")


def test_a_bot_hangs_up_on_what_it_does_not_understand_and_turns_pages_away(tmp_path: Path) -> None:
    (tmp_path / "raising.py").write_text(
        "class Raising:\n    def act(self, view, rng):\n        raise RuntimeError('not today')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-m", "scotyard_env.cli", "bot", "raising:Raising", "--listen", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env) as bot:
        try:
            said = bot.stdout.readline() if bot.stdout is not None else ""
            address = re.findall(r"ws://\S+(?=;)", said)[0]
            with pytest.raises(InvalidStatus):
                connect(address, subprotocols=[SUBPROTOCOL], origin="http://evil.example").__enter__()  # type: ignore[arg-type]
            with pytest.raises(InvalidStatus):
                connect(address).__enter__()
            assert closed(address, b"?")[1].startswith("this is not JSON")
            assert closed(address, b'{"type":"goodbye"}')[0] == 1008
            policy, view = make_policy(f"remote:{address}"), Game("glasses", seed=0).view(0)
            for _ in range(2):  # and the next caller is served
                with pytest.raises(ValueError, match="closed the connection: 1011 RuntimeError: not today"):
                    policy.act(view, np.random.default_rng(0))
            odd = to_line({**hello(view.board, view.rules, "mr_x"), "protocol": 2})
            assert closed(address, odd) == (1008, "the protocol is 2: this version speaks 1")
        finally:
            bot.kill()


def closed(address: str, message: bytes) -> tuple[int, str]:
    """Say something to a bot; return how it hangs up."""
    with connect(address, subprotocols=[SUBPROTOCOL]) as connection:
        connection.send(message)
        with pytest.raises(ConnectionClosed) as end:
            connection.recv(120)
    assert end.value.rcvd is not None
    return end.value.rcvd.code, end.value.rcvd.reason
