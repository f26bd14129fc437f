"""What a server offers: policies with their measured strength, advisers, names, and what it refuses when it starts."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from calling import refuse
from playing import all_settings

from scotyard_env.arena import tournament
from scotyard_env.arena.report import write_report
from scotyard_env.policy import make_policy
from scotyard_env.web.chart import draw_chart
from scotyard_env.web.command import LOOPBACK, choose_advisers, read_names
from scotyard_env.web.messages import live_frame
from scotyard_env.web.offer import Offer, level, read_ratings
from scotyard_env.web.seating import read_setup
from scotyard_env.web.table import deal_table


def test_opponents_are_listed_with_what_the_arena_has_measured() -> None:
    ratings = read_ratings()
    names = sorted({one["name"] for one in ratings})
    told = Offer({name: make_policy(name) for name in names}, ratings).to_dict()
    for policy in told["policies"]:
        for side, strength in policy["strength"].items():
            assert side in policy["sides"]
            assert strength["low"] <= strength["points"] <= strength["high"]
            assert strength["level"] == level(strength["points"])
    assert {"board": "london", "rules": "classic", "detectives": [1, 2, 3, 4, 5]} in told["games"]
    levels = [level(points) for points in range(-1000, 1000, 10)]
    assert list(dict.fromkeys(levels)) == ["gentle", "middling", "strong", "very strong"]


def test_every_game_that_is_offered_can_be_opened_with_every_number_of_detectives() -> None:
    opened = 0
    for game in Offer({}, []).to_dict()["games"]:
        for number in game["detectives"]:
            fields = {"board": game["board"], "rules": game["rules"], "players": ["person:1"] + ["person:2"] * number}
            table = deal_table(read_setup(fields, ()), b"secret", {})
            first = live_frame(0, table.look_back(frozenset([0])), table.look(frozenset([0])))
            assert len(first["stations"]) == 1 + number
            assert first["legal"]
            assert draw_chart(table.start.board)["name"] == game["board"]
            opened += 1
    assert opened == len(list(all_settings()))


def test_a_tournament_writes_ratings_that_can_be_offered(tmp_path: Path) -> None:
    tournament(["random"], ["random", "greedy"], games=3, board="docklands", out=tmp_path)
    write_report([tmp_path])
    found = {(one["side"], one["name"]) for one in read_ratings(tmp_path / "ratings.json")}
    assert found == {("mr_x", "random"), ("detectives", "random"), ("detectives", "greedy")}
    (tmp_path / "other.json").write_text('{"ratings": [{"name": 3}]}')
    with pytest.raises(ValueError, match="holds no ratings as a tournament writes them"):
        read_ratings(tmp_path / "other.json")


@pytest.mark.parametrize("content", ["", "{", "[" * 10_000, '{"ratings": NaN}', "\ud800"])
def test_ratings_that_cannot_be_read_are_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "ratings.json"
    file.write_bytes(content.encode(errors="surrogatepass"))
    said = f"{file} cannot be read as ratings.json of a tournament: "
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        read_ratings(file)
    assert "\n" not in str(error.value)


def test_names_of_hosts_are_read_as_they_are_meant() -> None:
    assert read_names(" Example.ORG, play.example.org,,") == {*LOOPBACK, "example.org", "play.example.org"}
    assert read_names("") == set(LOOPBACK)


def test_advisers_are_the_strongest_that_are_offered_for_a_side() -> None:
    offered = {name: make_policy(name) for name in ("random", "hider", "greedy", "hunters", "bayes")}
    assert choose_advisers(offered) == {"mr_x": "hider", "detectives": "bayes"}
    assert choose_advisers({"minimax:depth=2": offered["hunters"]}) == {"detectives": "minimax:depth=2"}
    assert choose_advisers({"hunters": offered["hunters"]}) == {"detectives": "hunters"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--policies greedy,nobody", "there is no policy 'nobody'"),
        ("--workers 0", "--workers is 0: policies need at least 1 process"),
        ("--ratings {folder}/none.json", "No such file or directory"),
        ("--games {folder}/file", "there is a file of that name"),
        ("--port {port}", "cannot listen on 127.0.0.1, port {port}"),
    ],
)
def test_a_server_that_cannot_be_is_refused_in_one_sentence(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        known = {"folder": str(tmp_path), "port": str(taken.getsockname()[1])}
        default = "" if "--port" in words else " --port 0"
        line = f"web --policies random --games {tmp_path}/tables {words}{default}".format(**known)
        assert said.format(**known) in refuse(monkeypatch, capsys, line)
    assert not (tmp_path / "tables").exists()
