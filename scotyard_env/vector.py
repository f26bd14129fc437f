"""Thousands of games at once as a Gymnasium VectorEnv: one side learns, policies play the other.

    envs = scotyard_env.make_vec(1024, side="detectives", opponent={"random": 1, "greedy": 2})

A game that ends is dealt anew in the same step (``AutoresetMode.SAME_STEP``): its last observation is in
``infos["final_obs"]``, who won it in ``infos["final_info"]["winner"]``. Observations are those of encode/, written by
compiled loops into arrays that the environment owns and, unless ``copy=False``, copied out of them.
"""

import functools
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from scotyard_env.batch import Batch, Games, Part
from scotyard_env.board import Board
from scotyard_env.duel import Duel, Opponent
from scotyard_env.encode import Encoder, ObservationKind
from scotyard_env.game import check_seed
from scotyard_env.notation import ActionDescription, describe_action
from scotyard_env.policy import Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.shell import NOT_BEGUN, Illegal, take_rows
from scotyard_env.state import WINNERS

Arrays = dict[str, NDArray[Any]]
_WINNERS = np.array(WINNERS, object)


class ScotlandYardVectorEnv(VectorEnv[Arrays, NDArray[np.int64], NDArray[Any]]):
    """Many games of one learning side against policies in compiled loops; ``make_vec`` describes the arguments."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        num_envs: int = 1,
        side: Side = "detectives",
        opponent: Opponent = "random",
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        detectives: int | None = None,
        observation: ObservationKind = "flat",
        belief: bool = False,
        moves: bool = False,
        copy: bool = True,
        illegal: Illegal = "terminate",
        threads: int = 1,
    ) -> None:
        if not isinstance(num_envs, int | np.integer) or isinstance(num_envs, bool) or num_envs < 1:
            raise ValueError(f"num_envs is {num_envs!r}: give a whole number of at least 1")
        self.batch = Batch(num_envs, board, rules, detectives=detectives, illegal=illegal, threads=threads)
        self.duel = Duel(self.batch, side, opponent)
        self.encoder = Encoder(self.batch.board, self.batch.rules, observation, belief, moves)
        self.num_envs = num_envs
        self.single_action_space = self.encoder.action_space
        self.single_observation_space = self.encoder.observation_space
        self.copy = copy
        self._arrays = self.encoder.new_arrays(num_envs)
        self._lent = {name: _read_only(array) for name, array in self._arrays.items()}
        self._written = self.encoder.new_written(num_envs)
        self._is_begun = False

    @functools.cached_property
    def action_space(self) -> Space[NDArray[np.int64]]:  # type: ignore[override]  # which can be written to
        """The actions of all games, made when it is first asked for."""
        return batch_space(self.single_action_space, self.num_envs)

    @functools.cached_property
    def observation_space(self) -> Space[Arrays]:  # type: ignore[override]
        """The observations of all games, made when it is first asked for: its bounds take more room than the games."""
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Deal every game anew; without a seed chance goes on where it was."""
        if options:
            raise ValueError(f"options are {options!r}: a reset of many games takes none")
        if isinstance(seed, Sequence | np.ndarray):
            seed = self._mix(seed)
        self.batch.reset(seed)
        self.duel.begin()
        self._is_begun = True
        return self.observe_all(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Arrays, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the learner's action in every game; an illegal one forfeits its game, or raises.

        Once there was an illegal action, ``infos["illegal_actions"]`` counts them by game since the reset.
        """
        self._check_begun()
        given = self.batch.check_actions(actions)
        self._rewards = np.zeros(self.num_envs)
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._endings: list[tuple[Games, NDArray[np.int8], Arrays]] = []
        problems = self.batch.share(lambda part: self._step(part, given[part.rows]))
        self.batch.warn_once(next(filter(None, problems), None), stacklevel=2)
        return self._show(), self._rewards, self._ended, np.zeros(self.num_envs, np.bool_), self._infos()

    def _step(self, part: Part, actions: NDArray[np.int64]) -> str | None:
        """Play and observe a part of the games; return what is wrong with the first illegal action."""
        problem = self.duel.step_part(part, actions, self._settle)
        self.batch.observe(self.encoder, self._arrays, part.games, written=self._written)
        return problem

    def describe(self, action: int | str) -> ActionDescription:
        """Tell where an action leads and what pays for it, ``.station`` and ``.fare``; as text ``"taxi to 46"``."""
        return describe_action(self.batch.board, action)

    def _mix(self, seeds: Sequence[int | None] | NDArray[np.integer[Any]]) -> int | None:
        """Return one seed of one for each game, since the games share their chance; None if one of them is."""
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} games: give one for each, or one for all")
        for seed in seeds:
            check_seed(seed)
        given = [int(seed) for seed in seeds if seed is not None]
        if len(given) < len(seeds):
            return None
        return int.from_bytes(np.random.SeedSequence(given).generate_state(4).tobytes(), "little")

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions of every game."""
        self._check_begun()
        return self._arrays["action_mask"].astype(np.bool_)

    def _check_begun(self) -> None:
        if not self._is_begun:
            raise ValueError(NOT_BEGUN)

    def observe_all(self) -> Arrays:
        """Write and return the observations of all games as they are now, by their seats to move.

        For who changes games from outside, by ``batch``; ``reset`` and ``step`` return them anyway.
        """
        self.batch.observe(self.encoder, self._arrays, written=self._written)
        return self._show()

    def _show(self) -> Arrays:
        return {name: array.copy() for name, array in self._arrays.items()} if self.copy else self._lent.copy()

    def _settle(self, games: Games) -> None:
        """Take down how some games ended, before they are dealt anew."""
        self._rewards[games] = self.duel.rewards(games)
        self._ended[games] = True
        arrays = self.encoder.new_arrays(len(games))
        rows = self.batch.games[: len(games)]
        self.encoder.write(self.batch.states, self.duel.deciders[games], rows, arrays, games=games)
        self._endings.append((games, self.batch.winners[games], arrays))

    def _infos(self) -> dict[str, Any]:
        """Tell how the games that were over in this step ended, and how many illegal actions there were."""
        infos: dict[str, Any] = {}
        if self._endings:
            final_obs, winners = np.empty(self.num_envs, object), np.empty(self.num_envs, object)  # of None
            for games, won, arrays in self._endings:
                winners[games] = _WINNERS[won]
                for game, shown in zip(games.tolist(), take_rows(arrays), strict=True):
                    final_obs[game] = shown
            final_info = {"winner": winners, "_winner": self._ended}
            infos.update(final_obs=final_obs, _final_obs=self._ended, final_info=final_info, _final_info=self._ended)
        if self.batch.has_illegal:
            counts = self.batch.illegal_actions.copy()
            infos.update(illegal_actions=counts, _illegal_actions=counts > 0)
        return infos


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Lend an array out for reading, for good."""
    return np.asarray(memoryview(cast(Any, array)).toreadonly())


def make_vec(
    num_envs: int = 1,
    side: Side = "detectives",
    opponent: Opponent = "random",
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    detectives: int | None = None,
    observation: ObservationKind = "flat",
    belief: bool = False,
    moves: bool = False,
    copy: bool = True,
    illegal: Illegal = "terminate",
    threads: int = 1,
) -> ScotlandYardVectorEnv:
    """Make a Gymnasium vector environment: many games in which one side learns and policies play the other.

    A game that ends is dealt anew in the same step; its last observation is in ``infos["final_obs"]``.

    Args:
        num_envs: The number of games.
        side: The side that learns, ``"mr_x"`` or ``"detectives"``.
        opponent: Who plays the other side: a policy or its name; a list of them, of which each game draws one; or a
            dict of them with weights.
        board: The map: a Board, its name or a ``.json`` file; by default that of the rules, else London.
        rules: The edition: a RuleSet, its name or a ``.json`` file; by default that of the board, else ``"classic"``.
        detectives: The number of detectives, 1 to 5; by default what the rules say.
        observation: The kind of observation: ``"flat"`` (one float32 vector), ``"compact"`` (one uint8 vector),
            ``"graph"`` (features of stations and links) or ``"flat_viewer_first"`` (the flat vector of version 0.1.0).
        belief: Whether a flat or graph observation has the probability of Mr. X at each station, by path counts.
        moves: Whether an observation lists the legal actions with a row of features each (``move_ids``,
            ``move_features``).
        copy: Whether ``step`` returns copies of the observations; else it returns views of arrays that the next step
            overwrites.
        illegal: What an illegal action does: ``"terminate"`` forfeits the game, ``"raise"`` raises an error and
            changes nothing.
        threads: The number of threads that share the games, 1,024 at a time; the same games are played with any number.

    Returns:
        The environment; call ``reset`` to deal the games.

    """
    return ScotlandYardVectorEnv(
        num_envs, side, opponent, board, rules, detectives, observation, belief, moves, copy, illegal, threads
    )
