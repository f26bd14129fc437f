"""Moves are read as people write them; a line is refused whole, in one line that helps, and tells nothing hidden."""

from __future__ import annotations

import pytest
from playing import random_actions

from scotyard_env.game import Game
from scotyard_env.notation import LETTERS, action_text
from scotyard_env.play.advice import COMMANDS
from scotyard_env.play.keyboard import complete_line
from scotyard_env.play.reading import MisreadError, group_legal, read_moves, tell_legal
from scotyard_env.state import TICKETS
from scotyard_env.view import View


def mr_x_on(station: int, *detectives: int, **more: object) -> View:
    game = Game.from_position(stations=(station, *(detectives or (1, 2))), **more)  # type: ignore[arg-type]
    return game.view(0)


def detective_on(station: int, *others: int, mr_x: int = 199, move: str = "T188") -> View:
    """Return what the first detective sees after Mr. X's first move."""
    game = Game.from_position(stations=(mr_x, station, *others))
    game.play(move)
    return game.view(1)


def read(view: View, line: str) -> list[str]:
    return [action_text(view.board, action) for action in read_moves(view, line)]


@pytest.mark.parametrize(
    "line", ["t88", "T88", " taxi 88 ", "Taxi88", "t 88", "88", "88,", "; 88"], ids=lambda line: line.strip()
)
def test_one_move_can_be_written_in_many_ways(line: str) -> None:
    assert read(mr_x_on(117), line) == ["T88"]


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("b105", ["B105"]),
        ("bus 55", ["B55"]),
        ("u13", ["U13"]),
        ("tube 13", ["U13"]),
        ("underground 67", ["U67"]),
        ("k88", ["K88"]),
        ("black 88", ["K88"]),
        ("2x 88 t89", ["2x", "T88", "T89"]),
        ("double, t88; u89", None),
        ("2x", ["2x"]),
    ],
)
def test_every_ticket_has_its_words(line: str, moves: list[str] | None) -> None:
    if moves is None:
        with pytest.raises(MisreadError, match="from 88 to 89 it goes by taxi"):
            read(mr_x_on(89), line)
    else:
        assert read(mr_x_on(89), line) == moves


def test_a_number_alone_spends_no_black_ticket_where_another_will_do() -> None:
    assert read(mr_x_on(89), "88") == ["T88"]
    assert read(mr_x_on(108), "115") == ["K115"]  # by ferry there is no other way
    no_taxi = mr_x_on(89, tickets=[[0, 3, 3, 5, 2], [10, 8, 4, 0, 0], [10, 8, 4, 0, 0]])
    assert read(no_taxi, "88") == ["K88"]


def test_the_detectives_moves_go_on_one_line_in_their_order() -> None:
    view = detective_on(50, 155, 117)
    assert read(view, "37 t156 116") == ["T37", "T156", "T116"]


def test_a_later_move_of_a_line_knows_of_the_earlier_ones() -> None:
    view = detective_on(50, 49)
    with pytest.raises(MisreadError, match="a detective stands on 49"):
        read(view, "49")
    assert read(view, "37 50") == ["T37", "T50"]


def test_who_is_stuck_needs_no_word_on_a_line() -> None:
    tickets = [[4, 3, 3, 5, 2], [9, 0, 0, 0, 0], [0, 0, 0, 0, 0], [9, 0, 0, 0, 0]]
    game = Game.from_position(stations=(199, 50, 155, 117), tickets=tickets)
    game.play(game.legal_moves[0])
    assert read(game.view(1), "37 116") == ["T37", "T116"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense", "'nonsense' is no move: write a move such as 88, t88 or taxi 88, or ? for help"),
        ("t88x", "'t88x' is no move"),
        ("t-1", "'t-1' is no move"),
        ("taxi", "'taxi' is no move"),
        ("9" * 5000, "is no move"),
        ("\u0661", "is no move"),
        (",;", "there is no move in ',;'"),
        ("200", "there is no station 200, only 1 to 199; Mr. X may go: taxi 71 88 105"),
        ("t0", "there is no station 0"),
        ("t2", "no link leads from 89 to 2; Mr. X may go: taxi 71 88 105, bus 55 105, underground 13 67 128, black"),
        ("b88", "from 89 to 88 it goes by taxi"),
        ("105", "there are several ways to 105: write t105 or b105"),
        ("140", "a detective stands on 140"),
        ("88 89", "89 is too much: one move a turn, or two after 2x"),
        ("2x 88 89 105", "105 is too much"),
        ("2x 2x", "a double move is announced already"),
        ("pass", "Mr. X can move, and who can must"),
    ],
)
def test_what_mr_x_cannot_play_is_refused_in_one_line(line: str, words: str) -> None:
    with pytest.raises(MisreadError) as error:
        read(mr_x_on(89, 140, 1), line)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("2x", "only Mr. X makes double moves"),
        ("k37", "Detective 1 has no black ticket"),
        ("37 156 36", "36 is too much: this round 2 detectives may still move"),
        ("37 1", "no link leads from 155 to 1; Detective 2 may go: taxi 154 156 167 168"),
    ],
)
def test_what_a_detective_cannot_play_is_refused_in_one_line(line: str, words: str) -> None:
    with pytest.raises(MisreadError) as error:
        read(detective_on(50, 155), line)
    assert words in str(error.value)


def test_a_missing_ticket_and_a_missing_second_half_are_named() -> None:
    poor = mr_x_on(89, tickets=[[0, 1, 0, 0, 1], [10, 8, 4, 0, 0], [10, 8, 4, 0, 0]])
    with pytest.raises(MisreadError, match=r"Mr\. X has no taxi ticket"):
        read(poor, "88")
    two = mr_x_on(89, tickets=[[1, 1, 0, 0, 1], [10, 8, 4, 0, 0], [10, 8, 4, 0, 0]])
    with pytest.raises(MisreadError, match="after 71 there would be no second move"):
        read(two, "2x 71")


def test_all_that_is_legal_is_told_and_black_tickets_in_short() -> None:
    assert tell_legal(mr_x_on(108, 1, 2)) == "taxi 105 117 119, bus 105 116 135, black any of these 115, double 2x"


def test_what_is_told_to_be_legal_is_all_that_is() -> None:
    game = Game(seed=11)
    for _ in random_actions(game, 11):
        told = dict(group_legal(game.view(game.seat)))
        double = told.pop("double", None)
        black = told.pop("black", None)
        words = {
            f"{letter}{station}"
            for ticket, letter in zip(TICKETS, LETTERS, strict=False)
            for station in told.get(ticket, "").split()
        }
        if black is not None:
            any_of_these = [word[1:] for word in words] if black.startswith("any of these") else []
            words |= {f"K{station}" for station in (*any_of_these, *black.removeprefix("any of these").split())}
        words |= {"2x"} if double else set()
        assert words == set(game.legal_moves) - {"--"}


# What is hidden stays hidden


def test_reading_and_completing_do_not_depend_on_where_mr_x_is() -> None:
    views = [detective_on(50, 49, mr_x=51, move="T38"), detective_on(50, 49, mr_x=52, move="T39")]
    for line in ("37 50", "38 50", "49", "37 50 51", "38 1"):  # of which one may find him
        said = []
        for view in views:
            try:
                said.append(str(read(view, line)))
            except MisreadError as error:
                said.append(str(error))
        assert said[0] == said[1]
        assert complete_line(views[0], line) == complete_line(views[1], line)


# Completion


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("t8", ["t88"]),
        ("8", ["88"]),
        ("taxi ", ["71", "88", "105"]),
        ("taxi 1", ["105"]),
        ("2x t8", ["t88"]),
        ("2x 88 t8", ["t87", "t89"]),
        ("88 ", []),
        ("map 8", []),
        ("nonsense 8", []),
        ("m", ["map"]),
        ("?", ["?"]),
        ("q", ["q"]),
    ],
)
def test_the_last_word_is_completed_by_what_is_legal_there(typed: str, offered: list[str]) -> None:
    assert complete_line(mr_x_on(89), typed) == offered


def test_what_is_offered_can_be_played() -> None:
    view = mr_x_on(117)  # from where no two tickets but black lead to the same station
    for word in complete_line(view, ""):
        assert word in COMMANDS or read_moves(view, word)
