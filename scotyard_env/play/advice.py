"""What a person at the table can ask for: how to write, the rules of this game in short, the commands."""

from collections.abc import Iterator

from scotyard_env.view import View

COMMANDS = {
    "?": "this help",
    "table": "the whole table again, as does an empty line",
    "map": "the board; map 88 shows what is around 88, with its links",
    "hint": "what a policy would play, and why (in practice games)",
    "undo": "takes your last move back (in practice games)",
    "q": "leaves; the game is saved, and --resume goes on with it",
}
OTHER_NAMES = {"help": "?", "h": "?", "quit": "q", "exit": "q", "board": "map"}
MOVES = (
    "Write a station, 88, or with its ticket: t88, taxi 88, b58, u46, k115 (black). Several moves go on one line: the "
    "detectives' as in t88 b107 90, a double move as in 2x t45 b58. Without a ticket named, no black one is spent "
    "where another will do. The Tab key completes."
)


def tell_help(view: View) -> str:
    """Say how to write moves, what else can be written, and the rules of this game in short."""
    commands = [f"  {name:6} {does}" for name, does in COMMANDS.items()]
    return "\n".join([MOVES, *commands, " ".join(tell_rules(view))])


def tell_rules(view: View) -> Iterator[str]:
    """Give the sentences that say how this game is won, and what the table learns of Mr. X."""
    rules = view.rules
    ends = {"his log is full": rules.log_entries, "the last round is over": rules.round_limit}
    lasting = " or ".join(f"{end} ({number})" for end, number in ends.items() if number is not None)
    yield f"Mr. X wins when {lasting}, or when no detective can move any more."
    yield "The detectives win when one of them comes to his station, or when he cannot move."
    yield "The log tells the ticket of each of his moves: (T B) is a double move, two entries in one round."
    if rules.reveals:
        yield f"At entries {', '.join(map(str, rules.reveals))} he shows himself: T@88 is a taxi to 88."
    yield "A black ticket pays for any transport; the ferry takes no other."
    if rules.hand_over:
        yield "A ticket that a detective spends goes to Mr. X."
