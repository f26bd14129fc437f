"""``scotyard play --web``: the game that would be played at the terminal, in a browser of this machine."""

import secrets
import shlex
import sys
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scotyard_env.arena.processes import SILENCE
from scotyard_env.commands import FORFEITED
from scotyard_env.play.saved_game import SavedGame
from scotyard_env.play.saved_table import SavedTableKeeper, is_over
from scotyard_env.policy import Policy
from scotyard_env.web.analysis import Analyses
from scotyard_env.web.app import make_app
from scotyard_env.web.bots import Bots
from scotyard_env.web.chart import draw_chart
from scotyard_env.web.command import LOOPBACK
from scotyard_env.web.offer import Offer, read_ratings
from scotyard_env.web.registry import Registry
from scotyard_env.web.serving import listen_on, open_browser, serve
from scotyard_env.web.tokens import new_token

NAME_BYTES = 9  # of the table's name
ANY_PORT = 0


def play_in_browser(saved: SavedGame, path: Path, opponent: Policy, adviser: Policy | None) -> None:
    """Serve the table of a game until interrupted."""
    listening = listen_on(LOOPBACK[0], ANY_PORT)
    name, token = secrets.token_urlsafe(NAME_BYTES), new_token()
    keeper = SavedTableKeeper(saved, path, name, token)
    policies = {saved.against: opponent, **({} if adviser is None else {saved.adviser: adviser})}
    hints: dict[str, str] = {} if adviser is None else {saved.side: saved.adviser}
    bots = Bots({policy: policy for policy in policies}, workers=1, limit=SILENCE, first=SILENCE)
    try:
        app = _make_app(saved, Registry(keeper, bots, policies, hints), Analyses(path.parent))
        link = f"http://{LOOPBACK[0]}:{listening.getsockname()[1]}/table#{name}/{token}"
        print(f"Your table: {link}", flush=True)
        print("Ctrl-C stops." if open_browser(link) else "Open this link in a browser; Ctrl-C stops.", flush=True)
        serve(app, listening)
    except KeyboardInterrupt:
        pass
    finally:
        bots.close()
    _tell_end(keeper, path)


def _make_app(saved: SavedGame, registry: Registry, analyses: Analyses) -> Starlette:
    """Return the server's application, which has the board of this game, whatever it is called, and no other."""
    app = make_app(registry, Offer(registry.policies, read_ratings()), LOOPBACK, analyses)
    chart = draw_chart(saved.replay.board)

    async def show_board(_: Request) -> Response:
        return JSONResponse(chart)

    app.router.routes.insert(0, Route("/api/1/boards/{name:path}", show_board))
    return app


def _tell_end(keeper: SavedTableKeeper, path: Path) -> None:
    """Say how to go on or look at the game again; that the opponent failed is an exit code, as at the terminal."""
    table = keeper.table
    if table.winner is not None and not is_over(table):
        told = (
            f"the policy of {table.lost} was late" if table.reason == "late" else f"the policy of {table.lost} failed"
        )
        print(f"scotyard: forfeit: {told}; the game is saved in {shlex.quote(str(path))}", file=sys.stderr)
        sys.exit(FORFEITED)
    if table.winner is not None:
        print(f"scotyard watch {shlex.quote(str(path))} shows the game again.")
    else:
        print(f"The game is saved: {keeper.saved.resume_line(path)} goes on, with --web in the browser.")
