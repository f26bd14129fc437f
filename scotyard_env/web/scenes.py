"""A replay as a page shows it, moment by moment: made from views, field by field, so that nothing else gets into it."""

import itertools
from typing import Any, TypedDict

from scotyard_env.belief import weigh
from scotyard_env.explanation import Explanation
from scotyard_env.render.captions import headline, next_reveal
from scotyard_env.render.thoughts import list_numbers, list_steps
from scotyard_env.replay import Moment, Replay
from scotyard_env.view import View
from scotyard_env.web.narration import tell_action
from scotyard_env.wire import frame

THOUSANDTHS = 1000  # in which a page is told probabilities


class Why(TypedDict):
    """Why the next action is what it is, as its policy says."""

    title: str
    lines: list[str]
    steps: list[tuple[int, int, int]]  # of the plan: seat, from where, to where
    numbers: dict[int, str]  # by station: what a move there is worth


class Scene(TypedDict):
    """What a page shows of one moment; stations and tickets by seat, Mr. X first."""

    headline: str
    move: str  # the action that led here, such as "T46" or "T?"; empty at the start
    told: str  # the same in a sentence
    round: int
    seat: int  # to move
    stations: list[int]  # 0 = hidden
    tickets: list[list[int]]  # taxi, bus, underground, black, double; -1 = unlimited
    log: list[str]  # "T", or "K@115" where he showed himself
    log_rounds: list[int]  # both halves of a double share theirs
    next_reveal: str
    seen: int  # the station where he was seen last; 0 = never yet
    seen_entry: int
    possible: list[int]  # where he may be
    belief: list[int]  # how likely each of these is, in thousandths
    winner: str | None
    why: Why | None


def list_scenes(replay: Replay, viewer: int | None, belief: str | None) -> list[Scene]:
    """Show every moment as a viewer may know it; without a viewer, as whoever moves next may."""
    scenes: list[Scene] = []
    before: View | None = None
    for at, moment in enumerate(replay.moments(viewer)):
        played = replay.moves[at] if moment.explanation is not None else ""
        scenes.append(make_scene(before, moment, belief, played))
        before = moment.view
    return scenes


def make_scene(before: View | None, moment: Moment, belief: str | None = None, played: str = "") -> Scene:
    """Show one moment, and what led to it from the view before; what is played next is for whom it is explained."""
    view, told = moment.view, frame(moment.view)
    move, words = ("", "The game begins.") if before is None else tell_action(before, view)
    return {
        "headline": headline(view),
        "move": move,
        "told": words,
        "round": told["round"],
        "seat": told["seat"],
        "stations": told["stations"],
        "tickets": told["tickets"],
        "log": told["log"],
        "log_rounds": told["log_rounds"],
        "next_reveal": next_reveal(view),
        "seen": told["seen"],
        "seen_entry": told["seen_entry"],
        "possible": told["possible"],
        "belief": _weigh(view, told["belief"], belief),
        "winner": told["winner"],
        "why": None if moment.explanation is None else _explain(view, moment.explanation, played),
    }


def _weigh(view: View, by_paths: list[float], belief: str | None) -> list[int]:
    """Weigh the possible stations, by path counts unless another belief is named."""
    shares = by_paths if belief is None else weigh(view, belief)[view.possible].tolist()
    return [round(THOUSANDTHS * share) for share in shares]


def _explain(view: View, explanation: Explanation, played: str) -> Why:
    verb = "plays" if explanation.move == played else "would play"
    return {
        "title": f"{explanation.policy} {verb} {explanation.move}",
        "lines": explanation.lines(),
        "steps": list_steps(view, explanation),
        "numbers": list_numbers(view, explanation),
    }


def list_changes(scenes: list[Scene]) -> list[dict[str, Any]]:
    """Return of every moment only what is not as it was in the one before, which makes a page a third as long."""
    first: list[dict[str, Any]] = [dict(scene) for scene in scenes[:1]]
    rest = (
        {name: value for name, value in dict(scene).items() if value != dict(before)[name]}
        for before, scene in itertools.pairwise(scenes)
    )
    return [*first, *rest]
