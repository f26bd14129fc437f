"""Pictures of a game: text, SVG, pixels, films, a window. Draws, never decides."""

from scotyard_env.render.pictures import RenderError, Window, animate, rgb_array, save, svg, text

__all__ = ["RenderError", "Window", "animate", "rgb_array", "save", "svg", "text"]
