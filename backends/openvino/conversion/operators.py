"""The operators that OpenVINO takes, by name as in the edge dialect, and how those are said that its decoder lacks.

`operators_test.py` runs every row of ``SUPPORTED`` on OpenVINO against eager PyTorch and writes the table of the README.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, Node

from executorch.backends.openvino.conversion import quantization
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op

aten = torch.ops.aten

#: Elements that OpenVINO has and that a delegate takes and gives.
DTYPES = (
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int8,
    torch.uint8,
    torch.bool,
)

#: The copying form that the edge dialect has -> the form that the decoder knows.
RENAMED = {
    "aten._unsafe_index.Tensor": aten.index.Tensor,
    "aten.detach_copy.default": aten.alias.default,
    "aten.lift_fresh_copy.default": aten.alias.default,
    "aten.split_copy.Tensor": aten.split.Tensor,
    "aten.squeeze_copy.dim": aten.squeeze.dim,
    "aten.t_copy.default": aten.t.default,
    "aten.transpose_copy.int": aten.transpose.int,
    "aten.unbind_copy.int": aten.unbind.int,
    "aten.unfold_copy.default": aten.unfold.default,
    "dim_order_ops._clone_dim_order.default": aten.alias.default,
}

Restatement = Callable[[Graph, Node, tuple[Any, ...], dict[str, Any]], Any]


def _cast(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    dtype = kwargs.get("dtype")
    if dtype is None:
        return graph.call_function(aten.alias.default, args[:1])
    return graph.call_function(aten._to_copy.default, args[:1], {"dtype": dtype})


def _truncated(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    rounded = graph.call_function(aten.floor.default, (graph.call_function(aten.abs.default, args),))
    return graph.call_function(aten.mul.Tensor, (graph.call_function(aten.sign.default, args), rounded))


def _put(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Behind dimensions that are taken whole, the decoder wants values of as many dimensions as the tensor has."""
    into, indices, values, *rest = args
    put: Any = node.args[2]
    lacking = node.meta[meta_keys.VAL].dim() - put.meta[meta_keys.VAL].dim()
    for _ in range(lacking if None in indices else 0):
        values = graph.call_function(aten.unsqueeze.default, (values, 0))
    return graph.call_function(aten.index_put.default, (into, indices, values, *rest), kwargs)


def _opposite(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Of a product, by its first factor: see :func:`_difference`."""
    of: Any = args[0]
    if not isinstance(of, Node) or of.target is not aten.mul.Tensor:
        return graph.call_function(aten.neg.default, args, kwargs)
    factor = graph.call_function(aten.neg.default, of.args[:1])
    return graph.call_function(aten.mul.Tensor, (factor, of.args[1]))


def _difference(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Half of a rotation, ``cat([a * cos - b * sin, ...])``, which OpenVINO 2026.4 takes for another one and gives wrong numbers of,
    is ``a * cos + -b * sin``, which it leaves alone.
    """
    less: Any = args[1]
    is_product = isinstance(less, Node) and less.target is aten.mul.Tensor
    if (
        kwargs
        or not is_product
        or not any(str(aten_op(user.target)) == "aten.cat.default" for user in node.users)
    ):
        return graph.call_function(aten.sub.Tensor, args, kwargs)
    return graph.call_function(aten.add.Tensor, (args[0], _opposite(graph, node, (less,), {})))


#: Operators that the decoder has not, in those that it has, or takes for others.
RESTATED: dict[str, Restatement] = {
    "aten._to_copy.default": _cast,
    "aten.index_put.default": _put,
    "aten.neg.default": _opposite,
    "aten.sub.Tensor": _difference,
    "aten.trunc.default": _truncated,
    "dim_order_ops._to_dim_order_copy.default": _cast,
    "quantized_decomposed.dequantize_per_channel.default": quantization.dequantize,
    "quantized_decomposed.dequantize_per_channel_group.default": quantization.dequantize_groups,
    "quantized_decomposed.dequantize_per_tensor.default": quantization.dequantize,
    "quantized_decomposed.quantize_per_channel.default": quantization.quantize,
    "quantized_decomposed.quantize_per_tensor.default": quantization.quantize,
}

#: Whole in OpenVINO, and faster so: not taken apart on the way to the edge dialect.
KEPT_WHOLE = (
    aten.linear.default,
    aten.scaled_dot_product_attention.default,
    aten.hardswish.default,
    aten.hardsigmoid.default,
    aten.silu.default,
    aten.mish.default,
    aten.rms_norm.default,
    aten.upsample_bilinear2d.vec,
    aten.upsample_nearest2d.vec,
    aten.upsample_bicubic2d.vec,
    aten.instance_norm.default,
    aten.channel_shuffle.default,
    aten.pixel_unshuffle.default,
    aten.celu.default,
    aten.floor_divide.default,
    aten.reflection_pad1d.default,
    aten.reflection_pad2d.default,
    aten.reflection_pad3d.default,
)

#: Operators that calculate: not with integers, whose width OpenVINO does not keep (64 bits are 32 on the CPU, 8 bits do not wrap).
CALCULATING = frozenset(
    {
        "aten.add.Tensor",
        "aten.bitwise_not.default",
        "aten.cumsum.default",
        "aten.div.Tensor_mode",
        "aten.floor_divide.default",
        "aten.fmod.Scalar",
        "aten.fmod.Tensor",
        "aten.mul.Tensor",
        "aten.neg.default",
        "aten.pow.Scalar",
        "aten.pow.Tensor_Scalar",
        "aten.pow.Tensor_Tensor",
        "aten.prod.default",
        "aten.prod.dim_int",
        "aten.remainder.Scalar",
        "aten.remainder.Tensor",
        "aten.scatter_add.default",
        "aten.sub.Tensor",
        "aten.sum.dim_IntList",
    }
)

#: Operators that move elements or make them of nothing: alone they are no work for a delegate.
MOVING = frozenset(
    {
        "aten.arange.start_step",
        "aten.cat.default",
        "aten.copy.default",
        "aten.expand_copy.default",
        "aten.flip.default",
        "aten.full.default",
        "aten.full_like.default",
        "aten.permute_copy.default",
        "aten.repeat.default",
        "aten.select_copy.int",
        "aten.slice_copy.Tensor",
        "aten.split_with_sizes_copy.default",
        "aten.squeeze_copy.dims",
        "aten.sym_size.int",
        "aten.unsqueeze_copy.default",
        "aten.view_copy.default",
        "dim_order_ops._clone_dim_order.default",
        "dim_order_ops._to_dim_order_copy.default",
    }
)

#: Quantization as ``convert_pt2e`` writes it; whoever reads or makes the integers decides what becomes of it.
QUANTIZED = frozenset(
    {
        "quantized_decomposed.dequantize_per_channel.default",
        "quantized_decomposed.dequantize_per_channel_group.default",
        "quantized_decomposed.dequantize_per_tensor.default",
        "quantized_decomposed.quantize_per_channel.default",
        "quantized_decomposed.quantize_per_tensor.default",
    }
)

SUPPORTED = QUANTIZED | frozenset(
    {
        "aten._adaptive_avg_pool2d.default",
        "aten._cdist_forward.default",
        "aten._log_softmax.default",
        "aten._native_batch_norm_legit_no_training.default",
        "aten._softmax.default",
        "aten.abs.default",
        "aten.acos.default",
        "aten.acosh.default",
        "aten.add.Tensor",
        "aten.addmm.default",
        "aten.amax.default",
        "aten.amin.default",
        "aten.any.default",
        "aten.any.dim",
        "aten.any.dims",
        "aten.arange.start_step",
        "aten.argmax.default",
        "aten.argmin.default",
        "aten.asin.default",
        "aten.asinh.default",
        "aten.atan.default",
        "aten.atan2.default",
        "aten.atanh.default",
        "aten.avg_pool2d.default",
        "aten.avg_pool3d.default",
        "aten.bitwise_and.Tensor",
        "aten.bitwise_not.default",
        "aten.bitwise_or.Tensor",
        "aten.bitwise_xor.Tensor",
        "aten.bmm.default",
        "aten.cat.default",
        "aten.ceil.default",
        "aten.celu.default",
        "aten.channel_shuffle.default",
        "aten.clamp.Tensor",
        "aten.clamp.default",
        "aten.constant_pad_nd.default",
        "aten.convolution.default",
        "aten.copy.default",
        "aten.cos.default",
        "aten.cosh.default",
        "aten.cumsum.default",
        "aten.div.Tensor",
        "aten.div.Tensor_mode",
        "aten.elu.default",
        "aten.embedding.default",
        "aten.eq.Scalar",
        "aten.eq.Tensor",
        "aten.erf.default",
        "aten.exp.default",
        "aten.expand_copy.default",
        "aten.expm1.default",
        "aten.flip.default",
        "aten.floor.default",
        "aten.floor_divide.default",
        "aten.fmod.Scalar",
        "aten.fmod.Tensor",
        "aten.full.default",
        "aten.full_like.default",
        "aten.gather.default",
        "aten.ge.Scalar",
        "aten.ge.Tensor",
        "aten.gelu.default",
        "aten.grid_sampler_2d.default",
        "aten.gt.Scalar",
        "aten.gt.Tensor",
        "aten.hardsigmoid.default",
        "aten.hardswish.default",
        "aten.hardtanh.default",
        "aten.index.Tensor",
        "aten.index_put.default",
        "aten.index_select.default",
        "aten.instance_norm.default",
        "aten.isinf.default",
        "aten.isnan.default",
        "aten.le.Scalar",
        "aten.le.Tensor",
        "aten.leaky_relu.default",
        "aten.linear.default",
        "aten.log.default",
        "aten.log10.default",
        "aten.log1p.default",
        "aten.log2.default",
        "aten.logical_and.default",
        "aten.logical_not.default",
        "aten.logical_or.default",
        "aten.logical_xor.default",
        "aten.lt.Scalar",
        "aten.lt.Tensor",
        "aten.max.default",
        "aten.max.dim",
        "aten.max_pool2d_with_indices.default",
        "aten.max_pool3d_with_indices.default",
        "aten.maximum.default",
        "aten.mean.default",
        "aten.mean.dim",
        "aten.min.default",
        "aten.min.dim",
        "aten.minimum.default",
        "aten.mish.default",
        "aten.mm.default",
        "aten.mul.Tensor",
        "aten.native_group_norm.default",
        "aten.native_layer_norm.default",
        "aten.ne.Scalar",
        "aten.ne.Tensor",
        "aten.neg.default",
        "aten.permute_copy.default",
        "aten.pixel_unshuffle.default",
        "aten.pow.Scalar",
        "aten.pow.Tensor_Scalar",
        "aten.pow.Tensor_Tensor",
        "aten.prod.default",
        "aten.prod.dim_int",
        "aten.reciprocal.default",
        "aten.reflection_pad1d.default",
        "aten.reflection_pad2d.default",
        "aten.relu.default",
        "aten.remainder.Scalar",
        "aten.remainder.Tensor",
        "aten.repeat.default",
        "aten.rms_norm.default",
        "aten.round.default",
        "aten.rsqrt.default",
        "aten.scaled_dot_product_attention.default",
        "aten.scatter.src",
        "aten.scatter.value",
        "aten.scatter_add.default",
        "aten.select_copy.int",
        "aten.sigmoid.default",
        "aten.sign.default",
        "aten.silu.default",
        "aten.sin.default",
        "aten.sinh.default",
        "aten.slice_copy.Tensor",
        "aten.slice_scatter.default",
        "aten.sort.default",
        "aten.split_with_sizes_copy.default",
        "aten.sqrt.default",
        "aten.squeeze_copy.dims",
        "aten.sub.Tensor",
        "aten.sum.dim_IntList",
        "aten.sym_size.int",
        "aten.tan.default",
        "aten.tanh.default",
        "aten.topk.default",
        "aten.trunc.default",
        "aten.unfold_copy.default",
        "aten.unsqueeze_copy.default",
        "aten.upsample_bicubic2d.vec",
        "aten.upsample_bilinear2d.vec",
        "aten.upsample_nearest2d.vec",
        "aten.var.correction",
        "aten.view_copy.default",
        "aten.where.self",
        "dim_order_ops._clone_dim_order.default",
        "dim_order_ops._to_dim_order_copy.default",
    }
)
