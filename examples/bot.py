"""A whole player for ``process:``, in plain Python: detectives run to where Mr. X likeliest is, Mr. X runs from them.

scotyard match --mr-x greedy --detectives "process:python3 examples/bot.py"
"""

import json
import sys


def find_neighbours(links: dict) -> dict:
    """List the stations beside every station, by any transport."""
    neighbours: dict = {}
    for a, b in (pair for pairs in links.values() for pair in pairs):
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    return neighbours


def count_moves(neighbours: dict, start: int) -> dict:
    """Count the moves from a station to every other."""
    moves, waiting = {start: 0}, [start]
    for station in waiting:
        for other in sorted(neighbours[station] - moves.keys()):
            moves[other] = moves[station] + 1
            waiting.append(other)
    return moves


def choose(frame: dict, neighbours: dict) -> str:
    """Return the legal move that leads nearest to Mr. X; as Mr. X, farthest from the nearest detective."""
    moves = [move for move in frame["legal"] if move not in ("2x", "--")]
    if not moves:
        return frame["legal"][0]
    if frame["seat"] == 0:
        away = [count_moves(neighbours, station) for station in frame["stations"][1:]]
        return max(moves, key=lambda move: min(counts[int(move[1:])] for counts in away))
    _, likeliest = max(zip(frame["belief"], frame["possible"], strict=True))
    counts = count_moves(neighbours, likeliest)
    return min(moves, key=lambda move: counts[int(move[1:])])


neighbours: dict = {}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        neighbours = find_neighbours(message["board"]["links"])
    else:
        print(json.dumps({"move": choose(message["frame"], neighbours)}), flush=True)
