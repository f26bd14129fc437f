"""The kernel plays by the rulebook: reference games, slow rules, drawn boards, counts, and what always holds."""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import IS_COMPILED, all_settings, random_actions, random_game, slow_twin, table_of
from reference_games import KINDS, ReferenceGame, ReferenceTurn, reference_games
from slow_rules import PossibleByEnumeration, SlowGame, looks_like

from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.notation import LETTERS, action_text
from scotyard_env.rules import action_count, apply, is_legal, legal_actions
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import STATE, new_states

SETTINGS = list(all_settings())
some_settings = st.sampled_from(SETTINGS)
seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(0, 150)
often = settings(max_examples=300 if IS_COMPILED else 15, deadline=None)

# ---------------------------------------------------------------------------------------------- the reference games


def whole_turns(game: Game) -> list[str]:
    """List the choices of a whole turn, a double move with both its halves, as the reference games do."""
    turns = [move for move in game.legal_moves if move not in ("2x", "--")]
    if "2x" in game.legal_moves:
        announced = game.clone()
        announced.play("2x")
        for first in announced.legal_moves:
            halfway = announced.clone()
            halfway.play(first)
            turns += [f"2x {first} {second}" for second in halfway.legal_moves]
    return sorted(turns)


def begin(reference: ReferenceGame) -> Game:
    rules = RuleSet(log_entries=reference["log_entries"], reveals=tuple(reference["reveals"]))
    return Game.from_position("london", rules, stations=reference["stations"], tickets=reference["tickets"])


def check_turn(game: Game, turn: ReferenceTurn) -> None:
    while game.seat != turn["seat"]:  # a stuck detective has no turn in the reference games
        assert game.legal_moves == ["--"]
        game.play("--")
    assert whole_turns(game) == turn["legal"]
    for action in turn["move"].split():
        game.play(action)
    assert game.stations == turn["stations"]
    assert game.tickets == turn["tickets"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_turn_agrees_with_the_reference_games(kind: str) -> None:
    games = reference_games(kind)
    for reference in games if IS_COMPILED else games[:2]:
        game = begin(reference)
        for turn in reference["turns"]:
            check_turn(game, turn)
        while game.winner is None and game.legal_moves == ["--"]:
            game.play("--")
        assert (game.winner, game.log) == (reference["winner"], reference["log"])


# --------------------------------------------------------------------------------------------------- the slow rules


@pytest.mark.parametrize(("board", "rules", "detectives"), SETTINGS)
def test_the_kernel_agrees_with_the_slow_rules_on_random_games(board: str, rules: str, detectives: int) -> None:
    for seed in range(25 if IS_COMPILED else 1):
        game = Game(board, rules, detectives=detectives, seed=seed)
        slow = slow_twin(game)
        for action in random_actions(game, seed):
            assert table_of(game) == table_of(slow)
            assert sorted(game.legal_moves) == slow.legal()
            slow.play(action_text(game.board, action))
        assert table_of(game) == table_of(slow)


@often
@given(seeds, st.integers(1, 3))
def test_the_kernel_agrees_with_the_slow_rules_when_tickets_are_short(seed: int, detectives: int) -> None:
    rng = np.random.default_rng(seed)
    stations = (1 + rng.permutation(30)[: detectives + 1]).tolist()
    tickets = rng.integers(0, 4, (detectives + 1, 5))
    tickets[1:, 3:] = 0
    game = Game.from_position("docklands", stations=stations, tickets=tickets.tolist())
    slow = slow_twin(game)
    for action in random_actions(game, seed):
        assert table_of(game) == table_of(slow)
        assert sorted(game.legal_moves) == slow.legal()
        slow.play(action_text(game.board, action))
    assert table_of(game) == table_of(slow)


# ---------------------------------------------------------------------------------------------------- one rule each

#     1 --T-- 2 --T-- 3
#             B       T
#             4 --T-- 5
SQUARE = Board.from_text("1-T-2 2-T-3 2-B-4 3-T-5 4-T-5", name="square")

#     1 --T-- 2 --T-- 3 --T-- 4 --T-- 5 --T-- 6
LINE = Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5 5-T-6", name="line")

#     1 ==TBUF== 2 --F-- 3 --T-- 4
PIER = Board.from_text("1-T-2 1-B-2 1-U-2 1-F-2 2-F-3 3-T-4", name="pier")

X = [4, 3, 3, 5, 2]  # Mr. X's purse
D = [10, 8, 4, 0, 0]  # a detective's


def place(board: Board, *stations: int, tickets: list[list[int]] | None = None, **rules: object) -> Game:
    """Begin a game from a position under classic rules, changed as asked for."""
    edition = RuleSet(**rules)  # type: ignore[arg-type]
    return Game.from_position(board, edition, stations=stations, tickets=tickets)


def play(game: Game, *moves: str) -> Game:
    for move in moves:
        game.play(move)
    return game


def test_a_detective_may_not_enter_a_station_another_holds() -> None:
    game = play(place(SQUARE, 4, 1, 3), "T5")
    assert game.legal_moves == ["T2"]
    assert play(game, "T2").legal_moves == ["T5"]


def test_mr_x_may_not_enter_a_station_a_detective_holds() -> None:
    assert "T2" not in place(SQUARE, 3, 2).legal_moves


def test_everybody_may_go_back_where_they_came_from() -> None:
    game = play(place(LINE, 1, 5), "T2", "T4")
    assert "T1" in game.legal_moves
    assert "T5" in play(game, "T1").legal_moves


def test_mr_x_pays_with_the_ticket_of_the_transport_or_with_black() -> None:
    assert place(PIER, 1, 4, tickets=[[1, 1, 1, 1, 0], D]).legal_moves == ["T2", "B2", "U2", "K2"]
    assert place(PIER, 1, 4, tickets=[[0, 1, 0, 0, 0], D]).legal_moves == ["B2"]


def test_only_a_black_ticket_pays_for_the_ferry() -> None:
    assert "K3" in place(PIER, 2, 4).legal_moves
    assert "K3" not in place(PIER, 2, 4, tickets=[[9, 9, 9, 0, 0], D]).legal_moves


def test_a_detective_never_takes_the_ferry() -> None:
    assert play(place(PIER, 4, 2), "T3").legal_moves == ["T1", "B1", "U1"]


def test_a_spent_detective_ticket_goes_to_mr_x_at_once() -> None:
    game = play(place(LINE, 1, 4, 6, tickets=[[2, 0, 0, 0, 0], D, D]), "T2", "T3")
    assert game.tickets[0] == [2, 0, 0, 0, 0]
    assert game.tickets[1] == [9, 8, 4, 0, 0]


def test_a_spent_detective_ticket_leaves_play_where_tickets_are_not_handed_over() -> None:
    game = play(place(LINE, 1, 4, tickets=[[2, 0, 0, 0, 0], D], hand_over=False), "T2", "T5")
    assert game.tickets == [[1, 0, 0, 0, 0], [9, 8, 4, 0, 0]]


def test_an_unlimited_supply_never_changes() -> None:
    game = play(place(LINE, 1, 4, mr_x_tickets=("unlimited", 0, 0, 0, 0)), "T2", "T5", "T1")
    assert game.tickets[0] == [-1, 0, 0, 0, 0]


def test_a_double_move_is_three_actions_and_two_log_entries_in_one_round() -> None:
    game = play(place(LINE, 1, 6), "2x")
    assert (game.seat, game.round, game.log, game.tickets[0]) == (0, 1, [], [4, 3, 3, 5, 1])
    play(game, "T2")
    assert (game.seat, game.round, game.log) == (0, 1, ["T"])
    play(game, "K3")
    assert (game.seat, game.round, game.log, game.tickets[0]) == (1, 1, ["T", "K"], [3, 3, 3, 4, 1])


def test_a_double_move_inside_a_double_move_is_not_legal() -> None:
    game = play(place(LINE, 1, 6), "2x")
    assert "2x" not in game.legal_moves
    assert "2x" not in play(game, "T2").legal_moves


def test_a_double_move_needs_a_double_ticket() -> None:
    assert "2x" not in place(LINE, 1, 6, tickets=[[4, 3, 3, 5, 0], D]).legal_moves


def test_a_double_move_needs_two_log_entries() -> None:
    assert "2x" in place(LINE, 1, 6, log_entries=2, reveals=()).legal_moves
    assert "2x" not in place(LINE, 1, 6, log_entries=1, reveals=()).legal_moves


def test_a_double_move_needs_a_second_half_that_the_tickets_left_can_pay() -> None:
    assert "2x" in place(LINE, 3, 6, tickets=[[2, 0, 0, 0, 2], D]).legal_moves
    assert "2x" not in place(LINE, 3, 6, tickets=[[1, 0, 0, 0, 2], D]).legal_moves
    assert place(PIER, 1, 4, tickets=[[1, 1, 0, 0, 1], D]).legal_moves == ["T2", "B2", "2x"]


def test_only_first_halves_with_a_second_half_are_legal_after_announcing() -> None:
    # from 3, black by ferry to 2 can go on by taxi to 1; taxi to 4 leaves only black back: both have a second half
    game = play(place(PIER, 3, 1, tickets=[[1, 0, 0, 1, 1], D]), "2x")
    assert game.legal_moves == ["T4", "K4"]


def test_the_middle_stop_of_a_double_move_may_not_be_taken_either() -> None:
    assert "2x" not in place(LINE, 1, 2, 6).legal_moves


def test_mr_x_shows_himself_at_log_entries_not_rounds() -> None:
    game = play(place(LINE, 1, 6, reveals=(2,)), "2x", "T2")
    assert (game.log, int(game.state.seen)) == (["T"], 0)
    assert play(game, "T3").log == ["T", "T@3"]
    assert (int(game.state.seen), int(game.state.seen_entry), game.possible) == (3, 2, [3])


def test_landing_on_mr_x_ends_the_game_at_once() -> None:
    game = play(place(LINE, 1, 3, 6), "T2", "T2")
    assert (game.winner, game.legal, game.stations) == ("detectives", [], [2, 2, 6])
    assert game.possible == [2]


def test_a_stuck_detective_passes_and_nobody_else_may() -> None:
    game = place(LINE, 4, 1, 2, tickets=[X, D, D])
    assert "--" not in game.legal_moves
    assert play(game, "T5").legal_moves == ["--"]
    assert "--" not in play(game, "--").legal_moves


def test_a_boxed_in_detective_moves_again_once_there_is_room() -> None:
    game = play(place(LINE, 5, 1, 2), "T6", "--", "T3", "T5")
    assert game.legal_moves == ["T2"]


def test_mr_x_wins_when_no_detective_can_move() -> None:
    game = place(LINE, 1, 5, tickets=[X, [1, 0, 0, 0, 0]])
    assert play(game, "T2", "T4").winner == "mr_x"


def test_a_game_may_be_over_before_it_begins() -> None:
    assert place(LINE, 1, 5, tickets=[X, [0, 8, 4, 0, 0]]).winner == "mr_x"
    assert place(LINE, 1, 2).winner == "detectives"


def test_mr_x_wins_when_the_log_is_full_and_the_detectives_have_had_their_turns() -> None:
    game = play(place(LINE, 1, 5, 6, log_entries=1, reveals=()), "T2")
    assert game.winner is None
    assert play(game, "T4").winner is None
    assert play(game, "T5").winner == "mr_x"


def test_mr_x_wins_when_the_last_round_is_complete_however_long_the_log() -> None:
    game = play(place(LINE, 1, 6, log_entries=None, round_limit=1, reveals=()), "2x", "T2", "T3")
    assert game.winner is None
    assert play(game, "T5").winner == "mr_x"


def test_a_catch_in_the_last_round_counts() -> None:
    assert play(place(LINE, 1, 3, log_entries=1, reveals=()), "T2", "T2").winner == "detectives"


def test_mr_x_loses_when_he_cannot_move() -> None:
    assert play(place(LINE, 2, 4, tickets=[[1, 0, 0, 0, 0], D], hand_over=False), "T1", "T3").winner == "detectives"
    assert play(place(LINE, 2, 5, 4, tickets=[[9, 0, 0, 0, 0], D, D]), "T1", "T6", "T3", "T2", "T5").winner is None
    assert play(place(LINE, 2, 4), "T1", "T3", "2x", "T2", "T1", "T2").winner == "detectives"


def test_a_ticket_handed_over_by_a_later_detective_frees_mr_x() -> None:
    game = play(place(LINE, 1, 5, tickets=[[1, 0, 0, 0, 0], D]), "T2", "T4")
    assert (game.winner, game.legal_moves) == (None, ["T1", "T3"])


def test_a_winner_is_named_in_the_order_of_the_rules() -> None:
    # nobody can move: Mr. X wins; full log and a stuck Mr. X: he wins too
    assert place(LINE, 1, 2, tickets=[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]).winner == "mr_x"
    game = place(LINE, 2, 4, log_entries=1, reveals=(), tickets=[[1, 0, 0, 0, 0], D], hand_over=False)
    assert play(game, "T1", "T3").winner == "mr_x"


# ------------------------------------------------------------------------------------------------------------- deal


def test_everybody_starts_on_a_card_of_their_deck_and_nobody_shares_one() -> None:
    for rules in RuleSet.names():
        edition = RuleSet.named(rules)
        for seed in range(40):
            mr_x, *detectives = Game(rules=edition, seed=seed).stations
            assert edition.mr_x_starts is None or mr_x in edition.mr_x_starts
            assert edition.detective_starts is None or set(detectives) <= set(edition.detective_starts)
            assert len({mr_x, *detectives}) == len(detectives) + 1


def test_at_the_start_mr_x_may_be_on_every_card_that_no_detective_drew() -> None:
    game = Game(rules="classic", seed=3)
    assert RuleSet.named("classic").mr_x_starts is not None
    assert game.possible == sorted(set(RuleSet.named("classic").mr_x_starts or ()) - set(game.stations[1:]))
    assert len(game.possible) == 13


def test_all_start_cards_are_dealt_equally_often() -> None:
    rules = dataclasses.replace(RuleSet.named("classic"), detectives=1)
    counts = np.zeros((2, 200), int)
    for seed in range(1800):
        for seat, station in enumerate(Game(rules=rules, seed=seed).stations):
            counts[seat, station] += 1
    share = counts[:, list(rules.mr_x_starts or ())] / counts.sum(axis=1, keepdims=True)
    assert share.min() > 0.5 / 18
    assert share.max() < 1.7 / 18


def test_the_same_seed_deals_the_same_game_on_every_platform() -> None:
    assert [Game(seed=seed).stations for seed in range(3)] == [
        [132, 50, 13, 26, 174, 197],
        [112, 198, 29, 197, 53, 94],
        [50, 53, 155, 26, 132, 141],
    ]


# ------------------------------------------------------------------------------------------------ what always holds


@often
@given(some_settings, seeds, lengths)
def test_nobody_shares_a_station_but_at_a_catch(setting: tuple[str, str, int], seed: int, length: int) -> None:
    game = random_game(*setting, seed, length)
    _, *detectives = game.stations
    assert len(set(detectives)) == len(detectives)
    assert (game.stations[0] in detectives) <= (game.winner == "detectives")


@often
@given(some_settings, seeds, lengths)
def test_tickets_are_conserved(setting: tuple[str, str, int], seed: int, length: int) -> None:
    game = Game(setting[0], setting[1], detectives=setting[2], seed=seed)
    before = np.array(game.tickets)
    spent = np.zeros_like(before)
    for number, action in enumerate(random_actions(game, seed)):
        if number == length:
            break
        text = action_text(game.board, action)
        if text == "2x":
            spent[0, 4] += 1
        elif text != "--":
            spent[game.seat, LETTERS.index(text[0])] += 1
    after = before - spent
    if game.rules.hand_over:
        after[0] += spent[1:].sum(axis=0)
    after[before == -1] = -1
    assert game.tickets == after.tolist()


@often
@given(some_settings, seeds, lengths)
def test_the_seat_to_move_always_has_a_legal_action(setting: tuple[str, str, int], seed: int, length: int) -> None:
    game = random_game(*setting, seed, length)
    assert (len(game.legal) > 0) == (game.winner is None)


@often
@given(some_settings, seeds, lengths)
def test_mr_x_is_always_inside_the_possible_set(setting: tuple[str, str, int], seed: int, length: int) -> None:
    game = random_game(*setting, seed, length)
    assert game.stations[0] in game.possible


@often
@given(some_settings, seeds, lengths)
def test_asking_for_one_action_agrees_with_listing_all(setting: tuple[str, str, int], seed: int, length: int) -> None:
    game = random_game(*setting, seed, length)
    arrays = game.board.arrays, game.rule_arrays, game.state
    assert [a for a in range(-1, action_count(arrays[0]) + 1) if is_legal(*arrays, a)] == game.legal
    assert game.legal == sorted(game.legal)


# ------------------------------------------------------------------------------------------------- the possible set


def all_starts(game: Game) -> list[SlowGame]:
    """Make a slow game for each station on which Mr. X may start for all the table knows."""
    twins = []
    for station in game.possible:
        twin = game.from_position(
            game.board, game.rules, stations=[station, *game.stations[1:]], tickets=game.tickets, possible=game.possible
        )
        twins.append(slow_twin(twin))
    return twins


@pytest.mark.parametrize(
    ("board", "stations", "mr_x"),
    [
        (SQUARE, (4, 1, 3), [2, 1, 0, 1, 1]),
        (SQUARE, (4, 1), [1, 1, 0, 2, 2]),
        (PIER, (4, 1), [2, 1, 1, 2, 1]),
        (LINE, (3, 1, 6), [2, 0, 0, 1, 2]),
        (Board.named("glasses"), (6, 1, 11), [3, 0, 0, 2, 2]),
        (Board.named("docklands"), (15, 1, 30), [3, 2, 2, 3, 2]),
        (Board.named("docklands"), (15, 1, 30, 7), [2, 1, 1, 3, 2]),
    ],
)
def test_the_possible_set_is_exactly_what_the_table_can_infer(
    board: Board, stations: tuple[int, ...], mr_x: list[int]
) -> None:
    for seed in range(60 if IS_COMPILED else 3):
        tickets = [mr_x] + [[4, 2, 1, 0, 0]] * (len(stations) - 1)
        game = place(board, *stations, tickets=tickets, log_entries=9, reveals=(4,))
        enumerated = PossibleByEnumeration(all_starts(game), winner=game.winner)
        slow = slow_twin(game)
        for action in random_actions(game, seed):
            assert set(game.possible) == enumerated.stations()
            text = action_text(game.board, action)
            seen = looks_like(slow, text)
            slow.play(text)
            enumerated.saw(seen, slow.winner, seat=slow.seat)
        assert set(game.possible) == enumerated.stations()


# ------------------------------------------------------------------------------------------- counts and a signature


def perft(game: Game, depth: int) -> int:
    """Count the sequences of so many actions."""
    states = new_states(depth + 1)
    states[0] = game.state
    return count_sequences(game, states, 0, depth)


def count_sequences(game: Game, states: np.ndarray, level: int, depth: int) -> int:
    legal = np.empty(action_count(game.board.arrays), np.int64)
    count = legal_actions(game.board.arrays, game.rule_arrays, states[level], legal)
    if level + 1 == depth:
        return int(count)
    total = 0
    for action in legal[:count]:
        states[level + 1] = states[level]
        apply(game.board.arrays, game.rule_arrays, states[level + 1], action)
        total += count_sequences(game, states, level + 1, depth)
    return total


def count_slowly(game: SlowGame, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in game.legal():
        after = game.copy()
        after.play(move)
        total += count_slowly(after, depth - 1)
    return total


PERFT = [  # board, edition, stations, number of action sequences of length 1, 2, 3, 4
    ("london", "classic", (45, 13, 26), (11, 100, 388, 4686)),
    ("london", "classic", (115, 108, 157), (9, 56, 428, 4674)),
    ("london", "ravensburger_2013", (166, 13, 29, 94, 141, 174), (9, 80, 746, 4770)),
    ("docklands", "docklands", (15, 1, 30), (10, 27, 145, 794)),
    ("glasses", "glasses", (6, 1, 11), (2, 2, 2, 6)),
]


@pytest.mark.parametrize(("board", "rules", "stations", "counts"), PERFT)
def test_the_number_of_action_sequences_is_as_stored(
    board: str, rules: str, stations: tuple[int, ...], counts: tuple[int, ...]
) -> None:
    game = Game.from_position(board, rules, stations=stations)
    depths = range(1, len(counts) + 1 if IS_COMPILED else 3)
    assert tuple(perft(game, depth) for depth in depths) == counts[: len(depths)]
    assert tuple(count_slowly(slow_twin(game), depth) for depth in (1, 2, 3)) == counts[:3]


SIGNATURE = "a4e0b984f351e986"  # changes only when the rules do


def test_the_rules_still_play_the_same_games() -> None:
    digest = hashlib.sha256()
    for number, setting in enumerate(SETTINGS):
        game = random_game(*setting, seed=number)
        digest.update(repr((game.moves, game.stations, game.tickets, game.log, game.possible, game.winner)).encode())
    assert digest.hexdigest()[:16] == SIGNATURE


def test_a_state_takes_less_than_a_kilobyte() -> None:
    assert STATE.itemsize < 1024


def test_a_state_has_no_padding_so_that_equal_games_have_equal_bytes() -> None:
    assert sum(STATE[name].itemsize for name in STATE.names or ()) == STATE.itemsize
    state = random_game("london", "classic", 5, seed=1, actions=30).state
    assert all(state.copy().tobytes() == state.tobytes() for _ in range(50))
