"""Tensors as a program has them, dim orders, symbolic sizes, life-cycle marks, graphs with bodies."""

import warnings

import pytest
import torch

from executorch.exir import tensor as exir_tensor
from executorch.exir import to_edge
from executorch.exir._warnings import ExperimentalWarning, deprecated, experimental
from executorch.exir.dim_order_utils import (
    get_dim_order,
    get_memory_format,
    is_channel_last_dim_order,
    is_contiguous_dim_order,
)
from executorch.exir.error import InternalError, UnboundedShapeError
from executorch.exir.graph_module import (
    bfs_trace_with_node_process,
    contains_any_call_fn_target_op,
    get_cond_while_submodules,
    get_control_flow_submodules,
    get_scan_submodules,
)
from executorch.exir.schema import TensorShapeDynamism
from executorch.exir.sym_util import (
    collect_free_symbols,
    eval_expr,
    eval_shape,
    eval_shape_upper_bound,
    eval_upper_bound,
)
from executorch.exir.tensor import TensorSpec


def test_offsets_are_two_words():
    info = exir_tensor.make_allocation_info(1, (2 << 32) + 5)
    assert (info.memory_id, info.memory_offset_low, info.memory_offset_high) == (1, 5, 2)
    with pytest.raises(ValueError, match="negative"):
        exir_tensor.make_allocation_info(1, -1)
    with pytest.raises(exir_tensor.AddressSpaceOverflowException):
        exir_tensor.make_allocation_info(1, 1 << 64)


def test_a_spec_becomes_a_tensor_of_the_program():
    spec = TensorSpec.from_tensor(torch.rand(1, 3, 4, 5).to(memory_format=torch.channels_last))
    value = exir_tensor.make_tensor_value(1, exir_tensor.make_allocation_info(1, 0), spec)
    assert value.sizes == [1, 3, 4, 5] and value.dim_order == [0, 2, 3, 1]
    assert exir_tensor.get_scalar_type(value.scalar_type) is torch.float32
    assert value.shape_dynamism == TensorShapeDynamism.STATIC and value.layout == 0


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bool, torch.float16, torch.bfloat16, torch.int64])
def test_element_types_there_and_back(dtype):
    assert exir_tensor.get_scalar_type(exir_tensor.scalar_type_enum(dtype)) is dtype


def test_specs_are_compared_with_tensors():
    spec = TensorSpec.from_tensor(torch.rand(2, 3))
    exir_tensor.check_spec(torch.rand(2, 3), spec)
    for other, name in (
        (torch.rand(2, 4), "shape"),
        (torch.ones(2, 3).int(), "dtype"),
        (torch.rand(3, 2).t(), "dim_order"),
    ):
        with pytest.raises(InternalError, match=f"attribute '{name}'"):
            exir_tensor.check_spec(other, spec)


def test_expanded_tensors_have_no_dim_order():
    assert exir_tensor.dim_order_from_stride((3, 1)) == (0, 1)
    with pytest.raises(RuntimeError, match="0 in strides is not supported"):
        exir_tensor.dim_order_from_stride((0, 1))


def test_numbers_of_layouts_and_formats():
    assert exir_tensor.layout_enum(torch.strided) == 0
    assert exir_tensor.memory_format_enum(torch.contiguous_format) == 0


def test_dim_orders_and_memory_formats():
    assert get_dim_order(torch.channels_last, 4) == [0, 2, 3, 1]
    assert get_dim_order(torch.contiguous_format, 3) == [0, 1, 2]
    assert get_dim_order(torch.preserve_format, 4) is None and get_dim_order(None, 4) is None
    assert get_memory_format([0, 2, 3, 1]) is torch.channels_last
    assert get_memory_format([0, 1]) is torch.contiguous_format
    assert get_memory_format(None) is torch.preserve_format
    with pytest.raises(AssertionError, match="Failed to generate dim_order"):
        get_dim_order(torch.channels_last_3d, 5)
    with pytest.raises(AssertionError, match="Failed to map a given dim_order"):
        get_memory_format([1, 0])
    image = torch.rand(1, 3, 4, 5)
    assert is_contiguous_dim_order(image) and not is_channel_last_dim_order(image)
    assert is_channel_last_dim_order(image.to(memory_format=torch.channels_last))


# ---- symbolic sizes ---------------------------------------------------------------------------------------------


class _Dynamic(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (x,))


def _export(**dims):
    shapes = {"x": {int(name[1:]): dim for name, dim in dims.items()}}
    return torch.export.export(_Dynamic(), (torch.rand(4, 6),), dynamic_shapes=shapes)


def test_sizes_and_their_bounds():
    program = _export(d0=torch.export.Dim("n", max=16))
    (x,) = program.graph.find_nodes(op="placeholder")
    shape = x.meta["val"].shape
    assert eval_shape(shape) == [4, 6] and eval_expr(shape[0]) == 4
    assert eval_shape_upper_bound(shape) == [16, 6] and eval_upper_bound(3) == 3
    assert len(collect_free_symbols(shape)) == 1 and not collect_free_symbols([2])


def test_a_size_without_bound():
    (x,) = _export(d0=torch.export.Dim("n")).graph.find_nodes(op="placeholder")
    assert eval_shape_upper_bound(x.meta["val"].shape) == [4, 6]


def test_a_size_without_bound_that_only_the_data_decide():
    program = torch.export.export(_Chosen(), (torch.tensor(3),))
    (size,) = (node.meta["val"] for node in program.graph.nodes if "item" in str(node.target))
    with pytest.raises(UnboundedShapeError, match="has no upper bound"):
        eval_upper_bound(size)


class _Chosen(torch.nn.Module):
    def forward(self, n):
        return torch.ones(n.item())


# ---- graphs with bodies -----------------------------------------------------------------------------------------


def test_bodies_are_found_and_walked():
    module = _export().graph_module
    found = get_control_flow_submodules(module)
    assert [name for name, _, _ in found] == ["true_graph_0", "false_graph_0"]
    assert get_cond_while_submodules(module) == found and get_scan_submodules(module) == []
    assert contains_any_call_fn_target_op(module, [torch.ops.aten.cos.default])
    assert not contains_any_call_fn_target_op(module, [torch.ops.aten.tan.default])
    lowered = to_edge(torch.export.export(torch.nn.ReLU(), (torch.ones(2),))).exported_program().graph_module
    assert contains_any_call_fn_target_op(lowered, [torch.ops.aten.relu.default])
    seen = []
    bfs_trace_with_node_process(module, lambda node: seen.append(node.target))
    assert seen.index(torch.ops.higher_order.cond) < seen.index(torch.ops.aten.sin.default)


# ---- life cycle -------------------------------------------------------------------------------------------------


@experimental("may change")
def _new():
    return 1


@deprecated("use _new; gone in 2.0")
class _Old:
    pass


def test_marks_warn_the_caller():
    with pytest.warns(ExperimentalWarning, match="may change") as caught:
        assert _new() == 1
    assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="use _new"):
        _Old()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        experimental("quiet", category=None)(lambda: None)()
