"""Which values of a captured graph are quantized, operator by operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, SharedQuantizationSpec

from executorch.backends.arm.quantizer.quantization_config import (
    QuantizationConfig,
    as_config,
    has_scales_by_output,
)
from executorch.backends.arm.tosa.operators.tables import TABLES
from executorch.dialects import meta_keys

ANNOTATION = "quantization_annotation"

#: Captured operator -> position of the weight; they are followed by an activation within one quantization.
WEIGHTED = {
    "aten.conv1d.default": 1,
    "aten.conv1d.padding": 1,
    "aten.conv2d.default": 1,
    "aten.conv2d.padding": 1,
    "aten.conv3d.default": 1,
    "aten.conv3d.padding": 1,
    "aten.conv_transpose1d.default": 1,
    "aten.conv_transpose2d.input": 1,
    "aten.linear.default": 1,
}
#: Operators of two values, which an activation may follow within one quantization.
BINARY = {
    "aten.add.Tensor",
    "aten.add_.Tensor",
    "aten.sub.Tensor",
    "aten.sub_.Tensor",
    "aten.mul.Tensor",
    "aten.mul_.Tensor",
}
PRODUCTS = {"aten.matmul.default", "aten.bmm.default", "aten.maximum.default", "aten.minimum.default"}
CLAMPING = {
    "aten.relu.default",
    "aten.relu_.default",
    "aten.hardtanh.default",
    "aten.hardtanh_.default",
    "aten.clamp.default",
    "aten.clamp_.default",
    "aten.relu6.default",
}
#: One value in, another out, each with scales of its own.
UNARY = {
    *(f"aten.{name}{place}.default" for name in TABLES for place in ("", "_")),
    "aten.amax.default",
    "aten.amin.default",
    "aten.cumsum.default",
    "aten.group_norm.default",
    "aten.layer_norm.default",
    "aten.log_softmax.int",
    "aten.max.default",
    "aten.mean.default",
    "aten.mean.dim",
    "aten.min.default",
    "aten.pow.Scalar",
    "aten.pow.Tensor_Scalar",
    "aten.softmax.int",
    "aten.sum.default",
    "aten.sum.dim_IntList",
}
#: Real numbers are read, truths or indices made: operands are quantized with one scale, the result is not.
READING = {
    *(
        f"aten.{name}.{form}"
        for name in ("eq", "ne", "gt", "ge", "lt", "le")
        for form in ("Tensor", "Scalar")
    ),
    "aten.argmax.default",
    "aten.argmin.default",
}
#: One or the other, by a truth.
CHOOSING = {"aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf"}
#: Data is moved, or averaged: the result shares the scales of what is moved.
_MOVING = {
    "aten.adaptive_avg_pool2d.default",
    "aten.adaptive_avg_pool3d.default",
    "aten.alias.default",
    "aten.as_strided.default",
    "aten.avg_pool2d.default",
    "aten.avg_pool3d.default",
    "aten.cat.default",
    "aten.clone.default",
    "aten.concat.default",
    "aten.concatenate.default",
    "aten.constant_pad_nd.default",
    "aten.contiguous.default",
    "aten.detach.default",
    "aten.diagonal.default",
    "aten.dropout.default",
    "aten.dropout_.default",
    "aten.embedding.default",
    "aten.expand.default",
    "aten.flatten.using_ints",
    "aten.flip.default",
    "aten.gather.default",
    "aten.index.Tensor",
    "aten.index_copy.default",
    "aten.index_put.default",
    "aten.index_select.default",
    "aten.max_pool2d.default",
    "aten.max_pool3d.default",
    "aten.moveaxis.int",
    "aten.moveaxis.intlist",
    "aten.movedim.int",
    "aten.movedim.intlist",
    "aten.pad.default",
    "aten.permute.default",
    "aten.pixel_shuffle.default",
    "aten.pixel_unshuffle.default",
    "aten.repeat.default",
    "aten.reshape.default",
    "aten.scatter.src",
    "aten.scatter.value",
    "aten.select.int",
    "aten.select_scatter.default",
    "aten.slice.Tensor",
    "aten.slice_scatter.default",
    "aten.squeeze.default",
    "aten.squeeze.dim",
    "aten.squeeze.dims",
    "aten.t.default",
    "aten.tile.default",
    "aten.transpose.int",
    "aten.unflatten.int",
    "aten.unfold.default",
    "aten.unsqueeze.default",
    "aten.upsample_bilinear2d.vec",
    "aten.upsample_nearest2d.vec",
    "aten.view.default",
}


def with_copies(names: set[str]) -> set[str]:
    """Operators under the names of their functional variants as well."""
    return names | {"_copy.".join(name.rsplit(".", 1)) for name in names}


MOVING = with_copies(_MOVING)


def is_known(target: Any) -> bool:
    """Whether calls of a captured operator are quantized as they are."""
    name = str(target)
    return name in WEIGHTED or name in BINARY | PRODUCTS | CLAMPING | UNARY | READING | CHOOSING | MOVING


def is_annotated(node: Node) -> bool:
    """Whether a quantizer has said how a node is quantized."""
    annotation = node.meta.get(ANNOTATION)
    return annotation is not None and bool(annotation._annotated)


def mark_node_as_annotated(
    node: Node,
    input_qspec_map: dict[Node, Any],
    output_qspec: Any,
    is_quantized: bool = True,
) -> None:
    """Says how a node is quantized.

    Args:
        node: a call, an input or the output.
        input_qspec_map: operand -> spec, None for one that is not quantized.
        output_qspec: of the result.
        is_quantized: False leaves the node in floating point, and for no other quantizer.
    """
    inputs, output = (dict(input_qspec_map), output_qspec) if is_quantized else ({}, None)
    node.meta[ANNOTATION] = QuantizationAnnotation(
        input_qspec_map=inputs, output_qspec=output, _annotated=True
    )


def is_real(node: Any) -> bool:
    """Whether a node makes a tensor of float32."""
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype is torch.float32


def is_number(node: Node) -> bool:
    """Whether a node is a constant of one element."""
    return node.op == "get_attr" and bool(node.meta[meta_keys.VAL].numel() == 1)


def annotate(
    model: GraphModule, config_of: Callable[[Node], QuantizationConfig | None]
) -> list[tuple[Node, str]]:
    """Annotates what ``config_of`` has a config for; returns what stays in floating point, and why."""
    left = []
    for node in model.graph.nodes:
        if node.op != "call_function" or ANNOTATION in node.meta:
            continue
        if not is_real(node) and str(node.target) not in READING:
            continue
        config = as_config(config_of(node))
        why = "no quantization config for it" if config is None else _annotate(node, config)
        if why:
            left.append((node, why))
    return left


def _annotate(node: Node, config: QuantizationConfig) -> str:
    """Annotates a call and the activation that follows it; the reason if it is not quantized."""
    name = str(node.target)
    operands = [one for one in node.all_input_nodes if is_real(one)]
    if name in WEIGHTED:
        return _weighted(node, config)
    if name in BINARY | PRODUCTS:
        if len(node.all_input_nodes) != len(operands) or not operands:
            return "operands that are not all float32"
        _write(node, _inputs(node, operands, config), config, name in BINARY)
        return ""
    if name in UNARY or name in CLAMPING:
        _write(node, _inputs(node, operands[:1], config), config, False)
        return ""
    if name in MOVING:
        _moving(node, operands, config)
        return ""
    if name in READING:
        return _reading(node, operands, config)
    if name in CHOOSING and operands:
        _write(node, _inputs(node, operands, config), config, False)
        return ""
    return f"{name} is not quantized by this quantizer"


def _weighted(node: Node, config: QuantizationConfig) -> str:
    data, weight = node.args[0], node.args[1]
    if not isinstance(data, Node) or not isinstance(weight, Node):
        return "no weight"
    if weight.op not in ("get_attr", "placeholder"):
        return "a weight that is calculated"
    spec = config.get_weight_qspec(node)
    groups = node.args[6] if len(node.args) > 6 else 1
    if "transpose" in str(node.target) and groups != 1 and has_scales_by_output(spec):
        # They belong to the second dimension, and to one group only.
        return "a transposed convolution with groups and scales by output; give it a config with is_per_channel=False"
    inputs = _inputs(node, [data], config)
    inputs[weight] = spec
    bias = node.args[2] if len(node.args) > 2 else None
    if isinstance(bias, Node) and bias.op == "get_attr":
        inputs[bias] = config.get_bias_qspec(node)
    _write(node, {one: spec for one, spec in inputs.items() if spec is not None}, config, True)
    return ""


def _inputs(node: Node, operands: list[Node], config: QuantizationConfig) -> dict[Node, Any]:
    """Operand -> spec; not of those that a config leaves in floating point."""
    specs = {one: config.get_input_act_qspec(node, one) for one in operands}
    return {one: spec for one, spec in specs.items() if spec is not None}


def _moving(node: Node, operands: list[Node], config: QuantizationConfig) -> None:
    first = operands[0]
    shared = SharedQuantizationSpec((first, node))
    inputs: dict[Node, Any] = _inputs(node, [first], config)
    inputs.update((one, shared) for one in operands if one is not first)
    mark_node_as_annotated(node, inputs, shared)


def _reading(node: Node, operands: list[Node], config: QuantizationConfig) -> str:
    """Not the number that a value is compared with: it would widen the range of the value."""
    if not operands or len(operands) < len(node.all_input_nodes):
        return "operands that are not all float32"
    operands = [one for one in operands if not is_number(one)] or operands
    first = operands[0]
    inputs: dict[Node, Any] = _inputs(node, [first], config)
    inputs.update((one, SharedQuantizationSpec((first, node))) for one in operands[1:])
    mark_node_as_annotated(node, inputs, None)
    return ""


def _write(node: Node, inputs: dict[Node, Any], config: QuantizationConfig, may_clamp: bool) -> None:
    """The result is quantized behind the activation, if there is one that only this reads."""
    following = next(iter(node.users)) if len(node.users) == 1 else None
    clamps = may_clamp and following is not None and str(following.target) in CLAMPING
    output = None if clamps else config.get_output_act_qspec(node)
    mark_node_as_annotated(node, inputs, output)
    if clamps and following is not None:
        mark_node_as_annotated(following, {}, config.get_output_act_qspec(following))
