"""Linear layers and convolutions whose inputs are quantized at run time, with weights of eight or four bits.

The graph chooses scales, quantizes and dequantizes before the layer, with one scale for the tensor or one for each
row; XNNPACK always has one for each row, which is at least as exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import (
    DEQUANTIZE,
    DEQUANTIZE_AFFINE,
    DEQUANTIZE_CHANNELS,
    DEQUANTIZE_GROUPS,
    UNPACK_PAIRS,
    Constants,
    name_of,
)
from executorch.backends.xnnpack.graph.products import GEMMS, product_of, through_views
from executorch.backends.xnnpack.graph.quantized import (
    clamped,
    is_bias,
    is_symmetric_by_channel,
    weight_parameters_of,
)
from executorch.dialects import meta_keys

DYNAMIC_OPERATORS = set(GEMMS)
_CONVOLUTION = "aten.convolution.default"

#: Dequantization -> the quantization before it, and what chose the scales.
_CHAINS = {
    "quantized_decomposed.dequantize_per_tensor.tensor": (
        "quantized_decomposed.quantize_per_tensor.tensor",
        ("quantized_decomposed.choose_qparams.tensor",),
    ),
    "quantized_decomposed.dequantize_per_token.default": (
        "quantized_decomposed.quantize_per_token.default",
        (
            "quantized_decomposed.choose_qparams_per_token_asymmetric.default",
            "quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default",
        ),
    ),
    DEQUANTIZE_AFFINE: ("torchao.quantize_affine.default", ("torchao.choose_qparams_affine.default",)),
}

#: XNNPACK's kernels for four bits in groups step by so many inputs.
_GROUP_STEP = 32
_FOUR_BITS, _EIGHT_BITS = (-8, 7), (-128, 127)


@dataclass(frozen=True)
class DynamicWeight:
    """A weight (outputs, inputs) of a dynamically quantized layer.

    Attributes:
        tensor: int8, of which four-bit weights use -8 to 7; of a convolution as the model has it.
        scales: (outputs, groups); of a transposed convolution the outputs are the weight's second dimension.
        bits: 8 or 4.
        is_paired: two weights of four bits lie in a byte of ``tensor``, which nobody changes, as XNNPACK has them: the first in the low half,
            8 more each.
    """

    tensor: torch.Tensor
    scales: torch.Tensor
    bits: int
    is_paired: bool = False

    @property
    def shape(self) -> list[int]:
        """Of the weights."""
        rows, *columns = self.tensor.shape
        return [rows, 2 * columns[0]] if self.is_paired else [rows, *columns]

    @property
    def group_size(self) -> int:
        """Inputs that share a scale."""
        return self.shape[1] // self.scales.shape[1]


@dataclass(frozen=True)
class DynamicCall:
    """A layer that quantizes its input.

    Attributes:
        source: the input before it is quantized.
        chain: the nodes that choose scales, quantize and dequantize.
        nodes: everything that becomes one XNNPACK node and the conversion before it.
    """

    source: Node
    chain: list[Node]
    nodes: list[Node]


def dynamic_call(node: Node, constants: Constants) -> DynamicCall | None:
    """How a layer quantizes its input, None if it does not or not in a way that XNNPACK has."""
    product = product_of(node)
    chain = None if product is None else _chain(product.source)
    if product is None or chain is None:
        return None
    copies = list(chain[-2].users)
    if not all(_reads_as_layer(user, copy, constants) for copy in copies for user in through_views(copy)):
        return None
    source = chain[0].args[0]
    nodes = [*chain, *product.taken(constants), clamped(node, product.result)]
    return DynamicCall(source, chain, list(dict.fromkeys(nodes)))  # type: ignore[arg-type]


def _chain(dequantization: Node) -> list[Node] | None:
    """The nodes from the choice of scales to ``dequantization``, if nothing else reads what they make."""
    if name_of(dequantization) not in _CHAINS:
        return None
    quantizes, chooses = _CHAINS[name_of(dequantization)]
    quantization = dequantization.args[0]
    if not isinstance(quantization, Node) or name_of(quantization) != quantizes:
        return None
    scales = [one for one in quantization.all_input_nodes if one is not quantization.args[0]]
    chosen = {one.args[0] for one in scales if name_of(one) == "getitem"}
    choice = next(iter(chosen), None)
    if len(chosen) != 1 or not isinstance(choice, Node) or name_of(choice) not in chooses:
        return None
    readers = set(quantization.users)
    if {name_of(one) for one in readers} != {name_of(dequantization)} or choice.args[
        0
    ] is not quantization.args[0]:
        return None
    parts = list(choice.users)
    if any(user is not quantization and user not in readers for part in parts for user in part.users):
        return None
    return [choice, *parts, quantization, dequantization]


def _reads_as_layer(user: Node, dequantization: Node, constants: Constants) -> bool:
    product = product_of(user)
    if product is None or (product.bias is not None and not is_bias(product, constants)):
        return False
    form = weight_form(product.weight, constants, product.last, product.output_dimension)
    if name_of(user) == _CONVOLUTION and not _is_plain_convolution(user, form):
        return False
    return product.source is dequantization and form is not None


def _is_plain_convolution(node: Node, form: DynamicWeight | None) -> bool:
    """Whether XNNPACK has this convolution of inputs quantized at run time: eight bits, no groups."""
    if form is None or form.bits != 8 or form.tensor.dim() != 4 or node.args[8] != 1:
        return False
    # Transposed ones give single precision only.
    return not node.args[6] or node.meta[meta_keys.VAL].dtype is torch.float32


def weight_form(
    node: Node, constants: Constants, last: bool, dimension: int | None = None
) -> DynamicWeight | None:
    """The weight behind a dequantization, None if XNNPACK has no such weights.

    Args:
        node: what the layer reads as its weight.
        constants: finds tensors.
        last: the weight is (inputs, outputs).
        dimension: of the weight that counts outputs, by default what ``last`` says.
    """
    name = name_of(node)
    dimension = int(last) if dimension is None else dimension
    if name in (DEQUANTIZE_AFFINE, DEQUANTIZE_GROUPS):
        return None if last else _weight_in_groups(node, constants)
    parameters = weight_parameters_of(node)
    if name == DEQUANTIZE and (parameters is None or parameters.zero_point != 0):
        return None
    if name == DEQUANTIZE_CHANNELS and not is_symmetric_by_channel(node, constants, dimension):
        return None
    values = constants(node.args[0]) if name in (DEQUANTIZE, DEQUANTIZE_CHANNELS) else None  # type: ignore[arg-type]
    if values is None:
        return None
    tensor = values.t() if last else values
    scales = torch.tensor(parameters.scale) if parameters is not None else constants(node.args[1])  # type: ignore[arg-type]
    assert scales is not None
    scales = scales.reshape(-1, 1).expand(values.shape[dimension], 1).to(torch.float32)
    return DynamicWeight(tensor, scales, 4 if _is_narrow(node, tensor) else 8)


def _is_narrow(weight: Node, tensor: torch.Tensor) -> bool:
    """Whether a weight scaled by output or as a whole uses four bits, and XNNPACK has products for its shape."""
    if tensor.dim() != 2 or tensor.shape[1] % 2 != 0:
        return False
    first = 4 if name_of(weight) == DEQUANTIZE_CHANNELS else 3
    return _fits(weight.args[first : first + 2], _FOUR_BITS)


def _fits(limits: Any, others: tuple[int, int]) -> bool:
    """Whether numbers within ``limits`` are within the others, too."""
    return bool(limits[0] >= others[0] and limits[1] <= others[1])


def _weight_in_groups(node: Node, constants: Constants) -> DynamicWeight | None:
    """Weights with a scale for each group of neighbours in a row."""
    if name_of(node) == DEQUANTIZE_AFFINE:
        values, block, scales, zero_points, dtype, low, high = [*node.args, None, None][:7]
        rows, group = block if len(block) == 2 else (0, 0)  # type: ignore[arg-type, misc]
    else:
        values, scales, zero_points, low, high, dtype, group = node.args[:7]
        rows = 1
    is_paired = isinstance(values, Node) and name_of(values) == UNPACK_PAIRS
    tensor = constants(values.args[0] if is_paired else values)  # type: ignore[arg-type, union-attr]
    factors = constants(scales)  # type: ignore[arg-type]
    offsets = constants(zero_points) if isinstance(zero_points, Node) else None
    known = tensor is not None and factors is not None and (zero_points is None or offsets is not None)
    if not known or rows != 1 or dtype is not torch.int8 or (offsets is not None and bool(offsets.any())):
        return None
    assert tensor is not None and factors is not None
    outputs, inputs = tensor.shape[0], tensor.shape[1] * (2 if is_paired else 1)
    whole = group == inputs
    limits = (-128 if low is None else low, 127 if high is None else high)
    if _fits(limits, _FOUR_BITS) and inputs % 2 == 0 and (whole or int(group) % _GROUP_STEP == 0):  # type: ignore[arg-type, call-overload]
        return DynamicWeight(tensor, factors.reshape(outputs, -1).to(torch.float32), 4, is_paired)
    if _fits(limits, _EIGHT_BITS) and whole and not is_paired:
        return DynamicWeight(tensor, factors.reshape(outputs, 1).to(torch.float32), 8)
    return None
