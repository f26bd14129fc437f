"""The Bayesian posterior of Mr. X's station under one model of his policy, or a population of several.

A model gives the probability of every action that he has. The public record of the game is replayed
(``scotyard_env.history``), and at each of his decisions the belief is updated by the likelihood, under the model, of
what he showed:

    P(station after) ~ sum over stations before of P(before) * pi(action that leads there and fits | before)

With several models the posterior is joint, over model and station, so that his play also tells which model he is most
like. A small share of the weights is dealt out evenly to all models at every decision, since he may change from one to
another (fixed share: M. Herbster and M. Warmuth, Tracking the best expert, 1998). Only public facts count.

The posterior is a pure function of a view. It is cached after every decision, by the public record up to there: while a
game goes on, only the last decision is new.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scotyard_baselines.beliefs.belief_cache import BeliefCache, keys_of
from scotyard_env.history import ANNOUNCED, Histories, play_again
from scotyard_env.kernel import kernel
from scotyard_env.rules import destination, double_action, fare_of, legal_actions
from scotyard_env.state import FARES, MAX_STATIONS, MR_X, NOWHERE, count, has, new_states
from scotyard_env.view import Views

LEAST_SHARE = 3e-3  # of all weight: a station with less is not asked about, any move from there is as likely as another
TRACE = 1e-9  # probability of a possible station that no model would have gone to
NOT_ASKED = -1  # as the row of a station: it has too little weight
Joint = NDArray[np.float64]  # (n, models, stations + 1): weights of model and station, which add up to 1 in every game


class Answers(NamedTuple):
    """What models would do in many views; the actions of view i are firsts[i]..firsts[i + 1], ascending."""

    firsts: NDArray[np.int64]  # (views + 1,)
    probabilities: NDArray[np.float64]  # (models, actions of all views)


Ask = Callable[[Views], Answers]


class Shares(NamedTuple):
    """Which part of a belief is spread evenly, so that it never is too sure of a model."""

    uniform_mix: float  # of the actions of a model: those drawn from all legal ones alike
    switching: float  # of the weights: those dealt out evenly to all models at every decision


class Posterior:
    """The posterior under some models of Mr. X, of which he is taken to be one."""

    def __init__(self, ask: Ask, models: int, uniform_mix: float = 0.02, switching: float = 0.0) -> None:
        self.ask = ask  # for the probabilities that the models give to their actions
        self.models = models
        self.shares = Shares(float(uniform_mix), float(switching))
        self.cache = BeliefCache()

    def weigh(self, views: Views) -> NDArray[np.float64]:
        """Return the probability of every station in each of many views, (n, stations + 1)."""
        belief: NDArray[np.float64] = self.infer(views).sum(axis=1)
        return belief

    def infer(self, views: Views) -> Joint:
        """Return the joint posterior of model and station in each of many views."""
        histories = play_again(views)
        done, joint = self._begin(views, histories)
        while len(games := np.flatnonzero(done < histories.counts)):
            self._follow(views, histories, games, done[games], joint)
            done[games] += 1
        keep_possible_rows(views.states, joint)
        rule_out_nothing(views.states, joint)
        return joint

    def _begin(self, views: Views, histories: Histories) -> tuple[NDArray[np.int64], Joint]:
        """Return the last decision of each game whose posterior is cached, and that posterior; 0 = its beginning."""
        joint, done = np.ones((len(views), self.models, views.board.stations + 1)), histories.counts.copy()
        games = np.flatnonzero(done)
        while len(games):
            found = [self.cache.beliefs.get(key) for key in keys_of(views, histories, games, done[games])]
            for game, weights in zip(games.tolist(), found, strict=True):
                if weights is not None:
                    joint[game] = weights
            games = games[[weights is None for weights in found]]
            done[games] -= 1
            games = games[done[games] > 0]
        return done, joint

    def _follow(
        self, views: Views, histories: Histories, games: NDArray[np.int64], decisions: NDArray[np.int64], joint: Joint
    ) -> None:
        """Update the posterior by one decision in each of some games, and cache it."""
        pasts = histories.states[games, decisions]
        told = histories.paid[games, decisions], histories.shown[games, decisions]
        weights = joint[games]
        keep_possible_rows(pasts, weights)
        rows = np.empty((len(games), weights.shape[2]), np.int64)
        asked = new_states(list_hypotheses(weights, rows))
        imagine_rows(pasts, rows, asked)
        answers = self.answer(Views(views.board, views.rules, asked), rows, weights)
        follow_rows(views.board.packed, views.packed_rules, pasts, *told, rows, *answers, self.shares, weights)
        joint[games] = weights
        self.cache.store(keys_of(views, histories, games, decisions + 1), weights)

    def answer(self, asked: Views, rows: NDArray[np.int64], joint: Joint) -> Answers:
        """Return the answers of the models in views, where rows[game, station] says which view is about what."""
        return self.ask(asked)

    def recall(self, views: Views) -> tuple[NDArray[np.int64], Joint]:
        """Return the last decision in each of many views whose posterior is cached, and that posterior; 0 = none."""
        return self._begin(views, play_again(views))

    def remember(self, views: Views, decisions: NDArray[np.int64], joint: Joint) -> None:
        """Put what ``recall`` returned back into the cache."""
        games = np.flatnonzero(decisions)
        self.cache.store(keys_of(views, play_again(views), games, decisions[games]), joint[games])

    def forget(self) -> None:
        """Empty the cache, as the models have changed."""
        self.cache.clear()


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def keep_possible_rows(states, joint):
    """Rule out the stations that are not possible in each game and normalise; uniform if no weight is left."""
    for game in range(len(states)):
        possible, weights = states[game].possible, joint[game]
        total = 0.0
        for station in range(weights.shape[1]):
            for model in range(len(weights)):
                weights[model, station] *= has(possible, station)
                total += weights[model, station]
        for station in range(weights.shape[1]):
            for model in range(len(weights)):
                if total > 0.0:
                    weights[model, station] /= total
                elif has(possible, station):
                    weights[model, station] = 1.0 / (len(weights) * count(possible))


@kernel
def rule_out_nothing(states, joint):
    """Give possible stations without weight TRACE: a model may be wrong about where he cannot be."""
    for game in range(len(states)):
        for station in range(1, joint.shape[2]):
            if has(states[game].possible, station) and joint[game, :, station].sum() == 0.0:
                joint[game, :, station] = TRACE / joint.shape[1]


@kernel
def list_hypotheses(joint, rows):
    """Number the stations of all games that have enough weight to be asked about, else NOT_ASKED; return how many."""
    size = 0
    for game in range(len(joint)):
        for station in range(joint.shape[2]):
            share = 0.0
            for model in range(joint.shape[1]):
                share += joint[game, model, station]
            rows[game, station] = NOT_ASKED
            if share >= LEAST_SHARE:
                rows[game, station] = size
                size += 1
    return size


@kernel
def imagine_rows(pasts, rows, asked):
    """Write the state that each game would have been in with Mr. X on each station that is asked about."""
    for game in range(len(pasts)):
        for station in range(1, rows.shape[1]):
            if rows[game, station] != NOT_ASKED:
                asked[rows[game, station]] = pasts[game]
                asked[rows[game, station]].station[MR_X] = station


@kernel
def follow_rows(boards, rules, pasts, paid, shown, rows, firsts, probabilities, shares, joint):
    """Update the weights of each game by one decision: from before it to after it."""
    after, legal = np.empty(joint.shape[1:]), np.empty(FARES * MAX_STATIONS + 2, np.int64)
    for game in range(len(pasts)):
        past, weights = pasts[game], joint[game]
        after[:] = 0.0
        for station in range(1, boards[0].stations + 1):
            if has(past.possible, station):
                past.station[MR_X] = station
                actions = legal_actions(boards[0], rules[0], past, legal)
                row = rows[game, station]
                for index in range(actions):
                    to = follow_action(boards[0], legal[index], station, paid[game], shown[game])
                    if to == NOWHERE:
                        continue
                    for model in range(len(weights)):
                        chance = 1.0 / actions
                        if row != NOT_ASKED:
                            answered = probabilities[model, firsts[row] + index]
                            chance = shares.uniform_mix * chance + (1.0 - shares.uniform_mix) * answered
                        after[model, to] += weights[model, station] * chance
        past.station[MR_X] = NOWHERE
        switch_models(after, shares.switching, weights)


@kernel
def follow_action(board, action, station, paid, shown):
    """Return where an action leads if it agrees with what he showed, else NOWHERE."""
    if action == double_action(board):
        return station if paid == ANNOUNCED else NOWHERE
    to = destination(action)
    return to if fare_of(action) == paid and shown in (NOWHERE, to) else NOWHERE


@kernel
def switch_models(after, switching, weights):
    """Write weights that add up to 1, a share of those on each station dealt out evenly to all models (fixed share)."""
    total = 0.0
    for model in range(len(after)):
        for station in range(after.shape[1]):
            total += after[model, station]
    for station in range(after.shape[1]):
        mean = 0.0
        for model in range(len(after)):
            mean += after[model, station] / len(after)
        for model in range(len(after)):
            mixed = (1.0 - switching) * after[model, station] + switching * mean
            weights[model, station] = mixed / total if total > 0.0 else 0.0
