"""A policy of version 0.1.0 as a program for ``process:``; run it in an environment of its own that has 0.1.0.

scotyard match --mr-x "process:/envs/0.1.0/bin/python examples/bot_0_1_0.py phantom" --detectives hunters
"""

import json
import sys

import numpy as np

from scotyard_env.board import Board
from scotyard_env.notation import LETTERS, action_text
from scotyard_env.policy import make_policy
from scotyard_env.rules import wipe
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import new_states, station_set
from scotyard_env.view import View


def read_view(board: Board, rules: RuleSet, frame: dict) -> View:
    """Return the view that a frame was written from."""
    states = new_states(1)
    state, seats, entries = states[0], len(frame["stations"]), len(frame["log"])
    wipe(state)
    state.seats, state.seat, state.rounds, state.owed = seats, frame["seat"], frame["round"], frame["owed"]
    state.station[:seats], state.tickets[:seats] = frame["stations"], frame["tickets"]
    state.trail[: frame["round"] + 1, : seats - 1] = frame["trail"]
    state.entries, state.seen, state.seen_entry = entries, frame["seen"], frame["seen_entry"]
    state.log_round[:entries] = frame["log_rounds"]
    for number, entry in enumerate(frame["log"]):
        state.log[number], state.log_shown[number] = LETTERS.index(entry[0]), int(entry[2:] or 0)
    state.start[:], state.possible[:] = station_set(frame["start"]), station_set(frame["possible"])
    return View(board, rules, state, frame["viewer"])


policy = make_policy(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        board, rules = Board.from_dict(message["board"]), RuleSet.from_dict(message["rules"])
    else:
        view = read_view(board, rules, message["frame"])
        action = policy.act(view, np.random.default_rng(message["seed"])).action
        print(json.dumps({"move": action_text(board, action)}), flush=True)
