"""Sums of rows of tables with their gradients, each in one pass over memory: torch makes several."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from scotyard_baselines.networks.move_scorer import add_embeddings
from scotyard_env.kernel import kernel


def embedding_sum(base: Tensor, table: Tensor, picks: Tensor) -> Tensor:
    """Return relu(base + table[picks].sum(1)), written over base: (n, H), (rows, H) and integers (n, k)."""
    result: Tensor = _EmbeddingSum.apply(base, table, picks)
    return result


class _EmbeddingSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, base: Tensor, table: Tensor, picks: Tensor) -> Tensor:
        ctx.mark_dirty(base)
        add_embeddings(base.detach().numpy(), table.detach().numpy(), picks.numpy())
        ctx.save_for_backward(base, picks)
        ctx.rows = len(table)
        return base

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        result, picks = ctx.saved_tensors
        to_base = gradients[0].clone(memory_format=torch.contiguous_format)
        to_table = result.new_zeros(ctx.rows, result.shape[1])
        spread_embeddings(to_base.numpy(), result.detach().numpy(), to_table.numpy(), picks.numpy())
        return to_base, to_table, None


@kernel
def spread_embeddings(gradients, result, to_table, places):
    """Backpropagate through the ReLU and the sum of ``add_embeddings``: to the base and the rows that were picked."""
    for index in range(len(result)):
        for unit in range(result.shape[1]):
            gradients[index, unit] = gradients[index, unit] if result[index, unit] > 0.0 else np.float32(0.0)
        for place in range(places.shape[1]):
            row = places[index, place]
            for unit in range(result.shape[1]):
                to_table[row, unit] += gradients[index, unit]
