"""What the delegate has: the one table that partitioner, lowering, tests and ``OPERATORS.md`` are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from executorch.backends.apple.mps.graph import checks, elementwise, layers, movers
from executorch.backends.apple.mps.graph.checks import Check
from executorch.backends.apple.mps.graph.elementwise import Lowering
from executorch.backends.apple.mps.serialization import schema
from executorch.backends.transforms import refusals

FLOATS = (torch.float32, torch.float16)
INTEGERS = (torch.int32, torch.int64)
BOOLS = (torch.bool,)
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + BOOLS


@dataclass(frozen=True)
class Row:
    """What is known of one operator.

    Attributes:
        name: in the edge dialect.
        lower: writes the nodes of a call down.
        dtypes: element types of the tensors that it works on.
        results: those of its results where they are others.
        others: position of an argument -> the element types of that one, where they are others.
        checks: each says why a call is refused, or nothing.
        moves: calculates nothing, so it is no delegate alone.
        whole: kept in one piece on the way to the edge dialect.
        conditions: what the checks ask for, in words.
    """

    name: str
    lower: Lowering
    dtypes: tuple[torch.dtype, ...] = FLOATS
    results: tuple[torch.dtype, ...] = ()
    others: tuple[tuple[int, tuple[torch.dtype, ...]], ...] = ()
    checks: tuple[Check, ...] = ()
    moves: bool = False
    whole: bool = False
    conditions: str = ""


#: Operator of the edge dialect -> what is known of it.
OPERATORS: dict[str, Row] = {}


def _add(lower: Lowering, *names: str, **features: Any) -> None:
    for name in names:
        OPERATORS[name] = Row(name, lower, **features)


def _of(name: str, packet: str, *forms: str) -> tuple[Any, list[str]]:
    """The node of a name, and the overloads of an operator."""
    return getattr(schema, f"MPS{name}"), [f"aten.{packet}.{form}" for form in forms]


for _node, _packet in (("Add", "add"), ("Sub", "sub")):
    _kind, _names = _of(_node, _packet, "Tensor", "Scalar")
    _add(elementwise.with_alpha(_kind), *_names, dtypes=NUMBERS)
for _node, _packet, _forms, _dtypes in (
    ("Mul", "mul", ("Tensor", "Scalar"), NUMBERS),
    ("Fmod", "fmod", ("Tensor", "Scalar"), FLOATS),
    ("Remainder", "remainder", ("Tensor", "Scalar"), FLOATS),
    ("Minimum", "minimum", ("default",), NUMBERS),
    ("Max", "maximum", ("default",), NUMBERS),
    ("Pow", "pow", ("Tensor_Tensor", "Tensor_Scalar", "Scalar"), FLOATS),
    ("Atan2", "atan2", ("default",), FLOATS),
    ("BitwiseAnd", "bitwise_and", ("Tensor", "Scalar"), INTEGERS),
    ("BitwiseOr", "bitwise_or", ("Tensor", "Scalar"), INTEGERS),
    ("BitwiseXor", "bitwise_xor", ("Tensor", "Scalar"), INTEGERS),
):
    _kind, _names = _of(_node, _packet, *_forms)
    _add(elementwise.binary(_kind), *_names, dtypes=_dtypes)
_add(elementwise.quotient(), "aten.div.Tensor", "aten.div.Scalar")
_add(
    elementwise.quotient(),
    "aten.div.Tensor_mode",
    "aten.div.Scalar_mode",
    checks=(checks.rounded,),
    conditions="rounded down or towards zero",
)
_add(elementwise.quotient("floor"), "aten.floor_divide.default")
for _packet in ("eq", "ne", "ge", "gt", "le", "lt"):
    _kind, _names = _of(_packet.capitalize(), _packet, "Tensor", "Scalar")
    _add(elementwise.binary(_kind), *_names, dtypes=NUMBERS, results=BOOLS)
_add(elementwise.where, "aten.where.self", dtypes=ALL, others=((0, BOOLS),))

_FUNCTIONS = (
    "exp reciprocal sqrt log log10 log2 erf floor ceil rsqrt sigmoid sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh round"
)
for _packet in _FUNCTIONS.split():
    _kind, _names = _of(_packet.capitalize(), _packet, "default")
    _add(elementwise.unary(_kind), *_names)
_add(elementwise.unary(schema.MPSExp2), "aten.exp2.default", whole=True)
for _packet in ("abs", "neg", "sign"):
    _kind, _names = _of(_packet.capitalize(), _packet, "default")
    _add(elementwise.unary(_kind), *_names, dtypes=NUMBERS)
for _packet in ("isnan", "isinf"):
    _kind, _names = _of(_packet.capitalize(), _packet, "default")
    _add(elementwise.unary(_kind), *_names, results=BOOLS)
_add(elementwise.unary(schema.MPSBitwiseNot), "aten.bitwise_not.default", dtypes=INTEGERS)
_add(elementwise.unary(schema.MPSLogicalNot), "aten.logical_not.default", dtypes=BOOLS)
_add(elementwise.relu, "aten.relu.default")
_add(elementwise.hardtanh, "aten.hardtanh.default")
_add(elementwise.clamp, "aten.clamp.default")
_add(elementwise.gelu, "aten.gelu.default")
_add(elementwise.leaky_relu, "aten.leaky_relu.default")
_add(
    elementwise.cast,
    "aten._to_copy.default",
    "dim_order_ops._to_dim_order_copy.default",
    dtypes=ALL,
    results=ALL,
)

_add(elementwise.binary(schema.MPSMatMul), "aten.mm.default", "aten.bmm.default")
_add(layers.addmm, "aten.addmm.default")
_add(
    layers.convolution,
    "aten.convolution.default",
    checks=(checks.convolution,),
    conditions="one or two dimensions, not transposed; weight and bias are constants",
)
_FIRST_ONLY = {"checks": (refusals.first_result_only,), "conditions": "only the first result is read"}
_add(layers.batch_norm, "aten._native_batch_norm_legit_no_training.default", **_FIRST_ONLY)
_add(layers.layer_norm, "aten.native_layer_norm.default", **_FIRST_ONLY)
_add(
    layers.group_norm,
    "aten.native_group_norm.default",
    checks=(refusals.first_result_only, refusals.constant_weights),
    conditions="only the first result is read; weight and bias are constants",
)
_KEEPS = {"checks": (checks.keeps_type,), "conditions": "the result has the type of the input"}
_add(layers.softmax(schema.MPSSoftmax), "aten._softmax.default", **_KEEPS)
_add(layers.softmax(schema.MPSLogSoftmax), "aten._log_softmax.default", **_KEEPS)
_add(layers.mean, "aten.mean.dim", "aten.mean.default", **_KEEPS)
_add(layers.any_of, "aten.any.dim", dtypes=BOOLS)
_add(layers.total, "aten.sum.dim_IntList", **_KEEPS)
_add(
    layers.max_pool,
    "aten.max_pool2d_with_indices.default",
    checks=(refusals.first_result_only, refusals.images),
    conditions="four dimensions; indices are not read",
)
_add(
    layers.avg_pool,
    "aten.avg_pool2d.default",
    checks=(refusals.images, checks.means_of_windows),
    conditions="four dimensions; no window reaches beyond a padding that counts",
)
_add(
    layers.adaptive_pool,
    "aten._adaptive_avg_pool2d.default",
    checks=(refusals.images, checks.side_by_side),
    conditions="four dimensions, cut into equal windows",
)

_MOVER = {"dtypes": ALL, "moves": True}
_add(movers.permute, "aten.permute_copy.default", "aten.transpose_copy.int", "aten.t_copy.default", **_MOVER)
_add(movers.view, "aten.view_copy.default", **_MOVER)
_add(movers.expand, "aten.expand_copy.default", **_MOVER)
_add(movers.cat, "aten.cat.default", **_MOVER)
_add(movers.repeat, "aten.repeat.default", **_MOVER)
_add(
    movers.squeeze,
    "aten.squeeze_copy.dims",
    "aten.squeeze_copy.dim",
    "aten.squeeze_copy.default",
    **_MOVER,
)
_add(movers.unsqueeze, "aten.unsqueeze_copy.default", **_MOVER)
_add(movers.select, "aten.select_copy.int", **_MOVER)
_add(
    movers.cut_out,
    "aten.slice_copy.Tensor",
    checks=(checks.forwards,),
    conditions="a positive step",
    **_MOVER,
)
_add(movers.split, "aten.split_with_sizes_copy.default", "aten.split_copy.Tensor", **_MOVER)
_add(movers.unbind, "aten.unbind_copy.int", **_MOVER)
_add(
    movers.copy,
    "aten.clone.default",
    "aten.alias_copy.default",
    "dim_order_ops._clone_dim_order.default",
    **_MOVER,
)
_add(
    movers.pad,
    "aten.constant_pad_nd.default",
    dtypes=NUMBERS,
    checks=(checks.pads,),
    conditions="nothing is cut off",
)
_add(elementwise.full, "aten.full.default", **_MOVER)
_add(elementwise.full_like, "aten.full_like.default", **_MOVER)
_add(
    elementwise.arange,
    "aten.arange.start_step",
    "aten.arange.start",
    "aten.arange.default",
    dtypes=NUMBERS,
    moves=True,
)
_add(movers.index_select, "aten.index_select.default", dtypes=ALL, others=((2, INTEGERS),))
_add(
    movers.index,
    "aten.index.Tensor",
    dtypes=ALL,
    others=((1, INTEGERS),),
    checks=(checks.integers,),
    conditions="indices are integers",
)
_add(
    movers.index_put,
    "aten.index_put.default",
    dtypes=ALL,
    others=((1, INTEGERS),),
    checks=(checks.integers, checks.replaces),
    conditions="indices are integers of the first dimensions; `accumulate` is False",
)
_add(movers.embedding, "aten.embedding.default", dtypes=ALL, others=((1, INTEGERS),))
_add(movers.scatter, "aten.scatter.src", dtypes=NUMBERS, others=((2, INTEGERS),))
