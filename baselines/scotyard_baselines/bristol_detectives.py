"""bristol_detectives: the detectives of the report "Scotland Yard Model", in its last version (last_known: its first).

Its MrXFinder keeps the list of stations where Mr. X may be: moved on by every ticket he shows, struck out where a
detective lands. That is our possible set. A detective who can step onto such a station does; otherwise it goes where
the average distance to all of them is smallest. Until Mr. X first shows himself they head for stations with good
transport links. The report leaves open which of several possible stations to step onto: the one with the smallest
average distance.
"""

from dataclasses import dataclass
from typing import ClassVar

from scotyard_baselines.one_ply.frame import OnePly, Scores, new_scores
from scotyard_env.encode.features import list_possible, new_scratch
from scotyard_env.kernel import kernel
from scotyard_env.policy import Side
from scotyard_env.rules import destination, legal_actions, pass_action
from scotyard_env.state import BUS, NOWHERE, TAXI, UNDERGROUND, has
from scotyard_env.view import Views

HUB_VALUE = {TAXI: 5, BUS: 7, UNDERGROUND: 25}  # of a link at a station, while Mr. X has not been seen
TAXI_VALUE, BUS_VALUE, UNDERGROUND_VALUE = HUB_VALUE.values()


@dataclass(frozen=True)
class BristolDetectives(OnePly):
    """Step onto a possible station if one is in reach, else where the average distance to them is smallest."""

    sides: ClassVar[tuple[Side, ...]] = ("detectives",)

    def score(self, views: Views) -> Scores:
        """Return the scores of every legal action of every view."""
        scores = new_scores(views)
        score_rows(views.board.packed, views.rules.packed(views.board), views.states, new_scratch(), *scores)
        return scores


@kernel
def score_rows(boards, rules, states, scratches, actions, values, counts):
    """Score the legal actions of every view."""
    board = boards[0]
    for index in range(len(states)):
        view = states[index]
        counts[index] = legal_actions(board, rules[0], view, actions[index])
        size = list_possible(board, view, scratches[0])
        for place in range(counts[index]):
            action = actions[index, place]
            if action == pass_action(board):
                values[index, place] = 0.0
            elif view.seen == NOWHERE:
                values[index, place] = hub_value(board, destination(action))
            else:
                values[index, place] = find_value(board, view, scratches[0], size, destination(action))


@kernel
def hub_value(board, station):
    """Return what the transport links at a station are worth."""
    links = board.links[station]
    return float(TAXI_VALUE * links[TAXI] + BUS_VALUE * links[BUS] + UNDERGROUND_VALUE * links[UNDERGROUND])


@kernel
def find_value(board, view, scratch, size, station):
    """Return minus the average distance to all possible stations; a possible station beats all that are not."""
    total = 0.0  # no whole number: plain Python would add up bytes
    for place in range(size):
        total += board.distance[station, scratch.stations[place]]
    return (1000.0 if has(view.possible, station) else 0.0) - total / size
