"""The kernels that the encoder calls: observations, masks and moves of many games, each into its row of the arrays.

Each takes games, viewers and rows, one of each for an observation: the numbers of the games among the states, the seats
that look at them, and the rows of the arrays. Without games these are all states in order, without viewers the seats to
move. What a viewer may not know is hidden before anything is written. Each returns whether all that is numbered is
there, and else writes nothing.
"""

from scotyard_env.encode.features import write_moves
from scotyard_env.encode.writers import (
    forget,
    write_compact,
    write_flat,
    write_game,
    write_stations,
    write_viewer_first,
)
from scotyard_env.kernel import kernel
from scotyard_env.rules import legal_actions
from scotyard_env.view import redact_into


@kernel
def fit(states, games, viewers, rows, size):
    """Return whether all these games, viewers and rows of arrays of this size are there: the loops below trust them."""
    looked_at = len(games) if len(games) > 0 else min(len(states), len(rows))
    if looked_at != len(rows) or (len(viewers) > 0 and len(viewers) != len(rows)):
        return False
    for game in games:
        if game < 0 or game >= len(states):
            return False
    for row in rows:
        if row < 0 or row >= size:
            return False
    return True


@kernel
def look_at(states, games, viewers, index, views):
    """Write what a viewer may know of its game into the only view; return who that is."""
    game = games[index] if len(games) > 0 else index
    viewer = viewers[index] if len(viewers) > 0 else states[game].seat
    redact_into(views, 0, states[game], viewer)
    return viewer


@kernel
def write_flat_rows(
    boards, rules, states, games, viewers, rows, views, scratches, masks,
    places, viewer_first, with_belief, weights, written_rows, blanks, out,
):  # fmt: skip
    """Write flat observations: what has changed where it is known what stands there, else all of it."""
    if not fit(states, games, viewers, rows, min(len(out), len(masks))):
        return False
    board, rule, at = boards[0], rules[0], places[0]
    for index in range(len(rows)):
        row, viewer, view = rows[index], look_at(states, games, viewers, index, views), views[0]
        if len(written_rows) > 0:
            written = written_rows[row]
        else:
            written = blanks[0]
            forget(written)
            out[row, :] = 0.0
        if viewer_first:
            write_viewer_first(board, rule, at, view, viewer, with_belief, weights, written, out[row])
        else:
            write_flat(board, rule, at, view, viewer, with_belief, weights, written, out[row])
        write_mask(board, rule, view, viewer, scratches[0], masks[row])
    return True


@kernel
def write_compact_rows(boards, rules, states, games, viewers, rows, views, scratches, masks, places, out):
    """Write compact observations."""
    if not fit(states, games, viewers, rows, min(len(out), len(masks))):
        return False
    for index in range(len(rows)):
        row, viewer = rows[index], look_at(states, games, viewers, index, views)
        write_compact(boards[0], rules[0], places[0], views[0], viewer, out[row])
        write_mask(boards[0], rules[0], views[0], viewer, scratches[0], masks[row])
    return True


@kernel
def write_graph_rows(
    boards, rules, states, games, viewers, rows, views, scratches, masks,
    places, with_belief, weights, blanks, stations, game,
):  # fmt: skip
    """Write graph observations."""
    if not fit(states, games, viewers, rows, min(len(game), len(stations), len(masks))):
        return False
    for index in range(len(rows)):
        row, viewer = rows[index], look_at(states, games, viewers, index, views)
        forget(blanks[0])
        game[row, :] = 0.0
        write_game(rules[0], places[0], views[0], viewer, blanks[0], game[row])
        write_stations(boards[0], views[0], viewer, with_belief, weights, stations[row])
        write_mask(boards[0], rules[0], views[0], viewer, scratches[0], masks[row])
    return True


@kernel
def write_mask(board, rules, view, viewer, scratch, mask):
    """Write the mask of legal actions; nothing is legal for a viewer who is not to move."""
    mask[:] = 0
    if view.seat == viewer:
        for legal in range(legal_actions(board, rules, view, scratch.legal)):
            mask[scratch.legal[legal]] = 1


@kernel
def write_moves_rows(boards, rules, states, games, viewers, rows, views, scratches, ids, features):
    """Write the legal actions and their features."""
    if not fit(states, games, viewers, rows, min(len(ids), len(features))):
        return False
    for index in range(len(rows)):
        row, viewer = rows[index], look_at(states, games, viewers, index, views)
        if views[0].seat == viewer:
            write_moves(boards[0], rules[0], views[0], scratches[0], ids[row], features[row])
        else:
            ids[row, :] = -1
            features[row, :, :] = 0.0
    return True
