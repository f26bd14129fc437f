"""``scotyard web``: tables in a browser, for people and policies."""

import dataclasses
import socket
import webbrowser
from collections.abc import Mapping
from pathlib import Path

from scotyard_env.arena.contenders import split_names
from scotyard_env.arena.folder import make_folder
from scotyard_env.policy import SIDES, Policy, make_policy, sides_of
from scotyard_env.web.app import make_app
from scotyard_env.web.bots import Bots
from scotyard_env.web.journal import Journal
from scotyard_env.web.limits import MESSAGE, THINKING
from scotyard_env.web.offer import Offer, read_ratings
from scotyard_env.web.registry import Registry

OFFERED = "random,greedy,hider,decoy,coverage,astar_greedy,minimax,hunters,ppo_mr_x,ppo_detectives"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ADVISERS = {"mr_x": ("phantom", "ppo_mr_x", "hider"), "detectives": ("hunters", "minimax", "greedy")}


@dataclasses.dataclass(frozen=True)
class Command:
    """Serve tables to a browser: play against policies or people, watch, and resume after a restart of the server."""

    host: str = "127.0.0.1"
    """Address to listen on; others than this machine's own need --names."""
    port: int = 8420
    """Port to listen on."""
    games: Path = Path("tables")
    """Folder in which every table is kept; made if it is not there."""
    policies: str = OFFERED
    """Policies that may be chosen as players, with commas between them; all are made when the server starts."""
    ratings: Path | None = None
    """File ratings.json of a tournament, for the strength of policies; by default that of the package."""
    names: str = ""
    """Names by which the server is reached beside this machine's own, with commas between them: example.org."""
    workers: int = 2
    """Processes in which policies think."""
    open: bool = False
    """Open a browser."""

    def run(self) -> None:
        """Serve until interrupted."""
        import uvicorn

        policies = {name: make_policy(name) for name in split_names(self.policies)}
        if self.workers < 1:
            raise ValueError(f"--workers is {self.workers}: policies need at least 1 process to think in")
        ratings = read_ratings() if self.ratings is None else read_ratings(self.ratings)
        listening = _listen(self.host, self.port)
        address = f"http://{self.host}:{listening.getsockname()[1]}/"
        make_folder(self.games)
        journal = Journal(self.games)
        bots = Bots({name: name for name in policies}, self.workers, THINKING)
        try:
            registry = Registry(journal, bots, policies, choose_advisers(policies))
            app = make_app(registry, Offer(policies, ratings), read_names(self.names))
            config = uvicorn.Config(app, ws_max_size=MESSAGE, log_level="warning", timeout_graceful_shutdown=2)
            print(f"tables are open at {address}, kept in {self.games}; Ctrl-C stops", flush=True)
            if self.open:
                webbrowser.open(address)
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            bots.close()
            journal.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except (OSError, OverflowError) as error:
        raise ValueError(f"cannot listen on {host}, port {port}: {error}; --port takes another") from error


def read_names(text: str) -> frozenset[str]:
    """Return the names of hosts that a server answers to: this machine's own, and those with commas between them."""
    return frozenset(LOOPBACK) | {name.strip().lower() for name in text.split(",") if name.strip()}


def choose_advisers(policies: Mapping[str, Policy]) -> dict[str, str]:
    """Choose for each side the policy that is asked for hints, among those that are offered."""
    able = {side: [name for name, policy in policies.items() if side in sides_of(policy)] for side in SIDES}
    best = {side: [name for name in ADVISERS[side] if name in able[side]] or able[side] for side in SIDES}
    return {side: names[0] for side, names in best.items() if names}
