"""Dim-order operators: the same values as their ATen counterparts, in the layout that is asked for."""

import pytest
import torch

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.dim_order_ops import dim_order_kwargs

dim_order_ops = torch.ops.dim_order_ops
X = torch.arange(48.0).reshape(1, 3, 4, 4)


def _order(tensor):
    return dim_order_of(tensor.shape, tensor.stride())


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 2, 3, 1], None])
def test_to_copy_casts_and_lays_out(order):
    result = dim_order_ops._to_dim_order_copy(X, dtype=torch.float64, dim_order=order)
    assert torch.equal(result, X.double())
    assert _order(result) == tuple(order or (0, 1, 2, 3))


def test_clone_keeps_the_order_unless_told():
    channels_last = X.to(memory_format=torch.channels_last)
    kept = dim_order_ops._clone_dim_order(channels_last)
    assert _order(kept) == (0, 2, 3, 1) and kept.data_ptr() != channels_last.data_ptr()
    assert _order(dim_order_ops._clone_dim_order(channels_last, dim_order=[0, 1, 2, 3])) == (0, 1, 2, 3)


def test_empty():
    assert _order(dim_order_ops._empty_dim_order([2, 3, 4, 4], dim_order=[0, 2, 3, 1])) == (0, 2, 3, 1)
    assert dim_order_ops._empty_dim_order([2], dtype=torch.int8).dtype == torch.int8


def test_out_variants_write_and_resize():
    out = torch.empty(0, dtype=torch.float16)
    result = dim_order_ops._to_dim_order_copy.out(X, dim_order=[0, 1, 2, 3], out=out)
    assert result is out and torch.equal(out, X.half())
    out = torch.empty_like(X)
    assert torch.equal(dim_order_ops._clone_dim_order.out(X, out=out), X)
    assert dim_order_ops._empty_dim_order.out([5], out=torch.empty(0)).shape == (5,)


def test_fake_tensors():
    with torch._subclasses.FakeTensorMode() as mode:
        result = dim_order_ops._to_dim_order_copy(mode.from_tensor(X), dim_order=[0, 2, 3, 1])
    assert result.shape == X.shape and _order(result) == (0, 2, 3, 1)


def test_a_wrong_order_is_refused():
    with pytest.raises(ValueError, match="permutation"):
        dim_order_ops._clone_dim_order(X, dim_order=[0, 1])


def test_memory_formats_become_orders():
    to_copy, empty = torch.ops.aten._to_copy.default, torch.ops.aten.empty.memory_format
    kwargs = {"dtype": torch.int8, "memory_format": torch.channels_last}
    assert dim_order_kwargs(to_copy, 4, kwargs) == {"dtype": torch.int8, "dim_order": [0, 2, 3, 1]}
    assert dim_order_kwargs(to_copy, 4, {}) == {}
    assert dim_order_kwargs(empty, 2, {}) == {"dim_order": [0, 1]}
