"""Our policies in OpenSpiel: as bots, which play, and as a policy, which tells the probabilities of its actions."""

from typing import Any

import pyspiel
from open_spiel.python import policy as openspiel_policy

from scotyard_env.behaviour import Probabilities, Sampler
from scotyard_env.openspiel.state import PLAYERS, ScotlandYardState
from scotyard_env.policy import SIDES, Policy, PolicyLike, check_fit, make_policy
from scotyard_env.rng import side_rngs
from scotyard_env.view import View


class ScotlandYardBot(pyspiel.Bot):
    """Lets any policy of ours, a name or an object, play for a player: ``ScotlandYardBot("hunters", 1, seed=7)``."""

    def __init__(self, policy: PolicyLike, player: int, seed: int | None = None) -> None:
        super().__init__()
        if player not in PLAYERS:
            raise ValueError(f"there is no player {player!r}: 0 is Mr. X, 1 the detectives")
        self.policy = make_policy(policy, SIDES[player])
        self._player = player
        self._rng = side_rngs(seed)[player]

    def player_id(self) -> int:
        """Return the player that it plays for."""
        return self._player

    def restart_at(self, state: ScotlandYardState) -> None:
        """Begin a game, or refuse one that the policy cannot play."""
        game = _check_game(state.get_game())
        check_fit(self.policy, game.board, game.rules, SIDES[self._player])

    def restart(self) -> None:
        """Begin another game: nothing is kept from one to the next."""

    def inform_action(self, state: ScotlandYardState, player: int, action: int) -> None:
        """Take note of nothing: all that there is to know is in the view."""

    def step(self, state: ScotlandYardState) -> int:
        """Decide."""
        _check_game(state.get_game())
        return self.policy.act(state.view(self._player), self._rng).action

    def provides_policy(self) -> bool:
        """Tell that it gives probabilities too: of its action alone where the policy tells none."""
        return True

    def step_with_policy(self, state: ScotlandYardState) -> tuple[list[tuple[int, float]], int]:
        """Decide, and tell the probabilities of all legal actions."""
        view = state.view(self._player)
        decision = self.policy.act(view, self._rng)
        told = dict(decision.probabilities) or {decision.action: 1.0}
        return [(action, told.get(action, 0.0)) for action in view.legal], decision.action


class BehaviourPolicy(openspiel_policy.Policy):
    """Our policies as one of OpenSpiel, for its exploitability and the like; either side may be left out.

    A policy that tells no probabilities is asked ``draws`` times with every view, and taken to play with these
    frequencies.
    """

    def __init__(
        self,
        game: Any,
        mr_x: PolicyLike | None = None,
        detectives: PolicyLike | None = None,
        *,
        draws: int = 100,
        seed: int = 0,
    ) -> None:
        given = {player: policy for player, policy in enumerate((mr_x, detectives)) if policy is not None}
        super().__init__(_check_game(game), list(given))
        self._samplers = {player: Sampler(self._make(policy, player), draws, seed) for player, policy in given.items()}
        self._found: dict[tuple[int, bytes], Probabilities] = {}

    def _make(self, policy: PolicyLike, player: int) -> Policy:
        made = make_policy(policy, SIDES[player])
        check_fit(made, self.game.board, self.game.rules, SIDES[player])
        return made

    def action_probabilities(self, state: ScotlandYardState, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action."""
        player = state.current_player() if player_id is None else int(player_id)
        view = state.view(player)
        told = self._probabilities(view, player)
        return {action: told.get(action, 0.0) for action in view.legal}

    def _probabilities(self, view: View, player: int) -> Probabilities:
        """Ask with each view once: what is drawn must not change from one history to another that looks the same."""
        key = player, view.states.tobytes()
        if key not in self._found:
            if player not in self._samplers:
                raise ValueError(f"no policy was given for {SIDES[player]}: BehaviourPolicy(game, {SIDES[player]}=...)")
            self._found[key] = self._samplers[player].probabilities(view)
        return self._found[key]


def _check_game(game: Any) -> Any:
    """Return a game if it is Scotland Yard."""
    name = game.get_type().short_name
    if not hasattr(game, "board"):
        raise ValueError(f"our policies play python_scotland_yard, not {name}")
    return game
