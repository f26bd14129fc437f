"""A searched game tree as SVG and as text: MAX and MIN nodes with their values, what was cut off, and the path."""

import itertools
import string
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from rich.tree import Tree

from scotyard_baselines.exact.branches import Branch
from scotyard_baselines.exact.pruning import Cut, Pruning
from scotyard_env.render.drawing import CARD, FAINT, HEAT, INK, LINE, PAPER, block, element, label, words
from scotyard_env.render.images import FONT_FAMILY
from scotyard_env.render.layout import Array, Box

LEAF_WIDTH, LEVEL_HEIGHT, MARGIN = 54.0, 92.0, 46.0
RADIUS = 17.0  # of a node
CUT = "#d8484f"
ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"
LEAST_WIDTH = 560.0  # that the legend needs


# Names


def name_nodes(root: Branch) -> dict[Branch, str]:
    """Name inner nodes level by level as the document does, a, b, ..., z, aa, ...; in a game all by their moves."""
    has_moves = any(child.move for child in root.children)
    level, names, letters = [root], dict[Branch, str](), _letters()
    while level:
        for node in level:
            names[node] = node.move if has_moves or not node.children else next(letters)
        level = [child for node in level for child in node.children]
    return names


def _letters() -> Iterator[str]:
    for length in itertools.count(1):
        yield from map("".join, itertools.product(string.ascii_lowercase, repeat=length))


def name_limit(node: Branch) -> str:
    """Return which limit cuts off children of a node."""
    return "beta" if node.is_max else "alpha"


# Text


def draw_text(found: Pruning) -> Tree:
    """Draw a searched tree for a terminal; what was cut off is a line for each subtree."""
    names, cuts = name_nodes(found.root), {cut.node: cut for cut in found.cuts}
    drawn = Tree(_line(found, names, found.root), guide_style="dim")
    _add_children(drawn, found, names, cuts, found.root)
    return drawn


def _add_children(drawn: Tree, found: Pruning, names: dict[Branch, str], cuts: dict[Branch, Cut], node: Branch) -> None:
    for child in node.children:
        if child in found.visited:
            _add_children(drawn.add(_line(found, names, child)), found, names, cuts, child)
    if node in cuts:
        number = sum(child.leaves for child in cuts[node].skipped)
        leaves = "1 leaf" if number == 1 else f"{number} leaves"
        drawn.add(f"[red]cut off: {leaves}, since {name_limit(node)} = {cuts[node].limit:g}[/red]")


def _line(found: Pruning, names: dict[Branch, str], node: Branch) -> str:
    kind = ("MAX" if node.is_max else "MIN") if node.children else ""
    line = " ".join(filter(None, (names[node], kind, str(found.bounds[node])))).removeprefix("= ")
    return f"[bold]{line}  <- path[/bold]" if node in found.path else line


def summarise(found: Pruning) -> str:
    """Return value, path and share of leaves looked at, a line each."""
    names, last = name_nodes(found.root), found.path[-1]
    steps = [names[node] for node in (found.root, *found.path) if names[node]]
    ends = steps if last.move else [*steps, f"{last.value:g}"]
    total = found.root.leaves
    lines = f"value {found.value:g}", f"path  {' '.join(ends)}"
    return "\n".join((*lines, f"looked at {found.leaves_visited} of {total} leaves"))


# SVG


def draw_svg(found: Pruning) -> str:
    """Draw a searched tree as an SVG document."""
    return _Picture(found).document()


class _Picture:
    """The places of the nodes of a searched tree, and what is drawn there."""

    def __init__(self, found: Pruning) -> None:
        self.found, self.names = found, name_nodes(found.root)
        self.on_path = {found.root, *found.path}
        self.places: dict[Branch, Array] = {}
        self.levels = 0
        self._place(found.root, 0, itertools.count())
        links = [(node, child) for node in self.places for child in node.children]
        self.left_ones = {child for node, child in links if self.places[node][0] > self.places[child][0]}

    def _place(self, node: Branch, level: int, columns: Iterator[int]) -> float:
        """Put leaves side by side, and a node in the middle above its children."""
        self.levels = max(self.levels, level + 1)
        middles = [self._place(child, level + 1, columns) for child in node.children]
        x = (middles[0] + middles[-1]) / 2 if middles else MARGIN + self.shift + LEAF_WIDTH * next(columns)
        self.places[node] = np.array([x, 2 * MARGIN + LEVEL_HEIGHT * level])
        return x

    @property
    def width(self) -> float:
        return max(LEAST_WIDTH, self._leaves_width)

    @cached_property
    def _leaves_width(self) -> float:
        return 2 * MARGIN + LEAF_WIDTH * (self.found.root.leaves - 1)

    @property
    def shift(self) -> float:
        """How far a tree narrower than the legend is moved to the middle."""
        return (self.width - self._leaves_width) / 2

    def document(self) -> str:
        height = 2 * MARGIN + LEVEL_HEIGHT * self.levels + 0.4 * MARGIN
        paper = block(Box(0, 0, self.width, height), 0, fill=PAPER)
        content = paper + self._head() + self._edges() + "".join(map(self._node, self.places)) + self._legend(height)
        size = f'width="{self.width:g}" height="{height:g}" viewBox="0 0 {self.width:g} {height:g}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT_FAMILY}">{content}</svg>'

    def _head(self) -> str:
        value, path, share = summarise(self.found).splitlines()
        told = f"{value}; {share}"
        return words(18, 24, told, 15, font_weight="bold") + words(18, 46, " ".join(path.split()), 12, fill=FAINT)

    def _edges(self) -> str:
        links = [(node, child) for node in self.places for child in node.children]
        links.sort(key=lambda link: link[1] in self.on_path)  # the path lies on top
        marks = "".join(self._cut_mark(cut) for cut in self.found.cuts)
        return "".join(self._edge(*link) for link in links) + marks

    def _edge(self, node: Branch, child: Branch) -> str:
        start, end = self.places[node], self.places[child]
        line = element("path", d=f"M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}", **self._look(child))
        return line + self._move(child, start + 0.66 * (end - start)) if child.move else line

    def _move(self, child: Branch, point: Array) -> str:
        """Write the move that leads to a node on the link to it."""
        width = 4 + 7 * len(child.move)
        room = block(Box(point[0] - width / 2, point[1] - 7, width, 14), 3, fill=PAPER)
        return room + label(point, child.move, 10, INK if child in self.found.visited else FAINT)

    def _look(self, child: Branch) -> dict[str, str | float]:
        if child in self.on_path:
            return {"stroke": HEAT, "stroke_width": 4.5}
        if child in self.found.visited:
            return {"stroke": FAINT, "stroke_width": 1.6}
        return {"stroke": LINE, "stroke_width": 1.4, "stroke_dasharray": "4 3"}

    def _cut_mark(self, cut: Cut) -> str:
        """Strike through the links to the children that were cut off, and write the limit beside the last."""
        start = self.places[cut.node]
        drawn = ""
        for child in cut.skipped:
            way = self.places[child] - start
            way = way / np.linalg.norm(way)
            across = 7 * np.array([-way[1], way[0]])
            for along in (34, 39):
                (x, y), (dx, dy) = start + along * way, across
                stroke = f"M{x - dx:.1f} {y - dy:.1f}L{x + dx:.1f} {y + dy:.1f}"
                drawn += element("path", d=stroke, stroke=CUT, stroke_width=2)
        sign = BETA if cut.node.is_max else ALPHA
        return drawn + words(x + 11, y, f"{sign} = {cut.limit:g}", 11, fill=CUT)

    def _node(self, node: Branch) -> str:
        point = self.places[node]
        if not node.children:
            return self._leaf(node, point)
        is_visited = node in self.found.visited
        sign = _triangle(point, node.is_max, INK if is_visited else LINE, self._fill(node))
        middle = point + np.array([0, 4 if node.is_max else -4])
        name = "" if node.move else label(middle, self.names[node], 11, INK if is_visited else FAINT)
        return sign + name + (self._value(node) if is_visited else "")

    def _value(self, node: Branch) -> str:
        """Write what is known of the value of a node, on the side where the link to its parent is not."""
        (x, y), way = self.places[node], -1 if node in self.left_ones else 1
        told = str(self.found.bounds[node]).replace("<=", "≤").replace(">=", "≥").removeprefix("= ")
        anchor = "start" if way > 0 else "end"
        return words(x + way * (RADIUS + 5), y - 9, told, 13, font_weight="bold", text_anchor=anchor)

    def _leaf(self, node: Branch, point: Array) -> str:
        is_visited = node in self.found.visited
        box = Box(point[0] - 19, point[1] - 13, 38, 26)
        dashes = "none" if is_visited else "4 3"
        edge = HEAT if node in self.on_path else FAINT if is_visited else LINE
        sign = block(box, 5, fill=self._fill(node), stroke=edge, stroke_width=1.6, stroke_dasharray=dashes)
        told = "?" if node.value is None else f"{node.value:g}"
        return sign + label(point, told, min(12, 50 / len(told)), INK if is_visited else FAINT)  # so that it has room

    def _fill(self, node: Branch) -> str:
        return "#e6d8f2" if node in self.on_path else CARD if node in self.found.visited else PAPER

    def _legend(self, height: float) -> str:
        y, drawn = height - 22, ""
        for x, is_max, told in ((30, True, "MAX node"), (140, False, "MIN node")):
            drawn += _triangle(np.array([x, y]), is_max, INK, CARD, 9) + words(x + 16, y, told, 11)
        drawn += element("path", d=f"M250 {y}L276 {y}", stroke=HEAT, stroke_width=4.5) + words(
            284, y, "best choices", 11
        )
        dashed = element("path", d=f"M386 {y}L412 {y}", stroke=FAINT, stroke_width=1.4, stroke_dasharray="4 3")
        return drawn + dashed + words(420, y, "cut off, not looked at", 11)


def _triangle(point: Array, is_up: bool, edge: str, fill: str, radius: float = RADIUS) -> str:
    x, y, tip = point[0], point[1], -radius if is_up else radius
    corners = (
        f"{x:.1f},{y + tip:.1f} {x - 1.1 * radius:.1f},{y - 0.8 * tip:.1f} {x + 1.1 * radius:.1f},{y - 0.8 * tip:.1f}"
    )
    return element("polygon", points=corners, fill=fill, stroke=edge, stroke_width=1.8, stroke_linejoin="round")
