"""Scotland Yard with PettingZoo's parallel API, by turn-based conversion of the AEC environment.

Every agent acts in every step, and only the action of the agent to move counts.
"""

from typing import Any

from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from scotyard_env.aec import Observation, ScotlandYardEnv
from scotyard_env.board import Board
from scotyard_env.encode import ObservationKind
from scotyard_env.notation import ActionDescription, describe_action
from scotyard_env.rules import pass_action
from scotyard_env.ruleset import RuleSet
from scotyard_env.shell import Illegal, RenderMode


class ScotlandYardParallelEnv(turn_based_aec_to_parallel_wrapper):
    """Scotland Yard with PettingZoo's parallel API: only the action of the agent to move counts.

    The others are open to PASS, so that nobody has to sample from an empty mask.
    """

    def describe(self, action: int | str) -> ActionDescription:
        """Tell where an action leads and what pays for it, as the AEC environment does."""
        return describe_action(self.aec_env.board, action)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Deal a new game."""
        observations, infos = super().reset(seed, options)
        return self._open_pass(observations), infos

    def step(self, actions: dict[str, Any]) -> Any:
        """Play the action of the agent to move."""
        observations, *rest = super().step(actions)
        return self._open_pass(observations), *rest

    def _open_pass(self, observations: dict[str, Observation]) -> dict[str, Observation]:
        idle = int(pass_action(self.aec_env.board.arrays))
        for observation in observations.values():
            if not observation["action_mask"].any():
                observation["action_mask"][idle] = 1
                if "move_ids" in observation:
                    observation["move_ids"][0] = idle
        return observations


def parallel_env(
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    detectives: int | None = None,
    observation: ObservationKind = "flat",
    belief: bool = False,
    moves: bool = False,
    illegal: Illegal = "terminate",
    render_mode: RenderMode | None = None,
    render_as: str = "spectator",
) -> ScotlandYardParallelEnv:
    """Make Scotland Yard with PettingZoo's parallel API, in which every agent acts in every step.

    Only the action of the agent to move counts, those of the others are ignored. The arguments are those of ``make``.

    Args:
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
        render_as: Whose knowledge ``render`` shows: that of an agent, or of a ``"spectator"``, who sees everything once
            the game is over.

    Returns:
        The environment; call ``reset`` to deal a game.

    """
    return ScotlandYardParallelEnv(
        ScotlandYardEnv(board, rules, detectives, observation, belief, moves, illegal, render_mode, render_as)
    )
