"""The ``scotyard`` command, and those of its commands that come with the environment."""

import dataclasses
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from scotyard_env.commands import FORFEITED, Command, find_call, run_safely

if TYPE_CHECKING:
    from scotyard_env.arena.forfeit import ForfeitError
    from scotyard_env.explanation import Explanation
    from scotyard_env.replay import Replay


@dataclasses.dataclass(frozen=True)
class Match:
    """Play one game between two policies, shown move by move; save its replay and a picture of the end."""

    mr_x: str = "random"
    """Who plays Mr. X."""
    detectives: str = "random"
    """Who plays the detectives."""
    board: str | None = None
    """Name of a board, or a file such as my_board.json; by default the board of the rules."""
    rules: str | None = None
    """Name of a rule set, or a file such as my_rules.json; by default the rules of the board."""
    seed: int = 0
    """The same seed gives the same game."""
    out: Path = Path("match")
    """Folder for replay.jsonl, final.svg and final.png; created if it does not exist."""
    explain: bool = False
    """Explain every decision, and save the explanations in the replay."""
    traceback: bool = False
    """Show the traceback of a policy that forfeits by an exception."""

    def run(self) -> None:
        """Play and show the game."""
        from scotyard_env import render
        from scotyard_env.arena.folder import make_folder
        from scotyard_env.arena.forfeit import ForfeitError
        from scotyard_env.arena.match import play_match
        from scotyard_env.game import Game
        from scotyard_env.policy import SIDES, Policy, Side, check_fit, make_policy
        from scotyard_env.replay import Replay
        from scotyard_env.state import SPECTATOR
        from scotyard_env.status_line import Announced, StatusLine
        from scotyard_env.terminal import Commentator

        _check_single("--mr-x", self.mr_x)
        _check_single("--detectives", self.detectives)
        line = StatusLine()
        mr_x, detectives = make_policy(self.mr_x, side="mr_x"), make_policy(self.detectives, side="detectives")
        game = Game(self.board, self.rules, seed=self.seed)
        for policy, side in zip((mr_x, detectives), SIDES, strict=True):
            check_fit(policy, game.board, game.rules, side)  # before anything is made
        players: dict[Side, tuple[str, Policy]] = {
            "mr_x": (self.mr_x, mr_x),
            "detectives": (self.detectives, detectives),
        }
        watch = Commentator(players, self.explain)
        mr_x, detectives = Announced(mr_x, self.mr_x, line), Announced(detectives, self.detectives, line)
        make_folder(self.out)
        try:
            match = play_match(mr_x, detectives, board=game.board, rules=game.rules, seed=self.seed, watch=watch)
        except ForfeitError as error:
            self._tell_forfeit(error, watch.explanations)
            sys.exit(FORFEITED)
        end = match.game.view(SPECTATOR)
        print(f"\n{render.text(end)}")
        Replay.of(match.game, watch.explanations).save(self.out / "replay.jsonl")
        for ending in ("svg", "png"):
            render.save(end, self.out / f"final.{ending}")
        print(f"\nsaved in {self.out}: replay.jsonl, final.svg, final.png")

    def _tell_forfeit(self, error: "ForfeitError", explanations: "list[Explanation]") -> None:
        """Say who forfeited and why, and keep the game so far."""
        from scotyard_env.replay import Replay

        if error.game is not None:
            Replay.of(error.game, explanations).save(self.out / "replay.jsonl")
        if error.traceback is not None and self.traceback:
            print(error.traceback, file=sys.stderr)
        hint = "" if error.traceback is None or self.traceback else "; --traceback shows where"
        kept = f"the game so far is in {self.out / 'replay.jsonl'}"
        print(f"scotyard: forfeit: {error}{hint}; {kept}", file=sys.stderr)


@dataclasses.dataclass(frozen=True)
class Watch:
    """Step through a replay in the terminal, or write a page, a picture or a film of it."""

    replay: Annotated[Path, tyro.conf.Positional]
    """File of the replay, such as match/replay.jsonl, or the folder of a match or of a tournament."""
    pairing: int | None = None
    """Number of a pairing of a tournament, from 1; without it, the pairings are listed."""
    match: int | None = None
    """Number of a match of the pairing; without it, the matches are listed."""
    out: Path | None = None
    """Write this instead: .html, a page for a browser; .svg or .png, a picture of one moment; .gif or .mp4, a film."""
    viewer: Literal["spectator", "mr_x", "detectives", "mover"] | None = None
    """Whose view is shown; by default a spectator's, or with --explain the mover's."""
    explain: bool = False
    """Show why each action was played, as the replay of a match with --explain has it."""
    mr_x: str | None = None
    """Show what this policy would play in Mr. X's place, and why."""
    detectives: str | None = None
    """Show what this policy would play in the detectives' place, and why."""
    belief: str | None = None
    """Shade the stations of pages and pictures by their probability in this belief, such as evasive."""
    analysis: Path | None = None
    """In a page, show this analysis of the game, as scotyard analyse --out game.json writes it; Mr. X looks on."""
    at: int | None = None
    """Begin at this action, or draw the board after it; 0 is the start."""
    line: int = 1
    """Line of the replay, in a file that holds several."""

    def run(self) -> None:
        """Show or write the replay."""
        from scotyard_env.arena.browsing import choose_replay
        from scotyard_env.replay import Replay
        from scotyard_env.terminal import print_all, step_through

        path = choose_replay(self.replay, self.pairing, self.match)
        if isinstance(path, str):
            print(path)
            return
        viewer = self._choose_viewer()
        replay = self._explain(Replay.load(path, self.line))
        at = len(replay.game(self.at).moves)  # before anything is shown or written
        if self.out is not None:
            self._write(replay, viewer, at)
            print(f"wrote {self.out}")
        elif sys.stdin.isatty():
            step_through(replay, viewer, self.at or 0)
        else:
            print_all(replay, viewer)

    def _write(self, replay: "Replay", viewer: int | None, at: int) -> None:
        """Write what the ending of the file stands for: a page, a film, or a picture of one moment."""
        from scotyard_env import render
        from scotyard_env.analysis.record import load_record
        from scotyard_env.belief import weigh
        from scotyard_env.web.page import save_page

        path = Path(self.out or "")
        if path.suffix.lower() == ".html":
            analysis = None if self.analysis is None else load_record(self.analysis, replay)
            save_page(replay, path, viewer, self.belief, at if self.at is not None else 0, analysis)
        elif path.suffix.lower() in (".gif", ".mp4"):
            render.animate(replay, path, viewer, belief=self.belief)
        else:
            render.check_ending(path, (".html", ".gif", ".mp4", ".png", ".svg"))
            view, explanation = list(replay.moments(viewer))[at]
            render.save(view, path, None if self.belief is None else weigh(view, self.belief), explanation)

    @property
    def _asks(self) -> bool:
        return self.mr_x is not None or self.detectives is not None

    def _choose_viewer(self) -> int | None:
        """Return the seat that looks on, None for whoever moves."""
        from scotyard_env.state import MR_X, SPECTATOR

        is_explained = self.explain or self._asks
        if is_explained and self.viewer == "spectator":
            told = "a spectator is not told what the players think: give --viewer mover, mr_x or detectives"
            raise ValueError(told)
        for side, policy in (("mr_x", self.mr_x), ("detectives", self.detectives)):
            if policy is not None and self.viewer not in (None, "mover", side):
                raise ValueError(f"{self.viewer} are not told what {side} would play: give --viewer mover or {side}")
        if self.belief is not None and self.out is None:
            raise ValueError("--belief colours pages, pictures and films: give --out")
        seats = {"spectator": SPECTATOR, "mr_x": MR_X, "detectives": 1, "mover": None}
        if self.analysis is not None:
            self._check_analysis()
            return MR_X
        return seats[self.viewer or ("mover" if is_explained else "spectator")]

    def _check_analysis(self) -> None:
        """Refuse an analysis where nothing can show it, or where somebody looks on who may not know it."""
        if self.out is None or self.out.suffix.lower() != ".html":
            raise ValueError("--analysis is shown in a page: give --out game.html")
        if self.viewer not in (None, "mr_x"):
            raise ValueError(f"an analysis tells where Mr. X was: {self.viewer} may not see it, give --viewer mr_x")

    def _explain(self, replay: "Replay") -> "Replay":
        """Return the replay with the explanations that are asked for, and with no others."""
        replay = replay if self.explain else dataclasses.replace(replay, explanations=())
        if self._asks:
            return replay.explain(self.mr_x, self.detectives)
        if self.explain and not replay.explanations:
            raise ValueError(
                "the replay has no explanations: scotyard match --explain keeps them, --mr-x and --detectives "
                "name policies to be asked now"
            )
        return replay


@dataclasses.dataclass(frozen=True)
class Tournament:
    """Play all pairings of some policies, and write tables of who is stronger and by how much.

    After a stop, the same command resumes the tournament; with more --games it adds games. The exit code is 3 if a
    policy forfeited a match.
    """

    mr_x: str = "random,greedy,hider"
    """Who plays Mr. X: policies with commas between them, such as greedy,hider:exits=2,distance=1,decoy."""
    detectives: str = "random,greedy,astar_greedy"
    """Who plays the detectives, such as greedy,minimax:depth=3; my_module:MyPolicy is one of your own."""
    games: int = 100
    """Games per pairing; every pairing has the same deals."""
    board: str | None = None
    """Name of a board, or a file such as my_board.json; by default the board of the rules."""
    rules: str | None = None
    """Name of a rule set, or a file such as my_rules.json; by default the rules of the board."""
    seed: int = 0
    """The same seed gives the same results, whatever the number of workers."""
    workers: int = os.cpu_count() or 1
    """Processes that play; by default as many as there are cores."""
    engine: Literal["processes", "ray"] = "processes"
    """Where they play: processes on this machine, or a Ray cluster."""
    address: str | None = None
    """Address of the Ray cluster, such as auto or ray://host:10001; by default a local one is started."""
    move_limit: float | None = None
    """Seconds that a policy may take for a move before it forfeits the match; ten minutes by default."""
    out: Path = Path("results")
    """Folder for config.json, results.jsonl, replays, table.md and report.html; created if it does not exist."""
    replays: bool = True
    """Keep a replay of every match."""

    def run(self) -> None:
        """Play what is missing in the folder, then write and print the tables."""
        from scotyard_env.arena.contenders import split_names
        from scotyard_env.arena.engine import Engine
        from scotyard_env.arena.folder import Folder
        from scotyard_env.arena.tournament import complete, make_setting
        from scotyard_env.terminal import progress_bar

        setting = make_setting(
            split_names(self.mr_x),
            split_names(self.detectives),
            games=self.games,
            board=self.board,
            rules=self.rules,
            seed=self.seed,
            move_limit=self.move_limit,
        )
        engine = Engine(self.engine, workers=self.workers, address=self.address)
        with Folder(self.out, setting, games=self.games, keep_replays=self.replays) as folder:
            for word in folder.words:
                print(word, file=sys.stderr)
            try:
                with progress_bar() as progress:
                    complete(folder, setting, self.games, engine, progress)
            except KeyboardInterrupt:
                print(f"stopped; {len(folder.results)} matches are saved, the same command resumes", file=sys.stderr)
                sys.exit(130)
        _print_report((self.out,))
        if forfeits := sum(result.forfeit is not None for result in folder.results):
            where = f"the tables say whose and why, scotyard report {self.out} --traceback shows where policies raised"
            print(f"scotyard: {forfeits} of {len(folder.results)} matches were forfeited: {where}", file=sys.stderr)
            sys.exit(FORFEITED)


@dataclasses.dataclass(frozen=True)
class Report:
    """Write the tables and the page of a tournament again, or of several tournaments together."""

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Folder of the tournament; of several, all with the same board, rules and seed."""
    out: Path | None = None
    """Folder for table.md and report.html; by default that of the tournament."""
    traceback: bool = False
    """Show the tracebacks of policies that forfeited by an exception."""

    def run(self) -> None:
        """Write and print the tables."""
        from scotyard_env.arena.report import show_tracebacks

        _print_report(self.folders, self.out)
        if self.traceback:
            print(f"\n{show_tracebacks(self.folders)}")


@dataclasses.dataclass(frozen=True)
class Check:
    """Check that a policy keeps the contract of policies: legal moves, no memory, no leak, and more."""

    policy: Annotated[str, tyro.conf.Positional]
    """Name of a policy, or my_module:my_policy, optionally with parameters."""
    side: Literal["mr_x", "detectives"] | None = None
    """The side to check; by default every side that it plays."""
    quick: bool = False
    """Look at fewer positions."""
    seed: int = 0
    """Other seeds give other positions."""

    def run(self) -> None:
        """Print of each promise whether it holds; exit with code 1 if one does not."""
        from scotyard_env.testing import check_policy

        is_kept = True
        for finding in check_policy(self.policy, self.side, quick=self.quick, seed=self.seed):
            print(finding, flush=True)
            is_kept = is_kept and finding.problem is None
        if not is_kept:
            sys.exit(1)


def _check_single(option: str, text: str) -> None:
    """Refuse a list of policies where one plays."""
    from scotyard_env.arena.contenders import split_names

    if len(split_names(text)) > 1:
        raise ValueError(
            f"{option} is {text!r}: a match has one policy on each side, scotyard tournament plays several"
        )


def _print_report(folders: tuple[Path, ...], out: Path | None = None) -> None:
    from scotyard_env.arena.report import write_report

    table, page = write_report(folders, out)
    print(f"{table}\nthe report is {page}")


def parse(arguments: Sequence[str]) -> Command:
    """Read the arguments of a call of ``scotyard``; return the command, which has yet to be run."""
    return find_call(arguments).read()


def main() -> None:
    """Run the command that the arguments of this process name."""
    sys.path.append(os.getcwd())  # where a user's own modules are looked for, last: none of them can stand for ours
    run_safely(lambda: find_call(sys.argv[1:]).run())


if __name__ == "__main__":
    main()
