from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from scotyard_training.learning.embedding_sum import embedding_sum  # noqa: E402


def test_rows_are_added_as_torch_would_and_with_its_gradients() -> None:
    torch.manual_seed(0)
    base, table = torch.randn(40, 8, requires_grad=True), torch.randn(9, 8, requires_grad=True)
    picks, weights = torch.randint(9, (40, 3)), torch.randn(40, 8)
    wanted = (base + table[picks].sum(1)).relu()
    found = embedding_sum(base.clone(), table, picks)
    torch.testing.assert_close(found, wanted)
    gradients = (torch.autograd.grad((result * weights).sum(), (base, table)) for result in (found, wanted))
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)
