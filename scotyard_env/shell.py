"""What the shells around a game, aec.py and solo.py, have in common: render modes, illegal actions, given starts."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.game import set_up
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import State
from scotyard_env.view import View

RenderMode = Literal["ansi", "rgb_array", "human"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)
Illegal = Literal["terminate", "raise"]  # what an illegal action does
ILLEGAL: tuple[Illegal, ...] = get_args(Illegal)
NOT_BEGUN = "no game has begun: call reset() first"
OPTIONS = ("stations", "tickets", "possible")  # of a reset, as ``Game.from_position`` has them


def check_illegal(illegal: Illegal) -> Illegal:
    """Refuse a way to treat illegal actions that does not exist."""
    if illegal not in ILLEGAL:
        raise ValueError(f"illegal is {illegal!r}: choose from {', '.join(ILLEGAL)}")
    return illegal


def start_from(board: Board, rules: RuleSet, options: dict[str, Any] | None) -> State | None:
    """Return the start that the options of a reset ask for; None if they ask for none."""
    for name in options or ():
        if name not in OPTIONS:
            warnings.warn(
                f"reset takes no option {name!r}, it is ignored: there are {', '.join(OPTIONS)}", stacklevel=3
            )
    given = {name: value for name, value in (options or {}).items() if name in OPTIONS}
    if not given:
        return None
    if "stations" not in given:
        raise ValueError(f"option {next(iter(given))} goes with stations: give them too, Mr. X's first")
    return set_up(board, rules, given["stations"], given.get("tickets"), given.get("possible"))


def take_row(arrays: dict[str, NDArray[Any]], row: int) -> dict[str, NDArray[Any]]:
    """Take one observation out of many; what they share, the links of a graph, is copied for whoever takes it."""
    return {name: array[row] if array.flags.writeable else array[row].copy() for name, array in arrays.items()}


def take_rows(arrays: dict[str, NDArray[Any]]) -> Iterator[dict[str, NDArray[Any]]]:
    """Take all observations apart, each as ``take_row`` does."""
    own = [array if array.flags.writeable else array.copy() for array in arrays.values()]
    return (dict(zip(arrays, row, strict=True)) for row in zip(*own, strict=True))


class Screen:
    """Shows views in one render mode; a window is opened when it is first needed."""

    def __init__(self, render_mode: RenderMode | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"there is no render_mode {render_mode!r}: there are {', '.join(RENDER_MODES)}, and None")
        self.render_mode = render_mode
        self._window: Any = None

    def render(self, view: Callable[[], View]) -> Any:
        """Return text or an array, or show the view in a window."""
        from scotyard_env import render

        if self.render_mode is None:
            warnings.warn(
                f"nothing to render: no render_mode was given, one of {', '.join(RENDER_MODES)}", stacklevel=3
            )
            return None
        if self.render_mode == "ansi":
            return render.text(view())
        if self.render_mode == "rgb_array":
            return render.rgb_array(view())
        self._window = self._window or render.Window()
        self._window.show(view())
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"render_mode": self.render_mode, "_window": None}
