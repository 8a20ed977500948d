"""Out variants: the names that runtimes register, and what is said when there is none."""

import pytest
import torch

from executorch.dialects.errors import OperatorNotSupportedError
from executorch.dialects.ops import ops
from executorch.dialects.out_variants import find_out_variant, to_out_variant

_PAIRS = """
add.Tensor add.out|sub.Tensor sub.out|mul.Tensor mul.out|div.Tensor div.out|div.Tensor_mode div.out_mode|mm.default mm.out
addmm.default addmm.out|convolution.default convolution.out|mean.dim mean.out|sum.dim_IntList sum.IntList_out
_native_batch_norm_legit_no_training.default _native_batch_norm_legit_no_training.out|relu.default relu.out
max_pool2d_with_indices.default max_pool2d_with_indices.out|avg_pool2d.default avg_pool2d.out
_softmax.default _softmax.out|view_copy.default view_copy.out|permute_copy.default permute_copy.out|cat.default cat.out
split_copy.Tensor split_copy.Tensor_out|split_with_sizes_copy.default split_with_sizes_copy.out|full.default full.out
arange.start_step arange.start_out|empty.memory_format empty.out|_to_copy.default _to_copy.out|clone.default clone.out
argmax.default argmax.out|max.dim max.dim_max|topk.default topk.values|any.default any.all_out|any.dim any.out
var.correction var.correction_out|gt.Scalar gt.Scalar_out|where.self where.self_out|embedding.default embedding.out
index.Tensor index.Tensor_out|slice_copy.Tensor slice_copy.Tensor_out|select_copy.int select_copy.int_out
unbind_copy.int unbind_copy.int_out|upsample_bilinear2d.vec upsample_bilinear2d.vec_out|scalar_tensor.default scalar_tensor.out
pow.Tensor_Scalar pow.Tensor_Scalar_out|hardtanh.default hardtanh.out|gelu.default gelu.out|linear.default linear.out
prod.dim_int prod.int_out|bitwise_left_shift.Tensor bitwise_left_shift.Tensor_out|native_layer_norm.default native_layer_norm.out
"""
PAIRS = [tuple(pair.split()) for line in _PAIRS.strip().splitlines() for pair in line.split("|")]


def _overload(name):
    packet, overload = name.split(".")
    return getattr(getattr(torch.ops.aten, packet), overload)


@pytest.mark.parametrize(("functional", "expected"), PAIRS)
def test_the_names_runtimes_know(functional, expected):
    assert to_out_variant(_overload(functional)).name() == f"aten::{expected}".removesuffix(".default")


def test_an_out_variant_is_its_own():
    assert to_out_variant(torch.ops.aten.add.out) is torch.ops.aten.add.out


def test_dim_order_operators_have_out_variants():
    name = ops.edge.dim_order_ops._to_dim_order_copy.default.to_out_variant().name()
    assert name == "dim_order_ops::_to_dim_order_copy.out"


def test_operators_that_return_numbers_have_none():
    with pytest.raises(OperatorNotSupportedError, match="only tensors can be written"):
        to_out_variant(torch.ops.aten.sym_size.int)


def test_in_place_operators_have_none():
    assert find_out_variant(torch.ops.aten.add_.Tensor) is None


def test_an_out_variant_of_other_arguments_is_named():
    with torch.library._scoped_library("out_variants_test", "DEF") as library:
        library.define("other(Tensor x) -> Tensor")
        library.define("other.out(Tensor x, int n, *, Tensor(a!) out) -> Tensor(a!)")
        with pytest.raises(OperatorNotSupportedError) as caught:
            to_out_variant(torch.ops.out_variants_test.other.default)
    assert "but its schema mismatched with functional op" in str(caught.value)
    assert "other.out(Tensor x, int n" in str(caught.value)


def test_a_custom_operator_without_one_is_told_what_to_register():
    with torch.library._scoped_library("out_variants_test", "DEF") as library:
        library.define("alone(Tensor x) -> Tensor")
        with pytest.raises(OperatorNotSupportedError) as caught:
            to_out_variant(torch.ops.out_variants_test.alone.default)
        assert "no overload takes (Tensor x) and an out argument" in str(caught.value)
        assert "register out_variants_test::alone.out" in str(caught.value)


def test_a_custom_operator_with_one():
    with torch.library._scoped_library("out_variants_test2", "DEF") as library:
        library.define("op(Tensor x, int n=1) -> (Tensor, Tensor)")
        library.define("op.out(Tensor x, int n=1, *, Tensor(a!) a, Tensor(b!) b) -> (Tensor(a!), Tensor(b!))")
        library.define("op.other(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
        packet = torch.ops.out_variants_test2.op
        assert to_out_variant(packet.default) is packet.out


def test_what_is_registered_later_is_found():
    with torch.library._scoped_library("out_variants_later", "DEF") as library:
        library.define("late(Tensor x, Tensor(a!) y) -> Tensor")
        late = torch.ops.out_variants_later.late.default
        with pytest.raises(RuntimeError, match="no overload takes"):
            to_out_variant(late)
        library.define("late.out(Tensor x, Tensor(a!) y, *, Tensor(b!) out) -> Tensor(b!)")
        assert to_out_variant(late).name() == "out_variants_later::late.out"
