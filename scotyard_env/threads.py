"""Threads that share out work in parts: kernels let other threads run meanwhile, so that every core plays its part."""

import collections
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


def check_threads(threads: int) -> int:
    """Refuse a number of threads that is none."""
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads is {threads!r}: give a whole number of at least 1")
    return int(threads)


def share(threads: int, work: Callable[[_Part], _Result], parts: Sequence[_Part]) -> list[_Result]:
    """Return what work returns for each part, done by so many threads: this one and others.

    What is done to one part may not depend on the others: then it does not matter how many threads there are. If work
    raises, what is left undone stays so, and the first error is raised once nobody is at work any more.
    """
    if threads == 1 or len(parts) == 1:
        return [work(part) for part in parts]
    waiting, done, problems = collections.deque(enumerate(parts)), {}, {}

    def help_out() -> None:
        while waiting:
            try:
                number, part = waiting.popleft()
            except IndexError:  # somebody else was quicker
                return
            try:
                done[number] = work(part)
            except Exception as problem:
                problems[number] = problem
                waiting.clear()

    pool = _pool(os.getpid())
    helpers = [pool.submit(help_out) for _ in range(min(threads, len(parts)) - 1)]
    help_out()
    for helper in helpers:
        if not helper.cancel():  # nothing is left for one that has not begun
            helper.result()
    if problems:
        raise problems[min(problems)]
    return [done[number] for number in range(len(parts))]


@functools.lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of this process, which start when they are needed; one that was forked has none of them."""
    return ThreadPoolExecutor(max(os.cpu_count() or 1, 2), f"scotyard-{process}")
