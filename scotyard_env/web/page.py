"""A replay as one HTML file: it opens from disk, in a sandboxed frame and on a phone, and fetches nothing."""

import base64
import hashlib
import json
import re
from html import escape
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from scotyard_env import render
from scotyard_env.analysis.record import Record
from scotyard_env.analysis.telling import Teller
from scotyard_env.belief import belief_names
from scotyard_env.files import write_whole
from scotyard_env.render.captions import about, headline, log_length
from scotyard_env.render.images import check_ending
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X, SPECTATOR
from scotyard_env.web.chart import draw_chart
from scotyard_env.web.scenes import list_changes, list_scenes

STATIC = Path(__file__).with_name("static")
MODULES = (
    "dom.js",
    "keys.js",
    "map.js",
    "camera.js",
    "panels.js",
    "timeline.js",
    "picture.js",
    "analysis.js",
    "player.js",
)  # each needs those before it
START = "\nplay(JSON.parse(byId('replay').textContent ?? ''));\n"
OUTSIDE = re.compile(r"^(import .*\n|export )", re.MULTILINE)  # what a module says to others
WIDTH, HEIGHT = 960, 720  # in a notebook


def save_page(
    replay: Replay,
    path: str | PathLike[str],
    viewer: int | None = SPECTATOR,
    belief: str | None = None,
    at: int = 0,
    analysis: Record | None = None,
) -> None:
    """Write the page of a replay, as a seat saw it, to a file that ends in .html, whole or not at all."""
    check_ending(path, (".html",))
    write_whole(path, write_page(replay, viewer, belief, at, analysis))


def write_page(
    replay: Replay,
    viewer: int | None = SPECTATOR,
    belief: str | None = None,
    at: int = 0,
    analysis: Record | None = None,
) -> str:
    """Write the page of a replay as a seat saw it; with None each moment is shown as whoever moves next sees it.

    It opens ``at`` a moment. Heat tells how likely Mr. X is at a station by a belief, by path counts without one. What
    the viewer may not know is not in the page. An analysis tells of both sides, hence is for the eyes of Mr. X only.
    """
    if analysis is not None and viewer != MR_X:
        raise ValueError("an analysis tells where Mr. X was: the page has to be made for him (viewer mr_x)")
    if belief is not None and belief not in belief_names():
        raise ValueError(f"there is no belief {belief!r}: there are {', '.join(belief_names())}")
    if not 0 <= at <= len(replay):
        raise ValueError(f"there is no moment {at}: this replay has 0 (the start) to {len(replay)}")
    style, script = _read("style.css"), bundle() + START
    return Template(_read("replay.html")).substitute(
        title=escape(_title(replay, viewer)),
        policy=_policy(style, script),
        style=style,
        data=to_script(_data(replay, viewer, belief, at) | tell_analysis(replay, analysis)),
        script=script,
    )


def frame_page(replay: Replay) -> str:
    """Write HTML for a notebook: the page in a sandboxed frame, over a picture that stays where frames are stripped."""
    view = replay.game().view(SPECTATOR)
    picture = base64.b64encode(render.svg(view, WIDTH, HEIGHT).encode()).decode()
    style, page = "position:absolute;inset:0;width:100%;height:100%;border:0", escape(write_page(replay))
    return (
        f'<div style="position:relative;max-width:{WIDTH}px">'
        f'<img src="data:image/svg+xml;base64,{picture}" alt="{escape(headline(view))}" style="width:100%">'
        f'<iframe sandbox="allow-scripts" title="Replay" style="{style}" srcdoc="{page}"></iframe>'
        "</div>"
    )


def to_script(data: Any) -> str:
    """Write JSON that can stand in a script element: nothing in it ends the element or begins a comment."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def bundle() -> str:
    """Return the modules of the page as one script without imports."""
    return "\n".join(OUTSIDE.sub("", _read(name)) for name in MODULES)


def tell_replay(replay: Replay) -> dict[str, Any]:
    """Tell a game that is over as Mr. X saw it, for a page that has the board already."""
    return {name: value for name, value in _data(replay, MR_X, None, 0).items() if name != "chart"}


def tell_analysis(replay: Replay, analysis: Record | None) -> dict[str, Any]:
    """Tell what was found out about a game, if anything was."""
    return {} if analysis is None else {"analysis": Teller(replay, analysis.judges.belief).tell(analysis)}


def _data(replay: Replay, viewer: int | None, belief: str | None, at: int) -> dict[str, Any]:
    start = replay.game(0)
    view = start.view(SPECTATOR if viewer is None else viewer)
    seen = about(view) if viewer is not None else about(view).replace("a spectator", "whoever moves")
    return {
        "about": seen if replay.practice is None else f"{seen}; {replay.practice}",
        "belief": belief or "paths",
        "entries": log_length(view),
        "reveals": sorted(replay.rules.reveals),
        "at": at,
        "chart": draw_chart(replay.board),
        "scenes": list_changes(list_scenes(replay, viewer, belief)),
    }


def _title(replay: Replay, viewer: int | None) -> str:
    view = replay.game().view(SPECTATOR if viewer is None else viewer)
    return f"Scotland Yard: {headline(view)}"


def _policy(style: str, script: str) -> str:
    """Allow our own style and script by their digests, and nothing else."""
    digests = (hashlib.sha256(text.encode()).digest() for text in (style, script))
    allowed = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    own = "style-src {}; script-src {}; img-src data:".format(*allowed)
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
