"""One side as a plain Gymnasium environment: a learner decides for it, policies play the other inside ``step``.

    env = scotyard_env.make_solo(side="mr_x", opponent="greedy")
    observation, info = env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(observation["action_mask"]))

The reward is +1 for a game won, -1 for one lost, and goes to the learner's last decision. ``action_masks()`` is what
MaskablePPO asks for. A learner of ``"detectives"`` decides for one detective after the other; ``info["seat"]`` says
for which.
"""

import warnings
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from scotyard_env.batch import Batch
from scotyard_env.board import Board
from scotyard_env.duel import Duel, Opponent
from scotyard_env.encode import Encoder, ObservationKind
from scotyard_env.game import IllegalMoveError, PositionError
from scotyard_env.notation import ActionDescription, describe_action
from scotyard_env.playing import FIRST_GAME, explain_illegal, read_action
from scotyard_env.policy import Side
from scotyard_env.rng import policy_rng
from scotyard_env.ruleset import RuleSet
from scotyard_env.shell import (
    NOT_BEGUN,
    RENDER_MODES,
    Illegal,
    RenderMode,
    Screen,
    check_illegal,
    start_from,
    take_row,
)
from scotyard_env.state import PLAYING, WINNERS
from scotyard_env.view import View

Observation = dict[str, NDArray[Any]]


class ScotlandYardSoloEnv(gymnasium.Env[Any, Any]):
    """One game after the other of one learning side against policies; ``make_solo`` describes the arguments."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        side: Side = "detectives",
        opponent: Opponent = "random",
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        detectives: int | None = None,
        observation: ObservationKind = "flat",
        belief: bool = False,
        moves: bool = False,
        illegal: Illegal = "terminate",
        render_mode: RenderMode | None = None,
    ) -> None:
        self.illegal = check_illegal(illegal)
        self._screen = Screen(render_mode)
        self.render_mode = render_mode
        self.batch = Batch(1, board, rules, detectives=detectives, illegal="terminate")
        self.duel = Duel(self.batch, side, opponent)
        self.encoder = Encoder(self.batch.board, self.batch.rules, observation, belief, moves)
        self.action_space = self.encoder.action_space
        self.observation_space = self.encoder.observation_space
        self._observation: Observation | None = None  # none before the first reset

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game, or begin where the options ``stations``, ``tickets`` and ``possible`` say."""
        super().reset(seed=seed)
        if seed is not None:
            self.np_random = policy_rng(seed, "learner")  # that of Gymnasium would tell the deal
        start = start_from(self.batch.board, self.batch.rules, options)
        if start is not None and start.winner != PLAYING:
            raise PositionError(f"these options leave nothing to play: {WINNERS[start.winner]} won before any move")
        if seed is not None:
            self.batch.reset(seed)
        elif start is None:
            self.batch.deal(FIRST_GAME)
        if start is not None:
            self.batch.states[0] = start
        self.duel.begin()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponents' up to its next decision; an illegal one forfeits the game."""
        self._check_begun()
        if self.batch.winners[0] != PLAYING:
            raise ValueError("the game is over: call reset() for the next one")
        played = np.array([read_action(self.batch.board, action)])
        if not self.batch.are_legal(FIRST_GAME, played)[0]:
            problem = explain_illegal(self._view(), action)
            if self.illegal == "raise":
                raise IllegalMoveError(problem)
            warnings.warn(f"{problem}; the game is forfeited", stacklevel=2)
        self.duel.step(played)
        reward = float(self.duel.rewards(FIRST_GAME)[0])
        return self._observe(), reward, reward != 0.0, False, self._info()

    def describe(self, action: int | str) -> ActionDescription:
        """Tell where an action leads and what pays for it, ``.station`` and ``.fare``; as text ``"taxi to 46"``."""
        return describe_action(self.batch.board, action)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions."""
        return self._check_begun()["action_mask"].astype(np.bool_)

    def render(self) -> Any:
        """Show the game as the learner's seat knows it: text, an array or a window, as ``render_mode`` says."""
        return self._screen.render(self._view)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def _view(self) -> View:
        self._check_begun()
        return View(self.batch.board, self.batch.rules, self.batch.states[0], self._viewer)

    @property
    def _viewer(self) -> int:
        """The seat that decides, or that decided last."""
        is_over = self.batch.winners[0] != PLAYING
        return int(self.duel.deciders[0] if is_over else self.batch.seats[0])

    def _check_begun(self) -> Observation:
        if self._observation is None:
            raise ValueError(NOT_BEGUN)
        return self._observation

    def _observe(self) -> Observation:
        arrays = self.encoder.new_arrays(1)
        self.batch.observe(self.encoder, arrays, FIRST_GAME, np.array([self._viewer]))
        self._observation = take_row(arrays, 0)
        if self.render_mode == "human":
            self.render()
        return self._observation

    def _info(self) -> dict[str, Any]:
        winner = WINNERS[self.batch.winners[0]]
        return {"seat": self._viewer} if winner is None else {"seat": self._viewer, "winner": winner}


def make_solo(
    side: Side = "detectives",
    opponent: Opponent = "random",
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    detectives: int | None = None,
    observation: ObservationKind = "flat",
    belief: bool = False,
    moves: bool = False,
    illegal: Illegal = "terminate",
    render_mode: RenderMode | None = None,
) -> ScotlandYardSoloEnv:
    """Make a Gymnasium environment in which one side learns and policies play the other inside ``step``.

    The reward is +1 for a game won and -1 for one lost, given to the learner's last decision of the game.

    Args:
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
        illegal: What an illegal action does: ``"terminate"`` forfeits the game, ``"raise"`` raises an error and
            changes nothing.
        render_mode: What ``render`` does: ``"ansi"`` returns text, ``"rgb_array"`` an image, ``"human"`` shows a
            window; None renders nothing.

    Returns:
        The environment; call ``reset`` to deal a game.

    """
    return ScotlandYardSoloEnv(
        side, opponent, board, rules, detectives, observation, belief, moves, illegal, render_mode
    )
