import dataclasses
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from scotyard_env import render
from scotyard_env.belief import weigh
from scotyard_env.board import Board
from scotyard_env.game import Game
from scotyard_env.render.images import rasterize
from scotyard_env.render.layout import Box, lay_out
from scotyard_env.replay import Replay
from scotyard_env.ruleset import RuleSet
from scotyard_env.state import MR_X, SPECTATOR

SMALL = (240, 180)


def play(game: Game, actions: int = 10_000, seed: int = 0) -> Game:
    """Play by chance, so many actions or to the end."""
    rng = np.random.default_rng(seed)
    for _ in range(actions):
        if game.winner is not None:
            break
        game.play(int(rng.choice(game.legal)))
    return game


def play_taxi(game: Game) -> Game:
    """Let Mr. X take the first taxi he can."""
    game.play(next(move for move in game.legal_moves if move.startswith("T")))
    return game


def letters_of(picture: str) -> list[str | None]:
    """List the texts of an SVG document."""
    root = ElementTree.fromstring(picture)
    return [element.text for element in root.iter() if element.tag.endswith("text")]


@pytest.fixture(scope="module")
def finished() -> Game:
    return play(Game(seed=7), seed=7)


# Text


RULES = RuleSet(name="short", log_entries=10, reveals=(3, 7), detective_starts=None, mr_x_starts=None)
PURSES: list[list[int | str]] = [["unlimited", 1, 2, 1, 1], [9, 8, 0, 0, 0], [3, 2, 1, 0, 0]]


def test_text_tells_the_whole_table() -> None:
    game = Game.from_position("docklands", RULES, stations=(5, 1, 14), tickets=PURSES, possible=(5, 27))
    for move in ("T12", "T2", "T15"):
        game.play(move)
    assert render.text(game.view(1)).splitlines() == [
        "docklands, short, seen by Detective 1",
        "Round 2: Mr. X to move",
        "  seat         station    taxi     bus  underground   black  double",
        "> mr_x               ?       ∞       1            2       1       1",
        "  detective_1        2       8       8            0       0       0",
        "  detective_2       15       2       2            1       0       0",
        "log (* = reveal): next reveal at entry 3, in 2 entries",
        "   1 T       2 .       3*.       4 .       5 .       6 .       7*.       8 .",
        "   9 .      10 .",
        "possible (5): 4 6 12 22 28",
    ]


def test_text_cuts_a_long_list_of_possible_stations() -> None:
    game = Game.from_position(stations=(45, 13, 26))
    assert render.text(game.view(1)).endswith(" 25 ... and 173 more")


def test_text_marks_reveals_and_what_they_showed(finished: Game) -> None:
    shown = int(finished.state.log_shown[2])
    assert re.search(rf"\b3\*[TBUK]@{shown}\b", render.text(finished.view(1)))


def test_text_names_the_winner(finished: Game) -> None:
    assert re.search(rf"wins? in round {finished.round}\n", render.text(finished.view(1)))


def test_text_has_no_colour_codes(finished: Game) -> None:
    assert "\x1b" not in render.text(finished.view(SPECTATOR))


# What is hidden stays hidden


@pytest.mark.parametrize("viewer", [1, 2, SPECTATOR])
@pytest.mark.parametrize("advance", [lambda game: game, play_taxi], ids=["start", "after a move"])
def test_no_picture_depends_on_where_mr_x_hides(viewer: int, advance: Callable[[Game], Game]) -> None:
    here, there = (advance(Game.from_position(stations=(mr_x, 13, 26))).view(viewer) for mr_x in (45, 170))
    assert render.text(here) == render.text(there)
    assert render.svg(here) == render.svg(there)
    assert render.rgb_array(here).tobytes() == render.rgb_array(there).tobytes()


def test_mr_x_sees_himself_all_along() -> None:
    here, there = (Game.from_position(stations=(mr_x, 13, 26)).view(MR_X) for mr_x in (45, 170))
    assert render.svg(here) != render.svg(there)


def test_a_spectator_sees_him_only_after_the_end(finished: Game) -> None:
    before = Replay.of(finished).game(len(finished.moves) - 1)
    assert letters_of(render.svg(before.view(SPECTATOR))).count("X") == 1  # on his card
    assert letters_of(render.svg(finished.view(SPECTATOR))).count("X") == 2  # and on the map


def test_a_detective_is_not_shown_him_even_then(finished: Game) -> None:
    assert letters_of(render.svg(finished.view(1))).count("X") == 1


# SVG


@pytest.mark.parametrize("name", Board.names())
def test_every_board_is_drawn_with_every_station_number(name: str) -> None:
    game = Game(name, seed=1)
    assert {str(station) for station in range(1, game.board.stations + 1)} <= set(letters_of(render.svg(game.view(1))))


@pytest.mark.parametrize("name", Board.names())
def test_no_two_stations_overlap(name: str) -> None:
    chart = lay_out(Board.named(name), Box(16, 52, 936, 740))
    between = np.linalg.norm(chart.points[1:, None] - chart.points[None, 1:], axis=-1)
    np.fill_diagonal(between, np.inf)
    assert between.min() > 2 * chart.radius


@pytest.mark.parametrize("detectives", [1, 2, 3, 4, 5])
def test_any_number_of_detectives_is_drawn(detectives: int) -> None:
    game = play(Game("docklands", detectives=detectives, seed=1), 4)
    assert f"Detective {detectives}" in letters_of(render.svg(game.view(SPECTATOR)))
    assert f"Detective {detectives + 1}" not in letters_of(render.svg(game.view(SPECTATOR)))


@pytest.mark.parametrize("entries", [1, 5, 24, 40])
def test_a_log_of_any_length_stays_under_the_map(entries: int) -> None:
    rules = dataclasses.replace(RuleSet.named("classic"), log_entries=entries, reveals=(entries,))
    picture = ElementTree.fromstring(render.svg(play(Game(rules=rules, seed=3), 30).view(1)))
    boxes = [box.attrib for box in picture.iter() if box.tag.endswith("rect")]
    assert all(float(box["x"]) + float(box["width"]) <= 1200 for box in boxes)
    assert all(float(box["y"]) + float(box["height"]) <= 900 for box in boxes)
    assert f"of {entries} entries" in " ".join(element.text or "" for element in picture.iter())


def test_a_board_of_two_stations_is_drawn() -> None:
    board = Board.from_text("1-T-2 1-B-2 1-U-2 1-F-2")
    assert {"1", "2"} <= set(letters_of(render.svg(Game(board, detectives=1, seed=0).view(1))))


def test_a_board_of_255_stations_is_drawn() -> None:
    board = Board(
        [(station, station + 1, "taxi") for station in range(1, 255)], {s: (s % 16, s // 16) for s in range(1, 256)}
    )
    assert "255" in letters_of(render.svg(Game(board, seed=0).view(1)))


def test_stations_given_the_same_spot_are_drawn_apart() -> None:
    board = Board.from_text("1-T-2 2-T-3", coordinates={1: (0, 0), 2: (0, 0), 3: (0, 0)})
    points = lay_out(board, Box(0, 0, 900, 700)).points[1:]
    assert len(np.unique(points.round(), axis=0)) == 3


def test_names_are_escaped() -> None:
    board = Board.from_text("1-T-2 2-T-3", name="<b> & \x00 \ud800 \x1b")
    view = Game(board, detectives=1, seed=0).view(1)
    expected = "<b> & \ufffd \ufffd \ufffd, custom, seen by Detective 1"
    assert expected in letters_of(render.svg(view))
    assert render.text(view).startswith(expected)


def test_a_picture_refers_to_nothing_outside_of_it(finished: Game) -> None:
    picture = render.svg(finished.view(SPECTATOR))
    assert "href" not in picture
    assert "url(" not in picture


def test_a_belief_is_drawn_by_its_weights(finished: Game) -> None:
    view = Replay.of(finished).game(30).view(1)
    assert render.svg(view, belief=weigh(view)) != render.svg(view)


@pytest.mark.parametrize("belief", [np.ones(3), np.full(200, np.nan), -np.ones(200)], ids=["short", "nan", "negative"])
def test_a_belief_that_fits_no_board_is_refused(finished: Game, belief: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="200 in all"):
        render.svg(finished.view(1), belief=belief)


def test_a_double_move_is_tied_together_in_the_log() -> None:
    game = Game.from_position("docklands", RULES, stations=(5, 1, 14), tickets=PURSES)
    game.play("2x")
    assert "double move, 2 to go" in render.svg(game.view(1))
    before = letters_of(render.svg(game.view(1))).count("2x")
    for move in ("T12", "T18"):
        game.play(move)
    assert letters_of(render.svg(game.view(1))).count("2x") == before + 1


def test_a_notebook_draws_a_view(finished: Game) -> None:
    assert finished.view(1)._repr_svg_() == render.svg(finished.view(1), 960, 720)


# Pixels


@pytest.mark.parametrize(("width", "height"), [(1200, 900), (240, 180), (300, 120), (120, 300)])
def test_rgb_array_has_the_size_asked_for_and_is_not_blank(finished: Game, width: int, height: int) -> None:
    picture = render.rgb_array(finished.view(1), width, height)
    assert picture.shape == (height, width, 3)
    assert picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50


def test_a_picture_without_room_is_refused(finished: Game) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        render.rgb_array(finished.view(1), 0, 100)


def test_letters_are_drawn_without_the_fonts_of_the_machine() -> None:
    one, other = (Game(Board.from_text("1-T-2 2-T-3", name=name), detectives=1, seed=0).view(1) for name in ("I", "M"))
    assert render.rgb_array(one).tobytes() != render.rgb_array(other).tobytes()


def test_pixels_and_svg_show_the_same(finished: Game) -> None:
    view = finished.view(SPECTATOR)
    whole = np.asarray(rasterize(render.svg(view)).convert("RGB"))
    assert np.abs(whole.astype(int) - render.rgb_array(view)).max() <= 3  # the map below and the rest apart: rounding


# Files


def test_save_writes_svg_and_png(finished: Game, tmp_path: Path) -> None:
    view = finished.view(SPECTATOR)
    render.save(view, tmp_path / "end.svg")
    render.save(view, tmp_path / "end.PNG")
    assert (tmp_path / "end.svg").read_text(encoding="utf-8") == render.svg(view)
    assert np.array_equal(np.asarray(Image.open(tmp_path / "end.PNG")), np.asarray(rasterize(render.svg(view))))


@pytest.mark.parametrize("name", ["end.jpg", "end", "png"])
def test_save_refuses_an_unknown_ending_and_lists_the_known(finished: Game, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"\.png, \.svg"):
        render.save(finished.view(1), tmp_path / name)
    assert os.listdir(tmp_path) == []


# Films


@pytest.fixture(scope="module")
def short() -> Replay:
    return Replay.of(play(Game("glasses", seed=1), seed=1))


def test_a_gif_has_the_start_and_one_frame_for_each_action(short: Replay, tmp_path: Path) -> None:
    render.animate(short, tmp_path / "game.gif", seconds_per_move=0.5)
    with Image.open(tmp_path / "game.gif") as film:
        assert film.info["loop"] == 0
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    assert durations == [500] * len(short) + [4000]


def test_a_film_from_a_detectives_seat_does_not_depend_on_where_mr_x_hides(tmp_path: Path) -> None:
    files = []
    for mr_x in (45, 170):
        path = tmp_path / f"{mr_x}.gif"
        render.animate(Replay.of(play_taxi(Game.from_position(stations=(mr_x, 13, 26)))), path, viewer=1)
        files.append(path.read_bytes())
    assert files[0] == files[1]


def test_an_mp4_is_written(short: Replay, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    render.animate(short, tmp_path / "game.mp4", seconds_per_move=0.5)
    frames, seconds = ffmpeg.count_frames_and_secs(str(tmp_path / "game.mp4"))
    assert frames > len(short)
    assert seconds == pytest.approx(0.5 * (len(short) + 1) + 4, abs=1)


def test_an_mp4_without_ffmpeg_names_the_package(
    short: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(render.RenderError, match="pip install imageio-ffmpeg"):
        render.animate(short, tmp_path / "game.mp4")


def test_a_film_with_an_unknown_ending_is_refused(short: Replay, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.gif, \.mp4"):
        render.animate(short, tmp_path / "game.avi")


# The window


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a screen")
def test_a_window_without_a_screen_says_what_to_use_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(render.RenderError, match=r'no screen.*render_mode="rgb_array"'):
        render.Window()


def test_a_window_without_pygame_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(render.RenderError, match="pip install pygame-ce"):
        render.Window()


def test_a_window_that_cannot_open_says_what_to_use_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    with pytest.raises(render.RenderError, match=r'render_mode="rgb_array"'):
        render.Window()


def test_a_window_shows_the_picture(finished: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = render.Window(*SMALL)
    window.show(finished.view(1))
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, render.rgb_array(finished.view(1), *SMALL))
    window.close()
    window.close()


def test_a_window_that_was_shut_stays_shut(finished: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = render.Window(*SMALL)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(finished.view(1))
    window.show(finished.view(1))
    assert not window.is_open
    assert not pygame.display.get_init()
