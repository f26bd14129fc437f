"""Whether a decoy misleads: ``scotyard deception --detectives greedy minimax hunters``.

How much of the detectives' belief lies on Mr. X's true station and around it, after moves of the roulette wheel, after
the defensive moves that he would have made in their place, and after all other moves: less is better for him. Moves at
which he shows himself are left out, and so are double moves. The intervals are bootstrapped over games. A first table
tells how often he is caught, and what keeps the wheel from turning.
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.decoy import REASONS, TURNS, Decoy, Wheels
from scotyard_env.arena.rating import LEVEL, RESAMPLES, Rate
from scotyard_env.arena.table import grid
from scotyard_env.batch import Batch, Games
from scotyard_env.belief import belief_names, weigh
from scotyard_env.commands import run_module
from scotyard_env.duel import play_batch
from scotyard_env.policy import Policy, Side, make_policy
from scotyard_env.rules import apply, double_action
from scotyard_env.ruleset import look_up
from scotyard_env.state import DETECTIVES_WIN, MR_X
from scotyard_env.view import View

Array = NDArray[np.float64]

AROUND = ("on his station", "within 1 link", "within 2 links")  # where a belief is added up
WHEEL, INSTEAD, DIFFERENCE, OTHERS = "wheel", "defensive in its place", "difference", "all others, defensive"


@dataclasses.dataclass(frozen=True)
class Command:
    """Measure whether a decoy misleads detectives: their belief in the truth after his moves, and what he gains."""

    mr_x: tuple[str, ...] = ("decoy",)
    """Decoys, with parameters if need be."""
    detectives: tuple[str, ...] = ("greedy", "minimax", "hunters")
    """Whom they play against."""
    belief: tuple[str, ...] = ("uniform", "paths", "evasive")
    """What the detectives believe by; with "none" only the first table is made."""
    games: int = 200
    """Games of each pairing, the same deals for all."""
    board: str = "london"
    rules: str | None = None
    """Name of a rule set; that of the board if left out."""
    seed: int = 0

    def run(self) -> None:
        """Play all pairings and print both tables."""
        if self.games < 1:
            raise ValueError(f"games is {self.games}: give a whole number of at least 1")
        beliefs = () if self.belief == ("none",) else self.belief
        if unknown := [name for name in beliefs if name not in belief_names()]:
            raise ValueError(f"there is no belief {unknown[0]!r}: there are {', '.join(belief_names())}, and none")
        decoys = {name: make_decoy(name) for name in self.mr_x}
        opponents = {name: make_policy(name, side="detectives") for name in self.detectives}
        summaries: list[list[str]] = []
        masses: list[list[str]] = []
        for mr_x, decoy in decoys.items():
            for detectives, opponent in opponents.items():
                study = self.study(decoy, opponent, beliefs)
                summaries.append([mr_x, detectives, *summarise(study)])
                masses.extend([mr_x, detectives, *row] for row in write_masses(study, self.seed))
        print(grid(["Mr. X", "detectives", "caught", "decisions", *REASONS], summaries))
        if masses:
            print(f"\n{grid(['Mr. X', 'detectives', 'belief', 'move', 'decisions', *AROUND], masses)}")

    def study(self, decoy: Decoy, detectives: Policy, beliefs: tuple[str, ...]) -> "Study":
        """Play one pairing and look at every decision of Mr. X."""
        batch = Batch(self.games, *look_up(self.board, self.rules), seed=self.seed)
        study = Study(decoy, beliefs, self.games)

        def look(side: Side, games: Games) -> None:
            if side == "mr_x":
                study.look(batch, games)

        play_batch(batch, decoy, detectives, batch.rngs, before=look)
        study.caught = int((batch.winners == DETECTIVES_WIN).sum())
        return study


def make_decoy(name: str) -> Decoy:
    """Make a decoy by its name."""
    policy = make_policy(name, side="mr_x")
    if not isinstance(policy, Decoy):
        raise ValueError(f"policy {name!r} has no wheel to look at: give decoy, with parameters if need be")
    return policy


@dataclasses.dataclass
class Study:
    """What was seen in the games of one pairing."""

    decoy: Decoy
    beliefs: tuple[str, ...]
    games: int
    caught: int = 0
    reasons: Counter[str] = dataclasses.field(default_factory=Counter)
    masses: dict[str, list[tuple[int, Array]]] = dataclasses.field(default_factory=lambda: defaultdict(list))
    # by the kind of move: the game it was in, and what is believed, (beliefs, AROUND)

    def look(self, batch: Batch, games: Games) -> None:
        """Look at what Mr. X is about to do in some games."""
        views = batch.views(games)
        wheels = self.decoy.make_wheels(views)
        self.reasons.update(REASONS[reason] for reason in wheels.reasons.tolist())
        if not self.beliefs:
            return
        defences = dataclasses.replace(self.decoy, wheel=False).make_wheels(views)
        for index, game in enumerate(games.tolist()):
            view = View(batch.board, batch.rules, views.states[index], MR_X)
            if view.state.entries + 1 in view.rules.reveals:
                continue
            after, instead = (self.expect(view, each, index) for each in (wheels, defences))
            if after is None or instead is None:
                continue
            if wheels.reasons[index] != TURNS:
                self.masses[OTHERS].append((game, after))
            else:
                self.masses[WHEEL].append((game, after))
                self.masses[INSTEAD].append((game, instead))
                self.masses[DIFFERENCE].append((game, after - instead))

    def expect(self, view: View, wheels: Wheels, index: int) -> Array | None:
        """Return the belief masses after a move, expected over the moves that may be drawn; None if one is a double."""
        count, expected = wheels.counts[index], np.zeros((len(self.beliefs), len(AROUND)))
        for action, share in zip(wheels.actions[index, :count], wheels.shares[index, :count], strict=True):
            if share > 0 and action == double_action(view.board.arrays):
                return None
            if share > 0:
                expected += share * self.measure(view, int(action))
        return expected

    def measure(self, view: View, action: int) -> Array:
        """Return how much of each belief lies on Mr. X's station and around it once he has made a move."""
        states = view.states.copy()
        apply(view.board.arrays, view.rule_arrays, states[0], action)
        table = View(view.board, view.rules, states[0], 1)  # what the first detective sees
        links = view.board.arrays.mr_x_distance[states[0].station[MR_X], : view.board.stations + 1]
        weights = [weigh(table, belief) for belief in self.beliefs]
        return np.array([[weight[links <= most].sum() for most in range(len(AROUND))] for weight in weights])


def summarise(study: Study) -> list[str]:
    """Tell how often he was caught, and how many decisions each rule took from the wheel."""
    decisions = study.reasons.total()
    shares = [f"{study.reasons[reason]} ({100 * study.reasons[reason] / decisions:.1f} %)" for reason in REASONS]
    return [str(Rate(study.caught, study.games)), str(decisions), *shares]


def write_masses(study: Study, seed: int) -> Iterator[list[str]]:
    """Tell by belief and kind of move how much is believed of the truth, with intervals."""
    drawn = {kind: resample(seen, study.games, seed) for kind, seen in study.masses.items()}
    for number, belief in enumerate(study.beliefs):
        for kind in (WHEEL, INSTEAD, DIFFERENCE, OTHERS):
            if seen := study.masses.get(kind):
                mean = np.mean([mass for _, mass in seen], axis=0)[number]
                low, high = np.nanquantile(drawn[kind][:, number], ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
                cells = [
                    "{:.1f} % [{:.1f}, {:.1f}]".format(*row)
                    for row in np.round(100 * np.stack([mean, low, high], 1), 1) + 0.0
                ]  # + 0.0 makes 0 of -0
                yield [belief, kind, str(len(seen)), *cells]


def resample(seen: list[tuple[int, Array]], games: int, seed: int) -> Array:
    """Return the mean over decisions in bootstrap samples of whole games, (samples, beliefs, AROUND)."""
    totals, counts = np.zeros((games, *seen[0][1].shape)), np.zeros(games)
    for game, mass in seen:
        totals[game] += mass
        counts[game] += 1
    times = np.random.default_rng(seed).multinomial(games, np.full(games, 1 / games), RESAMPLES)
    chosen = (times @ counts)[:, None, None]
    return np.tensordot(times, totals, 1) / np.where(chosen > 0, chosen, np.nan)


if __name__ == "__main__":
    run_module(Command)
