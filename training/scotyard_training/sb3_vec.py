"""The native batch as a Stable-Baselines3 VecEnv: thousands of games of one learning side in one process.

    games = VecMonitor(ScotlandYardVecEnv(256, side="mr_x", opponent="random", board="docklands"))
    model = MaskablePPO("MultiInputPolicy", games, n_steps=64, batch_size=2048)

A game that ends is dealt anew in the same step; its info has ``terminal_observation``, ``winner`` and ``is_success``,
and ``illegal_actions`` since the reset once there was one. The infos of the others are empty. MaskablePPO asks for the
masks itself, so observations come without them. What is not scaled for a plain network (a ``"compact"`` observation,
``links``, ``move_ids``) needs a features extractor that embeds it, or is left out.
"""

from collections.abc import Collection
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from scotyard_env.vector import Arrays, ScotlandYardVectorEnv

Infos = list[dict[str, Any]]


class ScotlandYardVecEnv(VecEnv):
    """Many games of one learning side against policies; what to play is said as to ``scotyard_env.make_vec``."""

    def __init__(self, num_envs: int, *, leave_out: Collection[str] = ("action_mask",), **settings: Any) -> None:
        self.games = ScotlandYardVectorEnv(num_envs, copy=False, **settings)
        self.side = self.games.duel.side
        self.render_mode = None  # the constructor of VecEnv asks for it
        entries = self.games.encoder.observation_space.spaces
        if isinstance(leave_out, str) or not set(leave_out) < entries.keys():
            raise ValueError(f"leave_out is {leave_out!r}: give some of {', '.join(entries)}, but not all")
        kept = {name: space for name, space in entries.items() if name not in leave_out}
        super().__init__(num_envs, spaces.Dict(kept), self.games.encoder.action_space)
        self._names = tuple(kept)
        self._nothing: Infos = [{} for _ in range(num_envs)]  # the infos of games that go on, the same at every step

    def reset(self) -> Arrays:
        """Deal every game anew; after ``seed`` in the way that the seed says."""
        options = next(filter(None, self._options), None)
        arrays, _ = self.games.reset(seed=self._seeds[0], options=options)
        self._reset_seeds()
        return self._copy(arrays)

    def observe(self) -> Arrays:
        """Return what every game shows now."""
        return self._copy(self.games.observe_all())

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learner's actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Arrays, NDArray[np.float32], NDArray[np.bool_], Infos]:
        """Play them, and the opponents' up to the learner's next decisions; an illegal one forfeits its game."""
        arrays, rewards, ended, _, final = self.games.step(self._actions)
        infos = self._nothing.copy()
        for game in np.flatnonzero(ended):
            last, winner = final["final_obs"][game], final["final_info"]["winner"][game]
            infos[game] = {
                "terminal_observation": {name: last[name] for name in self._names},
                "winner": winner,
                "is_success": winner == self.side,
            }
            if "illegal_actions" in final:
                infos[game]["illegal_actions"] = int(final["illegal_actions"][game])
        return self._copy(arrays), rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Close the games."""
        self.games.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions of every game, (games, actions)."""
        return self.games.action_masks()

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Ask games for their ``action_masks``, the one method they have; the answer is one array, a row for each."""
        if method_name != "action_masks":
            raise AttributeError(f"a game in a batch has no method {method_name!r}: it has action_masks")
        masks = self.action_masks(*args, **kwargs)
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether there is such an attribute; all games share theirs."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute once for each game asked for."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all games."""
        if {*self._get_indices(indices)} != {*range(self.num_envs)}:
            raise ValueError(f"the games share {attr_name!r}: set it for all of them, without indices")
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Tell that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def _copy(self, arrays: Arrays) -> Arrays:
        """Copy what the learner keeps: the batch writes its next observations into the same arrays."""
        return {name: arrays[name].copy() for name in self._names}
