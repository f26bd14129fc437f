"""The snapshots that both sides of a league leave behind, and how strong each of them is."""

from pathlib import Path

from scotyard_baselines.networks.move_scorer import FileScorer
from scotyard_env.arena.tournament import tournament
from scotyard_env.policy import SIDES, Side


def list_snapshots(out: Path, side: Side) -> list[Path]:
    """List the snapshots of a side, oldest first."""
    return sorted((out / "snapshots").glob(f"{side}_*.npz"))


def find_players(out: Path, side: Side) -> dict[str, FileScorer]:
    """Return the snapshots of a side as players by their names, oldest first."""
    files = list_snapshots(out, side)
    if not files:
        raise ValueError(f"{out} holds no snapshots of {side}: train first")
    return {file.stem: FileScorer(file=str(file)) for file in files}


def draw_ratings(out: Path, snapshot_interval: int, games: int, board: str, rules: str | None) -> Path:
    """Play the snapshots of both sides against each other in the arena and draw their ratings; return the picture."""
    sides = (find_players(out, side) for side in SIDES)
    ratings = tournament(*sides, games=games, board=board, rules=rules).ratings
    picture = out / "ratings.svg"
    from matplotlib import pyplot  # slow to import: only for who rates

    from scotyard_training.learning.pictures import save_picture

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for side in SIDES:
        rated = [rating for rating in ratings if rating.side == side]
        decisions = [snapshot_interval * number / 1e6 for number in range(len(rated))]
        spread = [[r.points - r.low for r in rated], [r.high - r.points for r in rated]]
        axes.errorbar(decisions, [rating.points for rating in rated], spread, marker="o", capsize=2, label=side)
    axes.set(xlabel="million decisions of the side", ylabel="Elo, arena", title="Snapshots of the league")
    axes.legend()
    save_picture(figure, picture)
    return picture
