"""What A* + greedy has in mind: ``scotyard astar --round 5 --out paths.svg``.

The probability map, as heat, and the path of every detective, at the moment when the detectives begin to move in a
round: of a game that is played for it, or of a replay, ``scotyard astar match/replay.jsonl --round 5``.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from scotyard_baselines.astar_greedy import AStarGreedy, Way
from scotyard_env import render
from scotyard_env.arena.match import play_match
from scotyard_env.arena.table import grid
from scotyard_env.belief import Belief, top_stations
from scotyard_env.commands import run_module
from scotyard_env.files import write_whole
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.policy import Policy, make_policy
from scotyard_env.render.drawing import SEAT_COLOURS, element
from scotyard_env.render.images import HEIGHT, WIDTH, check_ending
from scotyard_env.render.layout import lay_out
from scotyard_env.render.panels import plan
from scotyard_env.render.thoughts import draw_step
from scotyard_env.replay import Replay
from scotyard_env.rules import destination, pass_action
from scotyard_env.state import NOWHERE, SEATS
from scotyard_env.view import View

MOST_STATIONS = 12  # of the map that are printed
BAR = 40  # characters of the likeliest
APART = 0.3  # radii between paths that share a link


@dataclass(frozen=True)
class Command:
    """Show the probability map and the paths of all detectives by A* + greedy, as text and as a picture."""

    replay: Annotated[Path | None, tyro.conf.Positional] = None
    """File of a replay; a game is played if it is left out."""
    round: int = 5
    """The round in which the detectives are about to move."""
    policy: str = "astar_greedy"
    """With its parameters, such as astar_greedy:base=paths,targets=assigned."""
    mr_x: str = "hider"
    """Whom they play against in a game that is played for this."""
    board: str = "london"
    rules: str | None = None
    """Of such a game; the rules are those of the board if left out."""
    seed: int = 0
    """Deals such a game, and breaks ties."""
    line: int = 1
    """Line of the replay, in a file that holds several."""
    out: Path | None = None
    """File for the picture, paths.svg for example."""

    def run(self) -> None:
        """Print the map and the paths, and write the picture."""
        if self.out is not None:
            check_ending(self.out, (".svg",))
        policy = make_policy(self.policy, side="detectives")
        if not isinstance(policy, AStarGreedy):
            raise ValueError(
                f"policy {self.policy!r} has no map to show: give astar_greedy, with parameters if need be"
            )
        view = find_round(self.games(policy), self.round)
        probability, ways = policy.probability_map(view), policy.find_ways(view, np.random.default_rng(self.seed))
        print(f"{render.text(view)}\n\n{write_map(probability)}\n\n{write_ways(view, probability, ways)}")
        if self.out is not None:
            write_whole(self.out, draw(view, probability, ways))
            print(f"\nthe picture is {self.out}")

    def games(self, policy: Policy) -> Iterator[Game]:
        """Give the game that is asked for at every moment."""
        if self.replay is not None:
            return Replay.load(self.replay, self.line).games()
        match = play_match(self.mr_x, policy, board=self.board, rules=self.rules, seed=self.seed)
        return Replay.of(match.game).games()


def find_round(games: Iterator[Game], number: int) -> View:
    """Return what the first detective sees in a round when it is about to move."""
    last = 0
    for game in games:
        if game.seat == 1 and game.winner is None:
            last = game.round
            if last == number:
                return game.view(1)
    played = f"give one from 1 to {last}" if last else "there is none"
    raise ValueError(f"in round {number} of this game no detective is to move: {played}")


def write_map(probability: Belief) -> str:
    """List the likeliest stations with bars."""
    stations = top_stations(probability, MOST_STATIONS)
    most, reachable = probability.max(), np.count_nonzero(probability)
    rows = [f"{at:>5} {100 * probability[at]:5.1f} % {'#' * round(BAR * probability[at] / most)}" for at in stations]
    return "\n".join([f"probability map ({reachable} stations, the {len(rows)} likeliest):", *rows])


def write_ways(view: View, probability: Belief, ways: list[Way]) -> str:
    """List the target and the path of every detective."""
    rows = [
        [
            SEATS[way.seat],
            str(view.stations[way.seat]),
            "none in reach" if way.target == NOWHERE else str(way.target),
            f"{100 * probability[way.target]:.1f} %",
            " ".join(action_text(view.board, move) for move in way.path),
        ]
        for way in ways
    ]
    return grid(["detective", "stands on", "target", "probability", "path"], rows)


def draw(view: View, probability: Belief, ways: list[Way]) -> str:
    """Draw the map as heat and every path as arrows in the colour of its detective."""
    chart = lay_out(view.board, plan(view, WIDTH, HEIGHT).map)
    drawn = ""
    for way in reversed(ways):
        moves = [move for move in way.path if move != pass_action(view.board.arrays)]
        stations = [view.stations[way.seat], *map(destination, moves)]
        steps = (draw_step(chart, *step, SEAT_COLOURS[way.seat]) for step in itertools.pairwise(stations))
        aside = APART * chart.radius * (way.seat - len(view.stations) / 2)
        drawn += element("g", "".join(steps), transform=f"translate({aside:.1f} {aside:.1f})")
    return render.svg(view, belief=probability).removesuffix("</svg>") + drawn + "</svg>"


if __name__ == "__main__":
    run_module(Command)
