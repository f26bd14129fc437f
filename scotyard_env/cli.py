"""The ``scotyard`` command."""

import dataclasses
import os
import sys
from pathlib import Path
from typing import Annotated

import tyro


@dataclasses.dataclass
class Match:
    """Play one game between two policies, shown move by move; its replay and its last picture are saved."""

    mr_x: str = "random"
    """Who plays Mr. X."""
    detectives: str = "random"
    """Who plays the detectives."""
    board: str | None = None
    """Name of a board; that of the rules if left out."""
    rules: str | None = None
    """Name of a rule set; that of the board if left out."""
    seed: int = 0
    """The same seed plays the same game."""
    out: Path = Path("match")
    """Folder for replay.jsonl and final.svg, final.png; made if it is not there."""

    def run(self) -> None:
        """Play and show the game."""
        from scotyard_env import render
        from scotyard_env.arena.match import play_match
        from scotyard_env.game import Game
        from scotyard_env.policy import make_policy
        from scotyard_env.state import SPECTATOR

        players = make_policy(self.mr_x, side="mr_x"), make_policy(self.detectives, side="detectives")
        game = Game(self.board, self.rules, seed=self.seed)  # before anything is made
        self.out.mkdir(parents=True, exist_ok=True)
        match = play_match(*players, board=game.board, rules=game.rules, seed=self.seed, watch=_print_action)
        end = match.game.view(SPECTATOR)
        print(f"\n{render.text(end)}")
        match.game.save(self.out / "replay.jsonl")
        for ending in ("svg", "png"):
            render.save(end, self.out / f"final.{ending}")
        print(f"\nsaved in {self.out}: replay.jsonl, final.svg, final.png")


@dataclasses.dataclass
class Tournament:
    """Play all pairings of some policies, and write tables of who is stronger and by how much.

    Stopped at any moment, the same command goes on where it was; with more --games it adds them.
    """

    mr_x: str = "random,greedy,hider"
    """Who plays Mr. X: policies with commas between them, such as decoy,minimax:depth=3,my_module:make_policy."""
    detectives: str = "random,greedy,astar_greedy"
    """Who plays the detectives."""
    games: int = 100
    """Games a pairing; every pairing has the same deals."""
    board: str | None = None
    """Name of a board; that of the rules if left out."""
    rules: str | None = None
    """Name of a rule set; that of the board if left out."""
    seed: int = 0
    """The same seed gives the same results, whatever the number of workers."""
    workers: int = os.cpu_count() or 1
    """Processes that play; by default as many as there are cores."""
    move_limit: float | None = None
    """Seconds a policy may take for a move before it forfeits the match."""
    out: Path = Path("results")
    """Folder for config.json, results.jsonl, replays, table.md and report.html; made if it is not there."""
    replays: bool = True
    """Keep a replay of every match."""

    def run(self) -> None:
        """Play what is missing in the folder, then write and print the tables."""
        from scotyard_env.arena.contenders import split_names
        from scotyard_env.arena.folder import Folder
        from scotyard_env.arena.report import write_report
        from scotyard_env.arena.tournament import complete, make_setting
        from scotyard_env.terminal import progress_bar

        setting = make_setting(
            split_names(self.mr_x),
            split_names(self.detectives),
            self.games,
            self.board,
            self.rules,
            self.seed,
            self.workers,
            self.move_limit,
        )
        with Folder(self.out, setting, self.games, self.replays) as folder:
            for word in folder.words:
                print(word, file=sys.stderr)
            try:
                with progress_bar() as progress:
                    complete(folder, setting, self.games, self.workers, progress)
            except KeyboardInterrupt:
                print(f"stopped; {len(folder.results)} matches are kept, the same command goes on", file=sys.stderr)
                sys.exit(130)
        print(write_report(self.out))


@dataclasses.dataclass
class Report:
    """Make the tables and the page of a tournament again from its results."""

    folder: Annotated[Path, tyro.conf.Positional]
    """Folder of the tournament."""

    def run(self) -> None:
        """Write and print the tables."""
        from scotyard_env.arena.report import write_report

        print(write_report(self.folder))


@dataclasses.dataclass
class Policies:
    """List the policies that are installed, with their sides and parameters."""

    def run(self) -> None:
        """Print the list."""
        from scotyard_env.policy import policy_class, policy_names, sides_of

        for name in policy_names():
            policy = policy_class(name)
            parameters = ", ".join(f"{field.name}={field.default}" for field in dataclasses.fields(policy))
            print(f"{name:20} {' and '.join(sides_of(policy)):22} {(policy.__doc__ or '').splitlines()[0]}")
            if parameters:
                print(f"{'':20} {parameters}")


Command = (
    Annotated[Match, tyro.conf.subcommand("match")]
    | Annotated[Tournament, tyro.conf.subcommand("tournament")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Policies, tyro.conf.subcommand("policies")]
)


def main() -> None:
    """Run the command; what a user got wrong is one line on the error stream and exit code 2."""
    sys.path.append(os.getcwd())  # where a user's own policies are looked for, as module:factory
    command = tyro.cli(Command, prog="scotyard", description="Scotland Yard: play, watch and compare policies.")
    try:
        command.run()
    except BrokenPipeError:  # whoever reads the output has seen enough
        sys.exit(1)
    except (ValueError, OSError) as error:
        print(f"scotyard: {error}", file=sys.stderr)
        sys.exit(2)


def _print_action(game: object, seat: int, decision: object) -> None:
    """Print what one action did."""
    from scotyard_env.game import Game
    from scotyard_env.notation import action_text
    from scotyard_env.policy import Decision
    from scotyard_env.state import MR_X, SEATS

    assert isinstance(game, Game)
    assert isinstance(decision, Decision)
    if seat == MR_X:
        print(f"round {game.round}, log entry {game.state.entries}")
    words = [f"  {SEATS[seat]:12} {action_text(game.board, decision.action):5}"]
    if seat == MR_X and game.log and "@" in game.log[-1]:
        words.append(f"shows himself on {game.stations[MR_X]}")
    if decision.confidence is not None:
        words.append(f"confidence {decision.confidence:.3g}")
    words.append(f"{len(game.possible)} possible")
    print("  ".join(words))


if __name__ == "__main__":
    main()
