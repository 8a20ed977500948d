"""Tensor specs: what they say of a tensor, and the arithmetic of bytes and strides."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from executorch.dialects.tensor_spec import (
    TensorShapeDynamism,
    TensorSpec,
    ViewSpec,
    calculate_aligned_num_bytes,
    contiguous_stride_from_shape,
    num_bytes_from_shape_and_dtype,
)


def test_from_a_contiguous_tensor():
    tensor = torch.rand(2, 3, dtype=torch.float16)
    spec = TensorSpec.from_tensor(tensor)
    assert (spec.dtype, spec.scalar_type, spec.shape) == (torch.float16, torch.float16, [2, 3])
    assert spec.dim_order == (0, 1) and spec.stride == (3, 1)
    assert spec.shape_dynamism is TensorShapeDynamism.STATIC and spec.is_static_shape_tensor
    assert (spec.numel(), spec.nbytes(), spec.allocated_memory) == (6, 12, 16)
    assert not spec.const and spec.data is None and spec.storage is None


def test_from_a_channels_last_tensor():
    spec = TensorSpec.from_tensor(torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last))
    assert spec.dim_order == (0, 2, 3, 1)
    assert spec.stride == (60, 1, 15, 3)


def test_constants_know_their_bytes():
    tensor = torch.arange(4)
    spec = TensorSpec.from_tensor(tensor, const=True)
    assert spec.const and spec.data is tensor
    assert spec.storage is not None and spec.storage.nbytes() == 32


def test_sparse_tensors_are_refused():
    with pytest.raises(ValueError, match="strided"):
        TensorSpec.from_tensor(torch.eye(2).to_sparse())


def test_a_rank_0_tensor_has_one_element():
    assert TensorSpec(torch.int64, []).nbytes() == 8


def test_an_empty_tensor_takes_no_memory():
    assert TensorSpec(torch.float32, [0, 3]).allocated_memory == 0


def test_realign():
    spec = TensorSpec(torch.float32, [5])
    assert spec.realign(64) == 64 and spec.allocated_memory == 64
    with pytest.raises(ValueError, match="power of two"):
        spec.realign(24)


def test_upper_bounds_replace_symbols():
    program = torch.export.export(
        torch.nn.ReLU(), (torch.rand(3, 4),), dynamic_shapes=({0: torch.export.Dim("rows", max=8)},)
    )
    spec = TensorSpec.from_tensor(program.graph.find_nodes(op="placeholder")[0].meta["val"])
    assert spec.is_upper_bound_tensor and spec.is_dynamic_shape_tensor and spec.dim_order == (0, 1)
    with pytest.raises(ValueError, match="symbolic"):
        spec.nbytes()
    spec.set_upper_bound([8, 4])
    assert spec.is_upper_bound_tensor and spec.shape == [8, 4] and spec.stride == (4, 1)
    assert spec.nbytes() == 128
    with pytest.raises(ValueError, match="rank"):
        spec.set_upper_bound([8])


def test_upper_bounds_leave_static_tensors_static():
    spec = TensorSpec(torch.float32, [3])
    spec.set_upper_bound([3])
    assert spec.is_static_shape_tensor


def test_planning_fields_start_empty_and_can_be_forgotten():
    spec = TensorSpec(torch.float32, [1])
    assert (spec.mem_id, spec.mem_obj_id, spec.mem_offset, spec.lifetime) == (None, None, None, [None, None])
    spec.mem_id, spec.mem_offset, spec.lifetime = 1, 32, [0, 4]
    spec.init_mem_planning_fields()
    assert (spec.mem_id, spec.mem_offset, spec.lifetime) == (None, None, [None, None])


def test_debug_names_every_field():
    text = TensorSpec(torch.float32, [2]).debug()
    for name in ("dtype", "shape", "dim_order", "mem_id", "mem_offset", "lifetime"):
        assert name in text


def test_a_view_shares_memory_but_not_shape():
    base = TensorSpec(torch.float32, [2, 6])
    view = ViewSpec(base, [3, 4])
    base.mem_id, base.mem_offset = 1, 64
    view.lifetime = [1, 5]
    assert (view.mem_id, view.mem_offset, base.lifetime) == (1, 64, [1, 5])
    assert view.shape == [3, 4] and base.shape == [2, 6] and view.stride == (4, 1)
    assert view.is_view and not base.is_view
    assert ViewSpec(view, [12]).root is base


def test_making_a_view_leaves_the_base_as_it_was():
    base = TensorSpec(torch.float32, [4], const=True)
    base.mem_id, base.lifetime, base.alignment = 2, [3, 4], 64
    ViewSpec(base, [2, 2])
    assert (base.mem_id, base.lifetime, base.alignment, base.const) == (2, [3, 4], 64, True)


def test_views_survive_deepcopy_together_with_their_base():
    base = TensorSpec(torch.float32, [4])
    copied_base, copied_view = copy.deepcopy([base, ViewSpec(base, [2, 2])])
    assert copied_view.base is copied_base
    copied_view.mem_id = 7
    assert copied_base.mem_id == 7 and base.mem_id is None


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 16, 128, 4096]))
def test_aligned_sizes(size, alignment):
    aligned = calculate_aligned_num_bytes(size, alignment)
    assert aligned % alignment == 0 and size <= aligned < size + alignment


@given(st.lists(st.integers(1, 7), max_size=5))
def test_strides_and_bytes_agree_with_torch(shape):
    tensor = torch.empty(shape, dtype=torch.int16)
    assert contiguous_stride_from_shape(shape) == tensor.stride()
    assert num_bytes_from_shape_and_dtype(shape, torch.int16) == tensor.numel() * 2
