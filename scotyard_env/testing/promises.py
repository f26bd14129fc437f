"""What a policy promises: each function checks one promise, which its docstring states, and raises if it is broken."""

import contextlib
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scotyard_env.game import Game
from scotyard_env.parameters import parameter_types
from scotyard_env.policy import BatchPolicy, Decision, Policy, PolicyError, Side, build_policy
from scotyard_env.rng import policy_rng
from scotyard_env.state import MR_X
from scotyard_env.testing.positions import Setting, Spot
from scotyard_env.testing.subject import Subject
from scotyard_env.view import View, Views

ALPHA = 1e-6  # how often a policy whose act and act_batch do agree may be told that they do not
UNKNOWN = "no_such_parameter"


class PolicyTestError(AssertionError):
    """A promise that a policy does not keep."""


@dataclasses.dataclass(frozen=True)
class Trial:
    """A policy and the positions in which it is asked."""

    subject: Subject
    everywhere: list[Spot]  # of all settings
    some: list[Spot]  # of them
    batches: list[list[Spot]]  # each of one setting
    draws: int  # in each position where frequencies are compared
    games: int  # between a game and the same game again
    small: Setting  # of these games
    seed: int

    def rng(self) -> np.random.Generator:
        """Make the same rng again."""
        return policy_rng(self.seed, "trial")

    def ask(self, policy: Policy, spot: Spot, view: View | None = None, rng: np.random.Generator | None = None) -> Any:
        """Let a policy decide, by the same rng each time unless one is given."""
        try:
            return policy.act(view or spot.view, rng or self.rng())
        except Exception as error:
            raise PolicyTestError(f"it raises {type(error).__name__}: {error}, {spot}") from error

    def ask_batch(self, policy: BatchPolicy, spots: list[Spot]) -> NDArray[np.int64]:
        """Let a policy decide for positions of one setting at once, and make sure that it can be played."""
        game = spots[0].game
        states = np.concatenate([spot.view.states for spot in spots])
        before = states.tobytes()
        try:
            actions = policy.act_batch(Views(game.board, game.rules, states), self.rng())
        except Exception as error:
            raise PolicyTestError(f"act_batch raises {type(error).__name__}: {error}, {spots[0]}") from error
        if np.shape(actions) != (len(spots),):
            raise PolicyTestError(f"act_batch gives shape {np.shape(actions)} for {len(spots)} views, {spots[0]}")
        if states.tobytes() != before:
            raise PolicyTestError(f"act_batch changes the views, such as that {spots[0]}")
        for action, spot in zip(actions, spots, strict=True):
            _check_action(action, spot)
        return actions

    def draws_in(self, policy: Policy, spot: Spot) -> bool:
        """Tell whether a policy uses its rng in a position."""
        rng = self.rng()
        self.ask(policy, spot, rng=rng)
        return bool(rng.bit_generator.state != self.rng().bit_generator.state)


def plays_legal_moves(trial: Trial) -> None:
    """It gives a Decision with a legal action, on all boards, by all editions, with 1 to 5 detectives."""
    policy = trial.subject.make()
    for spot in trial.everywhere:
        decision = trial.ask(policy, spot)
        if not isinstance(decision, Decision):
            raise PolicyTestError(f"it gives {decision!r}, which is no Decision, {spot}")
        _check_action(decision.action, spot)


def leaves_the_view_alone(trial: Trial) -> None:
    """It changes nothing in the view, as nobody can in the rules or the board."""
    policy = trial.subject.make()
    for spot in trial.some:
        view = spot.view
        before = view.states.tobytes()
        trial.ask(policy, spot, view)
        if view.states.tobytes() != before:
            raise PolicyTestError(f"it changes the view, {spot}")


def repeats_itself(trial: Trial) -> None:
    """The same view and the same rng give the same decision."""
    for spot in trial.some:
        one, other = (trial.ask(trial.subject.make(), spot) for _ in range(2))
        if repr(one) != repr(other):
            raise PolicyTestError(f"it decides {one!r}, then {other!r}, {spot}")


def has_no_memory(trial: Trial) -> None:
    """What it decided before plays no part: neither the order of views nor games that it has played."""
    used = trial.subject.make()
    first = [repr(trial.ask(used, spot)) for spot in trial.some]
    again = [repr(trial.ask(used, spot)) for spot in reversed(trial.some)][::-1]
    fresh = [repr(trial.ask(trial.subject.make(), spot)) for spot in trial.some]
    for spot, *said in zip(trial.some, fresh, first, again, strict=True):
        if other := next((one for one in said if one != said[0]), None):
            raise PolicyTestError(f"a new one decides {said[0]}, one that has played decides {other}, {spot}")


def keeps_nothing_between_games(trial: Trial) -> None:
    """It comes out of a game as it went in: it plays one again as before, and its attributes do not change."""
    policy = trial.subject.make()
    for side in trial.subject.sides:
        before, kept = _play_through(trial, policy, side, 0), _attributes(policy)
        for number in range(1, trial.games + 1):
            _play_through(trial, policy, side, number)
        for played, again in zip(before, _play_through(trial, policy, side, 0), strict=False):
            if played[1] != again[1]:
                raise PolicyTestError(f"it decides {played[1]}, {again[1]} after other games, {played[0]}")
        if changed := [name for name, value in _attributes(policy).items() if value != kept.get(name)]:
            raise PolicyTestError(f"its attribute {changed[0]!r} changes from game to game: keep nothing of a game")


def _play_through(trial: Trial, policy: Policy, side: Side, number: int) -> list[tuple[str, str]]:
    """Play a whole small game against moves by chance; list positions and decisions as text."""
    game, seed, said = Game(*trial.small, seed=trial.seed + number), trial.seed + number, []
    mine, other = policy_rng(seed, side), np.random.default_rng([seed, 2])
    while game.winner is None:
        action = int(other.choice(game.legal))
        if (game.seat == MR_X) == (side == "mr_x"):
            spot = Spot(game, seed)
            decision = trial.ask(policy, spot, rng=mine)
            _check_action(decision.action, spot)
            said.append((str(spot), repr(decision)))
            action = decision.action
        game.play(action)
    return said


def _attributes(policy: Policy) -> dict[str, bytes]:
    """Return the attributes of a policy as bytes; what cannot be pickled is left out."""
    kept = {}
    for name, value in getattr(policy, "__dict__", {}).items():
        with contextlib.suppress(Exception):
            kept[name] = pickle.dumps(value)
    return kept


def sees_no_more_than_the_table(trial: Trial) -> None:
    """What a detective decides does not depend on where Mr. X hides."""
    policy = trial.subject.make()
    for spot in trial.some:
        here, there = spot.game, spot.game.clone()
        others = [station for station in here.possible if station != here.stations[MR_X]]
        if here.seat == MR_X or not others:
            continue
        there.state.station[MR_X] = others[len(others) // 2]
        one, other = (trial.ask(policy, Spot(game, spot.seed)) for game in (here, there))
        if repr(one) != repr(other):
            hidden = f"Mr. X on {here.stations[MR_X]} or on {there.stations[MR_X]}"
            raise PolicyTestError(f"it decides {one!r} or {other!r} with {hidden}, {spot}")


def decides_alike_for_many(trial: Trial) -> None:
    """The actions of act_batch are those of act: one by one where the rng is left alone, otherwise as frequent."""
    policy = trial.subject.make()
    assert isinstance(policy, BatchPolicy)
    for batch in trial.batches:
        drawn = [trial.draws_in(policy, spot) for spot in batch]
        actions = trial.ask_batch(policy, batch)
        for spot, is_drawn, action in zip(batch, drawn, actions, strict=True):
            if not is_drawn and action != (single := trial.ask(policy, spot).action):
                raise PolicyTestError(f"act gives {single}, act_batch {action}, {spot}")
        if any(drawn):
            compare_frequencies(trial, policy, batch, drawn.index(True))


def compare_frequencies(trial: Trial, policy: BatchPolicy, batch: list[Spot], index: int) -> None:
    """Compare how often act and act_batch choose each action of one position among others.

    Fisher's exact test of one action against the rest, for each action: exact however few the draws are.
    """
    from scipy.stats import fisher_exact

    spot, rng = batch[index], trial.rng()
    single = np.array([trial.ask(policy, spot, rng=rng).action for _ in range(trial.draws)])
    together = np.array(trial.ask_batch(policy, batch * trial.draws))[index :: len(batch)]
    found = np.union1d(single, together)
    for action in found:
        counts = [int((chosen == action).sum()) for chosen in (single, together)]
        table = [[count, trial.draws - count] for count in counts]
        if fisher_exact(table).pvalue < ALPHA / len(found):
            often = f"{counts[0]} times in {trial.draws}, act_batch {counts[1]} times"
            raise PolicyTestError(f"act chooses {action} {often}, {spot}")


def refuses_wrong_parameters(trial: Trial) -> None:
    """A parameter that it does not have, or not of this type, is refused by a PolicyError that names it."""
    kinds = parameter_types(trial.subject.kind)
    wrong = {UNKNOWN: 1} | {name: object() for name, those in kinds.items() if object not in those}
    for parameter, value in wrong.items():
        try:
            build_policy(trial.subject.name, trial.subject.kind, {parameter: value})
        except PolicyError as error:
            if parameter in str(error):
                continue
            raise PolicyTestError(f"{parameter}={value!r} is refused without its name: {error}") from error
        raise PolicyTestError(f"{parameter}={value!r} is accepted")


PROMISES: tuple[Callable[[Trial], None], ...] = (
    plays_legal_moves,
    leaves_the_view_alone,
    repeats_itself,
    has_no_memory,
    keeps_nothing_between_games,
    sees_no_more_than_the_table,
    decides_alike_for_many,
    refuses_wrong_parameters,
)


def reason_to_skip(subject: Subject, promise: Callable[[Trial], None]) -> str | None:
    """Say why a promise is not one of this policy; None if it is."""
    if subject.is_timed and promise not in (plays_legal_moves, leaves_the_view_alone, refuses_wrong_parameters):
        return "it thinks by the clock"
    if promise is sees_no_more_than_the_table and "detectives" not in subject.sides:
        return "it does not play the detectives"
    if promise is decides_alike_for_many and not isinstance(subject.make(), BatchPolicy):
        return "it has no act_batch"
    if promise is refuses_wrong_parameters and not dataclasses.is_dataclass(subject.kind):
        return "it is no dataclass, so nothing is known of its parameters"
    return None


def _check_action(action: object, spot: Spot) -> None:
    if not isinstance(action, int | np.integer) or isinstance(action, bool):
        raise PolicyTestError(f"its action is {action!r}, which is no integer, {spot}")
    if action not in spot.game.legal:
        raise PolicyTestError(f"its action {action} is not legal: legal are {spot.game.legal}, {spot}")
