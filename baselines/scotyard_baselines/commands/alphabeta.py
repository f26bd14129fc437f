"""Minimax with alpha-beta pruning, drawn: ``scotyard alphabeta --out tree.svg``.

Without arguments it is the example of the document "Min-Max"; ``scotyard alphabeta my_tree.json`` takes a tree of your
own, and ``scotyard alphabeta --board glasses`` the first turns of a game in which all see Mr. X.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console

from scotyard_baselines.exact.branches import EXAMPLE, Branch, grow, write_out
from scotyard_baselines.exact.pruning import prune
from scotyard_baselines.exact.tree_drawing import draw_svg, draw_text, summarise
from scotyard_baselines.exact.visible_game import VisibleGame, VisibleNode
from scotyard_env.commands import run_module
from scotyard_env.files import write_whole
from scotyard_env.game import Game
from scotyard_env.json_files import read_json
from scotyard_env.notation import action_text
from scotyard_env.render.images import check_ending
from scotyard_env.state import MR_X


@dataclass(frozen=True)
class Command:
    """Search a game tree by alpha-beta and draw it: values, cut-offs with reasons, and the principal variation."""

    tree: Annotated[Path | None, tyro.conf.Positional] = None
    """JSON file with a tree as nested lists, such as [[7, 9], [6, null]]: a number is a leaf, null one whose value is
    not known. The document's example if left out."""
    first: Literal["max", "min"] = "max"
    """Who chooses at the root of such a tree; then they take turns."""
    board: str | None = None
    """Draw a game on this board in place of a tree of numbers: all see Mr. X, who is MAX; a leaf is worth his distance
    from the nearest detective."""
    depth: int = 3
    """Turns of the game to look ahead: his, then each detective's."""
    seed: int = 0
    """Deals the game."""
    out: Path | None = None
    """File for the drawing, tree.svg for example."""

    def run(self) -> None:
        """Print the searched tree, and write its drawing."""
        if self.out is not None:
            check_ending(self.out, (".svg",))
        found = prune(self.read())
        Console(highlight=False, soft_wrap=True).print(draw_text(found))
        print(f"\n{summarise(found)}")
        if self.out is not None:
            write_whole(self.out, draw_svg(found))
            print(f"the drawing is {self.out}")

    def read(self) -> Branch:
        """Return the tree that is asked for."""
        if self.board is not None:
            if self.tree is not None:
                raise ValueError(f"{self.tree} is a tree and {self.board} a board: give one of them")
            return write_out_game(Game(self.board, seed=self.seed), self.depth)
        if self.tree is None:
            return grow(EXAMPLE, self.first == "max")
        try:
            return grow(read_json(self.tree), self.first == "max")
        except ValueError as error:
            raise ValueError(f"{self.tree} holds no tree: {error}") from error


def write_out_game(game: Game, turns: int) -> Branch:
    """Write out so many turns of a game in which all see Mr. X."""
    tree = VisibleGame(game, turns, distance_to_detectives)
    return write_out(tree, tree.root, lambda node: "" if node.action is None else action_text(node.board, node.action))


def distance_to_detectives(node: VisibleNode) -> float:
    """Return how far Mr. X is from the nearest detective, 0 if caught; if he got away, more than any distance."""
    if node.winner is not None:
        return 0.0 if node.winner == "detectives" else float(node.board.stations)
    return float(min(node.board.distance(station, node.stations[MR_X]) for station in node.stations[1:]))


if __name__ == "__main__":
    run_module(Command)
