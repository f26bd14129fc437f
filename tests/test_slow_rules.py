"""The slow rules agree with recorded games turn by turn, and with the rulebook rule by rule."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from reference_games import KINDS, ReferenceGame, reference_games
from slow_rules import MR_X, Link, PossibleByEnumeration, Side, SlowGame, looks_like

from scotyard_env.board import Board

TRANSPORTS = {"T": "taxi", "B": "bus", "U": "underground", "F": "ferry"}
MANY = [9, 9, 9, 0, 0]  # a detective's purse
PLENTY = [9, 9, 9, 9, 2]  # Mr. X's
NONE = [0, 0, 0, 0, 0]


def links(text: str) -> list[Link]:
    """Read "1-T-2 2-F-3": a taxi link and a ferry link."""
    found = []
    for word in text.split():
        a, letter, b = word.split("-")
        found.append((int(a), int(b), TRANSPORTS[letter]))
    return found


def game(
    board: str,
    stations: Sequence[int],
    tickets: Sequence[Sequence[int | None]] | None = None,
    *,
    log_entries: int | None = 24,
    round_limit: int | None = None,
    reveals: Iterable[int] = (),
    hand_over: bool = True,
) -> SlowGame:
    """Set up a game; without tickets everybody has plenty."""
    return SlowGame(
        links(board),
        stations,
        tickets or [PLENTY, *[MANY for _ in stations[1:]]],
        log_entries=log_entries,
        round_limit=round_limit,
        reveals=reveals,
        hand_over=hand_over,
    )


def after(played: SlowGame, *actions: str) -> SlowGame:
    for action in actions:
        played.play(action)
    return played


# Recorded games


def from_reference(recorded: ReferenceGame, london: Sequence[Link]) -> SlowGame:
    return SlowGame(
        london,
        recorded["stations"],
        recorded["tickets"],
        log_entries=recorded["log_entries"],
        round_limit=None,
        reveals=recorded["reveals"],
        hand_over=True,
    )


def pass_stuck_detectives(played: SlowGame) -> None:
    """A stuck detective has no turn in the recorded games."""
    while played.legal() == ["--"]:
        played.play("--")


@pytest.fixture(scope="module")
def london() -> Sequence[Link]:
    return list(Board.named("london").links)


@pytest.mark.parametrize("kind", KINDS)
def test_every_turn_of_the_reference_games_is_the_same(kind: str, london: Sequence[Link]) -> None:
    for recorded in reference_games(kind):
        played = from_reference(recorded, london)
        for number, turn in enumerate(recorded["turns"]):
            where = f"game {recorded['id']}, turn {number}"
            pass_stuck_detectives(played)
            assert (played.seat, played.winner) == (turn["seat"], None), where
            assert (played.whole_turns() if played.seat == MR_X else played.legal()) == turn["legal"], where
            after(played, *turn["move"].split())
            assert played.stations == turn["stations"], where
            assert played.tickets == turn["tickets"], where
        pass_stuck_detectives(played)
        assert (played.winner, played.log) == (recorded["winner"], recorded["log"]), f"game {recorded['id']}"


def possible_starts(recorded: ReferenceGame, london: Sequence[Link]) -> list[SlowGame]:
    """One game per station where Mr. X may begin: some common starts, and the true one."""
    true_start, *detectives = recorded["stations"]
    starts = {13, 50, 94, 117, 141, 174, 198, true_start} - set(detectives)
    return [from_reference({**recorded, "stations": [start, *detectives]}, london) for start in sorted(starts)]


def test_the_station_of_mr_x_stays_possible_through_the_reference_games(london: Sequence[Link]) -> None:
    for recorded in reference_games("standard5")[:3]:
        played = from_reference(recorded, london)
        possible = PossibleByEnumeration(possible_starts(recorded, london))
        choices = [action for turn in recorded["turns"] for action in turn["move"].split()]
        while played.winner is None:
            action = "--" if played.legal() == ["--"] else choices.pop(0)
            text = looks_like(played, action)
            played.play(action)
            possible.saw(text, played.winner, seat=played.seat)
            assert played.stations[MR_X] in possible.stations(), f"game {recorded['id']}"


# Turns and moves


#   1 --T-- 2 --T-- 3 --T-- 4 --T-- 5 --T-- 6
LINE = "1-T-2 2-T-3 3-T-4 4-T-5 5-T-6"


def test_mr_x_moves_first_and_the_detectives_follow_in_order() -> None:
    played = game(LINE, [1, 4, 6])
    seats = [played.seat]
    for action in ("T2", "T3", "T5"):
        played.play(action)
        seats.append(played.seat)
    assert seats == [0, 1, 2, 0]


def test_a_round_begins_with_the_first_action_of_mr_x() -> None:
    played = game(LINE, [1, 6])
    rounds = [played.round]
    for action in ("T2", "T5", "2x", "T1", "T2", "T6", "T1"):
        played.play(action)
        rounds.append(played.round)
    assert rounds == [0, 1, 1, 2, 2, 2, 2, 3]


def test_going_back_the_way_one_came_is_legal() -> None:
    assert "T1" in after(game(LINE, [1, 6]), "T2", "T5").legal()


#   1 --T-- 2
#   |       |
#   B,U     T
#   |       |
#   3 --T-- 4 --T-- 5
CORNER = "1-T-2 1-B-3 1-U-3 2-T-4 3-T-4 4-T-5"


def test_each_transport_of_a_link_takes_its_own_ticket() -> None:
    assert after(game(CORNER, [5, 1]), "T4").legal() == ["B3", "T2", "U3"]


def test_a_move_needs_a_ticket_of_its_transport() -> None:
    assert after(game(CORNER, [5, 1], [PLENTY, [0, 1, 0, 0, 0]]), "T4").legal() == ["B3"]


def test_a_move_costs_one_ticket() -> None:
    assert after(game(CORNER, [5, 1]), "T4", "U3").tickets[1] == [9, 9, 8, 0, 0]


def test_an_unlimited_ticket_is_never_used_up() -> None:
    unlimited = [None, None, None, 5, 2]
    assert after(game(CORNER, [5, 1], [unlimited, MANY]), "T4", "U3").tickets[MR_X] == unlimited


#   1 --T-- 2 --T-- 3 --T-- 4
#   +-------B-------+
PASSING = "1-T-2 2-T-3 1-B-3 3-T-4"


def test_a_ride_may_pass_over_a_taken_station() -> None:
    assert game(PASSING, [1, 2], [[9, 9, 9, 0, 0], MANY]).legal() == ["B3"]


def test_mr_x_may_not_enter_a_station_held_by_a_detective() -> None:
    assert game(LINE, [2, 3, 6], [[9, 9, 9, 0, 0], MANY, MANY]).legal() == ["T1"]


def test_a_detective_may_not_enter_a_station_another_holds() -> None:
    assert after(game(LINE, [1, 4, 5]), "T2").legal() == ["T3"]


def test_a_detective_may_enter_the_station_of_mr_x() -> None:
    assert "T2" in after(game(LINE, [1, 3]), "T2").legal()


# Black tickets and the ferry


#   1 --F-- 2 --T-- 3 --T-- 4
#   +---T---+
#   +---B---+
FERRY = "1-F-2 1-T-2 1-B-2 2-T-3 3-T-4"


def test_black_pays_for_any_link_and_is_one_action_whatever_it_rides() -> None:
    assert game(FERRY, [1, 4], [[1, 1, 0, 1, 0], MANY]).legal() == ["B2", "K2", "T2"]


#   1 --F-- 2 --T-- 3 --T-- 4
PIER = "1-F-2 2-T-3 3-T-4"


def test_only_black_pays_for_the_ferry() -> None:
    assert game(PIER, [1, 4]).legal() == ["2x", "K2"]


def test_mr_x_loses_if_only_a_ferry_is_left_and_no_black_ticket() -> None:
    assert game(PIER, [1, 4], [[9, 9, 9, 0, 2], MANY]).winner == "detectives"


def test_a_detective_never_pays_black_even_with_black_tickets() -> None:
    assert after(game(PIER, [4, 2], [PLENTY, [9, 9, 9, 9, 9]]), "T3").legal() == ["T3"]


# Double moves


def test_a_double_move_is_announced_and_then_two_moves() -> None:
    played = game(LINE, [1, 6])
    seats = []
    for action in ("2x", "T2", "T3"):
        played.play(action)
        seats.append(played.seat)
    assert (seats, played.stations[MR_X], played.log) == ([0, 0, 1], 3, ["T", "T"])


def test_the_double_ticket_is_spent_when_announced() -> None:
    assert after(game(LINE, [1, 6]), "2x").tickets[MR_X] == [9, 9, 9, 9, 1]


def test_a_double_move_costs_a_ticket_for_each_half() -> None:
    assert after(game(LINE, [1, 6]), "2x", "T2", "K3").tickets[MR_X] == [8, 9, 9, 8, 1]


def test_a_double_move_needs_a_double_ticket() -> None:
    assert game(LINE, [1, 6], [[9, 9, 9, 9, 0], MANY]).legal() == ["K2", "T2"]


def test_no_double_move_within_a_double_move() -> None:
    played = after(game(LINE, [1, 6]), "2x")
    assert "2x" not in played.legal()
    assert "2x" not in after(played, "T2").legal()


def test_a_second_double_move_may_follow_in_the_next_turn() -> None:
    assert "2x" in after(game(LINE, [1, 6]), "2x", "T2", "T1", "T5").legal()


@pytest.mark.parametrize(("log_entries", "may_double"), [(1, False), (2, True), (None, True)])
def test_a_double_move_needs_two_free_log_entries(log_entries: int | None, may_double: bool) -> None:
    assert ("2x" in game(LINE, [1, 6], log_entries=log_entries).legal()) == may_double


def test_log_entries_already_filled_do_not_count_for_a_double_move() -> None:
    assert "2x" not in after(game(LINE, [1, 6], log_entries=2), "T2", "T5").legal()


def test_the_round_limit_does_not_hinder_a_double_move() -> None:
    assert "2x" in game(LINE, [1, 6], round_limit=1).legal()


def test_both_halves_may_lead_there_and_back() -> None:
    assert game(LINE, [1, 3]).whole_turns() == ["2x K2 K1", "2x K2 T1", "2x T2 K1", "2x T2 T1", "K2", "T2"]


def test_the_second_half_is_paid_from_what_the_first_half_left() -> None:
    assert "2x" not in game(LINE, [1, 6], [[1, 9, 9, 0, 1], MANY]).legal()
    assert game(LINE, [1, 6], [[1, 9, 9, 1, 1], MANY]).whole_turns() == [
        *("2x K2 T1", "2x K2 T3", "2x T2 K1", "2x T2 K3", "K2", "T2"),
    ]


#   1 --T-- 2 --B-- 3 --T-- 4 --T-- 5
#   |
#   T
#   |
#   6
FORK = "1-T-2 2-B-3 3-T-4 4-T-5 1-T-6"


def test_after_the_announcement_only_first_halves_that_leave_a_second_are_legal() -> None:
    one_taxi = [[1, 1, 0, 0, 1], MANY]
    assert game(FORK, [1, 5], one_taxi).legal() == ["2x", "T2", "T6"]
    assert after(game(FORK, [1, 5], one_taxi), "2x").legal() == ["T2"]


def test_neither_half_of_a_double_move_may_enter_a_taken_station() -> None:
    taxis = [[9, 0, 0, 0, 1], MANY, MANY]
    assert game(LINE, [2, 4, 1], taxis).whole_turns() == ["2x T3 T2", "T3"]


# Passing


def test_a_detective_with_a_legal_move_may_not_pass() -> None:
    assert "--" not in after(game(LINE, [1, 6]), "T2").legal()


def test_a_detective_without_tickets_passes_and_keeps_its_station_taken() -> None:
    played = after(game(LINE, [1, 4, 6], [PLENTY, NONE, MANY]), "T2")
    assert played.legal() == ["--"]
    after(played, "--", "T5", "K3", "--")
    assert (played.stations, played.legal()) == ([3, 4, 5], ["T6"])


def test_a_detective_boxed_in_passes_for_this_turn_only() -> None:
    played = after(game(LINE, [1, 6, 5]), "T2")
    assert played.legal() == ["--"]
    assert after(played, "--", "T4", "T1").legal() == ["T5"]


def test_mr_x_never_passes() -> None:
    assert "--" not in game(LINE, [1, 6]).legal()


# Spent tickets


def test_a_detectives_ticket_goes_to_mr_x_at_once() -> None:
    assert after(game(CORNER, [5, 1, 2]), "T4", "B3").tickets[MR_X] == [8, 10, 9, 9, 2]


def test_without_handing_over_a_detectives_ticket_is_gone() -> None:
    assert after(game(CORNER, [5, 1], hand_over=False), "T4", "B3").tickets == [[8, 9, 9, 9, 2], [9, 8, 9, 0, 0]]


def test_the_tickets_of_mr_x_are_gone() -> None:
    assert after(game(LINE, [1, 6]), "K2").tickets == [[9, 9, 9, 8, 2], MANY]


def test_a_detectives_ticket_can_free_mr_x_before_his_turn() -> None:
    played = after(game(LINE, [1, 6], [[1, 0, 0, 0, 0], MANY]), "T2", "T5")
    assert (played.winner, played.legal()) == (None, ["T1", "T3"])


# Reveals


def test_mr_x_shows_his_station_at_the_reveals_only() -> None:
    assert after(game(LINE, [1, 6], reveals={2}), "T2", "T5", "K3", "T6", "T2").log == ["T", "K@3", "T"]


def test_the_start_is_not_a_log_entry() -> None:
    assert after(game(LINE, [1, 6], reveals={1}), "T2").log == ["T@2"]


@pytest.mark.parametrize(("reveals", "log"), [({1}, ["T@2", "K"]), ({2}, ["T", "K@3"]), ({1, 2}, ["T@2", "K@3"])])
def test_each_half_of_a_double_move_is_a_log_entry_of_its_own(reveals: set[int], log: list[str]) -> None:
    assert after(game(LINE, [1, 6], reveals=reveals), "2x", "T2", "K3").log == log


# Judging


def test_the_game_is_over_at_once_when_a_detective_lands_on_mr_x() -> None:
    played = after(game(LINE, [1, 3, 6]), "T2", "T2")
    assert (played.winner, played.seat, played.legal()) == ("detectives", 1, [])


def test_a_detective_who_lands_beside_mr_x_has_not_caught_him() -> None:
    assert after(game(LINE, [1, 4]), "T2", "T3").winner is None


def test_a_catch_in_the_last_round_comes_before_the_full_log() -> None:
    assert after(game(LINE, [1, 3], log_entries=1), "T2", "T2").winner == "detectives"


def test_a_catch_pays_the_ticket_to_mr_x_too() -> None:
    assert after(game(LINE, [1, 3]), "K2", "T2").tickets == [[10, 9, 9, 8, 2], [8, 9, 9, 0, 0]]


def test_mr_x_wins_at_the_start_if_no_detective_can_move() -> None:
    assert game(LINE, [1, 6], [PLENTY, NONE]).winner == "mr_x"


def test_mr_x_wins_when_his_turn_would_begin_and_no_detective_can_move() -> None:
    played = after(game(LINE, [1, 6], [PLENTY, [1, 0, 0, 0, 0]]), "T2", "T5")
    assert (played.winner, played.seat, played.legal()) == ("mr_x", MR_X, [])


def test_mr_x_wins_when_his_turn_is_over_and_no_detective_can_move() -> None:
    played = game(LINE, [1, 6])
    played.tickets[1] = list(NONE)  # by hand: his turn takes nothing from the detectives
    played.play("T2")
    assert played.winner == "mr_x"


def test_detectives_who_are_all_stuck_pass_until_the_turn_of_mr_x() -> None:
    played = after(game(LINE, [1, 6, 4], [PLENTY, [1, 0, 0, 0, 0], NONE]), "T2", "T5")
    assert (played.winner, played.legal()) == (None, ["--"])
    assert after(played, "--").winner == "mr_x"


def test_one_detective_who_can_move_keeps_the_game_going() -> None:
    assert after(game(LINE, [1, 4, 6], [PLENTY, NONE, MANY]), "T2", "--", "T5").winner is None


def test_mr_x_wins_when_the_log_is_full_and_the_detectives_have_moved() -> None:
    played = after(game(LINE, [1, 6], log_entries=2), "T2", "T5", "T1")
    assert played.winner is None
    assert after(played, "T6").winner == "mr_x"


def test_a_double_move_fills_two_entries_of_the_log() -> None:
    assert after(game(LINE, [1, 6], log_entries=2), "2x", "T2", "T1", "T5").winner == "mr_x"


def test_mr_x_wins_when_all_rounds_are_complete() -> None:
    played = after(game(LINE, [1, 6], log_entries=None, round_limit=2), "T2", "T5", "2x", "T1", "T2")
    assert played.winner is None
    assert after(played, "T6").winner == "mr_x"


def test_without_limits_the_game_goes_on() -> None:
    played = game(LINE, [1, 6], [[None] * 5, [None] * 5], log_entries=None)
    for _ in range(50):
        after(played, "T2", "T5", "T1", "T6")
    assert (played.winner, played.round, len(played.log)) == (None, 100, 100)


def test_mr_x_loses_when_every_station_he_could_reach_is_taken() -> None:
    played = after(game(LINE, [2, 3]), "T1", "T2")
    assert (played.winner, played.seat) == ("detectives", MR_X)


def test_mr_x_loses_at_the_start_if_he_is_stuck() -> None:
    assert game(LINE, [1, 2]).winner == "detectives"


def test_mr_x_loses_when_he_has_no_ticket_for_any_link() -> None:
    assert after(game(LINE, [1, 6], [[1, 9, 9, 0, 2], MANY], hand_over=False), "T2", "T5").winner == "detectives"


def test_a_later_detective_can_free_mr_x_by_moving_away() -> None:
    played = after(game(LINE, [2, 1, 4]), "T3", "T2")
    assert (played.winner, played.moves_now(MR_X)) == (None, set())
    played.play("T5")
    assert (played.winner, played.legal()) == (None, ["2x", "K4", "T4"])


def test_mr_x_wins_if_he_and_all_detectives_are_stuck() -> None:
    assert game(LINE, [1, 2], [PLENTY, NONE]).winner == "mr_x"


def test_mr_x_wins_if_the_log_is_full_and_he_is_stuck() -> None:
    assert after(game(LINE, [2, 3], log_entries=1), "T1", "T2").winner == "mr_x"


# The game as an object


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    played = game(LINE, [1, 6])
    with pytest.raises(ValueError, match="T3 is not open to seat 0: legal are 2x, K2, T2"):
        played.play("T3")
    assert (played.seat, played.round, played.stations) == (0, 0, [1, 6])


def test_nothing_can_be_played_when_the_game_is_over() -> None:
    with pytest.raises(ValueError, match="legal are none"):
        game(LINE, [1, 6], [PLENTY, NONE]).play("T2")


def test_a_copy_is_played_on_without_changing_the_original() -> None:
    played = game(LINE, [1, 6])
    after(played.copy(), "2x", "T2", "T3", "T5")
    assert (played.stations, played.tickets, played.log, played.round) == ([1, 6], [PLENTY, MANY], [], 0)


def test_two_seats_may_not_start_on_the_same_station() -> None:
    with pytest.raises(ValueError, match="same station"):
        game(LINE, [6, 6])


def test_whole_turns_are_those_of_mr_x() -> None:
    with pytest.raises(ValueError, match="only at the beginning"):
        after(game(LINE, [1, 6]), "2x").whole_turns()
    with pytest.raises(ValueError, match="only at the beginning"):
        after(game(LINE, [1, 6]), "T2").whole_turns()


# What the table can know


def hidden(
    board: str,
    starts: Iterable[int],
    detectives: Sequence[int],
    purse: Sequence[int | None] = PLENTY,
    *,
    reveals: Iterable[int] = (),
    winner: Side | None = None,
) -> PossibleByEnumeration:
    """Set up one game per possible start of Mr. X."""
    tickets = [purse, *[MANY for _ in detectives]]
    games = [game(board, [start, *detectives], tickets, reveals=reveals) for start in starts]
    return PossibleByEnumeration(games, winner=winner)


def seen(possible: PossibleByEnumeration, *texts: str) -> PossibleByEnumeration:
    for text in texts:
        possible.saw(text)
    return possible


def test_every_start_is_possible_once() -> None:
    assert hidden(LINE, [1, 3], [6]).weights() == {1: 1, 3: 1}


def test_a_start_that_ends_the_game_is_not_possible_while_it_goes_on() -> None:
    assert hidden(LINE, [1, 4], [2]).stations() == {4}
    assert hidden(LINE, [1, 4], [2], winner="detectives").stations() == {1}


def test_a_hidden_move_leads_to_every_neighbour_once_per_history() -> None:
    assert seen(hidden(LINE, [1, 3], [6]), "T?").weights() == {2: 2, 4: 1}


def test_a_hidden_move_follows_only_its_transport() -> None:
    assert seen(hidden(FORK, [2], [5]), "B?").stations() == {3}


def test_a_hidden_move_does_not_lead_to_a_taken_station() -> None:
    assert seen(hidden(LINE, [2], [3]), "T?").stations() == {1}


def test_a_black_ticket_follows_every_transport_and_counts_a_station_once() -> None:
    assert seen(hidden(FERRY, [1, 2], [4]), "K?").weights() == {1: 1, 2: 1, 3: 1}


def test_a_reveal_leaves_one_station_with_all_its_histories() -> None:
    assert seen(hidden(LINE, [1, 3], [6], reveals={1}), "T2").weights() == {2: 2}


@pytest.mark.parametrize(("reveals", "text"), [({1}, "T?"), ((), "T2")])
def test_nothing_fits_a_move_shown_at_the_wrong_entry(reveals: Iterable[int], text: str) -> None:
    assert seen(hidden(LINE, [1, 3], [6], reveals=reveals), text).stations() == set()


def test_a_detective_who_lands_without_a_catch_rules_the_station_out() -> None:
    possible = seen(hidden(LINE, [1, 3], [5]), "T?")
    assert possible.stations() == {2, 4}
    assert seen(possible, "T4").weights() == {2: 2}


def test_a_catch_leaves_the_station_of_the_catch() -> None:
    possible = seen(hidden(LINE, [1, 3], [5]), "T?")
    possible.saw("T4", "detectives")
    assert possible.weights() == {4: 1}


def test_a_game_that_goes_on_rules_out_where_mr_x_would_be_stuck() -> None:
    possible = seen(hidden(LINE, [2, 5], [3]), "T?")
    assert possible.stations() == {1, 4, 6}
    assert seen(possible, "T2").stations() == {4, 6}


@pytest.mark.parametrize(("seat", "stations"), [(None, {1, 2}), (0, {1}), (1, {2})])
def test_the_seat_tells_a_catch_from_mr_x_being_stuck(seat: int | None, stations: set[int]) -> None:
    possible = seen(hidden(LINE, [1, 2], [3]), "T?")
    possible.saw("T2", "detectives", seat=seat)
    assert possible.stations() == stations


def test_an_announced_double_move_rules_out_where_it_is_not_legal() -> None:
    assert seen(hidden(FORK, [2, 6], [5], [1, 1, 0, 0, 1]), "2x").stations() == {2}


def test_the_first_half_leads_only_where_a_second_is_legal() -> None:
    assert seen(hidden(FORK, [1], [5], [1, 1, 0, 0, 1]), "2x", "T?").stations() == {2}


def test_a_pass_tells_nothing() -> None:
    assert seen(hidden(LINE, [1, 3], [6, 5]), "T?", "--").weights() == {2: 2, 4: 1}


def test_games_that_differ_in_public_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="differ in more than the station"):
        PossibleByEnumeration([game(LINE, [1, 6]), game(LINE, [1, 5])])


#   1 -T,B- 2 --B-- 3
#   |       |       |
#   T       T       F
#   |       |       |
#   4 --T-- 5 --U-- 6 --T-- 7 --T-- 8
TOWN = "1-T-2 1-B-2 2-B-3 1-T-4 2-T-5 3-F-6 4-T-5 5-U-6 6-T-7 7-T-8"


def table_sees(played: SlowGame) -> tuple[object, ...]:
    """All that is public, as text: the log hides the station of Mr. X but where it is revealed."""
    return str(played.stations[1:]), str(played.tickets), str(played.log), played.seat, played.owed, played.winner


def count_histories(starts: Sequence[SlowGame], record: Sequence[tuple[object, ...]]) -> Counter[int]:
    """Write out every sequence of actions, one by one, that shows the table what it saw; count them by last station."""
    histories = [start for start in starts if table_sees(start) == record[0]]
    for sight in record[1:]:
        longer = []
        for history in histories:
            for action in history.legal():
                longer.append(after(history.copy(), action))
        histories = [history for history in longer if table_sees(history) == sight]
    return Counter(history.stations[MR_X] for history in histories)


@pytest.mark.parametrize("seed", range(20))
def test_merged_histories_are_as_many_as_histories_written_out(seed: int) -> None:
    rng = random.Random(seed)
    starts = [game(TOWN, [start, 8], [[4, 3, 3, 3, 1], MANY], reveals={4}) for start in (1, 2, 3, 6)]
    played = rng.choice(starts).copy()
    possible = PossibleByEnumeration(starts)
    record = [table_sees(played)]
    while played.winner is None and played.round < 6:
        action = rng.choice(played.legal())
        text = looks_like(played, action)
        played.play(action)
        possible.saw(text, played.winner, seat=played.seat)
        record.append(table_sees(played))
    assert possible.weights() == count_histories(starts, record)
    assert played.stations[MR_X] in possible.stations()
