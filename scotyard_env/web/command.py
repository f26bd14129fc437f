"""``scotyard web``: tables in a browser, for people and policies."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from scotyard_env.analysis.judges import Wanted
from scotyard_env.analysis.record import ROLLOUTS
from scotyard_env.analysis.review import check_rollouts
from scotyard_env.arena.contenders import split_names
from scotyard_env.arena.folder import make_folder
from scotyard_env.play.levels import ADVISERS
from scotyard_env.policy import SIDES, Policy, make_policy, sides_of
from scotyard_env.web.analysis import Analyses
from scotyard_env.web.app import make_app
from scotyard_env.web.bots import Bots
from scotyard_env.web.journal import Journal
from scotyard_env.web.limits import FIRST, THINKING
from scotyard_env.web.offer import Offer, read_ratings
from scotyard_env.web.registry import Registry
from scotyard_env.web.serving import listen_on, open_browser, serve

OFFERED = "random,greedy,hider,decoy,coverage,astar_greedy,minimax,hunters,bayes,pimbot,phantom,ppo_mr_x,ppo_detectives"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclasses.dataclass(frozen=True)
class Command:
    """Serve tables to a browser: play against policies or people, watch, and resume after a restart of the server."""

    host: str = "127.0.0.1"
    """Address to listen on; whoever asks for another name than this one or this machine's own needs --names."""
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
    judges: str = ""
    """Two policies that judge finished games, Mr. X's first: ppo_mr_x,hunters; the strongest there are if left out."""
    rollouts: int = ROLLOUTS
    """Games that are played on from a moment of a finished game, to tell the chances at it."""
    open: bool = False
    """Open a browser."""

    def run(self) -> None:
        """Serve until interrupted."""
        policies = {name: make_policy(name) for name in split_names(self.policies)}
        if self.workers < 1:
            raise ValueError(f"--workers is {self.workers}: policies need at least 1 process to think in")
        wanted = read_judges(self.judges)
        check_rollouts(self.rollouts)
        ratings = read_ratings() if self.ratings is None else read_ratings(self.ratings)
        listening = listen_on(self.host, self.port)
        shown = f"[{self.host}]" if ":" in self.host else self.host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        make_folder(self.games)
        journal = Journal(self.games)
        bots = Bots({name: name for name in policies}, self.workers, THINKING, FIRST)
        try:
            registry = Registry(journal, bots, policies, choose_advisers(policies))
            analyses = Analyses(self.games, wanted, self.rollouts)
            hosts = read_names(self.names) | {self.host.lower()}
            app = make_app(registry, Offer(policies, ratings), hosts, analyses)
            print(f"tables are open at {address}, kept in {self.games}; Ctrl-C stops", flush=True)
            if self.open:
                open_browser(address)
            serve(app, listening)
        finally:
            bots.close()
            journal.close()


def read_names(text: str) -> frozenset[str]:
    """Return the names of hosts that a server answers to: this machine's own, and those with commas between them."""
    return frozenset(LOOPBACK) | {name.strip().lower() for name in text.split(",") if name.strip()}


def read_judges(text: str) -> Wanted:
    """Return who shall judge finished games: nobody in particular, or two policies that can be made."""
    names = split_names(text) if text else []
    if len(names) not in (0, 2):
        raise ValueError(f"--judges is {text!r}: give two policies, Mr. X's first, such as ppo_mr_x,hunters")
    for name, side in zip(names, SIDES, strict=False):
        make_policy(name, side)
    return Wanted(*names)


def choose_advisers(policies: Mapping[str, Policy]) -> dict[str, str]:
    """Choose for each side the policy that is asked for hints, among those that are offered."""
    able = {side: [name for name, policy in policies.items() if side in sides_of(policy)] for side in SIDES}
    best = {side: [name for name in ADVISERS[side] if name in able[side]] or able[side] for side in SIDES}
    return {side: names[0] for side, names in best.items() if names}
