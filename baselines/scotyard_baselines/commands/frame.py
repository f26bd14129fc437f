"""The frame of the commands in here: read the arguments, run, and say in one line what a user got wrong."""

import sys
from collections.abc import Callable
from typing import TypeVar

import tyro

Arguments = TypeVar("Arguments")


def run_command(arguments: type[Arguments], name: str, run: Callable[[Arguments], None]) -> None:
    """Run ``python -m baselines.name``; what a user got wrong is one line on the error stream and exit code 2."""
    given = tyro.cli(arguments, prog=f"python -m scotyard_baselines.commands.{name}")
    try:
        run(given)
    except (ValueError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
