"""An analysis as text: a line for every moment, the blunders, and how much of the result was luck."""

from scotyard_env.analysis.record import Record
from scotyard_env.analysis.telling import Judged, Point, Teller, Told
from scotyard_env.render.captions import seat_name
from scotyard_env.replay import Replay

MARK = "blunder"


def write_table(replay: Replay, record: Record) -> str:
    """Write an analysis as a table for a terminal."""
    teller = Teller(replay, record.judges.belief)
    told = teller.tell(record)
    judged = {one["at"]: one for one in told["judged"]}
    seats = [game.seat for game in replay.games()]
    rows = [_row(replay, told, judged.get(at), at, seats[at]) for at in range(len(replay) + 1)]
    head = f"{'':>4} {'truth':>16} {'table':>16}  {'move':<18} {'gives away':>16}"
    lines = [
        f"The detectives' chances in %, {told['about']}, {record.rollouts} games from each moment:",
        head,
        *rows,
        "",
    ]
    return "\n".join([*lines, *_tell_blunders(told), told["account"]]).rstrip()


def _row(replay: Replay, told: Told, judged: Judged | None, at: int, seat: int) -> str:
    move = f"{seat_name(seat)} {replay.moves[at]}" if at < len(replay) else "the end"
    loss = "" if judged is None else _show(judged["loss"])
    mark = f"  {MARK}" if judged is not None and judged["blunder"] else ""
    return (
        f"{at:>4} {_show(told['truth'][at]):>16} {_show(told['table'][at]):>16}  {move:<18} {loss:>16}{mark}".rstrip()
    )


def _show(point: Point | None) -> str:
    if point is None:
        return ""
    share, low, high = (round(one / 10) for one in point)
    return f"{share} [{low}, {high}]"


def _tell_blunders(told: Told) -> list[str]:
    blunders = [one for one in told["judged"] if one["blunder"]]
    if not blunders:
        return ["No decision was worse than chance explains."]
    lines = []
    for one in blunders:
        lines.append(f"Blunder: {one['told']}.")
        lines += [f"    {sentence}." for sentence, _ in told["opinions"].get(one["at"], [])]
    return lines
