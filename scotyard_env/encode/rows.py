"""The kernels that the encoder calls: observations, masks and moves of many views, each into its row of the arrays."""

from scotyard_env.encode.features import write_moves
from scotyard_env.encode.writers import forget, write_compact, write_flat, write_game, write_stations
from scotyard_env.kernel import kernel
from scotyard_env.rules import legal_actions


@kernel
def are_rows(rows, size):
    """Return whether arrays of this size have all these rows: the loops below trust them."""
    for row in rows:
        if row < 0 or row >= size:
            return False
    return True


@kernel
def write_flat_rows(boards, rules, views, viewers, rows, places, with_belief, weights, written_rows, blanks, out):
    """Write a flat observation of each view: what has changed where it is known what stands there, else all of it."""
    for index in range(len(rows)):
        row = rows[index]
        if len(written_rows) > 0:
            written = written_rows[row]
        else:
            written = blanks[0]
            forget(written)
            out[row, :] = 0.0
        view, viewer = views[index], viewers[index]
        write_flat(boards[0], rules[0], places[0], view, viewer, with_belief, weights, written, out[row])


@kernel
def write_compact_rows(boards, rules, views, viewers, rows, places, out):
    """Write a compact observation of each view."""
    for index in range(len(rows)):
        write_compact(boards[0], rules[0], places[0], views[index], viewers[index], out[rows[index]])


@kernel
def write_graph_rows(boards, rules, views, viewers, rows, places, with_belief, weights, blanks, stations, game):
    """Write a graph observation of each view."""
    for index in range(len(rows)):
        view, viewer, row = views[index], viewers[index], rows[index]
        forget(blanks[0])
        game[row, :] = 0.0
        write_game(rules[0], places[0], view, viewer, blanks[0], game[row])
        write_stations(boards[0], view, viewer, with_belief, weights, stations[row])


@kernel
def write_mask_rows(boards, rules, views, viewers, rows, scratches, masks):
    """Write the mask of legal actions of each view; nothing is legal for a viewer who is not to move."""
    scratch = scratches[0]
    for index in range(len(rows)):
        view, mask = views[index], masks[rows[index]]
        mask[:] = 0
        if view.seat == viewers[index]:
            for legal in range(legal_actions(boards[0], rules[0], view, scratch.legal)):
                mask[scratch.legal[legal]] = 1


@kernel
def write_moves_rows(boards, rules, views, viewers, rows, scratches, masks, ids, features):
    """Write the mask, the legal actions and their features of each view."""
    for index in range(len(rows)):
        view, row = views[index], rows[index]
        mask = masks[row]
        mask[:] = 0
        if view.seat == viewers[index]:
            for legal in range(write_moves(boards[0], rules[0], view, scratches[0], ids[row], features[row])):
                mask[ids[row, legal]] = 1
        else:
            ids[row, :] = -1
            features[row, :, :] = 0.0
