"""``sb3:``: a model of Stable-Baselines3 as a policy, from the file that ``model.save`` wrote.

PPO, A2C and DQN of Stable-Baselines3 and MaskablePPO of sb3-contrib, trained on ``make_solo``, ``gymnasium.make`` or
``ScotlandYardVecEnv``. What the model was shown is recognised from its spaces: a dict of any of the arrays that an
encoder writes, the array ``observation`` alone, or what Gymnasium's ``FlattenObservation`` makes of the dict. Only
legal actions are played, whether the model was trained with masks or not. Both sides have the same spaces, so that a
model does not tell which one it was trained for.
"""

import dataclasses
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from scotyard_env.board import Board
from scotyard_env.encode import Encoder
from scotyard_env.encode.encoder import KINDS
from scotyard_env.explanation import Explains
from scotyard_env.policy import Decision, PolicyError, Side
from scotyard_env.ruleset import RuleSet
from scotyard_env.testing.positions import list_settings
from scotyard_env.vector import Arrays
from scotyard_env.view import View, Views

TOLD = 3  # settings that fit a model and are named where the one asked for does not


@dataclasses.dataclass(frozen=True)
class Sb3Player(Explains):
    """Play what a model of Stable-Baselines3 has learned: PPO, MaskablePPO, A2C or DQN."""

    file: str
    deterministic: bool = False  # the likeliest action, else one drawn by its probability; DQN does the former anyway
    belief: bool = False  # of a graph observation, whose spaces do not tell: it had the belief

    def __post_init__(self) -> None:
        self._model()

    @property
    def files(self) -> tuple[str, ...]:
        """The file whose content decides how it plays."""
        return (self.file,)

    def check_fit(self, board: Board, rules: RuleSet, side: Side) -> None:
        """Refuse games whose observations and actions are not those of the model."""
        if self._model().find_reader(board, rules, self.belief) is None:
            asked = f"{board.name} by {rules.name} with {rules.detectives} detectives"
            raise PolicyError(f"{self.file} does not fit {asked}: {self._model().explanation}")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose an action."""
        return Decision(int(self.act_batch(Views(view.board, view.rules, view.states), rng)[0]))

    def act_batch(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one action for each of many views."""
        model = self._model()
        reader = model.find_reader(views.board, views.rules, self.belief)
        if reader is None:
            raise PolicyError(f"{self.file} does not fit {views.board.name}: {model.explanation}")
        scores, ids = reader.score(model.network, views)
        if self.deterministic or not model.draws:
            slots = scores.argmax(1)
        else:
            reached = np.exp(scores - scores.max(1, keepdims=True)).cumsum(1)
            slots = (reached <= rng.random((len(scores), 1)) * reached[:, -1:]).sum(1)
        return np.take_along_axis(ids, slots[:, None], 1)[:, 0]

    def _model(self) -> "Model":
        try:
            stamp = Path(self.file).stat()
        except OSError as error:
            raise ValueError(f"{self.file}: {error.strerror}") from error
        return load_model(self.file, (stamp.st_mtime_ns, stamp.st_size))


class EncoderReader(NamedTuple):
    """Shows a model what an encoder writes."""

    encoder: Encoder
    names: tuple[str, ...]  # of the arrays that the model was shown
    is_flattened: bool  # all of them in one array

    def score(self, network: Any, views: Views) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the scores of all actions, minus infinity where they are not legal, and the actions."""
        arrays = self.encoder.new_arrays(len(views))
        self.encoder.write(views.states, views.states["seat"].astype(np.int64), np.arange(len(views)), arrays)
        shown: Any = {name: arrays[name] for name in self.names}
        if self.is_flattened:
            shown = np.concatenate([array.reshape(len(views), -1) for array in shown.values()], axis=1)
        scores = score_actions(network, shown)
        ids = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
        return np.where(arrays["action_mask"] > 0, scores, -np.inf), ids


class ScorerReader(NamedTuple):
    """Shows the move scorer, trained by ``scotyard train sb3``, what it reads."""

    def score(self, network: Any, views: Views) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the scores of the legal moves, and their actions."""
        import torch

        from scotyard_training.learning.padded_inputs import pad_inputs

        with torch.no_grad():
            moves = network.get_distribution(network.obs_to_tensor(pad_inputs(views))[0])
        return moves.log_probs.numpy().astype(np.float64), moves.ids.numpy()


class Model:
    """A network with the spaces that it was trained on."""

    def __init__(self, network: Any) -> None:
        self.network = network
        self.draws = hasattr(network, "get_distribution")  # if not, it knows values of actions and no probabilities
        self._shown: spaces.Space[Any] = network.observation_space
        self._actions: spaces.Space[Any] = network.action_space
        self._find = functools.lru_cache(maxsize=8)(self._find_anew)

    def find_reader(self, board: Board, rules: RuleSet, belief: bool) -> EncoderReader | ScorerReader | None:
        """Return what shows the model views of these games; None if they are not those it was trained for."""
        return self._find(board, rules, belief)

    def _find_anew(self, board: Board, rules: RuleSet, belief: bool) -> EncoderReader | ScorerReader | None:
        if isinstance(self._shown, spaces.Dict) and "ids" in self._shown.spaces:
            return ScorerReader() if self._shown["belief"].shape == (board.stations,) else None
        for encoder in list_encoders(board, rules, belief):
            if encoder.action_space != self._actions:
                return None
            for names, is_flattened, space in list_forms(encoder):
                if are_alike(space, self._shown):
                    shown = self._shown.spaces if isinstance(self._shown, spaces.Dict) else names
                    return EncoderReader(encoder, tuple(shown), is_flattened)
        return None

    @functools.cached_property
    def explanation(self) -> str:
        """What the model was shown, and which of the games that we know show the like."""
        fitting = [setting for setting in list_settings() if self.find_reader(*setting, False) is not None]
        named = [f"{board.name} by {rules.name} with {rules.detectives}" for board, rules in fitting[:TOLD]]
        others = f"; it fits {', '.join(named)}" if named else ""
        return f"it was trained on {tell(self._shown)} and {tell(self._actions)}{others}"


def list_encoders(board: Board, rules: RuleSet, belief: bool) -> Iterator[Encoder]:
    """List the encoders of a game: every kind of observation, with and without belief and moves."""
    for kind in KINDS:
        beliefs = {"compact": (False,), "graph": (belief,)}.get(kind, (False, True))
        for with_belief in beliefs:
            for moves in (False, True):
                yield Encoder(board, rules, kind, with_belief, moves)


def list_forms(encoder: Encoder) -> Iterator[tuple[tuple[str, ...], bool, spaces.Space[Any]]]:
    """List how the arrays of an encoder may be shown: their names, whether they are one array, and the space."""
    entries = encoder.observation_space.spaces
    yield tuple(entries), False, encoder.observation_space
    yield ("observation",), True, entries["observation"]
    for left_out in ((), ("action_mask",)):
        kept = {name: space for name, space in entries.items() if name not in left_out}
        yield tuple(kept), True, spaces.flatten_space(spaces.Dict(kept))


def are_alike(written: spaces.Space[Any], shown: spaces.Space[Any]) -> bool:
    """Tell whether what is written has all that a model was shown, in arrays of the same shapes and types."""
    if isinstance(shown, spaces.Dict):
        if not isinstance(written, spaces.Dict) or not shown.spaces.keys() <= written.spaces.keys():
            return False
        return all(are_alike(written[name], space) for name, space in shown.spaces.items())
    return type(written) is type(shown) and written.shape == shown.shape and written.dtype == shown.dtype


def score_actions(network: Any, shown: Arrays | NDArray[Any]) -> NDArray[np.float64]:
    """Return the log probabilities of all actions, or their values where a network knows those alone."""
    import torch

    with torch.no_grad():
        tensors = network.obs_to_tensor(shown)[0]
        if hasattr(network, "q_net"):
            scores = network.q_net(tensors)
        else:
            scores = network.get_distribution(tensors).distribution.logits
    return scores.numpy().astype(np.float64)  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=8)
def load_model(file: str, stamp: tuple[int, int]) -> Model:  # noqa: ARG001
    """Return the model in a file, read again only where the file has changed."""
    from stable_baselines3.common.save_util import load_from_zip_file

    try:
        data, parameters, _ = load_from_zip_file(file, device="cpu")
        assert data is not None
        given = data["observation_space"], data["action_space"], lambda _: 0.0
        network = data["policy_class"](*given, **data["policy_kwargs"])
        network.load_state_dict(parameters["policy"])
    except Exception as error:  # whatever a file of unknown make may do
        raise ValueError(
            f"{file} holds no model of Stable-Baselines3 that can be played: {type(error).__name__}: {error}"
        ) from error
    network.set_training_mode(False)
    if hasattr(network, "lstm_actor"):
        raise ValueError(f"{file} remembers what it was shown before (RecurrentPPO), which a policy cannot do")
    if not hasattr(network, "q_net") and not hasattr(network, "get_distribution"):
        raise ValueError(f"{file} is a {type(network).__name__}: give a model of PPO, MaskablePPO, A2C or DQN")
    return Model(network)


def tell(space: spaces.Space[Any]) -> str:
    """Say what is in a space."""
    if isinstance(space, spaces.Dict):
        return ", ".join(f"{name} {one.shape}" for name, one in space.spaces.items())
    return f"{space.n} actions" if isinstance(space, spaces.Discrete) else f"an array {space.shape}"
