"""Why a policy decided as it did, told to a person: moves as text, values, the plan, and where it takes Mr. X to be.

``explain(policy, view)`` asks any policy; ours have it as a method, ``policy.explain(view)``. ``Explanation.of`` writes
down a decision that was made. Replays keep explanations, commands print them and ``render`` draws them; each of them
shows a viewer only those that ``view.may_know_thoughts`` allows.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from scotyard_env.belief import belief_names, top_stations, weigh
from scotyard_env.board import Board
from scotyard_env.notation import HIDDEN, action_text, action_texts, parse_action
from scotyard_env.policy import (
    LARGEST,
    MOST_TOLD,
    Decision,
    PolicyError,
    PolicyLike,
    Weighed,
    clean_decision,
    make_policy,
    side_of,
)
from scotyard_env.state import NOWHERE, SEATS
from scotyard_env.view import View
from scotyard_env.wording import one_line

DIGITS = 6  # of a number in a file
MOST_SHOWN = 6  # moves and stations of a list that are shown in a line
LEAST_SHARE = 0.005  # probability below which a move is not shown
LONGEST_WORD = 60  # characters of the name of a policy, of a belief or of a term

Moves = tuple[tuple[str, float], ...]  # moves as text, each with a number


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What a policy decided for a seat and why, as far as it says so."""

    policy: str  # who decided
    seat: int
    station: int  # where the seat stands; NOWHERE for a Mr. X who is hidden from whoever asked
    move: str  # such as "T46"
    value: float | None = None  # how good the policy takes its position to be, in its own unit
    gap: float | None = None  # best value less runner-up
    confidence: float | None = None  # how clear the choice was, from 0 to 1
    candidates: Moves = ()  # what it weighed with values, best first
    probabilities: Moves = ()  # if it draws: what it might have played
    plan: tuple[tuple[int, str], ...] = ()  # if it plans for the team: seats and their moves, this one first
    terms: tuple[tuple[str, float], ...] = ()  # named parts that add up to the value
    belief: str = ""  # the name of what it believes by, if it says so
    believed: tuple[tuple[int, float], ...] = ()  # stations where it takes Mr. X to be, likeliest first

    @classmethod
    def of(cls, view: View, decision: Decision, policy: str, belief: str | None = None) -> "Explanation":
        """Write down a decision that was made with a view, with a belief by its name."""
        weights = None if belief is None else weigh(view, belief)
        stations = [] if weights is None else top_stations(weights, len(weights))
        plan = _name(view.board, decision.plan)[: len(view.stations) - view.seat]
        return cls(
            policy=one_line(policy, LONGEST_WORD),
            seat=view.seat,
            station=view.stations[view.seat],
            move=action_text(view.board, decision.action),
            value=decision.value,
            gap=decision.gap,
            confidence=decision.confidence,
            candidates=_name_moves(view.board, decision.candidates),
            probabilities=_name_moves(view.board, decision.probabilities),
            plan=tuple(enumerate(plan, start=view.seat)),
            terms=tuple((one_line(name, LONGEST_WORD), part) for name, part in decision.terms),
            belief=belief or "",
            believed=() if weights is None else tuple((station, float(weights[station])) for station in stations),
        )

    # In words

    def __str__(self) -> str:
        where = "" if self.station == NOWHERE else f" from {self.station}"
        return "\n".join([f"{self.policy}: {SEATS[self.seat]} plays {self.move}{where}", *indent(self.lines())])

    def lines(self) -> list[str]:
        """Say it in some lines; only what is known, of long lists only the beginning."""
        told = {
            "weighed": _list(f"{move} {number_text(value)}" for move, value in self.candidates),
            "drawn from": _list(f"{move} {share:.0%}" for move, share in self.probabilities if share >= LEAST_SHARE)
            if len(self.probabilities) > 1
            else "",
            "plan": ", ".join(f"{SEATS[seat]} {move}" for seat, move in self.plan),
            "made up of": ", ".join(f"{name} {number_text(part)}" for name, part in self.terms),
            "believes": _list(f"{station} {share:.0%}" for station, share in self.believed),
        }
        if self.belief:
            told["believes"] += f" (belief {self.belief})"
        lines = [f"{about:<10} {words}" for about, words in told.items() if words]
        return [self.summary(), *lines] if self.summary() else lines

    def summary(self) -> str:
        """Say value, gap and confidence in one line."""
        numbers = ("value", self.value), ("gap", self.gap)
        told = [f"{name} {number_text(number)}" for name, number in numbers if number is not None]
        return ", ".join([*told, *([] if self.confidence is None else [f"confidence {self.confidence:.2f}"])])

    # As JSON

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON takes it; what is not known is left out."""
        fields = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {name: _round(value) for name, value in fields if value is not None and value not in ((), "")}

    @classmethod
    def from_dict(cls, fields: object, board: Board, seats: int) -> "Explanation":
        """Read it from JSON that anybody may have written, for a game of so many seats; else raise ``ValueError``."""
        known = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(fields, dict) or not {"policy", "seat", "station", "move"} <= fields.keys() <= known:
            raise ValueError(f"an explanation has policy, seat, station, move, and may have others of {sorted(known)}")
        numbers = {name: _number(name, fields[name]) for name in ("value", "gap", "confidence") if name in fields}
        return cls(
            policy=_word("policy", fields["policy"]),
            seat=_whole("seat", fields["seat"], seats - 1),
            station=_whole("station", fields["station"], board.stations),
            move=_move(board, fields["move"]),
            candidates=tuple((_move(board, move), value) for move, value in _pairs(fields, "candidates")),
            probabilities=tuple((_move(board, move), value) for move, value in _pairs(fields, "probabilities")),
            plan=tuple((_whole("plan", seat, seats - 1), _move(board, move)) for seat, move in _rows(fields, "plan")),
            terms=tuple((_word("terms", name), part) for name, part in _pairs(fields, "terms")),
            belief=_word("belief", fields.get("belief", "")),
            believed=tuple(
                (_whole("believed", at, board.stations), _share(one)) for at, one in _rows(fields, "believed")
            ),
            **numbers,
        )


class Explains:
    """What our policies have beside ``act``: ``explain(view)``."""

    def explain(self, view: View, rng: np.random.Generator | None = None, belief: str | None = None) -> Explanation:
        """Decide for the seat to move, and tell why."""
        return explain(self, view, rng, belief)  # type: ignore[arg-type]  # who inherits this is a policy


def explain(
    policy: PolicyLike,
    view: View,
    rng: np.random.Generator | None = None,
    belief: str | None = None,
    *,
    name: str | None = None,
) -> Explanation:
    """Ask a policy for its decision with a view of the seat to move, and tell why it is that one.

    Without an rng chance is the same every time. With a belief by its name, its weights are told; without, those of the
    policy's own ``belief`` if it has one. An object can be told of by a name.
    """
    if view.viewer != view.seat:
        raise ValueError(f"this is a view of seat {view.viewer}, and seat {view.seat} is to move: explain its own view")
    if not view.legal:
        raise ValueError("the game is over: there is nothing to decide")
    made = make_policy(policy, side_of(view))
    name = name or (policy if isinstance(policy, str) else type(made).__name__)
    own = View(view.board, view.rules, view.state, view.viewer)  # which it may change
    try:
        decision = clean_decision(made.act(own, np.random.default_rng(0) if rng is None else rng))
    except Exception as error:  # whatever a policy of the user's may do
        raise PolicyError(f"policy {name!r} cannot say what it would play: {type(error).__name__}: {error}") from error
    if decision.action not in view.legal:
        raise PolicyError(f"policy {name!r} would play {decision.action}, which is no legal action")
    return Explanation.of(view, decision, name, belief if belief is not None else belief_of(made))


def belief_of(policy: object) -> str | None:
    """Tell by its name what a policy believes by, None if it does not say."""
    try:
        belief = getattr(policy, "belief", None)
    except Exception:  # its own
        return None
    return belief if isinstance(belief, str) and belief in belief_names() else None


def number_text(number: float) -> str:
    """Write a number as short as it can be read."""
    return f"{number:,.0f}" if abs(number) >= 999.5 else f"{number + 0.0:.3g}"


def indent(lines: Iterable[str], by: int = 4) -> list[str]:
    """Move lines to the right."""
    return [" " * by + line for line in lines]


def _list(items: Iterable[str]) -> str:
    first, rest = (listed := list(items))[:MOST_SHOWN], listed[MOST_SHOWN:]
    return ", ".join(first) + (f" and {len(rest)} more" if rest else "")


def _name_moves(board: Board, weighed: Weighed) -> Moves:
    actions, numbers = zip(*weighed, strict=True) if weighed else ((), ())
    return tuple(zip(_name(board, actions), numbers, strict=True))


def _name(board: Board, actions: tuple[int, ...]) -> list[str]:
    """Write actions as text; what is none, which only a stranger's policy tells, as ?."""
    texts = action_texts(board)
    return [texts[action] if 0 <= action < len(texts) else HIDDEN for action in actions]


# Reading


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return [_round(item) for item in value] if isinstance(value, tuple) else value


def _rows(fields: dict[str, Any], name: str) -> list[list[Any]]:
    """Return a list of pairs."""
    rows: Any = fields.get(name, [])
    is_list = isinstance(rows, list) and all(isinstance(row, list) and len(row) == 2 for row in rows)
    if not is_list or len(rows) > MOST_TOLD:
        raise ValueError(f"{name} of an explanation is a list of at most {MOST_TOLD} pairs")
    return list(rows)


def _pairs(fields: dict[str, Any], name: str) -> list[tuple[Any, float]]:
    return [(key, _number(name, value)) for key, value in _rows(fields, name)]


def _number(name: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < LARGEST:
        raise ValueError(f"{name} of an explanation is {value!r}: it should be a number")
    return float(value)


def _share(value: object) -> float:
    if not 0.0 <= (share := _number("believed", value)) <= 1.0:
        raise ValueError(f"believed of an explanation has {value!r}: it should have numbers from 0 to 1")
    return share


def _whole(name: str, value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ValueError(f"{name} of an explanation is {value!r}: it should be a whole number of 0 to {most}")
    return value


def _word(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_WORD or one_line(value, LONGEST_WORD) != value:
        raise ValueError(f"{name} of an explanation should be a text of one line, at most {LONGEST_WORD} characters")
    return value


def _move(board: Board, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a move of an explanation is {value!r}: it should be a text such as T46")
    return value if value == HIDDEN else action_text(board, parse_action(board, value))
