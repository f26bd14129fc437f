"""Run a program, and end it with all that it has started once whoever asked for it is gone, however they went.

    python -I process_guard.py LIFELINE PROGRAM [ARGUMENT ...]

LIFELINE is the number of a descriptor at whose other end nobody ever writes: that it is closed is what is waited for.
The program has this process's standard streams, so that nothing is copied. It imports nothing of ours, to start fast.
"""

import contextlib
import os
import signal
import sys


def main(lifeline: int, words: list[str]) -> int:
    """Run the program; return its exit code, 128 and the signal's number where a signal ended it."""
    program = os.fork()
    if program == 0:
        os.setpgid(0, 0)
        os.close(lifeline)
        try:
            os.execvp(words[0], words)
        except OSError as error:
            os.write(2, f"{words[0]}: {error.strerror}\n".encode())
            os._exit(127)
    with contextlib.suppress(OSError):  # the program may have been faster
        os.setpgid(program, program)
    for stream in range(3):
        os.close(stream)
    os.read(lifeline, 1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
