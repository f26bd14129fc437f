"""A window on the screen that shows views."""

import os
import sys
from typing import Any

from scotyard_env.belief import Belief
from scotyard_env.render.images import HEIGHT, WIDTH, RenderError, rgb_array
from scotyard_env.view import View

_INSTEAD = 'use render_mode="rgb_array" for pictures without a screen'


class Window:
    """A window on the screen that shows one view after the other; once the user shuts it, it stays shut."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT, title: str = "Scotland Yard") -> None:
        self._size = (width, height)
        self._pygame = _import_pygame()
        try:
            self._pygame.display.init()
            self._screen = self._pygame.display.set_mode(self._size)
        except self._pygame.error as error:
            raise RenderError(f"no window can be opened ({error}): {_INSTEAD}") from error
        self._pygame.display.set_caption(title)
        self.is_open = True

    def show(self, view: View, belief: Belief | None = None) -> None:
        """Show a view."""
        if self.is_open and any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self.close()
        if self.is_open:
            picture = rgb_array(view, *self._size, belief=belief)
            self._screen.blit(self._pygame.image.frombuffer(picture.tobytes(), self._size, "RGB"), (0, 0))
            self._pygame.display.flip()

    def close(self) -> None:
        """Shut the window; shutting it again does nothing."""
        if self.is_open:
            self.is_open = False
            self._pygame.display.quit()


def _import_pygame() -> Any:
    if sys.platform.startswith("linux") and not any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"))
    ):
        raise RenderError(f"there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set): {_INSTEAD}")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise RenderError(f"a window needs pygame: pip install pygame-ce, or {_INSTEAD}") from error
    return pygame
