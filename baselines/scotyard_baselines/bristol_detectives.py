"""bristol_detectives: the detectives of the report "Scotland Yard Model", in all of its versions.

Its MrXFinder keeps the list of stations where Mr. X may be: moved on by every ticket he shows, struck out where a
detective lands. That is our possible set. A detective who can step onto such a station does; otherwise it goes where
the average distance to all of them is smallest. Until Mr. X first shows himself they head for stations with good
transport links. The report leaves open which of several possible stations to step onto: the one with the smallest
average distance.

How the report got there, version by version, with what makes each other than the next; ``version`` selects one, and
every switch that is given wins over it:

    1  towards where Mr. X was seen last (last_known)               aim="seen"
    2  smallest average distance to where he may be by his tickets  hubs=False
    3  while he is unseen, to good transport links                  removal=False
    4  stations where a detective landed are removed                landing=False
    5  who can land on a station where he may be does

It tried ``aim="nearest"`` too, the nearest station where he may be, and gave it up.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from scotyard_baselines.bristol.finder import FINDER, find_mr_x
from scotyard_baselines.bristol.versions import fill_in
from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.kernel import kernel
from scotyard_env.policy import Side
from scotyard_env.ranges import Range, check_choices, check_ranges
from scotyard_env.rules import destination, legal_actions, pass_action
from scotyard_env.state import BUS, NOWHERE, TAXI, UNDERGROUND, has
from scotyard_env.view import Views

HUB_VALUE = {TAXI: 5, BUS: 7, UNDERGROUND: 25}  # of a link at a station, while Mr. X has not been seen
TAXI_VALUE, BUS_VALUE, UNDERGROUND_VALUE = HUB_VALUE.values()
LANDING_VALUE = 1000.0  # more than any distance

Aim = Literal["seen", "average", "nearest"]
AIMS: tuple[Aim, ...] = get_args(Aim)
SEEN, AVERAGE, NEAREST = range(len(AIMS))


class Version(NamedTuple):
    """The switches of a version."""

    aim: Aim = "average"
    hubs: bool = True  # while he is unseen, head for good transport links; else at random
    removal: bool = True  # of stations where a detective landed
    landing: bool = True  # whoever can land on a station where he may be does


VERSIONS = (
    Version("seen", hubs=False, removal=False, landing=False),
    Version(hubs=False, removal=False, landing=False),
    Version(removal=False, landing=False),
    Version(landing=False),
    Version(),
)


@dataclass(frozen=True)
class BristolDetectives(OnePly):
    """Step onto a possible station if one is in reach, else where the average distance to them is smallest.

    A switch that is None is as the version has it.
    """

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)
    version: Annotated[int, Range(1, len(VERSIONS))] = len(VERSIONS)  # of the report, by its switches
    aim: Aim | None = None  # small distance to where he was "seen", or to where he may be, on "average" or "nearest"
    hubs: bool | None = None  # while he is unseen, head for good transport links
    removal: bool | None = None  # of stations where a detective landed
    landing: bool | None = None  # whoever can land on a station where he may be does

    def __post_init__(self) -> None:
        check_ranges(self)
        check_choices(self)

    @cached_property
    def switches(self) -> Version:
        """Those of the version, but for what was given."""
        return fill_in(VERSIONS[self.version - 1], self)

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        scores = new_scores(views)
        packed = views.board.packed, views.rules.packed(views.board), views.states
        aim, *switches = self.switches
        score_rows(*packed, np.empty(1, FINDER), AIMS.index(aim), *switches, *scores)
        return scores


@kernel
def score_rows(boards, rules, states, finders, aim, hubs, removal, landing, actions, values, counts):
    """Score the legal actions of every view."""
    board = boards[0]
    for index in range(len(states)):
        view = states[index]
        counts[index] = legal_actions(board, rules[0], view, actions[index])
        is_seen = view.seen != NOWHERE
        size = find_mr_x(board, view, removal, finders[0]) if is_seen else 0
        for place in range(counts[index]):
            action = actions[index, place]
            if action == pass_action(board):
                values[index, place] = 0.0
            elif is_seen:
                to = destination(action)
                bonus = LANDING_VALUE if landing and has(finders[0].found, to) else 0.0
                values[index, place] = bonus - aim_distance(board, view, aim, finders[0].stations[:size], to)
            else:
                values[index, place] = hub_value(board, destination(action)) if hubs else 0.0


@kernel
def hub_value(board, station):
    """Return what the transport links at a station are worth."""
    links = board.links[station]
    return float(TAXI_VALUE * links[TAXI] + BUS_VALUE * links[BUS] + UNDERGROUND_VALUE * links[UNDERGROUND])


@kernel
def aim_distance(board, view, aim, stations, station):
    """Return how far a station is from what the detectives aim at."""
    if aim == SEEN:
        return float(board.distance[station, view.seen])
    total = 0.0  # no whole number: plain Python would add up bytes
    nearest = np.inf
    for place in range(len(stations)):
        distance = float(board.distance[station, stations[place]])
        total += distance
        nearest = min(nearest, distance)
    return nearest if aim == NEAREST else total / len(stations)
