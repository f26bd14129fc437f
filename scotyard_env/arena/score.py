"""What the first matches of a pairing came to, in a few hundred bytes: what is kept where matches are too many."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import scotyard_env
from scotyard_env.arena.rating import Rate
from scotyard_env.arena.referee import Outcome
from scotyard_env.policy import SIDES, Side
from scotyard_env.replay import Replay
from scotyard_env.wording import one_line

FIRST = 3  # matches of which a digest of the moves is kept, to be compared when they are played again
MOST = 10**6  # games of a pairing, and rounds of a game: more are an error


class Ended(NamedTuple):
    """A match as far as ratings go."""

    mr_x: str
    detectives: str
    number: int
    winner: Side


@dataclasses.dataclass(frozen=True)
class Score:
    """One policy for Mr. X, one for the detectives, and what their matches 0, 1, ... came to."""

    mr_x: str
    detectives: str
    version: str = scotyard_env.__version__  # of the package that played
    games: int = 0
    won: int = 0  # bit n is set if the detectives won match n; hexadecimal in JSON
    caught: tuple[int, ...] = ()  # matches in which Mr. X was caught in round 0, 1, ...
    moved: int = 0  # matches in which he had a turn
    sizes: float = 0.0  # mean sizes of the possible set, added up over these
    tickets: tuple[int, int] = (0, 0)  # black and double ones that he used
    decisions: tuple[int, int] = (0, 0)  # by side
    thinking: tuple[float, float] = (0.0, 0.0)  # seconds of it, by side; "seconds" in JSON, of no checksum
    forfeits: tuple[tuple[Side, str, int], ...] = ()  # side, reason, times
    first: tuple[str, ...] = ()  # digests of the moves of the first matches

    def add(self, outcome: Outcome) -> "Score":
        """Return the score with one match more, which must be the next."""
        result = outcome.result
        assert result.number == self.games
        caught = Counter(dict(enumerate(self.caught)))
        caught[result.round] += result.caught is not None
        forfeits = Counter({(side, reason): times for side, reason, times in self.forfeits})
        if result.forfeit is not None:
            forfeits[cast(Side, result.forfeit), result.reason or ""] += 1
        return dataclasses.replace(
            self,
            games=self.games + 1,
            won=self.won | (result.winner == "detectives") << self.games,
            caught=tuple(caught[number] for number in range(max(caught) + 1)),
            moved=self.moved + (result.mean_possible is not None),
            sizes=round(self.sizes + (result.mean_possible or 0.0), 3),
            tickets=(self.tickets[0] + result.black, self.tickets[1] + result.double),
            decisions=(self.decisions[0] + result.decisions[0], self.decisions[1] + result.decisions[1]),
            thinking=(
                round(self.thinking[0] + result.seconds[0], 6),
                round(self.thinking[1] + result.seconds[1], 6),
            ),
            forfeits=tuple((*key, times) for key, times in forfeits.items()),
            first=self.first if self.games >= FIRST else (*self.first, digest_moves(outcome)),
        )

    # ------------------------------------------------------------------------------- as tables ask for it (Summary)
    @property
    def rate(self) -> Rate:
        """How often the detectives win."""
        return Rate(self.won.bit_count(), self.games)

    @property
    def capture_rounds(self) -> list[int]:
        """The rounds in which Mr. X was caught, ascending."""
        return [number for number, times in enumerate(self.caught) for _ in range(times)]

    @property
    def mean_possible(self) -> float:
        """Mean size of the possible set after Mr. X's turns."""
        return _divide(self.sizes, self.moved)

    @property
    def black(self) -> float:
        """Black tickets used, in the mean."""
        return _divide(self.tickets[0], self.games)

    @property
    def double(self) -> float:
        """Double tickets used, in the mean."""
        return _divide(self.tickets[1], self.games)

    def seconds(self, side: int) -> float:
        """Thinking time of a side per decision, in the mean."""
        return _divide(self.thinking[side], self.decisions[side])

    def player(self, side: Side) -> str:
        """Return the policy of a side."""
        return self.mr_x if side == "mr_x" else self.detectives

    def reasons(self, side: Side) -> Counter[str]:
        """Count the matches that a side forfeited, by reason."""
        return Counter({reason: times for who, reason, times in self.forfeits if who == side})

    @property
    def has_forfeits(self) -> bool:
        """Whether a match was forfeited, so that the win rate is not what it seems."""
        return bool(self.forfeits)

    @property
    def matches(self) -> Iterator[Ended]:
        """Every match by who won it."""
        for number in range(self.games):
            yield Ended(self.mr_x, self.detectives, number, SIDES[self.won >> number & 1])

    # ------------------------------------------------------------------------------------------------------- as JSON
    def to_json(self) -> dict[str, Any]:
        """Write the score as JSON has it; what is nothing is left out."""
        fields: dict[str, Any] = {
            "mr_x": self.mr_x,
            "detectives": self.detectives,
            "version": self.version,
            "games": self.games,
            "won": f"{self.won:x}",
            "caught": list(self.caught),
            "moved": self.moved,
            "sizes": self.sizes,
            "tickets": list(self.tickets),
            "decisions": list(self.decisions),
            "seconds": list(self.thinking),
            "forfeits": [list(one) for one in self.forfeits],
            "first": list(self.first),
        }
        return {name: value for name, value in fields.items() if value != []}

    @classmethod
    def from_json(cls, stored: Any) -> "Score":
        """Read a score; ValueError says what is wrong with it."""
        try:
            score = cls(
                mr_x=stored["mr_x"],
                detectives=stored["detectives"],
                version=stored["version"],
                games=stored["games"],
                won=int(stored["won"], 16),
                caught=tuple(stored.get("caught", ())),
                moved=stored["moved"],
                sizes=stored["sizes"],
                tickets=tuple(stored["tickets"]),
                decisions=tuple(stored["decisions"]),
                thinking=tuple(stored["seconds"]),
                forfeits=tuple((side, reason, times) for side, reason, times in stored.get("forfeits", ())),
                first=tuple(stored.get("first", ())),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"a score of it is not whole: {type(error).__name__} {error}") from error
        score.check()
        return score

    def check(self) -> None:
        """Refuse a score whose numbers are none or do not fit together."""
        counts = (self.games, self.moved, *self.caught, *self.tickets, *self.decisions)
        counts += tuple(times for *_, times in self.forfeits)
        texts = (self.mr_x, self.detectives, self.version, *self.first, *(reason for _, reason, _ in self.forfeits))
        reals = (self.sizes, *self.thinking)
        captured, forfeited = sum(self.caught), sum(times for *_, times in self.forfeits)
        is_whole = (
            all(type(one) is int and one >= 0 for one in counts)
            and all(isinstance(one, str) for one in texts)
            and all(type(one) in (int, float) and one >= 0 for one in reals)
            and (len(self.tickets), len(self.decisions), len(self.thinking)) == (2, 2, 2)
            and all(side in SIDES for side, *_ in self.forfeits)
        )
        fits = is_whole and (
            0 < self.games <= MOST
            and len(self.caught) <= MOST
            and 0 <= self.won < 1 << self.games
            and captured <= self.won.bit_count() <= captured + forfeited <= self.games
            and self.moved <= self.games
            and len(self.first) == min(FIRST, self.games)
        )
        if not fits:
            told = one_line(f"{self.mr_x} v {self.detectives}", 80)
            raise ValueError(f"the score of {told} has numbers that do not fit together")


def digest_moves(outcome: Outcome) -> str:
    """Return a short text that differs for matches with different moves."""
    moves = () if outcome.replay is None else Replay.from_line(outcome.replay).moves
    return hashlib.sha256(" ".join(moves).encode()).hexdigest()[:12]


def _divide(total: float, times: int) -> float:
    return total / times if times else float("nan")
