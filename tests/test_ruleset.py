"""The editions as printed, and no rule set that cannot be played."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from scotyard_env.board import Board
from scotyard_env.ruleset import EDITIONS, RuleSet, RuleSetError, look_up


def test_classic_is_what_the_research_literature_plays() -> None:
    rules = RuleSet.named("classic")
    assert (rules.detectives, rules.detective_tickets, rules.mr_x_tickets) == (5, (10, 8, 4), (4, 3, 3, 5, 2))
    assert (rules.hand_over, rules.log_entries, rules.round_limit) == (True, 24, None)
    assert rules.reveals == (3, 8, 13, 18, 24)
    assert rules.detective_starts == rules.mr_x_starts
    assert len(rules.mr_x_starts or ()) == 18


def test_ravensburger_2013_has_an_unlimited_supply_two_decks_and_22_rounds() -> None:
    rules = RuleSet.named("ravensburger_2013")
    assert rules.purses[0] == (-1, -1, -1, 5, 2)
    assert (rules.detective_tickets, rules.round_limit, rules.hand_over) == ((11, 8, 4), 22, False)
    assert len(rules.detective_starts or ()) == 16
    assert len(rules.mr_x_starts or ()) == 13
    assert not set(rules.detective_starts or ()) & set(rules.mr_x_starts or ())


def test_ravensburger_2000_deals_a_black_ticket_per_detective_and_has_no_last_reveal() -> None:
    rules = RuleSet.named("ravensburger_2000")
    assert rules.reveals == (3, 8, 13, 18)
    assert [dataclasses.replace(rules, detectives=n).purses[0][3] for n in range(1, 6)] == [1, 2, 3, 4, 5]


def test_milton_bradley_1985_is_played_on_its_own_board() -> None:
    rules = RuleSet.named("milton_bradley_1985")
    assert rules.board == "london_milton_bradley_1985"
    assert rules.purses == RuleSet.named("classic").purses


def test_bristol_has_its_own_decks() -> None:
    rules = RuleSet.named("bristol")
    assert rules.detective_tickets == (11, 8, 4)
    assert len(rules.detective_starts or ()) == 14
    assert len(rules.mr_x_starts or ()) == 12


def test_every_edition_fits_its_board() -> None:
    for rules in EDITIONS.values():
        rules.arrays(Board.named(rules.board))


def test_a_variant_is_one_line() -> None:
    rules = dataclasses.replace(RuleSet.named("classic"), name="long", log_entries=30, reveals=(10, 20, 30))
    assert rules.arrays(Board.named("london")).log_entries == 30


def test_a_rule_set_survives_json() -> None:
    for rules in EDITIONS.values():
        assert RuleSet.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_without_a_log_limit_the_log_has_room_for_every_round_and_double() -> None:
    assert RuleSet(log_entries=None, round_limit=10, reveals=(12,)).log_room == 12


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"detectives": 0}, "detectives is 0: the game takes 1 to 5"),
        ({"detectives": 6}, "detectives is 6"),
        ({"detectives": True}, "detectives is True"),
        ({"detectives": 2.0}, "detectives is 2.0"),
        ({"detectives": 3, "detective_starts": (1, 2)}, "3 detectives cannot start on 2 stations"),
        ({"detective_starts": (1, 2, 3, 4, 4)}, "detective_starts has a station twice"),
        ({"mr_x_starts": ()}, "start stations of Mr. X"),
        ({"mr_x_starts": (13, 26)}, "may take all 2 start stations of Mr. X"),
        ({"mr_x_starts": (0,)}, "mr_x_starts has 0: stations are numbered 1 to 255"),
        ({"mr_x_starts": (256,)}, "mr_x_starts has 256"),
        ({"mr_x_starts": 5}, "mr_x_starts is 5: give stations"),
        ({"reveals": (25,)}, "reveals has 25: the log has entries 1 to 24"),
        ({"reveals": (0,)}, "reveals has 0"),
        ({"reveals": 3}, "reveals is 3: give log entries"),
        ({"log_entries": 0, "reveals": ()}, "log_entries is 0"),
        ({"log_entries": 41}, "log_entries is 41: give a number from 1 to 40, or None for no such end"),
        ({"round_limit": 32768}, "round_limit is 32768: give a number from 1 to 40, or None for no such end"),
        ({"log_entries": None}, "both None"),
        ({"log_entries": None, "round_limit": 39}, "round_limit plus double tickets comes to 41"),
        ({"round_limit": -1}, "round_limit is -1"),
        ({"detective_tickets": (10, 8)}, "detective_tickets is (10, 8): give taxi, bus, underground"),
        ({"detective_tickets": 10}, "detective_tickets is 10: give taxi, bus, underground"),
        ({"detective_tickets": (10, -8, 4)}, "detective_tickets: bus is -8"),
        ({"detective_tickets": (10, "unlimited", 4)}, "detective_tickets: bus is 'unlimited'"),
        ({"mr_x_tickets": (4, 3, 3, 5)}, "mr_x_tickets is (4, 3, 3, 5): give taxi, bus, underground, black, double"),
        ({"mr_x_tickets": (4, 3, 3, 5, -2)}, "mr_x_tickets: double is -2"),
        ({"mr_x_tickets": (4, 3, 3, 5, "unlimited")}, "mr_x_tickets: double is 'unlimited'"),
        ({"mr_x_tickets": (4, 3, "many", 5, 2)}, "mr_x_tickets: underground is 'many': give a number from 0 to 999 or"),
        ({"hand_over": "yes"}, "hand_over is 'yes': give True or False"),
        ({"name": 3}, "name is 3: give a text"),
    ],
)
def test_what_cannot_be_played_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(RuleSetError) as error:
        RuleSet(**fields)  # type: ignore[arg-type]
    assert words in str(error.value)


def test_decks_that_do_not_fit_the_board_are_refused() -> None:
    with pytest.raises(
        RuleSetError, match=r"detective_starts of rule set 'classic' has station 13, but board 'glasses'"
    ):
        RuleSet.named("classic").arrays(Board.named("glasses"))


def test_a_board_too_small_for_the_detectives_is_refused() -> None:
    anywhere = RuleSet(detective_starts=None, mr_x_starts=None)
    with pytest.raises(RuleSetError, match=r"may take all 5 start stations of Mr\. X"):
        anywhere.arrays(Board.from_text("1-T-2 2-T-3 3-T-4 4-T-5"))


def test_an_unknown_field_is_refused_with_those_there_are() -> None:
    with pytest.raises(RuleSetError, match="no field 'detectivs': it has name, board, detectives"):
        RuleSet.from_dict({"detectivs": 3})


@pytest.mark.parametrize("name", RuleSet.names())
def test_rules_come_back_from_a_file(name: str, tmp_path: Path) -> None:
    RuleSet.named(name).save(tmp_path / "rules.json")
    assert RuleSet.load(tmp_path / "rules.json") == RuleSet.named(name)
    assert look_up(rules=str(tmp_path / "rules.json"))[1] == RuleSet.named(name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a JSON file"),
        ("{", "is not a JSON file"),
        ("[" * 100_000, "is not a JSON file"),
        ("[]", 'expected an object with "format"'),
        ('{"format": "scotyard_env board 1"}', 'expected an object with "format"'),
        ('{"format": "scotyard_env rules 1", "cops": 3}', "no field 'cops': it has name, board, detectives"),
        ('{"format": "scotyard_env rules 1", "detectives": 9}', "detectives is 9: the game takes 1 to 5"),
    ],
)
def test_a_broken_file_of_rules_is_refused_by_name(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text(text)
    with pytest.raises(RuleSetError, match=r"broken\.json") as refused:
        RuleSet.load(tmp_path / "broken.json")
    assert words in str(refused.value)


def test_a_board_is_taken_from_a_file_wherever_it_is_named(tmp_path: Path) -> None:
    Board.named("docklands").save(tmp_path / "mine.json")
    board, rules = look_up(board=str(tmp_path / "mine.json"))
    assert (board, rules.name) == (Board.named("docklands"), "docklands")
