"""Every file of weights that ships has a card, and what the card tells of it is so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calling import call, refuse

from bench.cards import list_strength, update_cards
from scotyard_baselines.networks.weights import DATA
from scotyard_env.arena.contenders import read_contenders
from scotyard_env.arena.score_file import read_scores
from scotyard_env.cards import Card, CardError, find_problems, read_card
from scotyard_env.policy import files_of, make_policy, sides_of

CARDS = {path.stem: read_card(path) for path in sorted(DATA.glob("*.json"))}
SCORES = Path(__file__).resolve().parents[1] / "docs" / "scores" / "london.json"


def test_every_file_of_weights_has_a_card() -> None:
    told = {file.name for card in CARDS.values() for file in card.files}
    assert told == {path.name for path in DATA.glob("*.npz")}


@pytest.mark.parametrize("name", CARDS)
def test_sizes_and_digests_are_those_of_the_files(name: str) -> None:
    card = CARDS[name]
    assert find_problems(card, DATA) == [], "python -m bench.cards brings cards up to date"
    assert [file.name for file in card.files] == [path.name for path in files_of(make_policy(card.policy))]


@pytest.mark.parametrize("name", CARDS)
def test_the_strength_is_that_of_these_files_and_stands_in_a_result_file(name: str) -> None:
    card, (side,) = CARDS[name], sides_of(make_policy(name))
    if card.measured is not None:
        assert card.measured == read_contenders(name, side)[0].describe().content
        assert card.strength == tuple(list_strength(read_scores(SCORES), name, side))
    assert (card.measured is None) == (not card.strength)


def test_updating_changes_nothing_that_is_up_to_date() -> None:
    assert update_cards(read_scores(SCORES) if SCORES.exists() else None) == []


@pytest.mark.parametrize("name", CARDS)
def test_a_card_says_all_that_it_should(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, f"policies --cards {name}") == 0
    told = capsys.readouterr().out
    for part in ("how trained", "data", "strength", "robustness", "known weaknesses", "licence", "bytes"):
        assert part in told
    assert "tickets" in told
    assert "shuttl" in told.lower()


def test_who_ships_without_files_has_no_card(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "greedy has no card" in refuse(monkeypatch, capsys, "policies --cards greedy")


@pytest.mark.parametrize(
    "change", [{"format": "x"}, {"files": 3}, {"more": 1}, {"what": ""}, {"strength": [{"side": "x"}]}], ids=str
)
def test_a_card_that_is_none_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_text(json.dumps(Card("a", "b", ("c",), "d", ("e",), "f").to_json() | change), encoding="utf-8")
    with pytest.raises(CardError, match="is no card that can be read"):
        read_card(path)
