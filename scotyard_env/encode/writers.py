"""The kernels behind the encoder: they write what a view's viewer may know into arrays, one view at a time.

What the pieces and columns mean stands in layouts.py; ``at`` is a record of PLACES, where each piece begins.
"""

from scotyard_env.arrays import copy_values
from scotyard_env.belief import weigh_by_paths
from scotyard_env.encode.features import MANY, scaled
from scotyard_env.encode.layouts import LOG_COLUMNS, STATION_FEATURES
from scotyard_env.kernel import kernel, record_type
from scotyard_env.state import (
    FARES,
    MAX_DETECTIVES,
    MAX_LOG,
    MAX_SEATS,
    MR_X,
    NO_FARE,
    NOWHERE,
    TICKETS,
    TRANSPORTS,
    UNLIMITED,
    WORDS,
    clear,
    has,
    take_lowest,
)

SECOND_HALF = 8  # what the second half of a double move adds to the code of a log entry
MOST_BYTES = 255  # what an unlimited or larger count of tickets is in a byte

WRITTEN = record_type(  # what stands in a row of flat observations, which need not be wiped before the next one then
    [
        ("possible", "u8", (WORDS,)),
        ("station", "i2", (MAX_DETECTIVES + 2,)),  # of the detectives in order, of Mr. X, the viewer's; NOWHERE = none
        ("tickets", "i2", (MAX_SEATS, len(TICKETS))),  # by seat; only where seats do not change places
        ("entries", "i2"),
        ("log", "i1", (MAX_LOG,)),
        ("log_round", "u1", (MAX_LOG,)),
    ]
)

MR_X_PLACE, OWN_PLACE = MAX_DETECTIVES, MAX_DETECTIVES + 1  # in `station` of WRITTEN

# The columns of STATION_FEATURES, by name; the number behind a name is frozen when kernels are compiled.
OWN, DETECTIVES, KNOWN, POSSIBLE, BELIEF, OWN_DISTANCE, DETECTIVE_DISTANCE, LINKS = (
    STATION_FEATURES.index(name)
    for name in ("own", "detectives", "mr_x", "possible", "belief", "own_distance", "detective_distance", "taxi_links")
)


@kernel
def nth_detective(view, viewer, place):
    """Return the detective at this place in the viewer's order: the viewer first; Mr. X begins with the first."""
    seat = place + (viewer if viewer > MR_X else 1)
    return seat if seat < view.seats else seat - view.seats + 1


@kernel
def known_station(view, viewer):
    """Return where Mr. X is, to himself; to the others, where he showed himself last."""
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
    """Return a log entry as one number: 1 + fare, + SECOND_HALF for the second half of a double move."""
    is_second = entry > 0 and view.log_round[entry] == view.log_round[entry - 1]
    return 1 + int(view.log[entry]) + (SECOND_HALF if is_second else 0)  # int: wide enough as plain Python too


@kernel
def ticket_share(tickets):
    """Return a count of tickets in tenths."""
    return MANY if tickets == UNLIMITED else min(tickets / MANY, MANY)


@kernel
def write_game(rules, at, view, viewer, written, out):
    """Write the pieces that are not about stations over those that stand there, the viewer's tickets first."""
    write_table(rules, at, view, viewer, written, out)
    purse = at.tickets
    for place in range(view.seats):
        seat = MR_X if place == 0 else nth_detective(view, viewer, place - 1)
        for kind in range(len(TICKETS)):
            out[purse + kind] = ticket_share(view.tickets[seat, kind])
        purse += len(TICKETS)


@kernel
def write_table(rules, at, view, viewer, written, out):
    """Write whose turn it is, the log and the counters over those that stand there."""
    seats, room = int(view.seats), int(rules.log_entries)  # wide enough as plain Python too
    own, to_move = at.seat, at.to_move  # read once: out might lie in the same memory for all we know
    for seat in range(seats):
        out[own + seat] = out[to_move + seat] = 0.0
    if viewer >= MR_X:
        out[own + viewer] = 1.0
    out[to_move + view.seat] = 1.0
    write_log(at, view, written, out)
    to_reveal = entries_to_reveal(rules, view)
    out[at.entry] = view.entries / room
    out[at.since_reveal] = (view.entries - view.seen_entry) / room if view.seen_entry > 0 else 1.0
    out[at.to_reveal] = to_reveal / room if to_reveal > 0 else 1.0
    out[at.owed] = view.owed / 2.0


@kernel
def write_changed_tickets(at, view, written, out):
    """Write the tickets that are not as they stand there, by seat."""
    for seat in range(view.seats):
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            if tickets != written.tickets[seat, kind]:
                written.tickets[seat, kind] = tickets
                out[at.tickets + len(TICKETS) * seat + kind] = ticket_share(tickets)


@kernel
def write_log(at, view, written, out):
    """Write the log over the one that stands there, if it is another."""
    if is_log(view, written):
        return
    for entry in range(max(view.entries, written.entries)):
        start = at.log + LOG_COLUMNS * entry
        for column in range(LOG_COLUMNS):
            out[start + column] = 0.0
        if entry < view.entries:
            code = log_code(view, entry)
            out[start + (code - 1) % SECOND_HALF] = 1.0
            out[start + FARES] = 1.0 if code > SECOND_HALF else 0.0
        written.log[entry] = view.log[entry]
        written.log_round[entry] = view.log_round[entry]
    written.entries = view.entries


@kernel
def is_log(view, written):
    """Return whether the log is the one that stands there; to compare all of it at once is faster than to stop."""
    same = view.entries == written.entries
    for entry in range(MAX_LOG):
        same &= view.log[entry] == written.log[entry]
        same &= view.log_round[entry] == written.log_round[entry]
    return same


@kernel
def write_flat(board, rules, at, view, viewer, with_belief, weights, written, out):
    """Write a flat observation over the one that stands there; what stays where it is costs next to nothing."""
    write_table(rules, at, view, viewer, written, out)
    write_changed_tickets(at, view, written, out)
    out[at.rounds] = view.rounds / rules.log_entries
    move_one(out, at.own, written, OWN_PLACE, view.station[viewer] if viewer >= MR_X else NOWHERE)
    stations = board.stations
    for seat in range(1, view.seats):
        move_one(out, at.detectives + (seat - 1) * stations, written, seat - 1, view.station[seat])
    move_one(out, at.mr_x, written, MR_X_PLACE, view.seen)
    write_knowledge(board, at, view, with_belief, weights, written, out)


@kernel
def write_viewer_first(board, rules, at, view, viewer, with_belief, weights, written, out):
    """Write a flat observation of version 0.1.0 over the one that stands there."""
    write_game(rules, at, view, viewer, written, out)
    stations = board.stations
    for place in range(view.seats - 1):
        station = view.station[nth_detective(view, viewer, place)]
        move_one(out, at.detectives + place * stations, written, place, station)
    move_one(out, at.mr_x, written, MR_X_PLACE, known_station(view, viewer))
    write_knowledge(board, at, view, with_belief, weights, written, out)


@kernel
def write_knowledge(board, at, view, with_belief, weights, written, out):
    """Write where Mr. X may be over what stands there, and how likely he is to be there if that is asked for."""
    possible = at.possible
    for word in range(WORDS):
        changed = view.possible[word] ^ written.possible[word]
        written.possible[word] = view.possible[word]
        while changed != 0:
            station, changed = take_lowest(word, changed)
            out[possible + station - 1] = 1.0 if has(view.possible, station) else 0.0
    if with_belief:
        weigh_by_paths(board, view, False, weights[0], weights[1])
        copy_values(weights[0, 1:], out[at.belief : at.belief + board.stations])


@kernel
def forget(written):
    """Note that nothing stands in a row."""
    clear(written.possible)
    written.station[:] = NOWHERE
    written.tickets[:] = 0
    written.entries = 0
    written.log[:] = NO_FARE
    written.log_round[:] = 0


@kernel
def move_one(out, start, written, place, station):
    """Move the 1 of a one-hot piece that begins at a column to a station, or take it away."""
    before = written.station[place]
    if station != before:
        if before != NOWHERE:
            out[start + before - 1] = 0.0
        if station != NOWHERE:
            out[start + station - 1] = 1.0
        written.station[place] = station


@kernel
def write_compact(board, rules, at, view, viewer, out):
    """Write a compact observation."""
    out[at.seat] = max(viewer, MR_X)
    out[at.to_move] = view.seat
    out[at.entry] = view.entries
    out[at.since_reveal] = view.entries - view.seen_entry
    out[at.to_reveal] = entries_to_reveal(rules, view)
    out[at.owed] = view.owed
    out[at.mr_x] = known_station(view, viewer)
    for place in range(view.seats - 1):
        out[at.detectives + place] = view.station[nth_detective(view, viewer, place)]
    for place in range(view.seats):
        seat = MR_X if place == 0 else nth_detective(view, viewer, place - 1)
        for kind in range(len(TICKETS)):
            tickets = view.tickets[seat, kind]
            held = MOST_BYTES if tickets == UNLIMITED else min(tickets, MOST_BYTES)
            out[at.tickets + len(TICKETS) * place + kind] = held
    for entry in range(rules.log_entries):
        out[at.log + entry] = log_code(view, entry) if entry < view.entries else 0
    for station in range(1, board.stations + 1):
        out[at.possible + station - 1] = 1 if has(view.possible, station) else 0


@kernel
def write_stations(board, view, viewer, with_belief, weights, out):
    """Write the features of every station."""
    out[:] = 0.0
    own = view.station[viewer] if viewer >= MR_X else NOWHERE  # a spectator stands nowhere
    if with_belief:
        weigh_by_paths(board, view, False, weights[0], weights[1])
    for station in range(1, board.stations + 1):
        row = out[station]
        row[POSSIBLE] = 1.0 if has(view.possible, station) else 0.0
        if with_belief:
            row[BELIEF] = weights[0, station]
        if own != NOWHERE:
            row[OWN_DISTANCE] = scaled(board.distance[own, station])
        row[DETECTIVE_DISTANCE] = 2.0
        for transport in range(len(TRANSPORTS)):
            row[LINKS + transport] = min(board.links[station, transport] / 4.0, 2.0)
    if own != NOWHERE:
        out[own, OWN] = 1.0
    for seat in range(1, view.seats):
        detective = view.station[seat]
        for station in range(1, board.stations + 1):
            distance = scaled(board.distance[detective, station])
            out[station, DETECTIVE_DISTANCE] = min(out[station, DETECTIVE_DISTANCE], distance)
        if seat != viewer:
            out[detective, DETECTIVES] += 1.0
    known = known_station(view, viewer)
    if known != NOWHERE:
        out[known, KNOWN] = 1.0
