"""Trees that are given, and those of games that all see: what the search finds out about them, and how it is drawn."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from calling import call

from scotyard_baselines.exact.alphabeta import backward_induction, minimax_alpha_beta
from scotyard_baselines.exact.branches import EXAMPLE, Branch, BranchTree, grow, write_out
from scotyard_baselines.exact.pruning import Bounds, prune
from scotyard_baselines.exact.tree_drawing import draw_svg, name_nodes
from scotyard_baselines.exact.visible_game import VisibleGame, VisibleNode
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import action_text
from scotyard_env.state import MR_X

#     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5
PATH = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5")
DRAWING = Path(__file__).resolve().parents[1] / "docs" / "alphabeta.svg"


def distance(node: VisibleNode) -> float:
    return float(min(node.board.distance(station, node.stations[MR_X]) for station in node.stations[1:]))


def texts(path: tuple[VisibleNode, ...] | None) -> list[str]:
    return [action_text(node.board, node.action or 0) for node in path or ()]


# ------------------------------------------------------------------------------------------------- a game as a tree


def test_mr_x_maximises_and_the_detectives_minimise() -> None:
    game = Game.from_position(PATH, stations=(3, 5), tickets=[(9, 0, 0, 0, 0), (9, 0, 0, 0, 0)])
    tree = VisibleGame(game, 2, distance)
    for solve in (backward_induction, minimax_alpha_beta):
        value, path = solve(tree, tree.root)
        assert value == 2  # he goes left, the detective follows
        assert texts(path) == ["T2", "T4"]


def test_with_the_detectives_to_maximise_all_is_the_other_way_round() -> None:
    game = Game.from_position("docklands", stations=(9, 30, 21))
    near, far = (
        VisibleGame(game, 3, lambda node: -distance(node), maximiser="detectives"),
        VisibleGame(game, 3, distance),
    )
    (value, path), (other, same) = minimax_alpha_beta(near, near.root), minimax_alpha_beta(far, far.root)
    assert value == -other
    assert texts(path) == texts(same)


def test_a_double_move_is_one_turn() -> None:
    game = Game.from_position(PATH, stations=(3, 5), tickets=[(9, 0, 0, 0, 1), (9, 0, 0, 0, 0)])
    tree = VisibleGame(game, 1, distance)
    value, path = minimax_alpha_beta(tree, tree.root)
    assert value == 4
    assert texts(path) == ["2x", "T2", "T1"]


def test_the_tree_ends_where_the_game_does() -> None:
    game = Game.from_position(PATH, stations=(1, 3), tickets=[(9, 0, 0, 0, 0), (9, 0, 0, 0, 0)])
    tree = VisibleGame(game, 50, distance)
    assert minimax_alpha_beta(tree, tree.root)[0] == 0
    caught = tree.play(tree.play(tree.root, tree.root.legal[0]), game.legal[0])
    assert caught.winner == "detectives"
    assert tree.is_leaf(caught)


def test_everywhere_in_the_tree_the_detectives_know_where_he_is_and_the_game_is_left_alone() -> None:
    game = Game("glasses", "glasses", seed=1)
    before, seen = game.state.tobytes(), []

    def value(node: VisibleNode) -> float:
        seen.append(node.possible == [node.stations[MR_X]])
        return 0.0

    tree = VisibleGame(game, 4, value)
    backward_induction(tree, tree.root)
    assert all(seen)
    assert len(seen) > 4
    assert game.state.tobytes() == before


def test_the_caller_says_which_actions_are_looked_at() -> None:
    tree = VisibleGame(Game("docklands", seed=1), 3, distance, actions=lambda node: node.legal[:1])
    assert write_out(tree, tree.root, repr).leaves == 1


def test_a_detectives_view_will_do_if_one_station_is_left() -> None:
    game = Game.from_position(PATH, stations=(1, 5), possible=[1])
    game.play("T2")
    tree = VisibleGame(game.view(1), 1, distance)
    assert tree.root.stations == [2, 5]
    hidden = Game.from_position(PATH, stations=(3, 5), possible=[3])
    hidden.play("T4")
    with pytest.raises(ValueError, match="may be on 2 stations: give a game"):
        VisibleGame(hidden.view(1), 1, distance)


def test_a_tree_without_turns_or_with_nobody_to_maximise_is_refused() -> None:
    with pytest.raises(ValueError, match="turns is 0: give a whole number of at least 1"):
        VisibleGame(Game("glasses", seed=1), 0, distance)
    with pytest.raises(ValueError, match="maximiser is 'nobody': give one of mr_x, detectives"):
        VisibleGame(Game("glasses", seed=1), 1, distance, maximiser="nobody")  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------- what the search found


def test_the_bounds_of_the_example_are_those_of_the_documents_argument() -> None:
    found = prune(grow(EXAMPLE))
    names = name_nodes(found.root)
    told = {names[node]: str(bounds) for node, bounds in found.bounds.items() if node.children}
    wanted = "a = 7, b = 7, c <= 5, d = 7, e >= 11, f <= 5, h = 7, i <= 6, j = 11, l <= 5, m <= 4"
    assert ", ".join(f"{name} {bounds}" for name, bounds in sorted(told.items())) == wanted
    assert [(names[cut.node], cut.limit) for cut in found.cuts] == [("i", 7), ("e", 7), ("l", 7), ("m", 7), ("c", 7)]


def test_every_true_value_is_within_its_bounds_and_every_cut_is_right() -> None:
    rng = np.random.default_rng(5)
    cuts = 0
    for _ in range(300):
        root = grow([random_lists(rng, 4) for _ in range(3)])
        found = prune(root)
        for node, bounds in found.bounds.items():
            assert bounds.low <= backward_induction(BranchTree(), node)[0] <= bounds.high
        for cut in found.cuts:
            bounds = found.bounds[cut.node]
            assert bounds.low >= cut.limit if cut.node.is_max else bounds.high <= cut.limit
            assert not any(child in found.visited for child in cut.skipped)
        cuts += len(found.cuts)
        skipped = sum(child.leaves for cut in found.cuts for child in cut.skipped)
        assert found.leaves_visited + skipped == root.leaves
    assert cuts > 1000


def random_lists(rng: np.random.Generator, depth: int) -> object:
    if depth == 0 or rng.random() < 0.1:
        return int(rng.integers(20))
    return [random_lists(rng, depth - 1) for _ in range(rng.integers(1, 5))]


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(7, 7, "= 7"), (-np.inf, 6.5, "<= 6.5"), (11, np.inf, ">= 11"), (4, 5, "4 to 5"), (-np.inf, np.inf, "?")],
)
def test_bounds_are_written_as_a_person_would(low: float, high: float, text: str) -> None:
    assert str(Bounds(low, high)) == text


# --------------------------------------------------------------------------------------------------------- drawings


def shapes(drawing: str, name: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(drawing).findall(f".//{{http://www.w3.org/2000/svg}}{name}")


def test_the_drawing_has_every_node_the_path_and_a_mark_for_each_branch_that_was_cut_off() -> None:
    found = prune(grow(EXAMPLE))
    drawing = draw_svg(found)
    assert len(shapes(drawing, "polygon")) == 15 + 2  # two in the legend
    assert len(shapes(drawing, "rect")) == 16 + 1  # and the paper
    lines = shapes(drawing, "path")
    assert sum(line.get("stroke-width") == "4.5" for line in lines) == len(found.path) + 1
    assert sum(line.get("stroke") == "#d8484f" for line in lines) == 2 * sum(len(cut.skipped) for cut in found.cuts)
    texts = [text.text for text in shapes(drawing, "text")]
    assert {*"abcdefghijklmno", "\u2264 6", "\u2265 11", "\u03b1 = 7", "\u03b2 = 7"} <= set(texts)


def test_nothing_lies_outside_of_the_drawing() -> None:
    for root in (grow([1]), grow([[1, 2], 3]), grow(EXAMPLE), grow([[5] * 40])):
        drawing = draw_svg(prune(root))
        width, height = (float(number) for number in re.findall(r'(?:width|height)="([\d.]+)"', drawing)[:2])
        for box in shapes(drawing, "rect"):
            assert 0 <= float(box.get("x", "-1")) <= width - float(box.get("width", "inf"))
            assert 0 <= float(box.get("y", "-1")) <= height - float(box.get("height", "inf"))


def test_names_go_on_after_z() -> None:
    names = list(name_nodes(grow([[number] for number in range(30)])).values())
    assert [name for name in names if name][25:29] == ["z", "aa", "ab", "ac"]


# ------------------------------------------------------------------------------------------------------ the command


def test_the_command_draws_the_documents_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, f"alphabeta --out {tmp_path / 'tree.svg'}") == 0
    said = capsys.readouterr().out
    assert "i MIN <= 6\n│   │       ├── 6\n" in said
    assert "cut off: 4 leaves, since alpha = 7" in said
    assert "value 7\npath  a b d h 7\nlooked at 7 of 16 leaves" in said
    drawn = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    assert drawn == DRAWING.read_text(encoding="utf-8")  # as the page on the algorithms shows it


@pytest.mark.parametrize(("first", "value", "path"), [("max", 3, "a b 3"), ("min", 4, "a b 4")])
def test_the_command_takes_a_tree_from_a_file_and_who_begins(
    first: str,
    value: int,
    path: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "mine.json").write_text(json.dumps([[3, 4], [2, 5]]))
    assert call(monkeypatch, f"alphabeta {tmp_path / 'mine.json'} --first {first}") == 0
    assert f"value {value}\npath  {path}\n" in capsys.readouterr().out


def test_the_command_draws_a_game_that_all_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, f"alphabeta --board glasses --depth 5 --out {tmp_path / 'game.svg'}") == 0
    value = float(re.search(r"^value (\d+)$", capsys.readouterr().out, re.MULTILINE)[1])  # type: ignore[index]
    tree = VisibleGame(Game("glasses", seed=0), 5, distance)
    assert value == backward_induction(tree, tree.root)[0]
    assert any(text.text == "T10" for text in shapes((tmp_path / "game.svg").read_text(encoding="utf-8"), "text"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("7", "a tree is a list of subtrees, such as [[7, 9], [6, null]]"),
        ("[[7, 9], []]", "node 2 is an empty list: give it children, or a number in its place"),
        ('[[7, "9"], 1]', "node 1.2 is '9': give a list of children, a number, or null for a value not known"),
        ("[[7, true], 1]", "node 1.2 is True: give a list"),
        ("[[7, 9], [8, null]]", "leaf 4 that the search comes to has no value: give a number in place of null"),
        ("[" * 52 + "1" + "]" * 52, "has children: a tree has at most 50 levels below its root"),
        ("[[7, 9]", "holds no tree: "),
    ],
)
def test_a_file_that_holds_no_tree_is_one_clear_line(
    content: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong.json").write_text(content)
    assert call(monkeypatch, f"alphabeta {tmp_path / 'wrong.json'}") == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("alphabeta missing.json", "missing.json: No such file"),
        ("alphabeta mine.json --board glasses", "give one of them"),
        ("alphabeta --board docklands --depth 5", "the tree has more than 1,000 nodes: give a smaller depth or board"),
        ("alphabeta --board glasses --depth 0", "turns is 0"),
        ("alphabeta --out tree.bmp", "the endings that can be written are .svg"),
    ],
)
def test_what_cannot_be_drawn_is_one_clear_line(
    line: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, line) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_a_branch_counts_its_leaves() -> None:
    assert Branch(True, value=1.0).leaves == 1
    assert grow(EXAMPLE).leaves == 16
