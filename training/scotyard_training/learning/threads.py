"""How many threads compute: networks this small are slowed down by more than one."""

import threadpoolctl
import torch


def set_threads(torch_threads: int) -> None:
    """Let NumPy compute on one thread and torch on so many, from now on in the whole process."""
    threadpoolctl.threadpool_limits(limits=1, user_api="blas")
    torch.set_num_threads(torch_threads)
