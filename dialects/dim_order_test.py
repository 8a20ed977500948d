"""Dim orders: round trips with strides and memory formats."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv

from executorch.dialects.dim_order import (
    channels_last_dim_order,
    dim_order_from_stride,
    dim_order_of,
    dim_order_to_memory_format,
    memory_format_to_dim_order,
    stride_from_dim_order,
)


@pytest.mark.parametrize(
    ("shape", "memory_format", "expected"),
    [
        ((2, 3, 4, 5), torch.contiguous_format, (0, 1, 2, 3)),
        ((2, 3, 4, 5), torch.channels_last, (0, 2, 3, 1)),
        ((2, 3, 4, 5, 6), torch.channels_last_3d, (0, 2, 3, 4, 1)),
        # Sizes of 1 say nothing about order: the usual layouts win.
        ((2, 1, 4, 4), torch.contiguous_format, (0, 1, 2, 3)),
        ((1, 3, 4, 4), torch.channels_last, (0, 2, 3, 1)),
        ((1, 1, 1, 1), torch.channels_last, (0, 1, 2, 3)),
    ],
)
def test_of_real_tensors(shape, memory_format, expected):
    tensor = torch.empty(shape).to(memory_format=memory_format)
    assert dim_order_of(tensor.shape, tensor.stride()) == expected


def test_expanded_tensors_count_as_the_contiguous_copy_they_become():
    tensor = torch.empty(3, 1).expand(3, 4)
    assert dim_order_of(tensor.shape, tensor.stride()) == (0, 1)
    with pytest.raises(ValueError, match="expanded"):
        dim_order_from_stride(tensor.stride())


@given(st.data())
def test_strides_of_every_permutation_round_trip(data):
    shape = data.draw(st.lists(st.integers(2, 5), min_size=1, max_size=5))
    order = data.draw(st.permutations(range(len(shape))))
    stride = stride_from_dim_order(shape, order)
    assert list(dim_order_from_stride(stride)) == list(order)
    assert list(dim_order_of(shape, stride)) == list(order)


def test_bad_dim_orders_are_refused():
    with pytest.raises(ValueError, match="permutation"):
        stride_from_dim_order([2, 3], [0, 0])


@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last])
def test_memory_formats_round_trip(memory_format):
    order = memory_format_to_dim_order(memory_format, 4)
    assert order is not None and dim_order_to_memory_format(order) is memory_format


def test_preserve_format_names_no_order():
    assert memory_format_to_dim_order(torch.preserve_format, 4) is None
    assert memory_format_to_dim_order(None, 4) is None


def test_formats_are_bound_to_ranks():
    with pytest.raises(ValueError, match="rank 4, got rank 3"):
        memory_format_to_dim_order(torch.channels_last, 3)
    with pytest.raises(ValueError, match="neither contiguous nor channels-last"):
        dim_order_to_memory_format([1, 0])


def test_channels_last_of_any_rank():
    assert channels_last_dim_order(3) == (0, 2, 1)


def test_strides_that_only_the_data_decide():
    env = ShapeEnv()
    u0, u1 = env.create_unbacked_symint(), env.create_unbacked_symint()
    assert dim_order_from_stride((1, u0, 2 * u0)) == (2, 1, 0)
    assert dim_order_from_stride((u0 * u1, u1, 1)) == (0, 1, 2)
    assert dim_order_from_stride((u0, u0)) == (0, 1)
    for unknown in ((u0, u1, 1), (u0, 4, 1)):
        with pytest.raises(GuardOnDataDependentSymNode):
            dim_order_from_stride(unknown)
