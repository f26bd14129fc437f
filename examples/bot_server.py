"""A player for ``remote:`` in Python: any legal move, drawn by the seed that comes with the decision.

python3 examples/bot_server.py 8421          # needs pip install websockets
scotyard match --mr-x remote:ws://127.0.0.1:8421 --detectives greedy
"""

import json
import sys

from websockets.sync.server import ServerConnection, serve


def play(connection: ServerConnection) -> None:
    """Answer one caller until they hang up; a hello needs no answer."""
    for text in connection:
        message = json.loads(text)
        if message["type"] == "decide":
            legal = message["frame"]["legal"]
            connection.send(json.dumps({"move": legal[message["seed"] % len(legal)]}))


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8421
with serve(play, "127.0.0.1", port, subprotocols=["scotyard-bot-1"], origins=[None]) as server:
    print(f"plays at ws://127.0.0.1:{server.socket.getsockname()[1]}", flush=True)
    server.serve_forever()
