"""Minimax pursuit planning written out in plain Python: every plan, every particle, every answer, no cuts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scotyard_baselines.capture.times import LONG, NEVER, capture_times
from scotyard_baselines.minimax import Minimax
from scotyard_baselines.planning.weights import NEAR
from scotyard_env import belief
from scotyard_env.notation import action_text
from scotyard_env.rules import apply, destination, double_action, fare_of, legal_actions, pass_action
from scotyard_env.state import MR_X, MR_X_WINS, NOWHERE, State
from scotyard_env.view import View, imagine


@dataclass
class SlowMinimax:
    """The same parameters, the same definition, none of the speed; beam and width are taken to be without limit."""

    view: View
    policy: Minimax

    def best(self) -> tuple[float, tuple[int, ...]]:
        """Return the value of the best plan and its actions; among equals the one with the lowest stations."""
        weights = belief.weigh(self.view, self.policy.belief)
        particles = {p: weights[p] for p in belief.top_stations(weights, self.policy.particles)}
        valued = [
            (self.value_of(self.view.state, normal(particles), plan, self.policy.horizon_depth(self.view)), plan)
            for plan in self.plans(self.view.state)
        ]
        value = max(value for value, _ in valued)
        ties = [plan for other, plan in valued if math.isclose(other, value, abs_tol=1e-9)]
        return value, min(ties, key=lambda plan: [self.landing(self.view.state, plan, i) for i in range(len(plan))])

    def landing(self, state: State, plan: tuple[int, ...], place: int) -> int:
        seat = int(state.seat) + place
        is_passing = plan[place] == pass_action(self.view.board.arrays)
        return int(state.station[seat]) if is_passing else int(destination(plan[place]))

    # ---------------------------------------------------------------------------------------------------- the search

    def maximum(self, state: State, particles: dict[int, float], depth: int) -> float:
        return max(self.value_of(state, particles, plan, depth) for plan in self.plans(state))

    def value_of(self, state: State, particles: dict[int, float], plan: tuple[int, ...], depth: int) -> float:
        """Value a plan so many layers deep."""
        if depth <= 2:
            return self.evaluate(state, particles, plan, has_replies=depth == 2)
        landed = {self.landing(state, plan, place) for place in range(len(plan))}
        caught = sum(weight for station, weight in particles.items() if station in landed)
        rest = {station: weight for station, weight in particles.items() if station not in landed}
        if not rest:
            return caught
        after = self.play(state, next(iter(rest)), plan)
        if after.winner == MR_X_WINS:
            return caught
        return caught + self.answer_value(after, rest, depth)

    def answer_value(self, state: State, particles: dict[int, float], depth: int) -> float:
        """Let Mr. X answer from every particle, and mix his best and average answer."""
        policy, moves = self.policy, {p: list(self.moves_of_mr_x(state, p)) for p in particles}
        shares: dict[int, dict[int, float]] = {}  # of an answer, by particle
        beliefs: dict[int, dict[int, float]] = {}
        after: dict[int, State] = {}
        for particle, weight in particles.items():
            total = sum(self.run(state, to) for to, _ in moves[particle])
            for to, fare in moves[particle]:
                seen = to if state.entries + 1 in self.view.rules.reveals else -fare
                share = self.run(state, to) / total
                shares.setdefault(seen, {}).setdefault(particle, 0.0)
                shares[seen][particle] += share
                beliefs.setdefault(seen, {}).setdefault(to, 0.0)
                beliefs[seen][to] += weight * share
                if seen not in after:
                    after[seen] = self.move_mr_x(state, particle, to, fare)
        values = {
            seen: self.maximum(after[seen], normal(likeliest(beliefs[seen], policy.particles)), depth - 2)
            for seen in shares
        }
        total_value = 0.0
        for particle, weight in particles.items():
            answers = [seen for seen in shares if particle in shares[seen]]
            if answers:
                least = min(values[seen] for seen in answers)
                average = sum(shares[seen][particle] * values[seen] for seen in answers)
                total_value += (
                    weight
                    * policy.discount
                    * (policy.worst_case_weight * least + (1 - policy.worst_case_weight) * average)
                )
            else:
                total_value += weight
        return total_value

    # ------------------------------------------------------------------------------------------------------ the rules

    def plans(self, state: State) -> Iterator[tuple[int, ...]]:
        """List the joint plans, each detective paying for a station with the ticket it has most of."""
        choices = [self.choices(state, seat) for seat in range(state.seat, state.seats)]
        seen = set()
        for plan in itertools.product(*choices):
            fitting = self.fit(state, plan)
            if fitting is not None and fitting not in seen:
                seen.add(fitting)
                yield fitting

    def choices(self, state: State, seat: int) -> list[int]:
        """List the moves of a detective from where it stands, nobody in the way; None of them: it passes."""
        arrays, station = self.view.board.arrays, state.station[seat]
        cheapest: dict[int, int] = {}
        for row in range(arrays.first[station], arrays.first[station + 1]):
            to, fare = int(arrays.to[row]), int(arrays.fare[row])
            held = [state.station[other] for other in range(1, state.seats) if other < state.seat or other > seat]
            if fare < 3 and state.tickets[seat, fare] != 0 and to not in held:
                most = cheapest.get(to)
                if most is None or state.tickets[seat, fare] > state.tickets[seat, most]:
                    cheapest[to] = fare
        return [4 * to + fare - 4 for to, fare in sorted(cheapest.items())] or [pass_action(self.view.board.arrays)]

    def fit(self, state: State, plan: tuple[int, ...]) -> tuple[int, ...] | None:
        """Tell whether no two detectives want the same station; a detective with nowhere left to go would pass."""
        stations = [self.landing(state, plan, place) for place in range(len(plan))]
        return plan if len(set(stations)) == len(stations) else None

    def play(self, state: State, hidden: int, plan: tuple[int, ...]) -> State:
        after = imagine(state, hidden)
        for action in plan:
            legal = np.empty(900, np.int64)
            count = legal_actions(self.view.board.arrays, self.view.rule_arrays, after, legal)
            assert action in legal[:count], action_text(self.view.board, action)
            apply(self.view.board.arrays, self.view.rule_arrays, after, action)
        if after.winner != MR_X_WINS:
            after.winner = 0
        after.station[MR_X] = NOWHERE
        return after

    def moves_of_mr_x(self, state: State, station: int) -> Iterator[tuple[int, int]]:
        here, legal = imagine(state, station), np.empty(900, np.int64)
        count = legal_actions(self.view.board.arrays, self.view.rule_arrays, here, legal)
        for action in legal[:count]:
            if action != double_action(self.view.board.arrays):
                yield int(destination(action)), int(fare_of(action))

    def move_mr_x(self, state: State, station: int, to: int, fare: int) -> State:
        after = imagine(state, station)
        apply(self.view.board.arrays, self.view.rule_arrays, after, 4 * to + fare - 4)
        after.station[MR_X] = NOWHERE
        return after

    def run(self, state: State, to: int) -> float:
        distance = self.view.board.arrays.distance
        return math.exp(min(4, *(int(distance[state.station[seat], to]) for seat in range(1, state.seats)), 4))

    # ------------------------------------------------------------------------------------------------- the evaluation

    def evaluate(self, state: State, particles: dict[int, float], plan: tuple[int, ...], has_replies: bool) -> float:
        """Add up the terms of the document."""
        policy, seats = self.policy, range(int(state.seat), int(state.seats))
        movers = [self.landing(state, plan, place) for place in range(len(plan))]
        stations = [*map(int, state.station[1 : state.seat]), *movers]
        value = sum(
            weight * (1.0 if p in movers else self.lost(state, p, stations, has_replies))
            for p, weight in particles.items()
        )
        for seat, to, action in zip(seats, movers, plan, strict=True):
            value += self.alone(state, particles, seat, to, action, has_replies) / len(stations)
        value += policy.w_2 * entropy_drop(particles, movers)
        pairs = list(itertools.combinations(stations, 2))
        near = [pair for pair in pairs if self.view.board.arrays.distance[pair] <= 1]
        return float(value - policy.w_4 * len(near) / max(1, len(pairs)))

    def exits(self, state: State, particle: int, has_replies: bool) -> dict[int, bool]:
        """List where Mr. X may flee to from a particle, and whether every way there costs a scarce ticket."""
        if not has_replies:
            return {particle: False}
        arrays, exits = self.view.board.arrays, {}
        for row in range(arrays.first[particle], arrays.first[particle + 1]):
            to, fare = int(arrays.to[row]), int(arrays.fare[row])
            if state.tickets[MR_X, fare] != 0:
                exits[to] = exits.get(to, True) and (fare == 3 or state.tickets[MR_X, fare] == 1)
        return exits

    def lost(self, state: State, particle: int, stations: list[int], has_replies: bool) -> float:
        """Value how lost Mr. X is where he may flee to from a particle."""
        policy, values = self.policy, []
        for to, is_scarce in self.exits(state, particle, has_replies).items():
            if to not in stations:
                near = min(int(self.view.board.arrays.distance[s, to]) for s in stations)
                values.append(policy.discount ** self.rounds(stations, to, near))
                values[-1] += policy.coverage * (near <= 1) + policy.w_3 * is_scarce
        return (
            policy.worst_case_weight * min(values) + (1 - policy.worst_case_weight) * sum(values) / len(values)
            if values
            else 1.0
        )

    def rounds(self, stations: list[int], to: int, near: int) -> int:
        times = capture_times(self.view.board)
        least = min((int(times[a, b, to]) for a, b in itertools.combinations(stations, 2)), default=NEVER)
        return least if least < LONG else min(2 * min(near, NEAR) + 1, LONG)

    def alone(
        self, state: State, particles: dict[int, float], seat: int, to: int, action: int, has_replies: bool
    ) -> float:
        """Add up the terms that concern one detective alone."""
        policy, arrays = self.policy, self.view.board.arrays
        links = arrays.links[:, :3].sum(axis=1)
        centre = belief.centroid(self.view.board, self.as_belief(particles))
        value = -policy.w_1 * arrays.distance[to, centre] + policy.choke * links[to] / links.max()
        tickets = 0 if action == pass_action(arrays) else int(state.tickets[seat, fare_of(action)])
        value -= policy.w_3 / tickets if tickets > 0 else 0.0
        if state.entries + 1 in self.view.rules.reveals:
            for particle, weight in particles.items():
                exits = self.exits(state, particle, has_replies)
                value += policy.perimeter * weight * np.mean([arrays.distance[to, e] <= 2 for e in exits])
        return float(value)

    def as_belief(self, particles: dict[int, float]) -> belief.Belief:
        weights = np.zeros(self.view.board.stations + 1)
        weights[list(particles)] = list(particles.values())
        return weights


def entropy_drop(particles: dict[int, float], movers: list[int]) -> float:
    """Return the share of the entropy that is gone if nobody is found."""
    before = belief.entropy(np.array(list(particles.values())))
    rest = np.array([weight for station, weight in particles.items() if station not in movers])
    if before <= 0:
        return 0.0
    return 1.0 - belief.entropy(rest / rest.sum()) / before if len(rest) else 1.0


def likeliest(weights: dict[int, float], count: int) -> dict[int, float]:
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:count])


def normal(weights: dict[int, float]) -> dict[int, float]:
    total = sum(weights.values())
    return {station: weight / total for station, weight in weights.items()}
