"""What a view says, in words: headlines, who sits where, when Mr. X shows himself, why a game is over."""

from scotyard_env.rules import CAUGHT, CORNERED, DETECTIVES_STUCK, LOG_FULL, ending
from scotyard_env.state import MR_X, NOWHERE, SPECTATOR, UNLIMITED
from scotyard_env.view import View

NO_REVEAL = "no reveal to come"


def seat_name(seat: int) -> str:
    """Name a seat for people."""
    return "a spectator" if seat == SPECTATOR else "Mr. X" if seat == MR_X else f"Detective {seat}"


def about(view: View) -> str:
    """Say what is played and who looks on."""
    names = dict.fromkeys((_tidy(view.board.name), _tidy(view.rules.name)))  # once if they are the same
    return f"{', '.join(names)}, seen by {seat_name(view.viewer)}"


def _tidy(name: str, most: int = 28) -> str:
    """Replace what cannot be printed in a name that somebody gave, and cut it if it is long."""
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return printable if len(printable) <= most else printable[: most - 3] + "..."


def headline(view: View) -> str:
    """Say how the game stands."""
    if view.winner is not None:
        return tell_winner(view.winner, view.round)
    owed = int(view.state.owed)
    double = f" (double move, {owed} to go)" if owed else ""
    return f"Round {coming_round(view)}: {seat_name(view.seat)} to move{double}"


def tell_winner(winner: str, in_round: int) -> str:
    """Say who has won, and when."""
    who = "Mr. X wins" if winner == "mr_x" else "The detectives win"
    return f"{who} {f'in round {in_round}' if in_round else 'at the start'}"


def coming_round(view: View) -> int:
    """Number the round that the seat to move acts in; Mr. X's first action of a turn begins the next one."""
    return view.round + int(view.seat == MR_X and view.state.owed == 0)


def why_over(view: View) -> str:
    """Say in one sentence why the game is over."""
    reason, after = ending(view.board.arrays, view.rule_arrays, view.state), f"after {count_of(view.round, 'round')}"
    where = "" if view.stations[MR_X] == NOWHERE else f" on {view.stations[MR_X]}"
    if reason == CAUGHT:
        return f"{seat_name(view.seat)} caught Mr. X on {view.stations[view.seat]} in round {view.round}."
    if reason == CORNERED:
        return f"Mr. X{where} could not move when his turn of round {view.round + 1} came."
    if reason == DETECTIVES_STUCK:
        return f"No detective could move any more {after}, and Mr. X{where} is free."
    if reason == LOG_FULL:
        return f"Mr. X's log is full with {count_of(len(view.log), 'entry')} {after}, and he is free{where}."
    return f"The last round is over, {after}, and Mr. X is free{where}."


def count_of(number: int, thing: str) -> str:
    """Write a number of things."""
    plural = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{number} {thing if number == 1 else plural}"


def log_length(view: View) -> int:
    """Count the entries that the log has room for."""
    return max(view.rules.log_room, len(view.log))


def next_reveal(view: View) -> str:
    """Say when Mr. X shows himself next."""
    entries = len(view.log)
    coming = [entry for entry in sorted(view.rules.reveals) if entry > entries]
    if not coming or view.winner is not None:
        return NO_REVEAL
    away = coming[0] - entries
    return f"next reveal at entry {coming[0]}, in {count_of(away, 'entry')}"


def ticket_count(count: int) -> str:
    """Write a number of tickets."""
    return "∞" if count == UNLIMITED else str(count)


def listing(stations: list[int], most: int) -> str:
    """List stations, and only count those beyond the most that are wanted."""
    listed = " ".join(str(station) for station in stations[:most])
    return listed if len(stations) <= most else f"{listed} ... and {len(stations) - most} more"
