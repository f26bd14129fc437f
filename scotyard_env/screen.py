"""What the render modes of the environments have in common."""

from collections.abc import Callable
from typing import Any

from scotyard_env.view import View

RENDER_MODES = ("ansi", "rgb_array", "human")


class Screen:
    """Shows views in one render mode; a window is opened when it is first needed."""

    def __init__(self, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"there is no render_mode {render_mode!r}: there are {', '.join(RENDER_MODES)}, and None")
        self.render_mode = render_mode
        self._window: Any = None

    def render(self, view: Callable[[], View]) -> Any:
        """Give text or an array, or show the view in a window."""
        from scotyard_env import render

        if self.render_mode is None:
            raise ValueError(f"no render_mode was given: make(render_mode=...), one of {', '.join(RENDER_MODES)}")
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
