"""Bring the cards of the shipped networks up to date: ``python -m bench.cards``.

Sizes and digests come from the files, win rates from ``docs/scores``; rates of other files are dropped. Everything else
in a card is written by hand, in the file beside the weights.
"""

import dataclasses
import sys
from pathlib import Path

from scotyard_env.arena.contenders import read_contenders
from scotyard_env.arena.score_file import Scores, read_scores
from scotyard_env.cards import CardFile, Strength, find_card, read_card
from scotyard_env.policy import SIDES, Policy, Side, files_of, make_policy, policy_names, sides_of

SCORES = Path("docs/scores/london.json")


def list_strength(scores: Scores, policy: str, side: Side) -> list[Strength]:
    """List all win rates of a policy on a side, the opponents in the order of their rates, the weakest first."""
    found = []
    for pair, score in scores.pairs.items():
        if pair[SIDES.index(side)] == policy:
            rate = score.rate if side == "detectives" else score.rate.lost
            found.append(Strength(side, pair[1 - SIDES.index(side)], rate.wins, rate.games, score.version))
    return sorted(found, key=lambda one: (-one.wins / one.games, one.opponent))


def update_cards(scores: Scores | None) -> list[str]:
    """Bring every card up to date; return the names of those that have changed."""
    changed = []
    for name in policy_names():
        policy = make_policy(name)
        path = find_card(policy)
        if path is not None:
            card = read_card(path)
            files = tuple(CardFile.of(file) for file in files_of(policy))
            new = dataclasses.replace(card, files=files, **measure(scores, name, policy))
            if new != card:
                new.save(path)
                changed.append(name)
    return changed


def measure(scores: Scores | None, name: str, policy: Policy) -> dict[str, object]:
    """Return the strength of a policy, if the scores are of the files that it plays by now."""
    for side in sides_of(policy) if scores is not None else ():
        content = read_contenders(name, side)[0].describe().content
        player = scores.players[side].get(name)
        if player is not None and player.description.content == content:
            return {"measured": content, "strength": tuple(list_strength(scores, name, side))}
    return {"measured": None, "strength": ()}


def main() -> None:
    """Update the cards and say which have changed."""
    changed = update_cards(read_scores(SCORES) if SCORES.exists() else None)
    print(f"changed: {', '.join(changed) or 'none'}", file=sys.stderr)


if __name__ == "__main__":
    main()
