"""How many threads compute: networks this small are slowed down by more than one."""

import ctypes
from pathlib import Path

import numpy as np
import torch

SETTERS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads")


def set_threads(torch_threads: int) -> None:
    """Let torch compute on so many threads and NumPy on one, also where NumPy was loaded before it could be told."""
    torch.set_num_threads(torch_threads)
    for file in (Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*"):  # of NumPy's wheels for Linux
        library = ctypes.CDLL(str(file))
        for name in SETTERS:
            if hasattr(library, name):
                getattr(library, name)(1)
