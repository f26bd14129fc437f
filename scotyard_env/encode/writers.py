"""The kernels behind encode.py: they write what a view's viewer may know into arrays, many views at a time.

What the columns mean stands in encode.py, beside the layouts; the order in which they are written here is the same.
"""

from scotyard_env.belief import weigh_by_paths
from scotyard_env.encode.features import FAR, MANY, write_moves
from scotyard_env.kernel import kernel, record_type
from scotyard_env.rules import legal_actions
from scotyard_env.state import (
    FARES,
    MAX_DETECTIVES,
    MAX_LOG,
    MR_X,
    NOWHERE,
    TICKETS,
    TRANSPORTS,
    UNLIMITED,
    WORDS,
    clear,
    has,
    take_lowest,
)
from scotyard_env.threats import nearest_detective

LOG_COLUMNS = FARES + 1  # a one-hot of the fare, and whether it was the second half of a double move
MOST_BYTES = 255  # what an unlimited or larger count of tickets is in a byte

MARKS = record_type(  # what stands in a row of flat observations, so that the next one need not begin with wiping 7 kB
    [
        ("possible", "u8", (WORDS,)),
        ("station", "i2", (MAX_DETECTIVES + 1,)),  # of the detectives in order, then of Mr. X; NOWHERE = none
        ("entries", "i2"),
        ("log", "u1", (MAX_LOG,)),  # each entry as `log_code` writes it
    ]
)


# ---------------------------------------------------------------------------------------------------- many at a time


@kernel
def are_rows(rows, size):
    """Tell whether arrays of this size have all these rows: the loops below trust them."""
    for row in rows:
        if row < 0 or row >= size:
            return False
    return True


@kernel
def write_flat_rows(boards, rules, views, viewers, rows, with_belief, weights, marks, blanks, out):
    """Write a flat observation of each view: what has changed where there are marks, else all of it."""
    for index in range(len(rows)):
        row = rows[index]
        if len(marks) > 0:
            mark = marks[row]
        else:
            mark = blanks[0]
            wipe_mark(mark)
            out[row, :] = 0.0
        write_flat(boards[0], rules[0], views[index], viewers[index], with_belief, weights, mark, out[row])


@kernel
def write_compact_rows(boards, rules, views, viewers, rows, out):
    """Write a compact observation of each view."""
    for index in range(len(rows)):
        write_compact(boards[0], rules[0], views[index], viewers[index], out[rows[index]])


@kernel
def write_graph_rows(boards, rules, views, viewers, rows, with_belief, weights, blanks, stations, game):
    """Write a graph observation of each view."""
    for index in range(len(rows)):
        view, viewer, row = views[index], viewers[index], rows[index]
        wipe_mark(blanks[0])
        game[row, :] = 0.0
        write_game(rules[0], view, viewer, blanks[0], game[row])
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


# ----------------------------------------------------------------------------------------------------- one at a time


@kernel
def nth_detective(view, viewer, place):
    """Tell which detective comes at this place in the viewer's order: the viewer first, Mr. X begins with the first."""
    seat = place + (viewer if viewer > MR_X else 1)
    return seat if seat < view.seats else seat - view.seats + 1


@kernel
def known_station(view, viewer):
    """Tell where Mr. X is, to himself; to the others, where he showed himself last."""
    return view.station[MR_X] if viewer == MR_X else view.seen


@kernel
def entries_to_reveal(rules, view):
    """Count the log entries until Mr. X shows himself again; 0 if he never will."""
    for entry in range(view.entries + 1, rules.log_entries + 1):
        if rules.reveals[entry]:
            return entry - view.entries
    return 0


@kernel
def log_code(view, entry):
    """Write a log entry as one number: 1 + fare, + 8 for the second half of a double move."""
    is_second = entry > 0 and view.log_round[entry] == view.log_round[entry - 1]
    return 1 + int(view.log[entry]) + (8 if is_second else 0)  # int: wide enough as plain Python too


@kernel
def write_game(rules, view, viewer, mark, out):
    """Write the pieces that are not about stations over those that the mark describes; return where they end."""
    seats, room = int(view.seats), int(rules.log_entries)  # wide enough to count the places with, as plain Python too
    for place in range(2 * seats):
        out[place] = 0.0
    if viewer >= MR_X:
        out[viewer] = 1.0
    out[seats + view.seat] = 1.0
    at = 2 * seats
    for place in range(seats):
        seat = MR_X if place == 0 else nth_detective(view, viewer, place - 1)
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            out[at] = MANY if tickets == UNLIMITED else min(tickets / MANY, MANY)
            at += 1
    write_log(view, mark, out, at)
    at += LOG_COLUMNS * room
    to_reveal = entries_to_reveal(rules, view)
    out[at] = view.entries / room
    out[at + 1] = (view.entries - view.seen_entry) / room if view.seen_entry > 0 else 1.0
    out[at + 2] = to_reveal / room if to_reveal > 0 else 1.0
    out[at + 3] = view.owed / 2.0
    return at + 4


@kernel
def write_log(view, mark, out, at):
    """Write the log entries that are not as the mark describes them."""
    for entry in range(max(view.entries, mark.entries)):
        code = log_code(view, entry) if entry < view.entries else 0
        if code != mark.log[entry]:
            mark.log[entry] = code
            for column in range(LOG_COLUMNS):
                out[at + LOG_COLUMNS * entry + column] = 0.0
            if code > 0:
                out[at + LOG_COLUMNS * entry + (code - 1) % 8] = 1.0
                out[at + LOG_COLUMNS * entry + FARES] = 1.0 if code > 8 else 0.0
    mark.entries = view.entries


@kernel
def write_flat(board, rules, view, viewer, with_belief, weights, mark, out):
    """Write a flat observation over the one that the mark describes."""
    at = write_game(rules, view, viewer, mark, out)
    stations = board.stations
    for place in range(view.seats - 1):
        move_one(out, at, mark, place, view.station[nth_detective(view, viewer, place)])
        at += stations
    move_one(out, at, mark, MAX_DETECTIVES, known_station(view, viewer))
    at += stations
    for word in range(WORDS):
        changed = view.possible[word] ^ mark.possible[word]
        mark.possible[word] = view.possible[word]
        while changed != 0:
            station, changed = take_lowest(word, changed)
            out[at + station - 1] = 1.0 if has(view.possible, station) else 0.0
    if with_belief:
        weigh_by_paths(board, view, False, weights[0], weights[1])
        out[at + stations : at + 2 * stations] = weights[0, 1:]


@kernel
def wipe_mark(mark):
    """Note that nothing stands in a row."""
    clear(mark.possible)
    for place in range(MAX_DETECTIVES + 1):
        mark.station[place] = NOWHERE
    mark.entries = 0
    mark.log[:] = 0


@kernel
def move_one(out, at, mark, place, station):
    """Move the 1 of a one-hot piece that begins at a column to a station, or take it away."""
    if mark.station[place] != NOWHERE:
        out[at + mark.station[place] - 1] = 0.0
    if station != NOWHERE:
        out[at + station - 1] = 1.0
    mark.station[place] = station


@kernel
def write_compact(board, rules, view, viewer, out):
    """Write a compact observation."""
    out[0] = max(viewer, MR_X)
    out[1] = view.seat
    out[2] = view.entries
    out[3] = view.entries - view.seen_entry
    out[4] = entries_to_reveal(rules, view)
    out[5] = view.owed
    out[6] = known_station(view, viewer)
    at = 7
    for place in range(view.seats - 1):
        out[at] = view.station[nth_detective(view, viewer, place)]
        at += 1
    for place in range(view.seats):
        seat = MR_X if place == 0 else nth_detective(view, viewer, place - 1)
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            out[at] = MOST_BYTES if tickets == UNLIMITED else min(tickets, MOST_BYTES)
            at += 1
    for entry in range(rules.log_entries):
        out[at] = log_code(view, entry) if entry < view.entries else 0
        at += 1
    for station in range(1, board.stations + 1):
        out[at] = 1 if has(view.possible, station) else 0
        at += 1


@kernel
def write_stations(board, view, viewer, with_belief, weights, out):
    """Write the features of every station."""
    out[:] = 0.0
    own = view.station[viewer] if viewer >= MR_X else NOWHERE  # a spectator stands nowhere
    if with_belief:
        weigh_by_paths(board, view, False, weights[0], weights[1])
    for station in range(1, board.stations + 1):
        row = out[station]
        row[3] = 1.0 if has(view.possible, station) else 0.0
        if with_belief:
            row[4] = weights[0, station]
        if own != NOWHERE:
            row[5] = min(board.distance[own, station] / FAR, 2.0)
        row[6] = min(nearest_detective(board, view, station) / FAR, 2.0)
        for transport in range(len(TRANSPORTS)):
            row[7 + transport] = min(board.links[station, transport] / 4.0, 2.0)
    if own != NOWHERE:
        out[own, 0] = 1.0
    for seat in range(1, view.seats):
        if seat != viewer:
            out[view.station[seat], 1] += 1.0
    known = known_station(view, viewer)
    if known != NOWHERE:
        out[known, 2] = 1.0
