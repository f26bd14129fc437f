"""The batched play loop plays all games to their end and calls its hooks around every turn."""

from __future__ import annotations

import numpy as np

from scotyard_env.batch import Batch, Games
from scotyard_env.duel import play_batch, play_games
from scotyard_env.policy import make_policy
from scotyard_env.state import DETECTIVES_WIN, MR_X, PLAYING

RANDOM = make_policy("random")


def test_all_games_are_played_to_their_end() -> None:
    batch = Batch(20, "docklands", "docklands", seed=1)
    play_batch(batch, RANDOM, RANDOM, batch.rngs)
    assert (batch.winners != PLAYING).all()
    assert play_games(RANDOM, RANDOM, 20, 1, "docklands", "docklands") == (batch.winners == DETECTIVES_WIN).sum()


def test_hooks_see_the_side_and_its_games_before_and_after_it_plays() -> None:
    batch = Batch(5, "docklands", "docklands", seed=2)
    played: list[tuple[str, list[int]]] = []

    def before(side: str, games: Games) -> None:
        assert (batch.winners[games] == PLAYING).all()
        assert ((batch.seats[games] == MR_X) == (side == "mr_x")).all()
        entries.append(batch.states["entries"][games].copy())
        played.append((side, games.tolist()))

    def after(side: str, games: Games) -> None:
        assert played[-1] == (side, games.tolist())
        if side == "detectives":
            assert (batch.states["entries"][games] == entries[-1]).all()

    entries: list[np.ndarray] = []
    play_batch(batch, RANDOM, RANDOM, batch.rngs, before=before, after=after)
    assert {side for side, _ in played} == {"mr_x", "detectives"}
