"""Whom a learner plays: a text such as ``random,greedy,hider@2,runs/ppo/best.npz`` as policies with weights."""

from pathlib import Path

from scotyard_baselines.networks.move_scorer import FileScorer, load_weights
from scotyard_env.arena.contenders import split_names
from scotyard_env.board import Board
from scotyard_env.duel import play_games
from scotyard_env.policy import SIDES, Policy, PolicyError, make_policy
from scotyard_env.ruleset import RuleSet


def other_side(side: str) -> str:
    """Name the side that plays against this one."""
    if side not in SIDES:
        raise ValueError(f"there is no side {side!r}: there are {' and '.join(SIDES)}")
    return SIDES[1 - SIDES.index(side)]


def read_opponents(text: str, side: str) -> dict[Policy, float]:
    """Read names of policies and files of weights for a side, separated by commas, each with ``@weight`` if not 1."""
    pool: dict[Policy, float] = {}
    for piece in split_names(text):
        name, _, weight = piece.partition("@")
        try:
            pool[read_policy(name, side)] = float(weight or 1)
        except ValueError as error:
            raise PolicyError(f"{piece!r} in {text!r} is no opponent: {error}") from error
    if not pool:
        raise PolicyError(f"no opponent given: name policies for {side}, such as random,greedy@2")
    return pool


def read_policy(name: str, side: str) -> Policy:
    """Make a policy from its name, or from a file of weights."""
    if name.endswith(".npz"):
        load_weights(name)  # say at once what is wrong with it
        return FileScorer(file=name)
    return make_policy(name, side=side)


def name_of(policy: Policy) -> str:
    """Name a policy for a table or a curve."""
    return Path(policy.file).stem if isinstance(policy, FileScorer) else type(policy).__name__.lower()


def win_rates(
    policy: Policy, side: str, opponents: dict[str, Policy], games: int, board: str | Board, rules: str | RuleSet
) -> dict[str, float]:
    """Measure how often a policy wins against each of some opponents."""
    rates = {}
    for name, opponent in opponents.items():
        players = (policy, opponent) if side == "mr_x" else (opponent, policy)
        caught = play_games(*players, games, 1, board, rules)
        rates[name] = (caught if side == "detectives" else games - caught) / games
    return rates
