"""A whole player for a live table, in plain Python: detectives run to where Mr. X may be, Mr. X goes where he may.

scotyard web --port 8420
python3 examples/table_bot.py 'http://127.0.0.1:8420/table#TABLE/TOKEN'   # the link to a seat; pip install websockets
"""

import json
import sys
import time
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def choose(frame: dict) -> str:
    """Return the legal move that leads where Mr. X likeliest is; the last one if none leads where he may be."""
    belief = dict(zip(frame["possible"], frame["belief"], strict=True))
    places = {move: belief.get(int(move[1:]), 0.0) for move in frame["legal"] if move not in ("2x", "--")}
    return max(places, key=lambda move: (places[move], move)) if places else frame["legal"][0]


def play(link: str) -> str:
    """Play the seats of a link until the game is over; return who has won."""
    page = urlsplit(link)
    table, _, token = page.fragment.partition("/")
    scheme, path = "wss" if page.scheme == "https" else "ws", page.path.rpartition("/")[0]
    with connect(f"{scheme}://{page.netloc}{path}/ws/1/{table}") as socket:
        socket.send(json.dumps({"type": "hello", "token": token}))
        while True:
            message = json.loads(socket.recv())
            if message["type"] == "frame" and message["legal"]:  # it is our turn
                socket.send(json.dumps({"type": "move", "n": message["n"], "move": choose(message)}))
            elif message["type"] == "over":
                return message["winner"]
            elif message["type"] == "error" and message["code"] in ("unknown_table", "no_entry"):
                sys.exit(f"the link opens no seat: {message['code']}")


while True:
    try:
        print(f"{play(sys.argv[1])} won")
        break
    except (ConnectionClosed, ConnectionError):  # a move that is sent again changes nothing
        time.sleep(1)
