"""Every policy still decides as it did: twenty stored positions a side, on all boards (see record_decisions.py)."""

from __future__ import annotations

import pytest
from playing import our_policies
from record_decisions import decide, read, views_of

from scotyard_env.policy import policy_factory, sides_of

TOLERANCE = 1e-6  # networks multiply matrices of 32-bit numbers, which processors add up in their own order
STORED = read()
CASES = [(policy, side) for policy, sides in STORED["decisions"].items() for side in sides]


@pytest.mark.parametrize(("policy", "side"), CASES)
def test_a_policy_still_makes_the_stored_decisions(policy: str, side: str) -> None:
    stored = STORED["decisions"][policy][side]
    made = decide(policy, views_of(STORED["positions"][side]))
    assert [move for move, _ in made] == [move for move, _ in stored]
    for (_, value), (_, before) in zip(made, stored, strict=True):
        assert value == (None if before is None else pytest.approx(before, rel=TOLERANCE, abs=TOLERANCE / 10))


def test_every_baseline_has_twenty_stored_decisions_on_each_of_its_sides() -> None:
    stored = {(policy.partition(":")[0], side) for policy, side in CASES}
    assert {(name, side) for name in our_policies() for side in sides_of(policy_factory(name))} <= stored
    assert all(len(STORED["decisions"][policy][side]) == 20 for policy, side in CASES)
