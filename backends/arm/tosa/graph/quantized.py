"""How quantization looks in a graph, and which calls work on integers.

A converted graph calculates in floating point between pairs: integers are dequantized, an operator works on the result, and what
it makes is quantized again. Such an operator is lowered as one on integers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # Registers quantized_decomposed's operators.
from torch.fx import Node

from executorch.backends.arm.tosa.graph.constants import Constants, name_of
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.dialects import meta_keys
from executorch.ir.graph import sole_user

QUANTIZE = "quantized_decomposed.quantize_per_tensor.default"
DEQUANTIZE = "quantized_decomposed.dequantize_per_tensor.default"
CONVERT = "dim_order_ops._to_dim_order_copy.default"
DEQUANTIZE_CHANNELS = "quantized_decomposed.dequantize_per_channel.default"

_COPY = "dim_order_ops._clone_dim_order.default"
_CLAMPING = {"aten.relu.default", "aten.hardtanh.default", "aten.clamp.default"}
#: Operators whose accumulator a clamp may follow without a quantization between.
_ACCUMULATING = {
    "aten.convolution.default",
    "aten.linear.default",
    "aten.addmm.default",
    "aten.mm.default",
    "aten.bmm.default",
    "aten.add.Tensor",
    "aten.sub.Tensor",
    "aten.mul.Tensor",
    "aten.mean.dim",
}


@dataclass(frozen=True)
class Quant:
    """A value is ``scale`` times its integer less ``zero_point``; integers lie between ``low`` and ``high``."""

    scale: float
    zero_point: int
    low: int
    high: int
    dtype: torch.dtype

    @property
    def limits(self) -> tuple[int, int]:
        info = torch.iinfo(self.dtype)
        return info.min, info.max


@dataclass(frozen=True)
class Weight:
    """A constant of integers without a zero point; ``scales`` has one element or one for each output.

    ``has_four_bits`` says that it was quantized to -7 to 7, TOSA's range of int4.
    """

    integers: np.ndarray
    scales: np.ndarray
    has_four_bits: bool = False


@dataclass
class Call:
    """An operator on integers.

    Attributes:
        node: the operator.
        output: how its result is quantized, and ``result``, the node that does so. Where the result is no real number,
            how its first operand is, and the operator itself.
        clamp: limits of the activation that follows the operator, in floating point.
        inside: the nodes between operator and quantization.
        nodes: all that is done at once: dequantizations, operator, activation, quantization.
    """

    node: Node
    output: Quant
    result: Node
    clamp: tuple[float, float] | None = None
    inside: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)


def parameters_of(node: Node) -> Quant | None:
    """Of a conversion of a whole tensor from or to int8 or int16 with numbers that are known."""
    if name_of(node) not in (QUANTIZE, DEQUANTIZE) or len(node.args) < 6:
        return None
    scale, zero_point, low, high, dtype = node.args[1:6]
    if dtype not in (torch.int8, torch.int16) or not isinstance(scale, int | float):
        return None
    if not isinstance(zero_point, int) or (dtype is torch.int16 and zero_point != 0):
        return None
    return Quant(float(np.float32(scale)), zero_point, int(low), int(high), dtype)  # type: ignore[arg-type, call-overload]


def converted_from(node: Node) -> Quant | None:
    """Of a conversion of integers to floating point, which stand for themselves; None of other nodes."""
    if name_of(node) != CONVERT or not is_float(node):
        return None
    dtype = node.args[0].meta[meta_keys.VAL].dtype  # type: ignore[union-attr]
    if dtype not in (torch.int8, torch.int16):
        return None
    info = torch.iinfo(dtype)
    return Quant(1.0, 0, info.min, info.max, dtype)


def requantized(node: Node) -> list[Node] | None:
    """What a node that makes real numbers of integers is part of, where these are quantized again and nothing else.

    Itself, and the quantizations that read it.
    """
    real = name_of(node) == DEQUANTIZE and parameters_of(node) is not None
    if not real and converted_from(node) is None:
        return None
    readers = [*node.users]
    again = all(name_of(one) == QUANTIZE and parameters_of(one) is not None for one in readers)
    return [node, *readers] if again and readers else None


def is_float(node: Node) -> bool:
    """Whether a node makes one floating-point tensor, or several."""
    value = node.meta.get(meta_keys.VAL)
    first = value[0] if isinstance(value, tuple | list) and value else value
    return isinstance(first, torch.Tensor) and first.is_floating_point()


def clamp_limits(node: Node) -> tuple[float, float] | None:
    """Limits of an activation that clamps, None of any other node."""
    name = name_of(node)
    if name not in _CLAMPING:
        return None
    if name == "aten.relu.default":
        return 0.0, float("inf")
    default = (-1.0, 1.0) if name == "aten.hardtanh.default" else (None, None)
    low, high = [*node.args[1:], *default[len(node.args) - 1 :]][:2]
    if isinstance(low, Node) or isinstance(high, Node):
        return None
    return float("-inf") if low is None else float(low), float("inf") if high is None else float(high)  # type: ignore[arg-type]


def _copied(node: Node) -> list[Node]:
    """``node``, and what it is a copy of, as a view of what was permuted makes one."""
    chain = [node]
    while name_of(chain[-1]) == _COPY and len(chain[-1].users) == 1:
        chain.append(chain[-1].args[0])  # type: ignore[arg-type]
    return chain


#: Slices of a tensor by their numbers.
_PICKING = {
    "aten.embedding.default",
    "aten.gather.default",
    "aten.index.Tensor",
    "aten.index_select.default",
}


def match(node: Node, constants: Constants) -> Call | None:
    """How ``node`` works on integers, None if the graph does not say so."""
    name = name_of(node)
    row = OPERATORS.get(name)
    if row is None or row.integer is None or constants.has(node):
        return None
    read = [one for one in node.all_input_nodes if is_float(one) and not constants.has(one)]
    chains = [_copied(one) for one in read]
    sources = [chain[-1] for chain in chains]
    if name in _PICKING and not sources:
        # Rows of a table that is a constant.
        sources = [node.args[0]]  # type: ignore[list-item]
    if not sources or any(parameters_of(one) is None or name_of(one) != DEQUANTIZE for one in sources):
        return None
    if not is_float(node):
        # An index, or a comparison: integers are read, and what is made is not quantized.
        return Call(node, parameters_of(sources[0]), node, nodes=[*_once(chains), node])  # type: ignore[arg-type]
    inside: list[Node] = []
    last = node
    following = sole_user(last)
    if following is not None and name_of(following) == "getitem" and following.args[1] == 0:
        inside.append(following)
        last, following = following, sole_user(following)
    clamp = None
    if following is not None and name in _ACCUMULATING and clamp_limits(following) is not None:
        clamp = clamp_limits(following)
        inside.append(following)
        following = sole_user(following)
    while following is not None and name_of(following) == _COPY:
        inside.append(following)
        following = sole_user(following)
    if following is None or name_of(following) != QUANTIZE:
        return None
    output = parameters_of(following)
    if output is None:
        return None
    nodes = [*_once(chains), node, *inside, following]
    return Call(node, output, following, clamp, inside, nodes)


def _once(chains: list[list[Node]]) -> list[Node]:
    return list(dict.fromkeys(one for chain in chains for one in reversed(chain)))


def weight_of(node: Node, constants: Constants, dimension: int) -> Weight | None:
    """A constant dequantized symmetrically, as a whole or by slices along ``dimension``."""
    name = name_of(node)
    if name == DEQUANTIZE and constants.has(node):
        quant = parameters_of(node)
        stored = constants(node.args[0])  # type: ignore[arg-type]
        if quant is None or quant.zero_point != 0 or stored is None:
            return None
        return Weight(stored.numpy(), np.asarray([quant.scale]), _in_four_bits(quant.low, quant.high))
    if name != DEQUANTIZE_CHANNELS or not constants.has(node) or node.args[3] != dimension:
        return None
    stored, scales = constants(node.args[0]), constants(node.args[1])  # type: ignore[arg-type]
    points = constants(node.args[2]) if isinstance(node.args[2], Node) else None
    if stored is None or scales is None or (points is not None and bool(points.any())):
        return None
    four = _in_four_bits(*node.args[4:6])  # type: ignore[arg-type]
    return Weight(stored.numpy(), scales.double().numpy(), four)


def _in_four_bits(low: int, high: int) -> bool:
    return low >= -7 and high <= 7
