"""tracker: detectives who know the policy of Mr. X exactly and ask it where he must have gone.

The counterpart of ``exploiter``, and as unfair a player: what is left of a Mr. X against detectives who have read his
code. The game is played again from its deal for every station where he may be; at each of his turns since he was seen
last, his policy says what it would have done from there, and what does not fit the tickets that he showed loses its
weight. With this belief they plan as plain hunters do (planning/planner.py). A game that did not begin with a deal
cannot be played again: then all possible stations are alike.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.capture.times import capture_times
from scotyard_baselines.planning.node import MAX_PARTICLES
from scotyard_baselines.planning.planner import choose_by_belief, make_plain_weights, new_planner_scratch, read_decision
from scotyard_env.duel import decide
from scotyard_env.explanation import Explains
from scotyard_env.lockstep import apply_rows
from scotyard_env.policy import Decision, Policy, Side, check_nested, make_nested
from scotyard_env.ranges import Count, Range, check_ranges
from scotyard_env.rules import begin, destination, double_action, fare_of, move_action, pass_action
from scotyard_env.state import BLACK, MAX_DETECTIVES, MR_X, NOWHERE, PLAYING, State, new_states, station_list
from scotyard_env.view import View, Views

STARTS = 4  # plans that the ascent begins with: the nearest one, the others at random
NEVER = 1e-9  # weight of what he would never do: it may still have happened


@dataclass(frozen=True)
class Tracker(Explains):
    """Weigh every station by how likely this very Mr. X is to have gone there, and plan like the hunters.

    The policy to track is an object or a name; in a name, + stands for the commas between its own parameters.
    """

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    against: str | Policy = "hider"
    samples: Count = 4  # times that he is asked what he would do; 1 is enough if he leaves nothing to chance
    uniform_mix: Annotated[float, Range(1e-6, 1)] = 0.05  # share of his moves that are taken to be any that fit

    def __post_init__(self) -> None:
        check_ranges(self)
        check_nested("against", self.against, "mr_x")

    def act(self, view: View, rng: np.random.Generator) -> Decision:
        """Choose the first move of the best plan."""
        belief = self.track(view, rng)
        scratch = new_planner_scratch(view.board)
        action = choose_by_belief(
            view.board.arrays,
            capture_times(view.board),
            view.state,
            MAX_PARTICLES,
            rng.random((STARTS - 1, MAX_DETECTIVES)),
            belief,
            make_plain_weights()[0],
            scratch,
        )
        return read_decision(view, int(action), scratch)

    def track(self, view: View, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the probability of every station."""
        past, belief, possible = Past(view), np.zeros(view.board.stations + 1), view.possible
        for entry in range(view.state.entries):
            asked = self._opponent() if entry >= view.state.seen_entry else None
            if past.begins_double(entry):
                past.follow_double(self._ask(past, asked, rng), self.uniform_mix)
            past.follow_move(entry, self._ask(past, asked, rng), self.uniform_mix)
            past.move_detectives(entry)
        for state, weight in zip(past.states, past.weights, strict=True):
            belief[state.station[MR_X]] = weight
        belief[possible] += NEVER
        belief[[station for station in range(len(belief)) if station not in possible]] = 0.0
        belief /= belief.sum()
        return belief

    def _ask(self, past: "Past", policy: Policy | None, rng: np.random.Generator) -> NDArray[np.int64]:
        """Ask him several times what he would do in every state that may be; nobody is asked about what was seen."""
        if policy is None or len(past.states) == 0:
            return np.empty((0, len(past.states)), np.int64)
        views = Views(past.view.board, past.view.rules, past.states)
        return np.stack([decide(policy, views, rng) for _ in range(self.samples)])

    def _opponent(self) -> Policy:
        return make_nested(self.against, side="mr_x")


class Past:
    """A game played again: the states it may be in, one for each station where Mr. X may be, and their weights."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.fares = [deduce_fares(view, seat) for seat in range(1, view.state.seats)]
        starts = station_list(view.state.start)
        self.states, self.weights = new_states(len(starts)), np.ones(len(starts))
        for state, start in zip(self.states, starts, strict=True):
            deal_again(view, state, start)
        self._keep(self.states["winner"] == PLAYING)

    def begins_double(self, entry: int) -> bool:
        """Tell whether an entry is the first half of a double move; or one that is announced, but not finished."""
        now, rounds = self.view.state, self.view.state.log_round
        is_new = entry == 0 or rounds[entry - 1] != rounds[entry]
        return bool(is_new and entry + 1 < now.entries and rounds[entry + 1] == rounds[entry])

    def follow_double(self, answers: NDArray[np.int64], uniform_mix: float) -> None:
        """Weigh the states by whether he would have announced a double move, and announce it."""
        double = double_action(self.view.board.arrays)
        could = np.array([double in self._legal(state) for state in self.states])
        if len(answers):
            self.weights *= uniform_mix + (1.0 - uniform_mix) * (answers == double).mean(axis=0)
        self._keep(could)
        self._apply(np.full(len(self.states), double))

    def follow_move(self, entry: int, answers: NDArray[np.int64], uniform_mix: float) -> None:
        """Go on to every state that a move for the ticket of an entry leads to; one for each station."""
        fare, shown = int(self.view.state.log[entry]), int(self.view.state.log_shown[entry])
        arrivals: dict[int, tuple[State, int, float]] = {}
        for place, state in enumerate(self.states):
            fits = [action for action in self._legal(state) if self._fits(action, fare, shown)]
            for action in fits:
                share = float((answers[:, place] == action).mean()) if len(answers) else 1.0
                weight = self.weights[place] * (uniform_mix / len(fits) + (1.0 - uniform_mix) * share)
                to = int(destination(action))
                before = arrivals.get(to, (state, action, 0.0))
                arrivals[to] = (before[0], before[1], before[2] + weight)
        moved = new_states(len(arrivals))
        for place, (state, _, _) in enumerate(arrivals.values()):
            moved[place] = state
        self.states = moved
        self.weights = np.array([weight for _, _, weight in arrivals.values()])
        self._apply(np.array([action for _, action, _ in arrivals.values()]))

    def move_detectives(self, entry: int) -> None:
        """Move the detectives as they moved after an entry, if it was the last of his turn; drop whom they met."""
        now, moved_in = self.view.state, int(self.view.state.log_round[entry])
        if entry + 1 < now.entries and now.log_round[entry + 1] == moved_in:
            return
        last = now.seats if moved_in < now.rounds or now.seat == MR_X else now.seat
        for seat in range(1, last):
            fare, to = self.fares[seat - 1][moved_in - 1], int(now.trail[moved_in, seat - 1])
            action = pass_action(self.view.board.arrays) if fare < 0 else move_action(to, fare)
            self._apply(np.full(len(self.states), action))
            self._keep(self.states["winner"] == PLAYING)

    def _fits(self, action: int, fare: int, shown: int) -> bool:
        is_move = action < double_action(self.view.board.arrays)
        return bool(is_move and fare_of(action) == fare and shown in (NOWHERE, destination(action)))

    def _legal(self, state: State) -> list[int]:
        return View(self.view.board, self.view.rules, state, MR_X).legal

    def _apply(self, actions: NDArray[np.int64]) -> None:
        packed = self.view.board.packed, self.view.rules.packed(self.view.board)
        apply_rows(*packed, self.states, np.arange(len(self.states)), actions.astype(np.int64))

    def _keep(self, kept: NDArray[np.bool_]) -> None:
        self.states, self.weights = self.states[kept].copy(), self.weights[kept]


def deal_again(view: View, state: State, start: int) -> None:
    """Write the game as it began, with Mr. X on a start station."""
    now = view.state
    state.seats = now.seats
    state.tickets[:] = view.rule_arrays.purses
    state.station[1 : now.seats] = now.trail[0, : now.seats - 1]
    state.station[MR_X] = start
    state.start[:] = now.start
    state.log[:] = -1
    begin(view.board.arrays, view.rule_arrays, state)


def deduce_fares(view: View, seat: int) -> list[int]:
    """Deduce what a detective paid for each of its moves, by round; -1 = it did not move.

    Where several tickets would have done, those that it lacks now are spread over such moves in their order.
    """
    now, arrays = view.state, view.board.arrays
    spent = (view.rule_arrays.purses[seat, :BLACK] - now.tickets[seat, :BLACK]).tolist()
    options: list[list[int]] = []
    for number in range(1, now.rounds + 1):
        before, to = int(now.trail[number - 1, seat - 1]), int(now.trail[number, seat - 1])
        rows = range(arrays.first[before], arrays.first[before + 1]) if to not in (NOWHERE, before) else range(0)
        options.append([int(arrays.fare[row]) for row in rows if arrays.to[row] == to and arrays.fare[row] != BLACK])
    fares = [only[0] if len(only) == 1 else -1 for only in options]
    for fare in fares:
        if fare >= 0:
            spent[fare] -= 1
    for place, several in enumerate(options):
        if len(several) > 1:
            fares[place] = max(several, key=lambda fare: spent[fare])
            spent[fares[place]] -= 1
    return fares
