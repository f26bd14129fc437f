"""Sums of rows of tables with their gradients, each in one pass over memory: torch makes several."""

from typing import Any

import torch
from torch import Tensor

from scotyard_env.kernel import kernel


def embedding_sum(base: Tensor, table: Tensor, picks: Tensor) -> Tensor:
    """Return relu(base + table[picks].sum(1)), written over base: (n, H), (rows, H) and integers (n, k)."""
    result: Tensor = _EmbeddingSum.apply(base, table, picks)
    return result


class _EmbeddingSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, base: Tensor, table: Tensor, picks: Tensor) -> Tensor:
        ctx.mark_dirty(base)
        add_rows(base.detach().numpy(), table.detach().numpy(), picks.numpy())
        ctx.save_for_backward(base, picks)
        ctx.rows = len(table)
        return base

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        result, picks = ctx.saved_tensors
        to_base, to_table = torch.empty_like(result), result.new_zeros(ctx.rows, result.shape[1])
        arrays = (result.detach(), gradients[0].contiguous(), picks, to_base, to_table)
        backpropagate(*(array.numpy() for array in arrays))
        return to_base, to_table, None


@kernel
def add_rows(base, table, picks):
    """Add rows of the table to every row of base, and cut off what is below 0."""
    for index in range(len(base)):
        for place in range(picks.shape[1]):
            row = picks[index, place]
            for unit in range(base.shape[1]):
                base[index, unit] += table[row, unit]
        for unit in range(base.shape[1]):
            base[index, unit] = max(base[index, unit], 0.0)


@kernel
def backpropagate(result, gradients, picks, to_base, to_table):
    """Write the gradients of base, and add up those of the table."""
    for index in range(len(result)):
        for unit in range(result.shape[1]):
            to_base[index, unit] = gradients[index, unit] if result[index, unit] > 0.0 else 0.0
        for place in range(picks.shape[1]):
            row = picks[index, place]
            for unit in range(result.shape[1]):
                to_table[row, unit] += to_base[index, unit]
