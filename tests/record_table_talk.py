"""Write down what is said at live tables of a real server: ``python tests/record_table_talk.py``.

A line that begins with > goes to the player, one that begins with < comes from it. The tables are put into the folder
of the server before it starts, so that deals and policies are the same each time.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from record_transcripts import FOLDER
from serving import Server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from scotyard_env.state import MR_X
from scotyard_env.web.journal import Journal
from scotyard_env.web.seating import Setup
from scotyard_env.web.table import deal_table
from scotyard_env.web.tokens import digest

TOKEN = "dGhpcyBpcyBhIHRva2VuIGZvciB0ZXN0cw"
SETUPS = {
    "detectives": Setup("glasses", "glasses", ("policy:greedy", "person:1", "person:1")),
    "practice": Setup("docklands", "docklands", ("person:1", "policy:greedy", "policy:greedy"), practice=True),
    "spectator": Setup("docklands", "docklands", ("person:1", "person:2", "person:2")),
    "refused": Setup("docklands", "docklands", ("person:1", "person:2", "person:2")),
}


class Talk:
    """What is said over one socket, taken down."""

    def __init__(self, socket: ClientConnection) -> None:
        self.lines: list[str] = []
        self._socket = socket

    def say(self, **message: Any) -> None:
        """Send a message."""
        text = json.dumps(message, separators=(",", ":"))
        self.lines.append(f"< {text}\n")
        self._socket.send(text)

    def hear(self) -> dict[str, Any]:
        """Wait for the next message."""
        text = self._socket.recv(20)
        self.lines.append(f"> {text!s}\n")
        message: dict[str, Any] = json.loads(text)
        return message

    def hear_until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a message that is wanted."""
        while not wanted(message := self.hear()):
            pass
        return message


def is_own_turn(message: dict[str, Any]) -> bool:
    return message["type"] == "over" or bool(message.get("legal"))


def enter(talk: Talk, token: str = TOKEN) -> dict[str, Any]:
    """Say hello; wait until all is said that is said to whoever comes in; return the frame."""
    talk.say(type="hello", token=token)
    frame = talk.hear_until(lambda message: message["type"] == "frame")
    talk.hear_until(lambda message: message["type"] == "presence")
    return frame


def play_detectives(talk: Talk) -> None:
    """Play a whole game."""
    frame = enter(talk)
    while frame["type"] != "over":
        legal = frame["legal"]
        talk.say(type="move", n=frame["n"], move=legal[frame["n"] % len(legal)])
        frame = talk.hear_until(is_own_turn)


def practise(talk: Talk) -> None:
    """Ask for a hint and an undo, make every kind of mistake, give up."""
    frame = enter(talk)
    talk.say(type="undo", n=0)
    talk.hear()
    talk.say(type="hint", n=0)
    hint = talk.hear()
    for wrong in ({"n": 0, "move": "T255"}, {"n": 7, "move": hint["move"]}, {"n": "0", "move": 7}):
        talk.say(type="move", **wrong)
        talk.hear()
    talk.say(type="move", n=frame["n"], move=hint["move"])
    frame = talk.hear_until(is_own_turn)
    talk.say(type="undo", n=frame["n"])
    frame = talk.hear_until(is_own_turn)
    talk.say(type="rematch", swap=False)  # too early
    talk.hear()
    talk.say(type="resign", n=frame["n"])
    talk.hear_until(lambda message: message["type"] == "over")
    talk.say(type="resign", n=frame["n"])
    talk.hear()


def watch(talk: Talk) -> None:
    """Look on, and try to play."""
    enter(talk, "")
    for message in ({"type": "move", "move": "T1"}, {"type": "resign"}, {"type": "hint"}):
        talk.say(n=0, **message)
        talk.hear()


def come_with_a_wrong_token(talk: Talk) -> None:
    """Be turned away."""
    talk.say(type="hello", token="wrong")
    talk.hear()


TALKS = {
    "detectives": play_detectives,
    "practice": practise,
    "spectator": watch,
    "refused": come_with_a_wrong_token,
}


def lay_tables(folder: Path) -> None:
    """Put the tables into a folder."""

    async def lay() -> None:
        journal = Journal(folder)
        for name, setup in SETUPS.items():
            keys = {person: digest(TOKEN) for person in setup.persons[:1]}
            table = deal_table(setup, name.encode(), keys)
            await journal.begin(name, table)
            if setup.policy_of(MR_X) is not None:  # his first move is made: no policy moves before somebody looks on
                await journal.append(name, [{"move": table.look(frozenset([MR_X])).legal_moves[0]}])
        journal.close()

    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(lay())


def replay_talk(socket: ClientConnection, lines: list[str]) -> Iterator[str]:
    """Say what the player said in a transcript; give every line as it is now."""
    talk = Talk(socket)
    for line in lines:
        talk.say(**json.loads(line[2:])) if line.startswith("<") else talk.hear()
        yield talk.lines[-1]


def is_closed(socket: ClientConnection) -> bool:
    """Tell whether the server hangs up."""
    try:
        socket.recv(1)
    except ConnectionClosed:
        return True
    except TimeoutError:
        return False
    return False


def record() -> None:
    """Write every transcript anew."""
    with tempfile.TemporaryDirectory() as folder:
        lay_tables(Path(folder))
        server = Server(Path(folder))
        try:
            for name, converse in TALKS.items():
                with connect(f"ws://{server.host}/ws/1/{name}") as socket:
                    talk = Talk(socket)
                    converse(talk)
                (FOLDER / f"table_{name}.txt").write_text("".join(talk.lines), encoding="utf-8")
        finally:
            server.stop()


if __name__ == "__main__":
    record()
