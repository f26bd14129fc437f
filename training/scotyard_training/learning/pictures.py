"""How pictures of runs are saved."""

from pathlib import Path

from matplotlib.figure import Figure


def save_picture(figure: Figure, picture: Path) -> None:
    """Save a figure as .svg or .png; the same figure makes the same file, since an SVG gets no date."""
    figure.savefig(picture, bbox_inches="tight", metadata={"Date": None} if picture.suffix == ".svg" else {})
