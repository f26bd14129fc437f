"""A record of a game from elsewhere is refused, or can be played on: compiled code never gets what it cannot read."""

from __future__ import annotations

import numpy as np
import pytest

from scotyard_env.batch import Batch
from scotyard_env.checking import StateError, check_states
from scotyard_env.duel import decide
from scotyard_env.policy import make_policy
from scotyard_env.state import PLAYING, STATE


def play_on(batch: Batch, rng: np.random.Generator) -> None:
    """Play every game that is not over for one action, at random."""
    games = np.flatnonzero(batch.winners == PLAYING)
    if len(games):
        batch.play(games, decide(make_policy("random"), batch.views(games), rng))


@pytest.mark.parametrize("rules", ["docklands", "classic", "ravensburger_2013", "glasses"])
def test_every_record_that_the_rules_lead_to_passes(rules: str) -> None:
    batch, rng = Batch(40, rules=rules, seed=3), np.random.default_rng(3)
    while (batch.winners == PLAYING).any():
        check_states(batch.board, batch.rules, batch.states)
        play_on(batch, rng)
    check_states(batch.board, batch.rules, batch.states)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("seats", 2), ("seat", 3), ("seat", -1), ("owed", 3), ("winner", 3), ("rounds", 9), ("entries", 13)],
        *[("station", 0), ("station", 33), ("station", -1), ("tickets", -1), ("tickets", 999), ("log", 4)],
        *[("log_round", 5), ("log_shown", 33), ("trail", 33), ("seen", 33), ("seen_entry", 2), ("spare", 1)],
        *[("fares", 4), ("fares", -2), ("possible", 0), ("possible", 2**64 - 1), ("start", 1)],
    ],
)
def test_a_record_that_cannot_be_is_refused(field: str, value: int) -> None:
    batch = Batch(3, "docklands", seed=0)
    batch.states[field][1] = value
    with pytest.raises(StateError, match="of game 1 cannot be by rule set 'docklands'"):
        check_states(batch.board, batch.rules, batch.states)


def test_two_detectives_on_one_station_are_refused() -> None:
    batch = Batch(1, "docklands", seed=0)
    batch.states["station"][0, 1] = batch.states["station"][0, 2]
    with pytest.raises(StateError, match="a station held twice"):
        check_states(batch.board, batch.rules, batch.states)


def test_a_record_with_any_byte_changed_is_refused_or_can_be_played_on() -> None:
    batch, rng = Batch(1, "docklands", seed=1), np.random.default_rng(1)
    for _ in range(5):
        play_on(batch, rng)
    whole, refused = batch.states.tobytes(), 0
    for place in range(STATE.itemsize):
        changed = bytearray(whole)
        changed[place] ^= int(rng.integers(1, 256))
        batch.states[:] = np.frombuffer(bytes(changed), STATE)
        try:
            check_states(batch.board, batch.rules, batch.states)
        except StateError:
            refused += 1
            continue
        for _ in range(40):
            play_on(batch, rng)
    assert refused > 0.8 * STATE.itemsize
