"""A replay as a film, GIF or MP4."""

import io
import itertools
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from scotyard_env.belief import Belief, weigh
from scotyard_env.explanation import Explanation
from scotyard_env.files import write_whole
from scotyard_env.render.images import RenderError, check_ending, rgb_array
from scotyard_env.replay import Replay
from scotyard_env.state import SPECTATOR
from scotyard_env.view import View

FILM_WIDTH, FILM_HEIGHT = 960, 720
HELD = 4.0  # seconds for the last frame of a film

Shown = tuple[View, Belief | None, Explanation | None]  # in one frame


def animate(
    replay: Replay,
    path: str | PathLike[str],
    viewer: int | None = SPECTATOR,
    seconds_per_move: float = 0.6,
    belief: str | None = None,
) -> None:
    """Film a replay as a seat saw it, .gif or .mp4: the start, then one frame for each action, the last one held.

    A spectator is shown Mr. X in the last frame of a finished game, his own seat (0) sees him all along; with None each
    moment is shown as whoever moves next sees it. What the replay explains is drawn, as far as the viewer may know it.
    """
    check_ending(path, (".gif", ".mp4"))
    if not seconds_per_move > 0:
        raise ValueError(f"seconds_per_move is {seconds_per_move}: a move takes more than no time")
    moments = [
        (view, None if belief is None else weigh(view, belief), explanation)
        for view, explanation in replay.moments(viewer)
    ]
    film = _to_gif if Path(path).suffix.lower() == ".gif" else _to_mp4
    write_whole(path, film(moments, seconds_per_move))


def _frame(moment: Shown) -> Any:
    from PIL import Image

    return Image.fromarray(rgb_array(moment[0], FILM_WIDTH, FILM_HEIGHT, *moment[1:]))


def _to_gif(moments: list[Shown], seconds: float) -> bytes:
    """Make a GIF whose frames share their colours, so that only what changes takes space."""
    from PIL import Image

    samples = [_frame(moment) for moment in (moments[0], moments[len(moments) // 2], moments[-1])]
    sheet = np.concatenate([np.asarray(sample) for sample in samples])
    palette = Image.fromarray(sheet).quantize(255, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
    frames = (_frame(moment).quantize(palette=palette, dither=Image.Dither.NONE) for moment in moments)
    durations = [round(1000 * seconds)] * (len(moments) - 1) + [round(1000 * max(HELD, seconds))]
    file = io.BytesIO()
    next(frames).save(file, "GIF", save_all=True, append_images=frames, duration=durations, loop=0, disposal=1)
    return file.getvalue()


def _to_mp4(moments: list[Shown], seconds: float) -> bytes:
    """Make an H.264 film of 10 pictures a second, which players like, whatever the time for a move."""
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise RenderError("a .mp4 needs ffmpeg: pip install imageio-ffmpeg, or write a .gif") from error
    held = round(HELD / seconds)
    frames = itertools.chain(map(_frame, moments), itertools.repeat(_frame(moments[-1]), held))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        size, rate = (FILM_WIDTH, FILM_HEIGHT), {"fps": 1 / seconds, "output_params": ["-r", "10"]}
        writer = imageio_ffmpeg.write_frames(path, size, **rate, ffmpeg_log_level="error")
        writer.send(None)
        for frame in frames:
            writer.send(frame.tobytes())
        writer.close()
        return path.read_bytes()
