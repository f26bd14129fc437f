"""A game of every pairing to look at: pages that a browser opens, beside the report that links them."""

from collections.abc import Sequence
from pathlib import Path

from scotyard_env.arena.folder import make_folder
from scotyard_env.arena.replays import file_name, replay_path
from scotyard_env.arena.summary import Pairing
from scotyard_env.files import write_whole
from scotyard_env.replay import Replay, ReplayError
from scotyard_env.web.page import write_page

GAMES = "games"  # the folder of the pages

Links = dict[tuple[str, str], str]  # by names of a pairing, Mr. X's first: the page of a game, as seen from the report


def write_games(target: Path, pairings: Sequence[Pairing], folders: Sequence[Path]) -> Links:
    """Write a page of the first game of every pairing whose replay is kept in one of the folders; return the links."""
    links: Links = {}
    for pairing in pairings:
        replay = _find_game(pairing, folders)
        if replay is not None:
            name = f"{GAMES}/{file_name(pairing.mr_x)}-v-{file_name(pairing.detectives)}.html"
            make_folder(target / GAMES)
            write_whole(target / name, write_page(replay), sync=False)
            links[pairing.mr_x, pairing.detectives] = name
    return links


def _find_game(pairing: Pairing, folders: Sequence[Path]) -> Replay | None:
    """Return the first game of a pairing that nobody forfeited and whose replay can be read."""
    for result in pairing.results:
        files = (folder / replay_path(result.key) for folder in folders)
        for file in files if result.forfeit is None else ():
            try:
                return Replay.load(file)
            except (OSError, ReplayError):
                continue
    return None
