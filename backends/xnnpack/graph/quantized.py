"""How quantization looks in a graph, and which operators XNNPACK does on the integers themselves.

A converted graph calculates in floating point between pairs: integers are dequantized, an operator works on the
result, and what it makes is quantized again. Such an operator is one XNNPACK node on quantized values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import (
    DEQUANTIZE,
    DEQUANTIZE_CHANNELS,
    QUANTIZE,
    Constants,
    is_empty,
    name_of,
    prepared_constants,
)
from executorch.backends.xnnpack.graph.fusion import CLAMPING, clamp_limits
from executorch.backends.xnnpack.graph.products import GEMMS, Product, product_of
from executorch.dialects import meta_keys

#: Integers in, integers out, each with scales of its own.
CALCULATING = {
    "aten.abs.default",
    "aten.add.Tensor",
    "aten.clamp.default",
    "aten.elu.default",
    "aten.exp.default",
    "aten.gelu.default",
    "aten.hardswish.default",
    "aten.hardtanh.default",
    "aten.leaky_relu.default",
    "aten.mean.default",
    "aten.mean.dim",
    "aten.mul.Tensor",
    "aten.neg.default",
    "aten.relu.default",
    "aten.sigmoid.default",
    "aten.sub.Tensor",
    "aten.tanh.default",
}

#: Integers are moved or chosen; scales and zero points of inputs and result have to be equal.
MOVING = {
    "aten.alias_copy.default",
    "aten.cat.default",
    "aten.clone.default",
    "aten.constant_pad_nd.default",
    "aten.max_pool2d.default",
    "aten.permute.default",
    "aten.permute_copy.default",
    "aten.slice_copy.Tensor",
    "aten.squeeze_copy.dims",
    "aten.unsqueeze_copy.default",
    "aten.upsample_bilinear2d.default",
    "aten.upsample_bilinear2d.vec",
    "aten.view_copy.default",
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
}
_CONVOLUTION = "aten.convolution.default"
QUANTIZED_OPERATORS = {*GEMMS, *CALCULATING, *MOVING}


@dataclass(frozen=True)
class Parameters:
    """A value is ``scale`` times its integer less ``zero_point``."""

    scale: float
    zero_point: int


@dataclass(frozen=True)
class StaticCall:
    """An operator on integers with scales from calibration.

    Attributes:
        inputs: each dequantization that the operator reads -> the integers before it.
        output: the quantization of its result.
        nodes: everything that the one XNNPACK node does; constants and their preparation included.
    """

    inputs: dict[Node, Node]
    output: Node
    nodes: list[Node] = field(default_factory=list)


def parameters_of(node: Node) -> Parameters | None:
    """Scale and zero point of a quantization or dequantization to or from the int8 that XNNPACK has."""
    found = _parameters_of_int8(node)
    is_whole = found is not None and node.args[3] in (-128, -127) and node.args[4] == 127
    return found if is_whole else None


def weight_parameters_of(node: Node) -> Parameters | None:
    """Those of a weight that is dequantized, with any limits: a dequantization does not clamp, and what is stored stays."""
    return _parameters_of_int8(node) if name_of(node) == DEQUANTIZE else None


def _parameters_of_int8(node: Node) -> Parameters | None:
    if name_of(node) not in (QUANTIZE, DEQUANTIZE) or len(node.args) < 6:
        return None
    scale, zero_point, _, _, dtype = node.args[1:6]
    if dtype is not torch.int8 or not isinstance(scale, int | float) or not isinstance(zero_point, int):
        return None
    return Parameters(float(scale), zero_point)


def static_call(node: Node, constants: Constants) -> StaticCall | None:
    """How ``node`` works on integers, None if it cannot or the graph does not say so."""
    name = name_of(node)
    if name not in QUANTIZED_OPERATORS or _is_approximate(node):
        return None
    product = product_of(node)
    last = clamped(node) if product is None else clamped(node, product.result)
    output = sole_user(last)
    result = parameters_of(output) if output is not None and name_of(output) == QUANTIZE else None
    if output is None or result is None:
        return None
    # What is empty adds nothing to a concatenation, whatever its scale.
    read = [one for one in node.all_input_nodes if not is_empty(one.meta.get(meta_keys.VAL))]
    if product is not None:
        if not _has_static_weights(product, constants):
            return None
        read = [product.source]
    found = {source: parameters_of(source) for source in read if name_of(source) == DEQUANTIZE}
    if not read or len(found) != len(read) or None in found.values():
        return None
    if name in MOVING and set(found.values()) != {result}:
        return None
    inputs: dict[Node, Node] = {source: source.args[0] for source in read}  # type: ignore[misc]
    taken = [*prepared_constants(node, constants), node] if product is None else product.taken(constants)
    nodes = [*inputs, *taken, last, output]
    return StaticCall(inputs, output, list(dict.fromkeys(nodes)))


def _is_approximate(node: Node) -> bool:
    """Whether this is a GELU in several steps, whose values between no scale is known for."""
    return name_of(node) == "aten.gelu.default" and node.kwargs.get("approximate", "none") != "none"


def sole_user(node: Node) -> Node | None:
    """The only node that reads ``node``, None if there is none or more than one."""
    return next(iter(node.users)) if len(node.users) == 1 else None


def clamped(node: Node, result: Node | None = None) -> Node:
    """The activation that XNNPACK does with ``node``, whose value is that of ``result``; or that result."""
    result = node if result is None else result
    user = sole_user(result)
    if user is None or name_of(node) not in CLAMPING:
        return result
    return user if clamp_limits(user) is not None and user.args[0] is result else result


def _has_static_weights(product: Product, constants: Constants) -> bool:
    """Int8 weights without zero points, scaled as a whole or by output, and a bias that can be quantized."""
    weight = product.weight
    if weight.meta[meta_keys.VAL].dtype is not torch.float32:
        return False
    if product.bias is not None and not is_bias(product, constants):
        return False
    node = product.node
    if name_of(node) == _CONVOLUTION and node.args[6] and node.args[8] != 1 and name_of(weight) != DEQUANTIZE:
        # Scales by output are those of one group: the model has none for the others.
        return False
    parameters = weight_parameters_of(weight)
    if parameters is not None:
        return parameters.zero_point == 0 and constants.has(weight.args[0])  # type: ignore[arg-type]
    return is_symmetric_by_channel(weight, constants, product.output_dimension)


def is_bias(product: Product, constants: Constants) -> bool:
    """Whether the summand is constant and has an element for each output."""
    bias = product.bias
    return bias is not None and constants.has(bias) and bias.meta[meta_keys.VAL].dim() == 1


def is_symmetric_by_channel(weight: Node, constants: Constants, dimension: int) -> bool:
    """Whether ``weight`` is a constant of int8 with a scale for each slice along ``dimension``."""
    if (
        name_of(weight) != DEQUANTIZE_CHANNELS
        or weight.args[3] != dimension
        or weight.args[6] is not torch.int8
    ):
        return False
    zero_points = constants(weight.args[2]) if isinstance(weight.args[2], Node) else None  # type: ignore[arg-type]
    symmetric = weight.args[2] is None or (zero_points is not None and not zero_points.any())
    return symmetric and constants.has(weight.args[0])  # type: ignore[arg-type]
