"""What strong policies would have done at each decision of a game, and how that is said in plain words.

The numbers of a policy are in its own unit: they compare the moves of one decision, and nothing else.
"""

import dataclasses
from collections.abc import Sequence

from scotyard_env.analysis.judges import Judges
from scotyard_env.explanation import Explanation, explain, number_text
from scotyard_env.game import Game
from scotyard_env.policy import Policy, PolicyError, make_policy, side_of
from scotyard_env.rng import policy_rng
from scotyard_env.view import View

MOST = 5  # moves of a decision that are kept with their numbers, and the one that was played
CLEAR, CLOSE = 0.5, 0.1  # confidence from which a choice is clear, and below which it is close

Opinions = dict[int, tuple[Explanation, ...]]  # by the moment before the decision


def ask_all(moments: Sequence[Game], moves: Sequence[str], judges: Judges) -> Opinions:
    """Ask what the judges would have done at every decision that could have been another one."""
    made: dict[str, Policy] = {}
    opinions: Opinions = {}
    for at, (game, move) in enumerate(zip(moments, moves, strict=False)):
        view = game.view(game.seat)
        if len(view.legal) > 1:
            told = []
            for name in judges.asked(side_of(view)):
                policy = made[name] = made.get(name) or make_policy(name)
                try:
                    told.append(shorten(explain(policy, view, policy_rng("opinion", name, at), name=name), move))
                except PolicyError:  # it cannot say: the others can
                    continue
            opinions[at] = tuple(as_kept(one, view) for one in told)
    return opinions


def as_kept(opinion: Explanation, view: View) -> Explanation:
    """Return an opinion as a file gives it back, with numbers of as many digits."""
    return Explanation.from_dict(opinion.to_dict(), view.board, len(view.stations))


def shorten(opinion: Explanation, move: str) -> Explanation:
    """Return an opinion with the best moves and the one that was played, and without what led to them."""
    return dataclasses.replace(
        opinion,
        candidates=_keep(opinion.candidates, move),
        probabilities=() if opinion.candidates else _keep(opinion.probabilities, move),
        plan=(),
        terms=(),
        belief="",
        believed=(),
    )


def _keep(weighed: tuple[tuple[str, float], ...], move: str) -> tuple[tuple[str, float], ...]:
    ordered = sorted(weighed, key=lambda one: -one[1])
    return tuple(one for rank, one in enumerate(ordered) if rank < MOST or one[0] == move)


def tell_opinion(opinion: Explanation, move: str) -> str:
    """Say in a sentence what a policy would have played, and what it thinks of the move that was."""
    clear = opinion.confidence
    sure = "" if clear is None else ", a clear choice" if clear >= CLEAR else ", a close call" if clear < CLOSE else ""
    if opinion.move == move:
        return f"{opinion.policy} would play {move} too{sure}"
    return f"{opinion.policy} would play {opinion.move}{sure}{_tell_rank(opinion, move)}"


def _tell_rank(opinion: Explanation, move: str) -> str:
    weighed = opinion.candidates or opinion.probabilities
    names = [name for name, _ in weighed]
    if move not in names:
        return ""
    number = dict(weighed)[move]
    told = number_text(number) if opinion.candidates else f"{number:.0%}"
    rank = names.index(move) + 1
    return f"; {move} is its choice {rank} ({told})" if rank <= MOST else f"; {move} is far down its list ({told})"


def tell_numbers(opinion: Explanation) -> str:
    """Say what the best moves are worth to a policy."""
    if opinion.candidates:
        return ", ".join(f"{move} {number_text(value)}" for move, value in opinion.candidates)
    return ", ".join(f"{move} {share:.0%}" for move, share in opinion.probabilities)
