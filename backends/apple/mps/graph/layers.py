"""Products, convolutions, pools, normalizations and means."""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.apple.mps.graph.builder import ABSENT, GraphBuilder
from executorch.backends.apple.mps.graph.elementwise import Lowering
from executorch.backends.apple.mps.serialization import schema
from executorch.backends.transforms.operands import front, fronts, spread, tensor
from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments


def addmm(builder: GraphBuilder, node: Node) -> None:
    """One node, or several where released run times would leave a factor out."""
    named = arguments(node)
    bias, first, second = (builder.value(named[one]) for one in ("self", "mat1", "mat2"))
    alpha, beta = float(named["alpha"]), float(named["beta"])
    if alpha == beta == 1:
        builder.add(schema.MPSAddmm(bias, first, second, builder.result(node), beta, alpha))
        return
    value = tensor(node)
    product = builder.new(value.shape, value.dtype)
    builder.add(schema.MPSMatMul(first, second, product))
    scaled = builder.new(tensor(named["self"]).shape, value.dtype)
    builder.add(schema.MPSMul(bias, builder.number(beta, value.dtype), scaled))
    builder.add(schema.MPSAdd(scaled, product, builder.result(node), alpha))


def convolution(builder: GraphBuilder, node: Node) -> None:
    """Over two dimensions, or over one, which is the horizontal one."""
    named = arguments(node)
    weight = tensor(named["weight"])
    lists = [spread(named[one], weight.dim() - 2) for one in ("stride", "dilation", "padding")]
    stride, dilation, padding = ([1] * (2 - len(one)) + one for one in lists)
    if weight.dim() == 3:
        padding[0] = 0
    groups = named["groups"]
    is_depthwise = weight.dim() == 4 and groups > 1 and weight.shape[1] == 1
    kind: Any = schema.MPSDepthwiseConv2D if is_depthwise else schema.MPSConv2D
    source, weights, bias = (builder.value(named[one]) for one in ("input", "weight", "bias"))
    made = kind(source, weights, bias, builder.result(node), stride[1], stride[0], dilation[1], dilation[0])
    made.groups = groups
    made.padding_left = made.padding_right = padding[1]
    made.padding_top = made.padding_bottom = padding[0]
    builder.add(made)


def windows(node: Node) -> tuple[schema.MPSPooling2D, bool]:
    """A pool with its sizes, and whether windows reach beyond the padding.

    The padding behind grows by as much as they do, so that rounding up and down give the same number of windows.
    """
    named = arguments(node)
    sizes, counts = tensor(named["self"]).shape[-2:], _first(node).shape[-2:]
    kernel = spread(named["kernel_size"], 2)
    stride = spread(named["stride"] or kernel, 2)
    padding, dilation = (spread(named.get(one, plain), 2) for one, plain in (("padding", 0), ("dilation", 1)))
    behind = []
    for axis in range(2):
        reach = (counts[axis] - 1) * stride[axis] + dilation[axis] * (kernel[axis] - 1) + 1
        behind.append(max(padding[axis], int(reach - sizes[axis] - padding[axis])))
    made = schema.MPSPooling2D(0, *kernel, *stride)
    made.padding_left, made.padding_right = padding[1], behind[1]
    made.padding_top, made.padding_bottom = padding[0], behind[0]
    made.dilation_height, made.dilation_width = dilation
    made.ceil_mode = bool(named["ceil_mode"])
    made.count_include_pad = bool(named.get("count_include_pad", True))
    made.divisor_override = named.get("divisor_override") or 0
    return made, behind != padding


def max_pool(builder: GraphBuilder, node: Node) -> None:
    pool, _ = windows(node)
    _add_pool(builder, node, schema.MPSMaxPool2DWithIndices, pool)


def avg_pool(builder: GraphBuilder, node: Node) -> None:
    pool, _ = windows(node)
    _add_pool(builder, node, schema.MPSAvgPool2D, pool)


def adaptive_pool(builder: GraphBuilder, node: Node) -> None:
    """Windows of one size, side by side."""
    sizes, counts = tensor(node.args[0]).shape[-2:], tensor(node).shape[-2:]
    kernel = [int(size // count) for size, count in zip(sizes, counts, strict=True)]
    pool = schema.MPSPooling2D(0, *kernel, *kernel, dilation_height=1, dilation_width=1)
    pool.count_include_pad = True
    _add_pool(builder, node, schema.MPSAvgPool2D, pool)


def _add_pool(builder: GraphBuilder, node: Node, kind: Any, pool: schema.MPSPooling2D) -> None:
    made = kind(*(getattr(pool, name) for name in pool.__slots__))
    made.input1_id = builder.value(node.args[0])
    value = _first(node)
    made.output1_id = _result(builder, node)
    is_max = kind is schema.MPSMaxPool2DWithIndices
    made.output2_id = builder.new(value.shape, torch.int64) if is_max else ABSENT
    builder.add(made)


def batch_norm(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    read = (named[one] for one in ("input", "running_mean", "running_var", "weight", "bias"))
    source, mean, variance, weight, bias = (builder.value(one) for one in read)
    made = schema.MPSBatchNorm(source, mean, variance, weight, bias)
    made.momentum, made.epsilon = float(named["momentum"]), float(named["eps"])
    made.output1_id = _result(builder, node)
    made.output2_id, made.output3_id = (builder.new([0], _first(node).dtype) for _ in range(2))
    builder.add(made)


def layer_norm(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    source, weight, bias = (builder.value(named[one]) for one in ("input", "weight", "bias"))
    shape = [int(one) for one in named["normalized_shape"]]
    made = schema.MPSLayerNorm(source, shape, weight, bias, float(named["eps"]))
    value = _first(node)
    made.output1_id = _result(builder, node)
    outer = [*value.shape[: value.dim() - len(shape)], *(1 for _ in shape)]
    made.output2_id, made.output3_id = (builder.new(outer, value.dtype) for _ in range(2))
    builder.add(made)


def group_norm(builder: GraphBuilder, node: Node) -> None:
    """A layer norm over each group, then weight and bias of each channel."""
    named = arguments(node)
    value = _first(node)
    grouped = [int(named["N"]), int(named["group"]), -1]
    grouped[-1] = value.numel() // (grouped[0] * grouped[1])
    source, flat = builder.value(named["input"]), builder.new(grouped, value.dtype)
    builder.add(schema.MPSView(source, flat, 3, grouped))
    normal = builder.new(grouped, value.dtype)
    statistics = [builder.new([*grouped[:2], 1], value.dtype) for _ in range(2)]
    made = schema.MPSLayerNorm(flat, grouped[2:], ABSENT, ABSENT, float(named["eps"]))
    made.output1_id, (made.output2_id, made.output3_id) = normal, statistics
    builder.add(made)
    found = builder.new(value.shape, value.dtype)
    builder.add(schema.MPSView(normal, found, value.dim(), [int(one) for one in value.shape]))
    channels = [-1, *(1 for _ in value.shape[2:])]
    for name in ("weight", "bias"):
        if named[name] is not None:
            factor = builder.constant(builder.constants[named[name]].reshape(channels))
            result = builder.new(value.shape, value.dtype)
            node_of = schema.MPSMul if name == "weight" else schema.MPSAdd
            builder.add(node_of(found, factor, result, *([] if name == "weight" else [1.0])))
            found = result
    for reader in _readers(node):
        builder.name(reader, found)


def softmax(kind: Any) -> Lowering:
    """Over one dimension."""

    def lower(builder: GraphBuilder, node: Node) -> None:
        named = arguments(node)
        source, dim = builder.value(named["self"]), front(named["self"], named["dim"])
        builder.add(kind(source, builder.result(node), dim, False))

    return lower


def mean(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    dims = fronts(named["self"], named.get("dim"))
    source = builder.value(named["self"])
    keeps = bool(named.get("keepdim"))
    builder.add(schema.MPSMean(source, builder.result(node), len(dims), dims, keeps))


def total(builder: GraphBuilder, node: Node) -> None:
    """A sum is the mean of its terms times their number."""
    named = arguments(node)
    dims = fronts(named["self"], named["dim"])
    value, terms = tensor(node), math.prod(int(tensor(named["self"]).shape[dim]) for dim in dims)
    source, middle = builder.value(named["self"]), builder.new(value.shape, value.dtype)
    builder.add(schema.MPSMean(source, middle, len(dims), dims, bool(named["keepdim"])))
    builder.add(schema.MPSMul(middle, builder.number(terms, value.dtype), builder.result(node)))


def any_of(builder: GraphBuilder, node: Node) -> None:
    """One is true where the mean of zeros and ones is not zero."""
    named = arguments(node)
    dims = fronts(named["self"], named["dim"])
    kind = torch.float32
    ones = builder.new(tensor(named["self"]).shape, kind)
    builder.add(schema.MPSCast(builder.value(named["self"]), ones, builder.datatype(kind)))
    share = builder.new(tensor(node).shape, kind)
    builder.add(schema.MPSMean(ones, share, len(dims), dims, bool(named["keepdim"])))
    builder.add(schema.MPSNe(share, builder.number(0.0, kind), builder.result(node)))


def _first(node: Node) -> torch.Tensor:
    """The first or only result of a call, as an example."""
    value = node.meta[meta_keys.VAL]
    found: torch.Tensor = value[0] if isinstance(value, tuple | list) else value
    return found


def _readers(node: Node) -> list[Node]:
    """What stands for the first result of a call with several."""
    return [user for user in node.users if user.target is operator.getitem and user.args[1] == 0]


def _result(builder: GraphBuilder, node: Node) -> int:
    """A value for the first or only result of a call."""
    if isinstance(node.meta[meta_keys.VAL], torch.Tensor):
        return builder.result(node)
    value = _first(node)
    number = builder.new(value.shape, value.dtype)
    for reader in _readers(node):
        builder.name(reader, number)
    return number
