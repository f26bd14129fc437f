"""How pictures of runs are saved."""

import io
from pathlib import Path

from matplotlib.figure import Figure

from scotyard_env.files import write_whole
from scotyard_env.render.images import check_ending


def check_picture(picture: Path) -> None:
    """Refuse a file that is to be neither .svg nor .png, before anything is read or written."""
    check_ending(picture, (".svg", ".png"))


def save_picture(figure: Figure, picture: Path) -> None:
    """Save a figure as .svg or .png; the same figure makes the same file, since an SVG gets no date."""
    check_picture(picture)
    kind, file = picture.suffix.lower().removeprefix("."), io.BytesIO()
    figure.savefig(file, format=kind, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else {})
    write_whole(picture, file.getvalue())
