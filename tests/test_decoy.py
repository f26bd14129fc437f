"""Each line of the decoy movement on boards small enough to check by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from playing import all_settings, distance, random_game
from slow_rules import FARES, neighbours_by_station

from scotyard_baselines.decoy import REASONS, Decoy
from scotyard_baselines.geometry.field_score import field_score
from scotyard_env.batch import Batch
from scotyard_env.belief import weigh
from scotyard_env.board import Board
from scotyard_env.duel import decide, play_games
from scotyard_env.game import Game
from scotyard_env.notation import action_text, parse_action
from scotyard_env.policy import make_policy
from scotyard_env.rules import destination, double_action
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X
from scotyard_env.view import View, Views

HIDDEN = RuleSet(reveals=())  # Mr. X never shows himself
BOLD = Decoy(current_score_max=9, candidate_score_max=9, candidate_limit=99)  # only the fail-safes stop it
PURSE = (9, 9, 9, 9, 2)  # of Mr. X
SETTINGS = list(all_settings())

#     9 --T-- 2 --T-- 1 --T-- 3 --T-- 5 --T-- 6 --T-- 7
#                     |
#                     T
#                     4 --T-- 8
CROSS = Board.from_text("1-T-2 1-T-3 1-T-4 2-T-9 3-T-5 4-T-8 5-T-6 6-T-7")


def position(
    board: Board,
    mr_x: int,
    detectives: Sequence[int],
    rules: RuleSet = HIDDEN,
    purse: Sequence[int] = PURSE,
    tickets: Sequence[int] = (9, 9, 9),
) -> Game:
    purses = [purse, *[[*tickets, 0, 0]] * len(detectives)]
    return Game.from_position(board, rules, stations=[mr_x, *detectives], tickets=purses, possible=[mr_x])


def wheel(policy: Decoy, game: Game) -> dict[str, float]:
    """Tell what may come up, and how likely it is."""
    shares = policy.act(game.view(MR_X), np.random.default_rng(0)).probabilities
    return {action_text(game.board, action): share for action, share in shares}


def score(game: Game, station: int, w_r: float, w_e: float, w_o: float) -> float:
    nobody = np.zeros(0, np.int64)
    return float(field_score(game.board.arrays, game.state, station, (w_r, w_e, w_o), 3, nobody))


# -------------------------------------------------------------------------------------------------------- fail-safes


def test_the_wheel_turns_while_nobody_is_within_2_fields_and_no_reveal_within_2_turns() -> None:
    assert wheel(BOLD, position(CROSS, 1, [6], RuleSet(reveals=(3,)))).keys() == {"T2", "T3", "T4"}


@pytest.mark.parametrize("detective", [3, 5])
def test_with_a_detective_within_2_fields_he_defends_himself(detective: int) -> None:
    assert wheel(BOLD, position(CROSS, 1, [detective])) == {"T2": 0.5, "T4": 0.5}


def test_one_detective_within_2_fields_is_enough() -> None:
    assert "T3" not in wheel(BOLD, position(CROSS, 1, [7, 5]))


@pytest.mark.parametrize("reveal", [1, 2])
def test_with_the_next_reveal_within_2_turns_he_defends_himself(reveal: int) -> None:
    assert wheel(BOLD, position(CROSS, 1, [6], RuleSet(reveals=(reveal,)))) == {"T2": 0.5, "T4": 0.5}


def test_a_reveal_that_is_over_does_not_matter() -> None:
    game = position(CROSS, 2, [7], RuleSet(reveals=(1, 4)))
    for move in ("T1", "T6"):
        game.play(move)
    assert wheel(BOLD, game).keys() == {"T2", "T3", "T4"}


def test_the_end_of_the_log_is_no_reveal() -> None:
    rules = RuleSet(log_entries=40, reveals=())
    game = position(CROSS, 1, [6], rules)
    game.state.entries = 39
    assert len(wheel(BOLD, game)) == 3


def test_if_the_current_score_exceeds_its_maximum_he_defends_himself() -> None:
    game = position(CROSS, 1, [6])
    here = score(game, 1, BOLD.w_r, BOLD.w_e, BOLD.w_o)
    assert len(wheel(dataclasses.replace(BOLD, current_score_max=here), game)) == 3
    assert wheel(dataclasses.replace(BOLD, current_score_max=here - 0.01), game) == {"T2": 0.5, "T4": 0.5}


# ------------------------------------------------------------------------------------------------------- field_score


def test_the_field_score_adds_risk_enclosure_and_closing_in_by_their_weights() -> None:
    game = position(CROSS, 1, [6])
    assert score(game, 3, 0.5, 0.3, 0.2) == pytest.approx(0.5 * 1 / 2 + 0.3 * 1 / 2 + 0.2 * 1)  # safe exit: 1
    assert score(game, 2, 0.5, 0.3, 0.2) == pytest.approx(0.5 * 1 / 4 + 0.3 * 1 / 3 + 0.2 * 0)  # safe exits: 1 and 9


def test_risk_falls_with_the_distance_of_the_nearest_detective() -> None:
    game = position(CROSS, 9, [7, 6])
    assert [score(game, station, 1, 0, 0) for station in (5, 3, 1, 2)] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])


def test_escape_routes_are_free_neighbours_that_nobody_could_step_to_at_once() -> None:
    assert score(position(CROSS, 2, [7]), 1, 0, 1, 0) == pytest.approx(1 / 4)
    assert score(position(CROSS, 2, [5]), 1, 0, 1, 0) == pytest.approx(1 / 3)
    assert score(position(CROSS, 2, [3]), 1, 0, 1, 0) == pytest.approx(1 / 3)
    assert score(position(CROSS, 2, [5], tickets=(0, 9, 9)), 1, 0, 1, 0) == pytest.approx(1 / 4)


def test_detectives_close_in_within_3_moves() -> None:
    game = position(CROSS, 9, [6, 7])
    assert [score(game, station, 0, 0, 1) for station in (2, 1, 3)] == pytest.approx([0, 1 / 2, 1])


# ----------------------------------------------------------------------------------------------------------- candidates


def test_candidates_are_the_free_neighbours() -> None:
    assert wheel(BOLD, position(CROSS, 5, [9, 8])).keys() == {"T3", "T6"}
    assert wheel(BOLD, position(CROSS, 1, [6, 7])).keys() == {"T2", "T3", "T4"}


def test_of_several_tickets_to_a_candidate_he_takes_the_one_that_hides_him_best() -> None:
    board = Board.from_text("1-T-2 1-B-2 2-T-3 3-T-4 4-T-5")
    assert wheel(BOLD, position(board, 2, [5])).keys() == {"T1", "T3"}  # by bus he could only be on 1


def test_of_too_many_candidates_the_riskiest_are_left_out() -> None:
    game = position(CROSS, 1, [6])
    assert wheel(dataclasses.replace(BOLD, candidate_limit=2), game).keys() == {"T2", "T4"}
    assert len(wheel(dataclasses.replace(BOLD, candidate_limit=1), game)) == 1


def test_candidates_above_the_maximum_are_removed() -> None:
    game = position(CROSS, 1, [6])
    risky = score(game, 3, BOLD.w_r, BOLD.w_e, BOLD.w_o)
    assert len(wheel(dataclasses.replace(BOLD, candidate_score_max=risky), game)) == 3
    assert wheel(dataclasses.replace(BOLD, candidate_score_max=risky - 0.01), game).keys() == {"T2", "T4"}


def test_if_no_candidate_remains_he_defends_himself() -> None:
    game = position(CROSS, 3, [7])
    assert wheel(BOLD, game).keys() == {"T1", "T5"}
    assert wheel(dataclasses.replace(BOLD, candidate_score_max=0.0), game) == {"T1": 1.0}


# ---------------------------------------------------------------------------------------------------------------- wheel


def test_shares_of_the_wheel_are_the_normalised_scores_so_risk_is_likelier() -> None:
    game = position(CROSS, 1, [6])
    scores = {f"T{station}": score(game, station, BOLD.w_r, BOLD.w_e, BOLD.w_o) for station in (2, 3, 4)}
    shares = wheel(BOLD, game)
    assert shares == pytest.approx({move: value / sum(scores.values()) for move, value in scores.items()})
    assert next(iter(shares)) == "T3"


@pytest.mark.parametrize("detective", [6, 5])  # the wheel, and a defensive move with ties
def test_moves_come_up_as_often_as_their_probabilities_say(detective: int) -> None:
    game = position(CROSS, 1, [detective])
    states = np.repeat(game.view(MR_X).states, 20_000)
    chosen = BOLD.act_batch(Views(game.board, game.rules, states), np.random.default_rng(3))
    assert len(wheel(BOLD, game)) > 1
    for move, share in wheel(BOLD, game).items():
        assert np.mean(chosen == parse_action(game.board, move)) == pytest.approx(share, abs=0.015)


def test_where_all_scores_are_0_the_shares_are_equal() -> None:
    game = position(CROSS, 1, [6])
    assert wheel(dataclasses.replace(BOLD, w_r=0, w_e=0, w_o=0), game) == pytest.approx(
        dict.fromkeys(["T2", "T3", "T4"], 1 / 3)
    )


# ------------------------------------------------------------------------------------------------------- defensive move


def test_the_defensive_move_maximises_the_distance_from_the_detectives() -> None:
    assert wheel(BOLD, position(CROSS, 3, [6])) == {"T1": 1.0}
    assert wheel(BOLD, position(CROSS, 1, [9, 8])) == {"T3": 1.0}


def test_at_the_same_distance_it_goes_where_there_are_more_escape_routes() -> None:
    board = Board.from_text("1-T-2 1-T-3 1-T-4 3-T-5 4-T-6")  # 2 is a dead end
    assert wheel(BOLD, position(board, 1, [6])) == {"T3": 1.0}


def test_a_detective_without_the_ticket_does_not_frighten_him() -> None:
    board = Board.from_text("1-T-2 1-T-3 2-B-4 3-T-4 4-T-5")
    assert wheel(BOLD, position(board, 1, [4], tickets=(9, 0, 0))) == {"T2": 1.0}
    assert wheel(BOLD, position(board, 1, [4], tickets=(0, 9, 0))) == {"T3": 1.0}


# ---------------------------------------------------------------------------------------------------------- his tickets

#     1 --T-- 2 --T-- 4 --T-- 5 --T-- 6 --T-- 7
#     |
#     B
#     3
BUSES = Board.from_text("1-T-2 1-B-3 2-T-4 4-T-5 5-T-6 6-T-7")


def test_he_pays_black_where_it_hides_something() -> None:
    game = position(BUSES, 1, [6])
    assert wheel(BOLD, game).keys() == {"T2", "B3"}  # the first rounds: the table knows nothing yet
    game.state.rounds = 5
    assert wheel(BOLD, game).keys() == {"K2", "K3"}
    game.state.tickets[MR_X, 3] = 0
    assert wheel(BOLD, game).keys() == {"T2", "B3"}


def test_he_does_not_pay_black_where_he_must_show_himself_anyway() -> None:
    game = position(BUSES, 1, [6], RuleSet(reveals=(1,)))
    game.state.rounds = 5
    assert wheel(BOLD, game) == {"B3": 1.0}


def test_without_another_ticket_black_will_do() -> None:
    assert wheel(BOLD, position(BUSES, 1, [6], purse=(0, 0, 0, 5, 0))).keys() == {"K2", "K3"}


#     1 --T-- 2 --T-- 5 --T-- 6
#     |       |
#     T       T
#     3 --T-- 4 --T-- 7
TRAP = Board.from_text("1-T-2 1-T-3 2-T-4 3-T-4 2-T-5 5-T-6 4-T-7")


def test_a_double_move_is_for_emergencies_and_leads_out_of_them() -> None:
    game = position(TRAP, 1, [4])
    assert wheel(BOLD, game) == {"2x": 1.0}
    game.play("2x")
    for half in (1, 2):
        game.play(BOLD.act(game.view(MR_X), np.random.default_rng(half)).action)
    assert game.seat == 1
    assert game.stations[MR_X] in (1, 5)


def test_without_an_emergency_he_does_not_double() -> None:
    assert "2x" in position(TRAP, 1, [7]).legal_moves
    assert "2x" not in wheel(BOLD, position(TRAP, 1, [7]))
    assert "2x" not in wheel(BOLD, position(TRAP, 1, [6]))


def test_he_does_not_double_where_it_would_not_save_him() -> None:
    game = position(Board.from_text("1-T-2 1-T-3 2-T-3 3-T-4"), 1, [3])
    assert "2x" in game.legal_moves
    assert wheel(BOLD, game) == {"T2": 1.0}


def test_the_second_half_of_a_double_is_no_decoy() -> None:
    game = position(CROSS, 1, [7])
    for move in ("2x", "T3"):
        game.play(move)
    assert wheel(BOLD, game) == {"T1": 1.0}


# --------------------------------------------------------------------------------------------------------- as a policy


def slow_terms(policy: Decoy, view: View, station: int) -> tuple[float, float, float]:
    """Work the parts of field_score out anew, as the page says them."""
    board, state, detectives = view.board, view.state, view.stations[1:]
    near = detectives
    if policy.risk == "believed":
        belief = weigh(view, "paths")
        near = [one for one in range(1, board.stations + 1) if belief[one] == belief.max()]
    steps = {
        to
        for seat, stands in enumerate(detectives, start=1)
        for to, transport in neighbours_by_station(board.links)[stands]
        if transport != "ferry" and (not policy.use_tickets or state.tickets[seat, FARES[transport][0]] != 0)
    }
    around = {to for to, _ in neighbours_by_station(board.links)[station]}
    risk = 1 / max(1, min(distance(board, one, station) for one in near))
    enclosure = 1 / (1 + len(around - steps - set(detectives)))
    closing_in = sum(distance(board, one, station) <= policy.near_moves for one in detectives) / len(detectives)
    return policy.w_r * risk, policy.w_e * enclosure * policy.escape_routes, policy.w_o * closing_in


VARIANTS = [
    Decoy(),
    Decoy(near_moves=1),
    Decoy(near_moves=6),
    Decoy(risk="believed"),
    Decoy(use_tickets=False),
    Decoy(escape_routes=False),
    Decoy(near_fields=0, near_turns=0),
    Decoy(near_fields=4, near_turns=5),
    Decoy(wheel=False),
]


def his_views() -> list[View]:
    """Collect positions of his on London, late ones too, where detectives run out of tickets."""
    views = []
    for seed in range(25):
        game = random_game("london", "classic", 5, seed, actions=8 * seed)
        if game.winner is None:
            game.state.seat = MR_X
            game.state.tickets[1:, :3] //= 1 + seed % 4 * 3
            views.append(game.view(MR_X))
    return views


@pytest.mark.parametrize("policy", VARIANTS)
def test_the_terms_are_the_parts_of_the_score_of_where_he_goes_and_add_up_to_the_value(policy: Decoy) -> None:
    others = 0
    for view in his_views():
        decision = policy.act(view, np.random.default_rng(0))
        is_double = action_text(view.board, decision.action) == "2x"
        station = view.stations[MR_X] if is_double else destination(decision.action)
        terms = dict(decision.terms)
        assert list(terms) == ["w_r", "w_e", "w_o"]
        assert [-term for term in terms.values()] == pytest.approx(slow_terms(policy, view, station))
        assert decision.value == pytest.approx(sum(terms.values()))
        others += slow_terms(policy, view, station) != pytest.approx(slow_terms(Decoy(), view, station))
    has_other_terms = policy.near_moves != 3 or policy.risk == "believed" or not policy.escape_routes
    assert others > 3 or not has_other_terms


def slow_reason(policy: Decoy, view: View) -> str:
    """Say why the wheel does not turn, line by line of the document."""
    state, here = view.state, view.stations[MR_X]
    if not policy.wheel:
        return "switched off"
    if state.owed > 0:
        return "double move"
    if min(distance(view.board, one, here) for one in view.stations[1:]) <= policy.near_fields:
        return "detective near"
    if set(view.rules.reveals) & set(range(state.entries + 1, state.entries + policy.near_turns + 1)):
        return "reveal near"
    if sum(slow_terms(policy, view, here)) > policy.current_score_max:
        return "current score"
    moves = sorted({destination(action) for action in view.legal if action < double_action(view.board.arrays)})
    scores = sorted(sum(slow_terms(policy, view, to)) for to in moves)[: policy.candidate_limit]
    return "turns" if scores and scores[0] <= policy.candidate_score_max else "no candidate"


@pytest.mark.parametrize("policy", VARIANTS)
def test_the_wheel_turns_unless_a_rule_of_the_document_forbids_it(policy: Decoy) -> None:
    reasons = []
    for view in his_views():
        wheels = policy.make_wheels(Views(view.board, view.rules, view.states))
        reasons.append(REASONS[wheels.reasons[0]])
        assert reasons[-1] == slow_reason(policy, view)
    if policy != Decoy() and policy.use_tickets and policy.near_moves == 3 and policy.escape_routes:
        assert reasons != [slow_reason(Decoy(), view) for view in his_views()]


def test_escape_routes_are_nothing_to_a_defensive_move_that_leaves_them_out() -> None:
    board = Board.from_text("1-T-2 1-T-3 1-T-4 3-T-5 4-T-6")  # 2 is a dead end
    assert wheel(BOLD, position(board, 1, [6])) == {"T3": 1.0}
    assert wheel(dataclasses.replace(BOLD, escape_routes=False), position(board, 1, [6])) == {"T2": 0.5, "T3": 0.5}


def test_without_a_look_at_tickets_every_link_frightens_him() -> None:
    board = Board.from_text("1-T-2 1-T-3 2-B-4 3-T-4 4-T-5")
    game, blind = position(board, 1, [4], tickets=(9, 0, 0)), dataclasses.replace(BOLD, use_tickets=False)
    assert wheel(BOLD, game) == {"T2": 1.0}
    assert wheel(blind, game) == {"2x": 1.0}  # nowhere is safe


def test_a_wheel_that_is_switched_off_leaves_the_defensive_move() -> None:
    game = position(CROSS, 1, [6])
    assert len(wheel(BOLD, game)) == 3
    assert wheel(dataclasses.replace(BOLD, wheel=False), game) == {"T2": 0.5, "T4": 0.5}


@pytest.mark.parametrize("near_fields", [0, 1, 2, 3])
def test_the_rule_of_two_fields_is_a_parameter(near_fields: int) -> None:
    policy = dataclasses.replace(BOLD, near_fields=near_fields)
    assert [len(wheel(policy, position(CROSS, 1, [detective]))) == 3 for detective in (5, 6, 7)] == [
        near_fields < away for away in (2, 3, 4)
    ]


@pytest.mark.parametrize("near_turns", [0, 1, 2, 3])
def test_the_rule_of_two_turns_is_a_parameter(near_turns: int) -> None:
    policy = dataclasses.replace(BOLD, near_turns=near_turns)
    reveals = [RuleSet(reveals=(entry,)) for entry in (1, 2, 3)]
    assert [len(wheel(policy, position(CROSS, 1, [6], rules))) == 3 for rules in reveals] == [
        near_turns < entry for entry in (1, 2, 3)
    ]


def test_the_shares_of_the_candidates_add_up_and_come_in_order() -> None:
    for seed in range(60):
        game = random_game("london", "classic", 5, seed, actions=6 * (seed % 12))
        if game.seat == MR_X and game.winner is None:
            decision = Decoy().act(game.view(MR_X), np.random.default_rng(seed))
            shares = [share for _, share in decision.probabilities]
            assert sum(shares) == pytest.approx(1)
            assert shares == sorted(shares, reverse=True)
            assert decision.action in dict(decision.probabilities)


@pytest.mark.parametrize("policy", [Decoy(), BOLD])
def test_it_plays_by_the_rules_everywhere_and_batches_decide_the_same(policy: Decoy) -> None:
    rng = np.random.default_rng(1)
    for number, (board, rules, detectives) in enumerate(SETTINGS):
        game = Game(board, rules, detectives=detectives, seed=number)
        while game.winner is None:
            if game.seat != MR_X:
                game.play(int(rng.choice(game.legal)))
                continue
            view = game.view(MR_X)
            action = policy.act(view, np.random.default_rng(number)).action
            views = Views(view.board, view.rules, view.states)
            assert policy.act_batch(views, np.random.default_rng(number)).tolist() == [action]
            game.play(action)


def test_a_batch_decides_as_one_after_the_other() -> None:
    batch, rng = Batch(300, seed=5), np.random.default_rng(5)
    for _ in range(40):
        batch.step(decide(make_policy("random"), batch.views(), rng))
    views = batch.views(np.flatnonzero(batch.seats == MR_X))
    one, many = np.random.default_rng(2), np.random.default_rng(2)
    singly = [Decoy().act(View(views.board, views.rules, s, MR_X), one).action for s in views.states]
    assert Decoy().act_batch(views, many).tolist() == singly


def test_a_decision_does_not_depend_on_earlier_ones_and_leaves_the_view_as_it_was() -> None:
    view = random_game("london", "classic", 5, seed=3, actions=42).view(MR_X)
    view.state.seat = MR_X
    before = view.states.tobytes()
    first = Decoy().act(view, np.random.default_rng(0))
    Decoy().act(position(TRAP, 1, [4]).view(MR_X), np.random.default_rng(9))
    assert Decoy().act(view, np.random.default_rng(0)) == first
    assert view.states.tobytes() == before


def test_he_gets_away_from_random_detectives() -> None:
    assert play_games(make_policy("decoy"), make_policy("random"), 300, seed=3) < 30


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"candidate_limit": 0}, "candidate_limit is 0: give"),
        ({"w_e": -1}, "w_e is -1: give a number from 0 to"),
        ({"near_fields": -1}, "near_fields is -1: give"),
        ({"near_turns": 41}, "near_turns is 41: give"),
        ({"risk": "all"}, "no risk 'all': there are detectives, believed"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Decoy(**parameters)  # type: ignore[arg-type]
