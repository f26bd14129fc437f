"""Scotland Yard as a PettingZoo AEC environment.

| Import             | ``from scotyard_env import scotland_yard_v0``, or ``scotyard_env.make()``            |
|--------------------|---------------------------------------------------------------------------------------|
| Name               | ``pettingzoo.make("aec", "scotyard_env/scotland_yard-v0")``                           |
| Actions            | Discrete, with an action mask                                                         |
| Parallel API       | Yes, by turn-based conversion (``parallel_env``)                                      |
| Manual control     | No; ``scotyard play`` and ``scotyard web`` let people play                            |
| Agents             | 2 to 6; 6 by the classic rules                                                        |
| Agent names        | ``mr_x``, ``detective_1`` .. ``detective_5``                                          |
| Action space       | ``Discrete(4 * stations + 2)``; London: 798 actions                                   |
| Observation space  | ``Dict(observation, action_mask)``; London, flat: ``Box(0, 10, (1759,), float32)``    |
| State space        | ``Box``: the flat observation of Mr. X, who knows everything                          |
| Length of a game   | At most 24 rounds by the classic rules                                                |

Mr. X moves through London unseen. The ticket of every move is public, and at given entries of his log he has to reveal
his station. Up to five detectives play as one team: they move after him and win by landing on his station, or when he
has no legal move. He wins by staying free until his log is full, the last round is over, or no detective can move.

### Observation

All agents have the same observation space, and every observation is made from what its agent may know. There are three
kinds: ``observation="flat"`` is one float32 vector, ``"compact"`` one uint8 vector, ``"graph"`` has features of the
stations and the game, and the links. ``belief=True`` adds the probability of Mr. X at each station, ``moves=True`` the
legal actions with a row of features each. ``env.encoder.layout`` names the parts of a vector and takes it apart;
``scotyard_env.encode`` describes them all. (``"flat_viewer_first"`` is the flat vector of version 0.1.0.)

``action_mask`` is 1 for every legal action of the agent to move, and all 0 for the other agents. ``env.state()``
returns the whole truth, for centralised critics.

### Action

A move is a station to reach and a fare to pay: ``4 * (station - 1) + fare``, with fares 0 taxi, 1 bus, 2 underground
and 3 black. ``4 * stations`` announces a double move, which takes three actions of Mr. X in a row: the announcement
and two moves. ``4 * stations + 1`` passes; it is legal only for a detective who cannot move. ``env.describe(action)``
decodes an action: ``.station``, ``.fare``, and ``"taxi to 46"`` as text (``env.unwrapped.describe`` inside wrappers).

An illegal action forfeits the game (``illegal="terminate"``): its side gets -1, the other side +1, all agents
terminate, and a warning lists the legal moves, but never those of Mr. X. With ``illegal="raise"`` it raises an error
and changes nothing.

### Rewards

Zero while the game goes on. At the end the side that won gets +1 and the other -1; all detectives get the same. The
game is zero-sum between the two sides.

### Version history

* v0: Initial release. Version 0.2.0 of the package lists detectives in a flat observation by their seats; the order of
  0.1.0, with the viewer first, is ``observation="flat_viewer_first"``.
"""

import copy
import warnings
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from scotyard_env.board import Board
from scotyard_env.encode import Encoder, ObservationKind
from scotyard_env.game import IllegalMoveError, check_seed, deal
from scotyard_env.notation import ActionDescription, describe_action
from scotyard_env.playing import FIRST_GAME, explain_illegal, play_if_legal, read_action
from scotyard_env.ruleset import RuleSet, resolve
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
from scotyard_env.state import DETECTIVES_WIN, MAX_SEATS, MR_X, MR_X_WINS, PLAYING, SEATS, SPECTATOR, new_states
from scotyard_env.view import View

Observation = dict[str, NDArray[Any]]


class ScotlandYardEnv(AECEnv[str, Observation, int | None]):
    """Scotland Yard, one agent after the other; ``make`` describes the arguments."""

    metadata = {  # noqa: RUF012  # as PettingZoo has it
        "name": "scotland_yard_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": True,
        "render_fps": 2,
    }

    def __init__(
        self,
        board: str | Board | None = None,
        rules: str | RuleSet | None = None,
        detectives: int | None = None,
        observation: ObservationKind = "flat",
        belief: bool = False,
        moves: bool = False,
        illegal: Illegal = "terminate",
        render_mode: RenderMode | None = None,
        render_as: str = "spectator",
    ) -> None:
        super().__init__()
        self.board, self.rules = resolve(board, rules, detectives)
        self.encoder = Encoder(self.board, self.rules, observation, belief, moves)
        self.illegal = check_illegal(illegal)
        self.possible_agents = list(SEATS[: 1 + self.rules.detectives])
        self.render_mode = render_mode
        self._viewer = self._seat_of(render_as, also=("spectator",))
        self._screen = Screen(render_mode)
        self._truth = Encoder(self.board, self.rules, "flat")
        self.state_space: spaces.Space[Any] = self._truth.observation_space["observation"]
        self._rng: np.random.Generator | None = None
        self._states = new_states(1)
        self._keep_at_hand()
        self.agents: list[str] = []
        self.agent_selection = SEATS[MR_X]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same for all."""
        self._seat_of(agent)
        return self.encoder.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same for all."""
        self._seat_of(agent)
        return self.encoder.action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game, or begin where the options ``stations``, ``tickets`` and ``possible`` say."""
        check_seed(seed)
        if seed is not None or self._rng is None:
            self._rng = np.random.default_rng(seed)
        start = start_from(self.board, self.rules, options)
        self._states[0] = deal(self.board, self.rules, self._rng) if start is None else start
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = SEATS[self._states[0].seat]
        if self._states[0].winner != PLAYING:
            self._finish(int(self._states[0].winner))
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation: what it may know, and what is legal if it is to move."""
        seat = self._seat_of(agent)
        return self._encode(self.encoder, seat)

    def state(self) -> NDArray[np.float32]:
        """Return the whole truth, for centralised critics: what Mr. X observes."""
        return self._encode(self._truth, MR_X)["observation"]

    def _encode(self, encoder: Encoder, seat: int) -> Observation:
        self._check_begun()
        viewers = _ALONE[seat : seat + 1]
        arrays = encoder.new_arrays(1)
        encoder.write(self._states, viewers, FIRST_GAME, arrays)
        return take_row(arrays, 0)

    def view(self, agent: str) -> View:
        """Return what an agent may know, as scripted policies take it."""
        return self._view_of(self._seat_of(agent))

    def describe(self, action: int | str) -> ActionDescription:
        """Tell where an action leads and what pays for it, ``.station`` and ``.fare``; as text ``"taxi to 46"``."""
        return describe_action(self.board, action)

    def _view_of(self, seat: int) -> View:
        self._check_begun()
        return View(self.board, self.rules, self._states[0], seat)

    def _check_begun(self) -> None:
        if self._rng is None:
            raise ValueError(NOT_BEGUN)

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move; None for one that is done."""
        if not self.agents:
            raise ValueError(NOT_BEGUN if self._rng is None else "the game is over: call reset() for the next one")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        if play_if_legal(*self._arrays, read_action(self.board, action)):
            self.agent_selection = SEATS[self._seats[0]]
            if self._winners[0] != PLAYING:
                self._finish(int(self._winners[0]))
        else:
            self._forfeit(agent, action)
        self._show()

    def _forfeit(self, agent: str, action: object) -> None:
        problem = explain_illegal(self._view_of(SPECTATOR), action)  # whoever else hears it
        if self.illegal == "raise":
            raise IllegalMoveError(problem)
        warnings.warn(f"{problem}; the game is forfeited", stacklevel=3)
        winner = DETECTIVES_WIN if agent == SEATS[MR_X] else MR_X_WINS
        self._states[0].winner = winner
        self._finish(winner)

    def _finish(self, winner: int) -> None:
        """Give out the rewards; every agent is done."""
        reward = 1.0 if winner == MR_X_WINS else -1.0
        for agent in self.agents:
            self.rewards[agent] = reward if agent == SEATS[MR_X] else -reward
            self.terminations[agent] = True
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> Any:
        """Show the game: text, an array or a window, as ``render_mode`` says."""
        return self._screen.render(lambda: self._view_of(self._viewer))

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def clone(self) -> "ScotlandYardEnv":
        """Copy the environment in the middle of a game; the copy is independent and shows no window."""
        clone = copy.deepcopy(self)
        if clone.render_mode == "human":
            clone.render_mode = None
            clone._screen = Screen(None)
        return clone

    def get_state(self) -> dict[str, Any]:
        """Return the complete state of the game and of its random numbers, for ``set_state``."""
        kept = {name: copy.deepcopy(getattr(self, name, None)) for name in _KEPT}
        return {"settings": self._settings, **kept}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to where ``get_state`` was called, in this or in another environment of the same settings."""
        missing = [name for name in ("settings", *_KEPT) if name not in state]
        if missing:
            raise ValueError(f"this is no state of a game, it lacks {missing[0]}: give what get_state() gave")
        if state["settings"] != self._settings:
            raise ValueError("this is the state of a game on another board, or with other rules or detectives")
        for name in _KEPT:
            if name == "_states":
                self._states[0] = state[name][0]
            else:
                setattr(self, name, copy.deepcopy(state[name]))

    @property
    def _settings(self) -> tuple[str, int, RuleSet]:
        """What two environments have in common if one can go on with the other's game."""
        return self.board.name, self.board.stations, self.rules

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        for name in _AT_HAND:
            del kept[name]
        kept["_states"] = self._states.copy()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._keep_at_hand()

    def _keep_at_hand(self) -> None:
        """Keep what every step asks for: what kernels take, and the fields of the record that are read."""
        self._arrays = self.board.packed, self.rules.packed(self.board), self._states
        self._seats, self._winners = self._states["seat"], self._states["winner"]

    def _seat_of(self, agent: str, also: tuple[str, ...] = ()) -> int:
        if agent in self.possible_agents:
            return self.possible_agents.index(agent)
        if agent in also:
            return SPECTATOR
        raise ValueError(f"there is no agent {agent!r}: there are {', '.join((*self.possible_agents, *also))}")


_ALONE = np.arange(MAX_SEATS)  # the seats, of which a slice is one viewer
_AT_HAND = ("_arrays", "_seats", "_winners")
_KEPT = (  # what get_state takes down
    "_states",
    "_rng",
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "infos",
    "_skip_agent_selection",
)


def make(
    board: str | Board | None = None,
    rules: str | RuleSet | None = None,
    detectives: int | None = None,
    observation: ObservationKind = "flat",
    belief: bool = False,
    moves: bool = False,
    illegal: Illegal = "terminate",
    render_mode: RenderMode | None = None,
    render_as: str = "spectator",
) -> ScotlandYardEnv:
    """Make Scotland Yard as a PettingZoo AEC environment.

    It checks turns, bounds and legality itself: no wrapper is needed around it.

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
    return ScotlandYardEnv(board, rules, detectives, observation, belief, moves, illegal, render_mode, render_as)


env, raw_env = make, ScotlandYardEnv  # under the names that PettingZoo gives them
