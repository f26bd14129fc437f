"""How detectives fare against a Mr. X who sails up and down the river: ``scotyard bristol_ferry``.

The report "Scotland Yard Model" says that its detectives are weakest when Mr. X takes the boat, and that a game tree
would catch him at either end. He is seen at every move here, so that nothing but the pursuit counts, and sails each
time to the stop that is farther from the nearest detective.
"""

from dataclasses import dataclass, replace

import numpy as np

from scotyard_env.arena.contenders import split_names
from scotyard_env.commands import run_module
from scotyard_env.game import Game
from scotyard_env.policy import Policy, make_policy
from scotyard_env.rules import destination
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import FERRY, MR_X, TRANSPORTS
from scotyard_env.view import Position

PIER = 157  # where he begins
SEEN = replace(RuleSet.named("classic"), reveals=tuple(range(1, 25)))  # at every entry of his log
FAR = 2  # detectives begin farther than this from him


@dataclass(frozen=True)
class Command:
    """Let detectives chase a Mr. X on the boat from some starts; print how many catch him, and in which round."""

    detectives: str = "last_known,bristol_detectives,minimax,hunters"
    """Policies with commas between them."""
    number: int = 3
    """Detectives in a game."""
    starts: int = 20
    """Games, from starts drawn by their number."""

    def run(self) -> None:
        """Play and print."""
        if self.starts < 1:
            raise ValueError(f"starts is {self.starts}: give a whole number of at least 1")
        print(f"| detectives | caught of {self.starts} | in round, on average |\n|---|---|---|")
        for name in split_names(self.detectives):
            policy = make_policy(name, side="detectives")
            games = [chase(policy, draw_starts(self.number, seed), seed) for seed in range(self.starts)]
            caught = [game.round for game in games if game.winner == "detectives"]
            print(f"| `{name}` | {len(caught)} | {np.mean(caught):.1f} |" if caught else f"| `{name}` | 0 | - |")


def draw_starts(number: int, seed: int) -> list[int]:
    """Draw stations for the detectives, not too near."""
    board = Game(rules=SEEN).board
    far = [station for station in range(1, board.stations + 1) if board.distance(station, PIER) > FAR]
    return [int(station) for station in np.random.default_rng(seed).choice(far, number, replace=False)]


def embark(starts: list[int]) -> Game:
    """Set up a game: Mr. X is on the pier with a black ticket for every move and no other."""
    purses = [(0, 0, 0, 24, 0), *[(*SEEN.detective_tickets, 0, 0)] * len(starts)]
    return Game.from_position(rules=SEEN, stations=(PIER, *starts), tickets=purses, possible=[PIER])


def chase(policy: Policy, starts: list[int], seed: int = 0) -> Game:
    """Play a game of detectives against a Mr. X on the boat, to its end."""
    game, rng = embark(starts), np.random.default_rng(seed)
    while game.winner is None:
        game.play(sail(game) if game.seat == MR_X else policy.act(game.view(game.seat), rng).action)
    return game


def sail(at: Position) -> int:
    """Return the move of Mr. X: to the stop that is farthest from the nearest detective; ashore if no stop is free."""
    by_boat = [action for action in at.legal if destination(action) in stops_ahead(at)]
    return max(by_boat or at.legal, key=lambda action: nearest(at, destination(action)))


def stops_ahead(at: Position) -> list[int]:
    """List the stops to which a ferry goes from where Mr. X is."""
    here, ferries = at.stations[MR_X], [(a, b) for a, b, by in at.board.links if by == TRANSPORTS[FERRY]]
    return [a + b - here for a, b in ferries if here in (a, b)]


def nearest(at: Position, station: int) -> int:
    """Return how far the nearest detective is from a station."""
    return min(at.board.distance(detective, station) for detective in at.stations[1:])


if __name__ == "__main__":
    run_module(Command)
