"""Pictures: text, SVG string, RGB array, films and a window. Draws, never decides.

Everything here is made from a ``View``, which holds no more than its seat may know: what is hidden cannot be drawn.
"""

from scotyard_env.render.films import animate
from scotyard_env.render.images import RenderError, check_ending, rgb_array, save, svg
from scotyard_env.render.plain_text import text
from scotyard_env.render.window import Window

__all__ = ["RenderError", "Window", "animate", "check_ending", "rgb_array", "save", "svg", "text"]
