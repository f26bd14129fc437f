"""Who judges a game: two fast and strong policies that play on from every moment, and those who are asked for opinions.

They are looked for by name among the installed policies, the best first, and each has to show that it can decide in
this very game; where the best are not installed, or cannot play this board, the next ones take their place.
"""

import dataclasses
from collections.abc import Iterable

import numpy as np

from scotyard_env.belief import belief_names, weigh
from scotyard_env.explanation import explain
from scotyard_env.play.levels import ADVISERS
from scotyard_env.policy import POLICIES, SIDES, Policy, PolicyError, Side, check_fit, make_policy, side_of
from scotyard_env.replay import Replay
from scotyard_env.state import SPECTATOR
from scotyard_env.view import View

# On London ppo_mr_x is strong and quick; phantom is stronger, and takes longer to decide. Elsewhere: on docklands
# hunters win 78 % of 400 games against hider and 83 % against ppo_mr_x, who takes ten times as long.
ROLLOUTS = {"mr_x": ("ppo_mr_x", "hider", "greedy"), "detectives": ("hunters", "ppo_detectives", "greedy")}
ELSEWHERE = {"mr_x": ("hider", "greedy", "ppo_mr_x"), "detectives": ("hunters", "greedy", "ppo_detectives")}
BELIEFS = ("choice_model", "evasive")
ASKED = 2  # policies of a side that are asked for an opinion
LEARNED_ON = "london"  # the board that the networks have seen


class JudgeError(ValueError):
    """A game that nobody here can judge, or not those who were asked to."""


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Who shall judge; what is left open is chosen among the installed ones."""

    mr_x: str | None = None
    detectives: str | None = None
    belief: str | None = None


@dataclasses.dataclass(frozen=True)
class Judges:
    """Who plays on for each side, by which belief the table reckons, and who is asked for opinions."""

    mr_x: str
    detectives: str
    belief: str
    opinions: tuple[tuple[Side, tuple[str, ...]], ...]

    def asked(self, side: Side) -> tuple[str, ...]:
        """List the policies that are asked for their opinion of a side's decisions."""
        return dict(self.opinions)[side]


def choose_judges(replay: Replay, wanted: Wanted) -> Judges:
    """Choose who judges a game; ``JudgeError`` says who cannot, or that nobody is there."""
    views = first_views(replay)
    rollouts = ROLLOUTS if replay.board.name == LEARNED_ON else ELSEWHERE
    named: dict[Side, str | None] = {"mr_x": wanted.mr_x, "detectives": wanted.detectives}
    playing = {side: _choose_player(side, named[side], rollouts[side], views) for side in SIDES}
    asked = tuple((side, _choose_asked(side, named[side], views) or (playing[side],)) for side in SIDES)
    return Judges(playing["mr_x"], playing["detectives"], _choose_belief(replay, wanted.belief), asked)


def first_views(replay: Replay) -> dict[Side, View]:
    """Return the first decision of each side, as its seat saw it; a side that never moved has none."""
    views: dict[Side, View] = {}
    for game in replay.games():
        if game.winner is None:
            view = game.view(game.seat)
            views.setdefault(side_of(view), view)
        if len(views) == len(SIDES):
            break
    return views


def make_judge(name: str, side: Side, view: View | None) -> Policy:
    """Make a policy and let it decide once, if there is a decision; what it cannot do raises ``PolicyError``."""
    policy = make_policy(name, side)
    if view is not None:
        check_fit(policy, view.board, view.rules, side)
        explain(policy, view, np.random.default_rng(0), name=name)
    return policy


def _choose_player(side: Side, named: str | None, best: Iterable[str], views: dict[Side, View]) -> str:
    if named is not None:
        try:
            make_judge(named, side, views.get(side))
        except PolicyError as error:
            raise JudgeError(f"{named} cannot judge this game: {error}") from error
        return named
    found = _list_able(side, best, views, 1)
    if not found:
        raise JudgeError(f"nobody here can play {side} in this game: install one of {', '.join(best)}, or name another")
    return found[0]


def _choose_asked(side: Side, named: str | None, views: dict[Side, View]) -> tuple[str, ...]:
    """Return who is asked for opinions: the strongest that there are; if somebody was named to judge, that one only."""
    return _list_able(side, ADVISERS[side], views, ASKED) if named is None else (named,)


def _list_able(side: Side, names: Iterable[str], views: dict[Side, View], most: int) -> tuple[str, ...]:
    """List the first of some policies that are installed and can decide in this game."""
    found: list[str] = []
    for name in names:
        if name in POLICIES.find() and len(found) < most and _is_able(name, side, views.get(side)):
            found.append(name)
    return tuple(found)


def _is_able(name: str, side: Side, view: View | None) -> bool:
    try:
        make_judge(name, side, view)
    except PolicyError:
        return False
    return True


def _choose_belief(replay: Replay, named: str | None) -> str:
    if named is not None and named not in belief_names():
        raise JudgeError(f"there is no belief {named!r}: there are {', '.join(belief_names())}")
    view = replay.game(0).view(SPECTATOR)
    for name in BELIEFS if named is None else (named,):
        if name in belief_names() and _can_weigh(view, name):
            return name
    raise JudgeError(f"the belief {named!r} cannot be worked out on board {replay.board.name!r}")


def _can_weigh(view: View, name: str) -> bool:
    try:
        weigh(view, name)
    except Exception:  # whatever a belief of another package may do on a board that it does not know
        return False
    return True
