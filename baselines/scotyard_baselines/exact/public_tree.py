"""The public tree of a small game: a node is a public state, with every station that Mr. X may hold there.

Detectives share all they know, so a node is an information set of theirs; Mr. X knows his station too, so his are nodes
with a station. How he got there does not matter: nothing that follows depends on it. (Public trees: M. Johanson et al.,
"Accelerating Best Response Calculation in Large Extensive Games", IJCAI 2011.)
"""

from dataclasses import dataclass
from math import perm

from scotyard_env.board import Board
from scotyard_env.dealing import cards_left, start_with
from scotyard_env.rules import apply
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, MR_X_WINS, PLAYING, SPECTATOR, State
from scotyard_env.view import View, redact

MOST_POSITIONS = 100_000  # a position is a node and a station of Mr. X


@dataclass(frozen=True)
class Outcome:
    """What became of the games that looked alike: those won by Mr. X, and those that go on; the others are lost."""

    survived: tuple[int, ...]  # stations of Mr. X
    node: "Node | None"


@dataclass(frozen=True)
class DetectiveNode:
    """A detective is to move."""

    view: View
    answers: dict[int, Outcome]  # by action


@dataclass(frozen=True)
class MrXNode:
    """Mr. X is to move: on which station, only he knows."""

    views: dict[int, View]  # his, by station
    moves: dict[int, dict[int, tuple["Node", int]]]  # by station and action: the node and the station he comes to
    nodes: list["Node"]  # all that he can come to


Node = DetectiveNode | MrXNode


@dataclass(frozen=True)
class Root:
    """A deal as the table sees it."""

    probabilities: dict[int, float]  # of this deal with Mr. X on this station, by station, of all deals
    outcome: Outcome


def build_tree(board: Board, rules: RuleSet) -> list[Root]:
    """Return the public trees below all deals of a game, or refuse a game that has too many positions."""
    builder = _Builder(board, rules)
    roots = []
    for deals in builder.deals():
        probabilities = {int(state.station[MR_X]): probability for probability, state in deals}
        roots.append(Root(probabilities, builder.outcome([state for _, state in deals])))
    return roots


def list_nodes(roots: list[Root]) -> list[Node]:
    """List all nodes of public trees, each before those below it."""
    found: list[Node] = []
    waiting = [root.outcome.node for root in roots]
    while waiting:
        if (node := waiting.pop()) is not None:
            found.append(node)
            below = (
                [outcome.node for outcome in node.answers.values()] if isinstance(node, DetectiveNode) else node.nodes
            )
            waiting += below
    return found


class _Builder:
    def __init__(self, board: Board, rules: RuleSet) -> None:
        self.board, self.rules = board, rules
        self.rule_arrays = rules.arrays(board)
        self.positions = 0

    def deals(self) -> list[list[tuple[float, State]]]:
        """Return all deals with their probabilities, those together that look alike."""
        cards = int(self.rule_arrays.detective_cards)
        if perm(cards, self.rules.detectives) > MOST_POSITIONS:
            raise self._too_large()
        teams: list[tuple[int, ...]] = [()]  # cards of the detectives
        for _ in range(self.rules.detectives):
            teams = [(*team, card) for team in teams for card in cards_left(self.board, self.rules, team)]
        return [self._deals_of(team, 1 / len(teams)) for team in teams]

    def _deals_of(self, team: tuple[int, ...], probability: float) -> list[tuple[float, State]]:
        """Deal the detectives these cards, and Mr. X each of his in turn."""
        cards = cards_left(self.board, self.rules, team)
        return [(probability / len(cards), start_with(self.board, self.rules, (*team, card))) for card in cards]

    def outcome(self, states: list[State]) -> Outcome:
        """Return what became of games that looked alike: those that are over, and those that go on."""
        survived = tuple(int(state.station[MR_X]) for state in states if state.winner == MR_X_WINS)
        playing = {int(state.station[MR_X]): state for state in states if state.winner == PLAYING}
        return Outcome(survived, self.node(playing) if playing else None)

    def node(self, states: dict[int, State]) -> Node:
        """Return the tree below games that look alike, given by Mr. X's station."""
        self.positions += len(states)
        if self.positions > MOST_POSITIONS:
            raise self._too_large()
        some = next(iter(states.values()))
        return self._mr_x_node(states) if some.seat == MR_X else self._detective_node(some, states)

    def _detective_node(self, some: State, states: dict[int, State]) -> DetectiveNode:
        view = View(self.board, self.rules, some, int(some.seat))
        answers = {
            action: self.outcome([self._after(state, action) for state in states.values()]) for action in view.legal
        }
        return DetectiveNode(view, answers)

    def _mr_x_node(self, states: dict[int, State]) -> MrXNode:
        views = {station: View(self.board, self.rules, state, MR_X) for station, state in states.items()}
        after = {
            (station, action): self._after(view.state, action)
            for station, view in views.items()
            for action in view.legal
        }
        alike: dict[bytes, dict[int, State]] = {}  # games after his move, by what the table sees of them
        for state in after.values():
            alike.setdefault(_looks(state), {})[int(state.station[MR_X])] = state
        nodes = {looks: self.node(together) for looks, together in alike.items()}
        moves: dict[int, dict[int, tuple[Node, int]]] = {station: {} for station in views}
        for (station, action), state in after.items():
            moves[station][action] = nodes[_looks(state)], int(state.station[MR_X])
        return MrXNode(views, moves, list(nodes.values()))

    def _after(self, state: State, action: int) -> State:
        after = state.copy()
        apply(self.board.arrays, self.rule_arrays, after, action)
        return after

    def _too_large(self) -> ValueError:
        return ValueError(
            f"{self.rules.name} on {self.board.name} has more than {MOST_POSITIONS:,} positions: give a smaller game"
        )


def _looks(state: State) -> bytes:
    """Return all that the table sees of a game."""
    looks: bytes = redact(state, SPECTATOR).tobytes()
    return looks
