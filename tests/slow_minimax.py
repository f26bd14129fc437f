"""Minimax pursuit planning written out in plain Python: every plan, every particle, every answer, no cuts."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx
import numpy as np

from scotyard_baselines.capture.times import LONG, NEVER, capture_times
from scotyard_baselines.minimax import Minimax
from scotyard_baselines.planning.weights import NEAR
from scotyard_env import belief
from scotyard_env.board import Board
from scotyard_env.notation import action_text
from scotyard_env.rules import apply, destination, double_action, fare_of, legal_actions, pass_action
from scotyard_env.state import BLACK, DOUBLE, FARES, MR_X, MR_X_WINS, NOWHERE, State
from scotyard_env.view import View, imagine

WORTH = {"taxi": 1, "bus": 2, "underground": 3, "ferry": 4}  # of a link, and of the ticket of the same place


@functools.cache
def weighted_distances(board: Board) -> np.ndarray:
    """Measure all distances on the weighted transport graph."""
    graph = board.to_networkx()
    table = np.zeros((board.stations + 1, board.stations + 1), int)
    for *_, link in graph.edges(data=True):
        link["weight"] = WORTH[link["transport"]]
    lengths = nx.all_pairs_dijkstra_path_length(graph)
    for station, reached in lengths:
        for other, length in reached.items():
            table[station, other] = length
    return table


@dataclass
class SlowMinimax:
    """The same parameters, the same definition, none of the speed; beam and width are taken to be without limit."""

    view: View
    policy: Minimax

    def best(self) -> tuple[float, tuple[int, ...]]:
        """Return the value of the best plan and its actions; among equals the one with the lowest stations."""
        valued = self.valued()
        value = max(value for value, _ in valued)
        ties = [plan for other, plan in valued if math.isclose(other, value, abs_tol=1e-9)]
        return value, min(ties, key=lambda plan: [self.landing(self.view.state, plan, i) for i in range(len(plan))])

    def valued(self) -> list[tuple[float, tuple[int, ...]]]:
        """Value every plan."""
        particles = self.first_particles()
        return [
            (self.value_of(self.view.state, particles, plan, self.policy.horizon_depth(self.view)), plan)
            for plan in self.plans(self.view.state)
        ]

    def first_particles(self) -> dict[int, float]:
        weights = belief.weigh(self.view, self.policy.belief)
        return normal({p: weights[p] for p in belief.top_stations(weights, self.policy.particles)})

    @property
    def distance(self) -> np.ndarray:
        is_weighted = self.policy.distances == "weighted"
        return weighted_distances(self.view.board) if is_weighted else self.view.board.arrays.distance

    def landing(self, state: State, plan: tuple[int, ...], place: int) -> int:
        seat = int(state.seat) + place
        is_passing = plan[place] == pass_action(self.view.board.arrays)
        return int(state.station[seat]) if is_passing else int(destination(plan[place]))

    # ---------------------------------------------------------------------------------------------------- the search

    def maximum(self, state: State, particles: dict[int, float], depth: int) -> float:
        return max(self.value_of(state, particles, plan, depth) for plan in self.plans(state))

    def value_of(self, state: State, particles: dict[int, float], plan: tuple[int, ...], depth: int) -> float:
        """Value a plan so many layers deep."""
        policy = self.policy
        if depth <= 2 and policy.evaluation == "ours":
            return self.evaluate(state, particles, plan, has_replies=depth == 2)
        landed = {self.landing(state, plan, place) for place in range(len(plan))}
        caught = sum(weight for station, weight in particles.items() if station in landed)
        rest = {station: weight for station, weight in particles.items() if station not in landed}
        after = self.play(state, next(iter(rest), 0), plan)
        if not rest or after.winner == MR_X_WINS or depth == 1:
            return self.value_end(after, caught, rest)
        return self.answer_value(after, caught, rest, depth)

    def value_end(self, state: State, caught: float, rest: dict[int, float]) -> float:
        """Value what a plan leads to if there is no answer."""
        policy = self.policy
        if policy.evaluation == "ours":
            return policy.capture * (caught if policy.merge == "particles" else float(not rest))
        value = self.leaf(state, normal(rest))
        if policy.merge == "minimum":
            return value
        return caught * self.leaf(state, {}) + (1.0 - caught) * value

    def answer_value(self, state: State, caught: float, particles: dict[int, float], depth: int) -> float:
        """Let Mr. X answer from every particle, and merge the values of his answers."""
        policy = self.policy
        shares: dict[tuple[int, ...], dict[int, float]] = {}  # of an answer, by particle
        beliefs: dict[tuple[int, ...], dict[int, float]] = {}
        after: dict[tuple[int, ...], State] = {}
        for particle, weight in particles.items():
            for look, to, share, played in self.answers(state, particle):
                shares.setdefault(look, {}).setdefault(particle, 0.0)
                shares[look][particle] += share
                beliefs.setdefault(look, {}).setdefault(to, 0.0)
                beliefs[look][to] += weight * share
                after.setdefault(look, played)
        values = {}
        for look, seen in beliefs.items():
            kept = normal(likeliest(seen, policy.particles))
            values[look] = self.maximum(after[look], kept, depth - 2) if depth > 2 else self.leaf(after[look], kept)
        captured = policy.capture if policy.evaluation == "ours" else self.leaf(state, {})
        if policy.merge == "minimum":
            return min(values.values(), default=captured)
        total, discount = caught * captured, policy.discount if policy.evaluation == "ours" else 1.0
        for particle, weight in particles.items():
            looks = [look for look in shares if particle in shares[look]]
            least = min((values[look] for look in looks), default=0.0)
            average = sum(shares[look][particle] * values[look] for look in looks)
            mixed = discount * (policy.worst_case_weight * least + (1 - policy.worst_case_weight) * average)
            total += weight * (mixed if looks else captured)
        return total

    # ------------------------------------------------------------------------------------------------------ the rules

    def plans(self, state: State) -> Iterator[tuple[int, ...]]:
        """List the joint plans, each detective paying for a station with the ticket it has most of."""
        choices = [self.choices(state, seat) for seat in range(state.seat, state.seats)]
        if self.policy.dominance == "document":
            choices = [self.undominated(state, choices, place) for place in range(len(choices))]
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

    def undominated(self, state: State, choices: list[list[int]], place: int) -> list[int]:
        """Leave out where another detective with the same tickets comes sooner; all of it, and nothing is left out."""
        seat, passing = int(state.seat) + place, pass_action(self.view.board.arrays)
        kept = []
        for action in choices[place]:
            to = int(destination(action))
            mine = self.distance[state.station[seat], to], seat
            rivals = [
                other
                for other in range(state.seat, state.seats)
                if (state.tickets[other, :BLACK] == state.tickets[seat, :BLACK]).all()
                and any(a != passing and destination(a) == to for a in choices[other - state.seat])
                and (self.distance[state.station[other], to], other) < mine
            ]
            if action == passing or not rivals:
                kept.append(action)
        return kept or choices[place]

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

    def legal(self, state: State) -> list[int]:
        legal = np.empty(900, np.int64)
        return legal[: legal_actions(self.view.board.arrays, self.view.rule_arrays, state, legal)].tolist()

    def after(self, state: State, action: int) -> State:
        after = state.copy()
        apply(self.view.board.arrays, self.view.rule_arrays, after, action)
        return after

    def answers(self, state: State, station: int) -> Iterator[tuple[tuple[int, ...], int, float, State]]:
        """List all turns of Mr. X from a station: what is seen of it, where it ends, its share, the state after."""
        here, double = imagine(state, station), double_action(self.view.board.arrays)
        turns = [[action] for action in self.legal(here) if action != double]
        doubles = []
        if self.policy.double_answers and double in self.legal(here):
            announced = self.after(here, double)
            for first in self.legal(announced):
                doubles += [[double, first, second] for second in self.legal(self.after(announced, first))]
        often = self.share_of_doubles(state) if doubles else 0.0
        for listed, part in ((turns, 1.0 - often), (doubles, often)):
            total = sum(self.run(state, int(destination(turn[-1]))) for turn in listed)
            for turn in listed:
                played, look = here, []
                for action in turn:
                    played = self.after(played, action)
                    if action != double:
                        is_shown = int(played.entries) in self.view.rules.reveals
                        look.append(int(destination(action)) if is_shown else -1 - int(fare_of(action)))
                if look[-1] > 0 and len(look) == 2:  # he shows himself in the end: what came before does not matter
                    look[0] = 0
                played.station[MR_X] = NOWHERE
                to = int(destination(turn[-1]))
                yield tuple(look), to, part * self.run(state, to) / total, played

    def share_of_doubles(self, state: State) -> float:
        """Return how often he doubles where he can."""
        left, doubles = (
            self.view.rules.packed(self.view.board)[0].log_entries - state.entries,
            state.tickets[MR_X, DOUBLE],
        )
        return 0.0 if doubles == 0 or left < 2 else 0.5 if doubles < 0 else min(0.5, doubles / left)

    def run(self, state: State, to: int) -> float:
        distance = self.view.board.arrays.distance
        return math.exp(min(4, *(int(distance[state.station[seat], to]) for seat in range(1, state.seats)), 4))

    # -------------------------------------------------------------------------------------------- the evaluation, ours

    def evaluate(self, state: State, particles: dict[int, float], plan: tuple[int, ...], has_replies: bool) -> float:
        """Add up the terms of our evaluation of a plan and his replies."""
        policy, seats = self.policy, range(int(state.seat), int(state.seats))
        movers = [self.landing(state, plan, place) for place in range(len(plan))]
        stations = [*map(int, state.station[1 : state.seat]), *movers]
        purse = self.purse_after(state, plan)
        lost = {
            p: self.lost(state, p, stations, purse, has_replies) if p not in movers else policy.capture
            for p in particles
        }
        if policy.merge == "minimum":
            value = min((lost[p] for p in particles if p not in movers), default=policy.capture)
        else:
            value = sum(weight * lost[p] for p, weight in particles.items())
        for seat, to, action in zip(seats, movers, plan, strict=True):
            value += self.alone(state, particles, seat, to, action, has_replies) / len(stations)
        value += policy.w_2 * entropy_drop(particles, movers)
        return float(value - policy.w_4 * self.clustering(stations))

    def clustering(self, stations: list[int]) -> float:
        pairs = list(itertools.combinations(stations, 2))
        return sum(self.distance[pair] <= 1 for pair in pairs) / max(1, len(pairs))

    def purse_after(self, state: State, plan: tuple[int, ...]) -> list[int]:
        """Return what Mr. X can pay with once the tickets of a plan are his."""
        purse = [int(state.tickets[MR_X, fare]) for fare in range(FARES)]
        for action in plan:
            is_move = action != pass_action(self.view.board.arrays)
            if is_move and self.view.rules.hand_over and purse[fare_of(action)] >= 0:
                purse[fare_of(action)] += 1
        return purse

    def moves_from(self, station: int) -> dict[int, list[int]]:
        """List the neighbours of a station with the fares that pay for the move."""
        arrays, moves = self.view.board.arrays, dict[int, list[int]]()
        for row in range(arrays.first[station], arrays.first[station + 1]):
            moves.setdefault(int(arrays.to[row]), []).append(int(arrays.fare[row]))
        return moves

    def lost(self, state: State, particle: int, stations: list[int], purse: list[int], has_replies: bool) -> float:
        """Value how lost Mr. X is where he may flee to from a particle."""
        policy = self.policy
        if not has_replies:
            return self.lost_at(particle, stations)
        singles = []
        for to, fares in self.moves_from(particle).items():
            paid = [fare for fare in fares if purse[fare] != 0]
            if paid and to not in stations:
                is_scarce = all(fare == BLACK or purse[fare] == 1 for fare in paid)
                singles.append(self.lost_at(to, stations) + policy.w_3 * is_scarce)
        if not singles:
            return policy.capture
        doubles = self.double_values(particle, stations, purse) if policy.double_answers else []
        often = self.share_of_doubles(state)
        mean = sum(singles) / len(singles)
        if doubles and often > 0:
            mean = (1 - often) * mean + often * sum(doubles) / len(doubles)
        least = min(singles + (doubles if often > 0 else []))
        worst = 1.0 if policy.merge == "minimum" else policy.worst_case_weight
        return worst * least + (1 - worst) * mean

    def double_values(self, particle: int, stations: list[int], purse: list[int]) -> list[float]:
        """Value the double moves from a particle, each way over another station by itself."""
        values = []
        for over, fares in self.moves_from(particle).items():
            for to, others in self.moves_from(over).items():
                pairs = itertools.product(fares, others)
                can_pay = any(purse[a] != 0 and purse[b] != 0 and (a != b or purse[a] != 1) for a, b in pairs)
                if can_pay and over not in stations and to not in stations:
                    values.append(self.lost_at(to, stations) + self.policy.w_3)
        return values

    def lost_at(self, station: int, stations: list[int]) -> float:
        """Value how lost Mr. X is on a station."""
        if station in stations:
            return self.policy.capture
        near = min(int(self.distance[s, station]) for s in stations)
        time = self.policy.discount ** self.rounds(stations, station, near)
        return self.policy.capture * time + self.policy.coverage * (near <= 1)

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
        value = -policy.w_1 * self.distance[to, self.centre(particles)] + policy.choke * links[to] / links.max()
        tickets = 0 if action == pass_action(arrays) else int(state.tickets[seat, fare_of(action)])
        value -= policy.w_3 / tickets if tickets > 0 else 0.0
        if state.entries + 1 in self.view.rules.reveals:
            for particle, weight in particles.items():
                exits = self.exits(state, particle) if has_replies else [particle]
                value += policy.perimeter * weight * np.mean([self.distance[to, e] <= 2 for e in exits])
        return float(value)

    def exits(self, state: State, particle: int) -> list[int]:
        """List where Mr. X may flee to with a ticket that he has, or that a pawn could hand him."""
        purses = [state.tickets[MR_X, :FARES]]
        if self.view.rules.hand_over:
            purses += [state.tickets[seat, :FARES] for seat in range(state.seat, state.seats)]
        return [to for to, fares in self.moves_from(particle).items() if any(p[f] != 0 for p in purses for f in fares)]

    def centre(self, particles: dict[int, float]) -> int:
        """Return the station with the least expected distance to the particles."""
        expected = [
            sum(weight * float(self.distance[station, p]) for p, weight in particles.items())
            for station in range(1, self.view.board.stations + 1)
        ]
        return 1 + int(np.argmin(np.round(expected, 12)))

    # ----------------------------------------------------------------------------------- the evaluation, the document's

    def leaf(self, state: State, particles: dict[int, float]) -> float:
        """Evaluate a position with these particles, as the document has it; nobody left is as near as can be."""
        policy, stations = self.policy, [int(state.station[seat]) for seat in range(1, state.seats)]
        bits = belief.entropy(np.array(list(particles.values()))) if particles else 0.0
        before = belief.entropy(np.array(list(self.first_particles().values())))
        purses = [
            sum(w * max(0, int(t)) for w, t in zip((1, 2, 3, 4), state.tickets[s], strict=False))
            for s in range(state.seats)
        ]
        value = policy.w_2 * (before - bits)
        value += policy.w_3 * (np.mean(purses[1:]) - purses[MR_X])
        value -= policy.w_4 * self.clustering(stations)
        links = self.view.board.arrays.links[:, :3].sum(axis=1)
        value += policy.choke * np.mean(links[stations]) / links.max()
        if not particles:
            return float(value + policy.capture)
        centre = self.centre(particles)
        value -= policy.w_1 * np.mean([self.distance[s, centre] for s in stations])
        if any(e in self.view.rules.reveals for e in range(self.view.state.entries + 1, state.entries + 1)):
            for particle, weight in particles.items():
                value += policy.perimeter * weight * np.mean([self.distance[s, particle] <= 2 for s in stations])
        return float(value + sum(weight * self.lost_at(p, stations) for p, weight in particles.items()))


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
