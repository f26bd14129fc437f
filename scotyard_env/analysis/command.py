"""``scotyard analyse``: the analysis of a game from disk, as a table, as a file and as a page."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

if TYPE_CHECKING:
    from scotyard_env.analysis.record import Record
    from scotyard_env.replay import Replay

ENDINGS = (".json", ".html")
FOLDER = "analyses"  # in the folder for what is kept between runs
MOST_KEPT = 200  # analyses there


@dataclasses.dataclass(frozen=True)
class Command:
    """Analyse a game: win probabilities over time, blunders, and what strong policies would have played.

    They are estimated by rollouts from every moment, with Mr. X where he was and where he may have been by public
    information. Results are kept, so that the same command resumes an interrupted analysis.
    """

    replay: Annotated[Path, tyro.conf.Positional]
    """File of the replay, or the folder of a match or a tournament."""
    out: Path | None = None
    """Also write this file: .json, the analysis for scotyard watch --analysis; .html, a page of the game with it."""
    mr_x: str | None = None
    """The policy of Mr. X in the rollouts; by default the strongest that is installed and fast enough."""
    detectives: str | None = None
    """The policy of the detectives in the rollouts; by default the strongest that is installed and fast enough."""
    belief: str | None = None
    """The public belief about Mr. X; by default choice_model or evasive."""
    rollouts: int | None = None
    """Rollouts from each moment for each curve: four times as many halve the intervals; by default 128."""
    line: int = 1
    """Which replay of a file that holds several."""
    pairing: int | None = None
    """Number of a pairing of a tournament, from 1; without it, the pairings are listed."""
    match: int | None = None
    """Number of a match of the pairing; without it, the matches are listed."""

    def run(self) -> None:
        """Analyse the game, print the table, write what is asked for."""
        from scotyard_env.analysis.judges import Wanted
        from scotyard_env.analysis.record import ROLLOUTS
        from scotyard_env.analysis.review import analyse, check_rollouts
        from scotyard_env.analysis.shelf import tidy
        from scotyard_env.arena.browsing import choose_replay
        from scotyard_env.files import cache_folder
        from scotyard_env.render.images import check_ending
        from scotyard_env.replay import Replay
        from scotyard_env.terminal import progress_bar

        rollouts = ROLLOUTS if self.rollouts is None else self.rollouts
        check_rollouts(rollouts)
        if self.out is not None:
            check_ending(self.out, ENDINGS)
        path = choose_replay(self.replay, self.pairing, self.match)
        if isinstance(path, str):
            print(path)
            return
        replay = Replay.load(path, self.line)
        if not replay.moves:
            raise ValueError(f"{self.replay} has no moves: there is nothing to analyse")
        folder = _open_folder(cache_folder() / FOLDER)
        wanted = Wanted(self.mr_x, self.detectives, self.belief)
        found = analyse(replay, wanted, rollouts, folder)
        record = next(found)  # which says at once if nobody can judge
        with progress_bar("steps") as progress:
            progress(record.steps, record.planned)
            for record in found:
                progress(record.steps, record.planned)
        if folder is not None:
            tidy(folder, MOST_KEPT)
        print(_tell(replay, record))
        if self.out is not None:
            _write(replay, record, self.out)
            print(f"wrote {self.out}")


def _open_folder(path: Path) -> Path | None:
    """Return a folder that is there and can be written to; None where there can be none."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return path


def _tell(replay: "Replay", record: "Record") -> str:
    from scotyard_env.analysis.table import write_table

    return write_table(replay, record)


def _write(replay: "Replay", record: "Record", path: Path) -> None:
    from scotyard_env.state import MR_X
    from scotyard_env.web.page import save_page

    if path.suffix.lower() == ".json":
        record.save(path)
    else:
        save_page(replay, path, MR_X, analysis=record)
