"""Scotland Yard restated slowly and plainly from the rulebook: the yardstick for the compiled rules.

Nothing here comes from `scotyard_env`, nothing is optimised, and the order of the text is the order of the rulebook.
Actions are text: "T45" "B58" "U46" "K115" are moves (K is a black ticket), "2x" announces a double move, "--" passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

Link = tuple[int, int, str]  # two stations and "taxi", "bus", "underground" or "ferry"
Purse = list[int | None]  # tickets left: taxi, bus, underground, black, double; None = unlimited
Side = Literal["mr_x", "detectives"]

MR_X = 0
TAXI, BUS, UNDERGROUND, BLACK, DOUBLE = range(5)
LETTERS = "TBUK"  # by fare

# A black ticket pays for any link, and nothing else pays for the ferry.
FARES = {"taxi": (TAXI, BLACK), "bus": (BUS, BLACK), "underground": (UNDERGROUND, BLACK), "ferry": (BLACK,)}


class Move(NamedTuple):
    """One journey along one link: the ticket paid and the station reached."""

    fare: int
    station: int

    def __str__(self) -> str:
        return f"{LETTERS[self.fare]}{self.station}"


def neighbours_by_station(links: Iterable[Link]) -> dict[int, list[tuple[int, str]]]:
    """List for every station where its links lead and by which transport; every link runs both ways."""
    neighbours: dict[int, list[tuple[int, str]]] = {}
    for a, b, transport in links:
        neighbours.setdefault(a, []).append((b, transport))
        neighbours.setdefault(b, []).append((a, transport))
    return neighbours


def has_ticket(purse: Purse, kind: int) -> bool:
    count = purse[kind]
    return count is None or count > 0


def add_tickets(purse: Purse, kind: int, number: int) -> None:
    """Put `number` tickets (-1 spends one) into the purse; an unlimited count stays unlimited."""
    count = purse[kind]
    if count is not None:
        purse[kind] = count + number


class SlowGame:
    """One game in progress, with everything in the open.

    `seat` is the seat to move. When the game is over it stays where the game ended: at the detective who made the
    catch, at Mr. X if the game was judged when his turn would have begun, at detective 1 if when his turn was over.
    `round` is the number of Mr. X's turns so far, the one in progress included.
    `owed` counts the moves Mr. X still owes for a double move: 2 once it is announced, 1 after its first half.
    """

    def __init__(
        self,
        links: Iterable[Link],
        stations: Sequence[int],  # by seat, 0 = Mr. X
        tickets: Sequence[Sequence[int | None]],  # by seat: taxi, bus, underground, black, double; None = unlimited
        *,
        log_entries: int | None,  # length of Mr. X's log; None = endless
        round_limit: int | None,  # None = no limit
        reveals: Iterable[int],  # log entries at which Mr. X shows his station; the first entry is 1
        hand_over: bool,  # the detectives' spent tickets go to Mr. X
    ) -> None:
        if len(set(stations)) < len(stations):
            raise ValueError(f"two seats start on the same station: {list(stations)}")
        self.neighbours = neighbours_by_station(links)
        self.log_entries = log_entries
        self.round_limit = round_limit
        self.reveals = frozenset(reveals)
        self.hand_over = hand_over
        self.stations = list(stations)
        self.tickets: list[Purse] = [list(purse) for purse in tickets]
        self.log: list[str] = []  # the ticket of each move of Mr. X, "T", with the station where revealed, "K@115"
        self.round = 0
        self.owed = 0
        self.winner: Side | None = None
        self._begin_turn_of_mr_x()

    def copy(self) -> SlowGame:
        """Return a game that can be played on without changing this one."""
        other = object.__new__(SlowGame)
        other.__dict__.update(self.__dict__)
        other.stations = list(self.stations)
        other.tickets = [list(purse) for purse in self.tickets]
        other.log = list(self.log)
        return other

    # What is legal

    @property
    def detectives(self) -> range:
        return range(1, len(self.stations))

    def is_taken(self, station: int) -> bool:
        """A detective stands there. Mr. X takes no room."""
        return station in self.stations[1:]

    def moves(self, seat: int, station: int, purse: Purse) -> set[Move]:
        """Every move open to the seat if it stood on this station with this purse."""
        open_moves = set()
        for neighbour, transport in self.neighbours.get(station, []):
            if self.is_taken(neighbour):
                continue
            for fare in FARES[transport]:
                if fare == BLACK and seat != MR_X:
                    continue  # a detective never pays black, and so never takes the ferry
                if has_ticket(purse, fare):
                    open_moves.add(Move(fare, neighbour))
        return open_moves

    def moves_now(self, seat: int) -> set[Move]:
        return self.moves(seat, self.stations[seat], self.tickets[seat])

    def first_halves(self) -> set[Move]:
        """Mr. X's moves after which, one ticket poorer, he still has a move."""
        return {move for move in self.moves_now(MR_X) if self._leaves_a_second_half(move)}

    def _leaves_a_second_half(self, first: Move) -> bool:
        purse = list(self.tickets[MR_X])
        add_tickets(purse, first.fare, -1)
        return bool(self.moves(MR_X, first.station, purse))

    def may_announce_double(self) -> bool:
        """Mr. X begins his turn, has a double ticket, two free log entries, and a pair of moves to make."""
        if self.seat != MR_X or self.owed > 0:
            return False
        if self.log_entries is not None and self.log_entries - len(self.log) < 2:
            return False
        return has_ticket(self.tickets[MR_X], DOUBLE) and bool(self.first_halves())

    def legal(self) -> list[str]:
        """Sort the actions of the seat to move; none when the game is over."""
        if self.winner is not None:
            return []
        moves = self.first_halves() if self.owed == 2 else self.moves_now(self.seat)
        actions = [str(move) for move in moves]
        if self.may_announce_double():
            actions.append("2x")
        if self.seat != MR_X and not moves:
            actions.append("--")
        return sorted(actions)

    def whole_turns(self) -> list[str]:
        """Sort all choices of a whole turn of Mr. X, double moves as "2x T102 B127"; none when the game is over."""
        if self.seat != MR_X or self.owed > 0:
            raise ValueError("only at the beginning of a turn of Mr. X")
        turns = []
        for action in self.legal():
            turns.extend(self._double_turns() if action == "2x" else [action])
        return sorted(turns)

    def _double_turns(self) -> list[str]:
        announced = self.copy()
        announced.play("2x")
        turns = []
        for first in announced.legal():
            halfway = announced.copy()
            halfway.play(first)
            turns += [f"2x {first} {second}" for second in halfway.legal()]
        return turns

    # What an action does

    def play(self, text: str) -> None:
        """Play one action of the seat to move."""
        if text not in self.legal():
            raise ValueError(f"{text} is not open to seat {self.seat}: legal are {', '.join(self.legal()) or 'none'}")
        if text == "2x":
            self._announce_double()
        elif text == "--":
            self._next_detective()
        elif self.seat == MR_X:
            self._move_mr_x(Move(LETTERS.index(text[0]), int(text[1:])))
        else:
            self._move_detective(Move(LETTERS.index(text[0]), int(text[1:])))

    def _announce_double(self) -> None:
        self.round += 1
        self.owed = 2
        add_tickets(self.tickets[MR_X], DOUBLE, -1)

    def _move_mr_x(self, move: Move) -> None:
        if self.owed > 0:
            self.owed -= 1
        else:
            self.round += 1
        add_tickets(self.tickets[MR_X], move.fare, -1)
        self.stations[MR_X] = move.station
        shown_station = f"@{move.station}" if self.is_next_entry_revealed() else ""
        self.log.append(LETTERS[move.fare] + shown_station)
        if self.owed == 0:
            self._end_turn_of_mr_x()

    def is_next_entry_revealed(self) -> bool:
        return len(self.log) + 1 in self.reveals

    def _move_detective(self, move: Move) -> None:
        add_tickets(self.tickets[self.seat], move.fare, -1)
        if self.hand_over:
            add_tickets(self.tickets[MR_X], move.fare, +1)
        self.stations[self.seat] = move.station
        if move.station == self.stations[MR_X]:
            self.winner = "detectives"
        else:
            self._next_detective()

    def _next_detective(self) -> None:
        if self.seat == self.detectives[-1]:
            self._begin_turn_of_mr_x()
        else:
            self.seat += 1

    # When the game is judged, beside the catch

    def _begin_turn_of_mr_x(self) -> None:
        self.seat = MR_X
        if self.are_all_detectives_stuck() or self.is_log_full() or self.are_all_rounds_played():
            self.winner = "mr_x"
        elif not self.moves_now(MR_X):
            self.winner = "detectives"

    def _end_turn_of_mr_x(self) -> None:
        """Judge once more; as his turn takes nothing from the detectives, this only repeats what its beginning told."""
        self.seat = 1
        if self.are_all_detectives_stuck():
            self.winner = "mr_x"

    def are_all_detectives_stuck(self) -> bool:
        return not any(self.moves_now(seat) for seat in self.detectives)

    def is_log_full(self) -> bool:
        return self.log_entries is not None and len(self.log) >= self.log_entries

    def are_all_rounds_played(self) -> bool:
        """Asked when Mr. X's next turn would begin, so the round that counts last is complete."""
        return self.round_limit is not None and self.round >= self.round_limit


class PossibleByEnumeration:
    """Every hidden history that fits what the table saw; the set of Mr. X's stations over them.

    Everything but his station is public, so histories that end on the same station have the same game: each station
    keeps one game and the number of histories that lead to it. A history is a start and the actions since.
    """

    def __init__(self, games: Iterable[SlowGame], *, winner: Side | None = None) -> None:
        """Take one game per possible start of Mr. X; only those with the outcome seen at the start stay."""
        self._games: dict[int, SlowGame] = {}
        self._histories: Counter[int] = Counter()
        for game in games:
            if game.winner == winner:
                self._add(game, 1)

    def saw(self, text: str, winner: Side | None = None, *, seat: int | None = None) -> None:
        """Branch over every legal action that looks like `text` and leads to the outcome seen.

        text: a move of Mr. X is "T?" if hidden and "K115" if revealed; "2x", "--" and detectives' moves as played.
        winner: None while the game goes on. seat: `SlowGame.seat` afterwards; None = not compared. It tells a catch
        from Mr. X being stuck after the last detective's move.
        """
        games, histories = self._games, self._histories
        self._games, self._histories = {}, Counter()
        for station, game in games.items():
            for action in game.legal():
                if looks_like(game, action) != text:
                    continue
                after = game.copy()
                after.play(action)
                if after.winner == winner and seat in (None, after.seat):
                    self._add(after, histories[station])

    def _add(self, game: SlowGame, histories: int) -> None:
        station = game.stations[MR_X]
        same = self._games.setdefault(station, game)
        if public_facts(same) != public_facts(game):
            raise ValueError("the games differ in more than the station of Mr. X")
        self._histories[station] += histories

    def stations(self) -> set[int]:
        return set(self._games)

    def weights(self) -> dict[int, int]:
        """Count the hidden histories that end on each station."""
        return dict(self._histories)


def looks_like(game: SlowGame, action: str) -> str:
    """Tell what the table will see of an action: all of it, except where a hidden move of Mr. X leads."""
    if game.seat != MR_X or action == "2x" or game.is_next_entry_revealed():
        return action
    return f"{action[0]}?"


def public_facts(game: SlowGame) -> tuple[object, ...]:
    return game.seat, game.stations[1:], game.tickets, game.log, game.round, game.owed, game.winner
