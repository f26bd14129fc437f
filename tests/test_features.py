"""Every column of the move features says what its comment says: each is restated here slowly, from the public lists."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playing import IS_COMPILED, all_settings, distance, random_actions, random_game
from slow_rules import BLACK, DOUBLE, FARES, LETTERS, neighbours_by_station

from scotyard_env.board import Board
from scotyard_env.encode import Encoder
from scotyard_env.encode.features import COMMON_FEATURES, DETECTIVE_FEATURES, MOVE_WIDTH, MR_X_FEATURES, most_moves
from scotyard_env.game import Game
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, SPECTATOR, TICKETS, TRANSPORTS
from scotyard_env.view import View

SETTINGS = list(all_settings())
Columns = dict[str, float]

# -------------------------------------------------------------------------------------------- the columns, restated


def restate(view: View, move: str) -> Columns:
    """Work out every column of a legal move of the seat to move, by name."""
    own = mr_x_columns(view, move) if view.seat == MR_X else detective_columns(view, move)
    return {**common_columns(view, move), **own}


def common_columns(view: View, move: str) -> Columns:
    kind = {"2x": "double", "--": "pass"}.get(move) or TICKETS[LETTERS.index(move[0])]
    links = [transport for _, transport in neighbours(view.board)[destination(view, move)]]
    return {
        **{name: float(name == kind) for name in (*TICKETS, "pass")},
        "tickets_left": tickets_left(view.tickets[view.seat], kind),
        **{f"{transport}_links": min(links.count(transport) / 4, 2) for transport in TRANSPORTS},
    }


def tickets_left(purse: list[int], kind: str) -> float:
    if kind == "pass":
        return 0
    tickets = purse[TICKETS.index(kind)]
    return 1 if tickets == -1 else min((tickets - 1) / 10, 1)


def detective_columns(view: View, move: str) -> Columns:
    to, here = destination(view, move), view.stations[view.seat]
    distances = [distance(view.board, to, station) for station in view.possible]
    colleagues = [station for seat, station in enumerate(view.stations) if seat not in (MR_X, view.seat)]
    before, after = team_columns(view, [here, *colleagues]), team_columns(view, [to, *colleagues])
    seen = last_seen(view)
    return {
        "is_possible": to in view.possible,
        "probability": 1 / len(view.possible),
        "nearest": scaled(min(distances)),
        "mean": mean(scaled(far) for far in distances),
        **{f"within_{reach}": mean(far <= reach for far in distances) for reach in (1, 2, 3)},
        **after,
        **{f"{name}_change": after[name] - before[name] for name in after},
        "was_seen": seen is not None,
        "to_seen": 0 if seen is None else scaled(distance(view.board, to, seen)),
        "to_colleague": min((scaled(distance(view.board, to, station)) for station in colleagues), default=1),
    }


def team_columns(view: View, team: list[int]) -> Columns:
    """Work out the team's columns if its detectives stood on these stations."""
    nearest = [min(distance(view.board, member, station) for member in team) for station in view.possible]
    shares = {f"team_within_{reach}": mean(far <= reach for far in nearest) for reach in (1, 2, 3)}
    return {"team_mean": mean(scaled(far) for far in nearest), **shares}


def mr_x_columns(view: View, move: str) -> Columns:
    to, detectives = destination(view, move), view.stations[1:]
    distances = sorted(scaled(distance(view.board, station, to)) for station in detectives)
    threats = count_threats(view, to)
    exits = {station for station, _ in neighbours(view.board)[to]} - set(detectives)
    after = possible_after(view, move)
    return {
        **dict(zip(MR_X_FEATURES[11:16], [*distances, 2, 2, 2, 2, 2], strict=False)),
        "is_threatened": threats > 0,
        "threats": threats / 5,
        "safe_exits": min(sum(count_threats(view, station) == 0 for station in exits) / 8, 2),
        "is_reveal": must_show(view, move),
        "possible_after": len(after) / view.board.stations,
        "probability_after": 1 / len(after),
        "beside_after": mean(any(is_beside(view.board, other, station) for other in detectives) for station in after),
    }


def count_threats(view: View, station: int) -> int:
    """Count the detectives with a link to the station and the ticket for it."""
    threats = 0
    for seat in range(1, len(view.stations)):
        ways = neighbours(view.board)[view.stations[seat]]
        fares = [TRANSPORTS.index(by) for to, by in ways if to == station and by != "ferry"]
        threats += any(view.tickets[seat][fare] != 0 for fare in fares)
    return threats


def must_show(view: View, move: str) -> bool:
    return move != "2x" and len(view.log) + 1 in view.rules.reveals


def possible_after(view: View, move: str) -> set[int]:
    """Tell where Mr. X may be once the table has seen the ticket of a move, and its destination if he must show it."""
    if move == "2x":
        return set(view.possible)
    if must_show(view, move):
        return {destination(view, move)}
    fare = LETTERS.index(move[0])
    reached = {to for start in view.possible for to, by in neighbours(view.board)[start] if fare in FARES[by]}
    return reached - set(view.stations[1:])


def is_beside(board: Board, detective: int, station: int) -> bool:
    return any(to == station and by != "ferry" for to, by in neighbours(board)[detective])


def destination(view: View, move: str) -> int:
    return view.stations[view.seat] if move in ("2x", "--") else int(move[1:])


def last_seen(view: View) -> int | None:
    shown = [int(entry.partition("@")[2]) for entry in view.log if "@" in entry]
    return shown[-1] if shown else None


def scaled(distance: int) -> float:
    return min(distance / 8, 2)


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


@functools.cache
def neighbours(board: Board) -> dict[int, list[tuple[int, str]]]:
    return neighbours_by_station(board.links)


# ------------------------------------------------------------------------------------------------------ comparisons


def observe(game: Game, seat: int | None = None) -> dict[str, NDArray[Any]]:
    """Observe a game with moves, as the seat to move unless another is given."""
    seat = game.seat if seat is None else seat
    return encoder_of(game.board, game.rules).observe(game.view(seat))


@functools.cache
def encoder_of(board: Board, rules: RuleSet) -> Encoder:
    return Encoder(board, rules, "compact", moves=True)


def names_of(seat: int) -> tuple[str, ...]:
    return MR_X_FEATURES if seat == MR_X else DETECTIVE_FEATURES


def rows_of(game: Game) -> dict[str, Columns]:
    """Return the features of the seat to move, by move and by column."""
    rows = observe(game)["move_features"].tolist()
    return {
        move: dict(zip(names_of(game.seat), row, strict=False))
        for move, row in zip(game.legal_moves, rows, strict=False)
    }


def check(game: Game) -> None:
    """Compare everything that an observation says of the moves with what it should be."""
    view, found = game.view(game.seat), observe(game)
    ids, features, legal = found["move_ids"].tolist(), found["move_features"], view.legal
    assert ids == legal + [-1] * (len(ids) - len(legal))
    assert not features[len(legal) :].any()
    assert encoder_of(game.board, game.rules).observation_space.contains(found)
    for move, row in zip(view.legal_moves, features.tolist(), strict=False):
        check_row(f"{game!r}, {move} of {view.legal_moves}", names_of(view.seat), row, restate(view, move))


def check_row(where: str, names: tuple[str, ...], row: list[float], expected: Columns) -> None:
    assert tuple(expected) == names
    assert not any(row[len(names) :]), f"{where}: there is something beyond the last column"
    wrong = {
        name: f"is {value}, should be {expected[name]}"
        for name, value in zip(names, row, strict=False)
        if abs(value - expected[name]) > 1e-5
    }
    assert not wrong, f"{where}: {wrong}"


def moments(setting: tuple[str, str, int], seed: int, every: int) -> Iterator[Game]:
    """Play a game at random and stop now and then, on average once in so many actions."""
    game, rng = Game(setting[0], setting[1], detectives=setting[2], seed=seed), np.random.default_rng(seed)
    for _ in random_actions(game, seed):
        if rng.integers(every) == 0:
            yield game


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting)))
def test_every_column_agrees_with_its_slow_restatement(setting: tuple[str, str, int]) -> None:
    for game in moments(setting, seed=SETTINGS.index(setting), every=2 if IS_COMPILED else 30):
        check(game)


@pytest.mark.parametrize("detectives", range(1, 6))
def test_every_column_agrees_when_tickets_run_out(detectives: int) -> None:
    rng = np.random.default_rng(detectives)
    for seed in range(20 if IS_COMPILED else 2):
        stations = (1 + rng.permutation(32)[: detectives + 1]).tolist()
        tickets = rng.integers(0, 4, (detectives + 1, 5))
        tickets[1:, 3:] = 0
        game = Game.from_position("docklands", RuleSet(reveals=(2, 5)), stations=stations, tickets=tickets.tolist())
        for number, _ in enumerate(random_actions(game, seed)):
            if number % 4 == 0 or game.legal_moves == ["--"]:
                check(game)


#     1 ==TBUF== 2 --F-- 3 --T-- 4 --T-- 5        only the ferry crosses from 2 to 3
PIER = Board.from_text("1-T-2 1-B-2 1-U-2 1-F-2 2-F-3 3-T-4 4-T-5", name="pier")


@pytest.mark.parametrize("stations", [(1, 3), (2, 5), (4, 1), (3, 1, 5), (2, 1, 4), (5, 1, 2)])
def test_every_column_agrees_where_only_the_ferry_leads(stations: tuple[int, ...]) -> None:
    for seed in range(10 if IS_COMPILED else 1):
        game = Game.from_position(PIER, RuleSet(reveals=(2, 4), mr_x_tickets=(9, 9, 9, 30, 9)), stations=stations)
        for _ in random_actions(game, seed):
            check(game)


def test_random_games_make_every_column_vary() -> None:
    met: dict[tuple[str, str], set[float]] = {}
    for number, setting in enumerate(SETTINGS if IS_COMPILED else SETTINGS[::14]):
        game = random_game(*setting, seed=number, actions=3)
        for _ in random_actions(game, number):
            side = "mr_x" if game.seat == MR_X else "detectives"
            for row in rows_of(game).values():
                for name, value in row.items():
                    met.setdefault((side, name), set()).add(value)
    constant = {column for column, values in met.items() if len(values) == 1}
    assert constant == {("mr_x", "pass"), ("detectives", "black"), ("detectives", "double")}
    assert len(met) == len(MR_X_FEATURES) + len(DETECTIVE_FEATURES)


# --------------------------------------------------------------------------------------------- worked out by hand

#     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5 --T-- 6
#                     B
#                     7
LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6 3-B-7", name="line")


def about(**columns: float) -> Any:
    return pytest.approx(columns, abs=1e-6)


def pick(row: Columns, *names: str) -> Columns:
    return {name: row[name] for name in names}


def test_a_move_of_a_detective_on_a_line() -> None:
    game = Game.from_position(LINE, RuleSet(), stations=[1, 6, 5], possible=[1, 2])
    game.play("T2")
    assert game.possible == [1, 2, 3]
    game.play("--")  # detective 1 is boxed in at the end of the line
    row = rows_of(game)["T4"]
    assert pick(row, "taxi", "tickets_left", "taxi_links", "bus_links") == about(
        taxi=1, tickets_left=0.9, taxi_links=0.5, bus_links=0
    )
    assert pick(row, "is_possible", "probability", "nearest", "mean") == about(
        is_possible=0, probability=1 / 3, nearest=1 / 8, mean=2 / 8
    )
    assert pick(row, "within_1", "within_2", "within_3") == about(within_1=1 / 3, within_2=2 / 3, within_3=1)
    assert pick(row, "team_mean", "team_mean_change") == about(team_mean=2 / 8, team_mean_change=-1 / 8)
    assert pick(row, "team_within_1", "team_within_1_change") == about(team_within_1=1 / 3, team_within_1_change=1 / 3)
    assert pick(row, "team_within_3", "team_within_3_change") == about(team_within_3=1, team_within_3_change=1 / 3)
    assert pick(row, "was_seen", "to_seen", "to_colleague") == about(was_seen=0, to_seen=0, to_colleague=2 / 8)


def test_a_pass_leaves_the_detective_where_it_stands_and_costs_nothing() -> None:
    game = Game.from_position(LINE, RuleSet(reveals=(1,)), stations=[3, 6, 5])
    game.play("T4")
    rows = rows_of(game)
    assert list(rows) == ["--"]
    assert pick(rows["--"], "pass", "tickets_left", "taxi_links") == {"pass": 1, "tickets_left": 0, "taxi_links": 0.25}
    assert pick(rows["--"], "nearest", "was_seen", "to_seen", "to_colleague") == about(
        nearest=2 / 8, was_seen=1, to_seen=2 / 8, to_colleague=1 / 8
    )
    assert not any(value for name, value in rows["--"].items() if name.endswith("_change"))


def test_a_detective_who_is_alone_has_no_colleague_to_keep_away_from() -> None:
    game = Game.from_position(LINE, RuleSet(), stations=[1, 6])
    game.play("T2")
    row = rows_of(game)["T5"]
    assert row["to_colleague"] == 1
    assert (row["team_mean"], row["team_within_2"]) == (row["mean"], row["within_2"])


def test_a_move_of_mr_x_on_a_line() -> None:
    game = Game.from_position(LINE, RuleSet(), stations=[3, 1, 6], possible=[2, 3])
    rows = rows_of(game)
    assert pick(rows["T2"], "detective_1st", "detective_2nd", "detective_3rd", "detective_5th") == about(
        detective_1st=1 / 8, detective_2nd=4 / 8, detective_3rd=2, detective_5th=2
    )
    assert pick(rows["T2"], "is_threatened", "threats", "safe_exits") == about(
        is_threatened=1, threats=1 / 5, safe_exits=1 / 8
    )
    assert pick(rows["T4"], "is_threatened", "threats", "safe_exits") == about(
        is_threatened=0, threats=0, safe_exits=1 / 8
    )
    # by taxi from 2 or 3 he may reach 2, 3 or 4; only 2 is beside a detective
    assert pick(rows["T4"], "possible_after", "probability_after", "beside_after") == about(
        possible_after=3 / 7, probability_after=1 / 3, beside_after=1 / 3
    )
    # by bus only 7 from 3
    assert pick(rows["B7"], "possible_after", "probability_after", "beside_after") == about(
        possible_after=1 / 7, probability_after=1, beside_after=0
    )
    assert pick(rows["2x"], "double", "tickets_left", "possible_after", "beside_after") == about(
        double=1, tickets_left=0.1, possible_after=2 / 7, beside_after=1 / 2
    )


def test_a_threat_needs_a_ticket() -> None:
    tickets = [[4, 3, 3, 5, 2], [0, 9, 9, 0, 0], [9, 9, 9, 0, 0]]
    game = Game.from_position(LINE, RuleSet(), stations=[3, 1, 6], tickets=tickets)
    assert rows_of(game)["T2"]["is_threatened"] == 0


def test_the_ferry_is_no_threat_and_makes_nobody_stand_beside() -> None:
    game = Game.from_position(PIER, RuleSet(), stations=[4, 2], possible=[4])
    row = rows_of(game)["T3"]
    assert pick(row, "detective_1st", "is_threatened", "beside_after") == about(
        detective_1st=2, is_threatened=0, beside_after=0
    )


def test_a_reveal_tells_the_table_where_he_is() -> None:
    game = Game.from_position(LINE, RuleSet(reveals=(1,)), stations=[3, 1, 6])
    rows = rows_of(game)
    expected = {"is_reveal": 1, "possible_after": 1 / 7, "probability_after": 1}
    assert pick(rows["T2"], *expected, "beside_after") == about(**expected, beside_after=1)
    assert pick(rows["T4"], *expected, "beside_after") == about(**expected, beside_after=0)
    assert rows["2x"]["is_reveal"] == 0  # he moves only afterwards


def test_tickets_that_never_run_out_count_as_many() -> None:
    rules = RuleSet(mr_x_tickets=("unlimited", 999, 0, 5, 1))
    rows = rows_of(Game.from_position(LINE, rules, stations=[3, 1]))
    assert {move: row["tickets_left"] for move, row in rows.items()} == about(
        T2=1, K2=0.4, T4=1, K4=0.4, B7=1, K7=0.4, **{"2x": 0}
    )


# ---------------------------------------------------------------------------------------------------- what else holds


def test_what_the_table_will_know_after_a_move_is_what_the_rules_say_it_knows() -> None:
    """Announcing a double move and its first half tell the table a little more: that he could go on."""
    for number, setting in enumerate(SETTINGS if IS_COMPILED else SETTINGS[::10]):
        game = random_game(*setting, seed=number, actions=6 * number % 140)
        while game.winner is None and game.seat != MR_X:
            game.play(game.legal[0])
        for move, row in rows_of(game).items():
            after = game.clone()
            after.play(move)
            known = len(after.possible) / game.board.stations
            if move == "2x" or game.state.owed == 2:
                assert row["possible_after"] >= known - 1e-6
            else:
                assert row["possible_after"] == pytest.approx(known)


@pytest.mark.parametrize("setting", SETTINGS[::4], ids=lambda setting: "-".join(map(str, setting)))
def test_who_is_not_to_move_has_no_moves(setting: tuple[str, str, int]) -> None:
    for game in moments(setting, seed=1, every=10):
        for seat in {*range(1 + setting[2]), SPECTATOR} - {game.seat}:
            found = observe(game, seat)
            assert (found["move_ids"] == -1).all()
            assert not found["move_features"].any()


def test_nobody_has_a_move_when_the_game_is_over() -> None:
    game = random_game("docklands", "docklands", 2, seed=0)
    for seat in (MR_X, 1, 2, SPECTATOR):
        found = observe(game, seat)
        assert (found["move_ids"] == -1).all()
        assert not found["move_features"].any()


@pytest.mark.parametrize("board", [*Board.names(), "pier"])
def test_most_moves_is_reached_at_the_busiest_station_and_nowhere_exceeded(board: str) -> None:
    found = PIER if board == "pier" else Board.named(board)
    met = 0
    for station in range(1, found.stations + 1):
        far = max(range(1, found.stations + 1), key=lambda other: found.distance(station, other, ferry=True))
        game = Game.from_position(found, RuleSet(), stations=[station, far])
        assert len(game.legal) <= most_moves(found)
        met = max(met, len(game.legal))
    assert met == most_moves(found)


def test_values_stay_within_their_space_at_a_station_with_very_many_links() -> None:
    outer = range(2, 101 if IS_COMPILED else 31)
    star = Board.from_text(" ".join(f"1-T-{station} 1-B-{station}" for station in outer), name="star")
    game = Game.from_position(star, RuleSet(), stations=[1, 2])
    for _ in random_actions(game, seed=0):
        check(game)


@pytest.mark.parametrize("names", [DETECTIVE_FEATURES, MR_X_FEATURES])
def test_columns_have_names_of_their_own_and_begin_with_the_common_ones(names: tuple[str, ...]) -> None:
    assert len(set(names)) == len(names) <= MOVE_WIDTH
    assert names[: len(COMMON_FEATURES)] == COMMON_FEATURES


def test_every_move_costs_exactly_one_kind_of_ticket() -> None:
    for number, setting in enumerate(SETTINGS[::5]):
        for row in rows_of(random_game(*setting, seed=number, actions=7 * number)).values():
            assert sum(row[name] for name in (*TICKETS, "pass")) == 1
    assert (TICKETS[BLACK], TICKETS[DOUBLE]) == ("black", "double")
