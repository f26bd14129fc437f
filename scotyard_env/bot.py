"""``scotyard bot``: a policy as a program that speaks the protocol of ``process:``, lines of JSON in and out.

So a policy of one environment plays against those of another, such as an older release against today's::

    scotyard match --mr-x "process:/envs/other/bin/scotyard bot phantom" --detectives hunters
"""

import contextlib
import dataclasses
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, cast

import numpy as np
import tyro

from scotyard_env.notation import action_text
from scotyard_env.policy import PolicyLike, check_fit, make_policy
from scotyard_env.wire import Frame, Hello, WireError, from_line, read_frame, read_hello, to_line


@dataclasses.dataclass(frozen=True)
class Command:
    """Let a policy play through lines of JSON on standard input and output, the protocol of process:."""

    policy: Annotated[str, tyro.conf.Positional]
    """Name of a policy, with parameters if need be."""

    def run(self) -> None:
        """Answer until the input ends."""
        answers, sys.stdout = sys.stdout, sys.stderr  # what a policy prints is no answer
        with contextlib.closing(answers):
            for line in answer_all(self.policy, sys.stdin.buffer):
                answers.buffer.write(line)
                answers.flush()


def answer_all(policy: PolicyLike, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Answer every line that asks for a decision."""
    games: Any = None
    for line in lines:
        message = from_line(line)
        if message.get("type") == "hello":
            board, rules, side = read_hello(cast(Hello, message))
            player = make_policy(policy, side=side)
            check_fit(player, board, rules, side)
            games = player, board, rules
        elif message.get("type") == "decide" and games is not None:
            player, board, rules = games
            view = read_frame(board, rules, cast(Frame, message.get("frame")))
            rng = np.random.default_rng(message.get("seed"))
            yield to_line({"move": action_text(board, int(player.act(view, rng).action))})
        else:
            raise WireError(f"this is neither a hello nor a decision after one: {message.get('type')!r}")
