"""Ways to damage a JSON file: cut, garble, and put the wrong thing in every place of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    7,
    10**9,
    10**30,
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "text",
    "a|b`<script>\n",
    "\udcff\u202e",
    "x" * 5000,
    [],
    {},
    [[]],
    {"a": 1},
    [1] * 3000,
)


def damage_bytes(content: bytes, times: int, seed: int) -> Iterator[bytes]:
    """Cut, garble, double and swap bytes by chance."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        low, high = sorted(rng.integers(0, len(content) + 1, 2).tolist())
        yield content[:low]
        yield content[:low] + content[high:]
        yield content[:low] + rng.bytes(int(rng.integers(1, 9))) + content[low:]
        yield content[:high] + content[low:]
    yield b"\0" * len(content)
    yield b"[" * 100_000
    yield b""


def damage_values(stored: Any) -> Iterator[Any]:
    """Put every wrong thing into every place, and leave every place out."""
    for place in places(stored):
        for wrong in WRONG:
            yield replaced(stored, place, lambda holder, key, wrong=wrong: holder.__setitem__(key, wrong))
        yield replaced(stored, place, lambda holder, key: holder.__delitem__(key))
        if isinstance(place[-1], str):
            yield replaced(stored, place, lambda holder, key: holder.__setitem__("another", holder[key]))


def places(stored: Any, most: int = 4) -> Iterator[tuple[Any, ...]]:
    """List the ways to every value, of long lists only to the first and the last."""
    items = stored.items() if isinstance(stored, dict) else enumerate(stored) if isinstance(stored, list) else ()
    for key, value in list(items)[:1] + list(items)[1:][-most:] if isinstance(stored, list) else items:
        yield (key,)
        yield from ((key, *rest) for rest in places(value))


def replaced(stored: Any, place: tuple[Any, ...], change: Any) -> Any:
    copied = json.loads(json.dumps(stored))
    holder = copied
    for key in place[:-1]:
        holder = holder[key]
    change(holder, place[-1])
    return copied
