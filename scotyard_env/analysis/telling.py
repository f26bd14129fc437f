"""An analysis as it is shown: field by field; made from a record and its game."""

from typing import TypedDict

from scotyard_env.analysis.opinions import tell_numbers, tell_opinion
from scotyard_env.analysis.record import Record
from scotyard_env.analysis.review import list_decisions, list_moments
from scotyard_env.analysis.rollouts import CURVES
from scotyard_env.analysis.swing import Account, Chance, Chances, Verdict, judge, settle
from scotyard_env.game import Game
from scotyard_env.policy import Side
from scotyard_env.render.captions import seat_name
from scotyard_env.replay import Replay
from scotyard_env.state import MR_X

THOUSANDTHS = 1000  # in which a page is told shares

Point = tuple[int, int, int]  # a share in thousandths, with its interval


class Judged(TypedDict):
    """What a decision gave away, in thousandths of all games."""

    at: int  # the moment before the decision
    side: Side
    loss: Point
    blunder: bool
    told: str


class Told(TypedDict):
    """An analysis for a page."""

    about: str
    done: int  # steps of the work
    planned: int
    truth: list[Point | None]  # by moment: the detectives' chances, from where Mr. X was
    table: list[Point | None]  # and from where the table had to reckon with him
    judged: list[Judged]
    account: str  # how much was skill, how much luck; empty until all is known
    opinions: dict[int, list[tuple[str, str]]]  # by moment: a sentence, and what the best moves are worth


class Teller:
    """Tells of a game what records say: what does not change is worked out once."""

    def __init__(self, replay: Replay, belief: str) -> None:
        self.replay = replay
        self._moments = list_moments(replay)
        self._decisions = list_decisions(replay, belief)

    def tell(self, record: Record) -> Told:
        """Tell what is known so far."""
        chances = record.chances(self.replay)
        judges = record.judges
        account = settle(self._decisions, chances)
        points = {curve: [_point(one) for one in chances[curve]] for curve in CURVES}
        return {
            "about": f"played on by {judges.detectives} against {judges.mr_x}, belief {judges.belief}",
            "done": record.steps,
            "planned": record.planned,
            "truth": points["truth"],
            "table": points["table"],
            "judged": [self._judged(one) for one in self.verdicts(chances)],
            "account": "" if account is None else tell_account(account),
            "opinions": {at: self._opinions(record, at) for at in record.opinions},
        }

    def verdicts(self, chances: Chances) -> list[Verdict]:
        """Judge all decisions that can be judged."""
        found = (judge(one, chances, len(self._decisions)) for one in self._decisions)
        return [one for one in found if one is not None]

    def tell_verdict(self, verdict: Verdict) -> str:
        """Say what a decision gave away or gained, in games of a hundred."""
        title = self._title(verdict.decision.at)
        loss, low, high = (round(100 * share) for share in (verdict.loss, verdict.low, verdict.high))
        if loss < 0:
            return f"{title} gains {-loss} points [{-high}, {-low}]"
        return f"{title} gives away {loss} points [{low}, {high}]"

    def _judged(self, verdict: Verdict) -> Judged:
        loss = _thousandths(verdict.loss), _thousandths(verdict.low), _thousandths(verdict.high)
        return {
            "at": verdict.decision.at,
            "side": verdict.decision.side,
            "loss": loss,
            "blunder": verdict.is_blunder,
            "told": self.tell_verdict(verdict),
        }

    def _title(self, at: int) -> str:
        game = self._moments[at]
        return f"Round {round_of(game)}, {seat_name(game.seat)}: {self.replay.moves[at]}"

    def _opinions(self, record: Record, at: int) -> list[tuple[str, str]]:
        move = self.replay.moves[at]
        return [(tell_opinion(one, move), tell_numbers(one)) for one in record.opinions[at]]


def round_of(game: Game) -> int:
    """Return the round that the seat to move moves in."""
    return game.round + (game.seat == MR_X and int(game.state.owed) == 0)


def tell_account(account: Account) -> str:
    """Say how the detectives' chances came from the first to the last."""
    parts = (("the detectives' moves", account.detectives), ("Mr. X's moves", account.mr_x), ("luck", account.luck))
    told = ", ".join(f"{name} {_points(one.value)} ({_points(one.low)} to {_points(one.high)})" for name, one in parts)
    return f"The detectives' chances came from {_percent(account.start)} to {_percent(account.end)}, in points: {told}."


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _points(share: float) -> str:
    points = round(100 * share)
    return f"{points:+d}" if points else "0"


def _thousandths(share: float) -> int:
    return round(THOUSANDTHS * share)


def _point(chance: Chance) -> Point | None:
    if not chance.is_there:
        return None
    low, high = chance.interval()
    return _thousandths(chance.share), _thousandths(low), _thousandths(high)
