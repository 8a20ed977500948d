"""Constants of a graph: what is stored, and what calls make of that and of nothing else."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import aten_op
from executorch.partitioner.constants import state_inputs
from executorch.partitioner.partition_proposals import operator_name

QUANTIZE = "quantized_decomposed.quantize_per_tensor.default"
DEQUANTIZE = "quantized_decomposed.dequantize_per_tensor.default"
DEQUANTIZE_CHANNELS = "quantized_decomposed.dequantize_per_channel.default"
DEQUANTIZE_GROUPS = "quantized_decomposed.dequantize_per_channel_group.default"
DEQUANTIZE_AFFINE = "torchao.dequantize_affine.default"
_INNER_TENSOR = "export.access_subclass_inner_tensor.default"

#: Operators that only prepare constants when all they read is constant.
_PREPARING = {
    QUANTIZE,
    DEQUANTIZE,
    DEQUANTIZE_CHANNELS,
    DEQUANTIZE_GROUPS,
    DEQUANTIZE_AFFINE,
    "quantized_decomposed.quantize_per_channel.default",
    "quantized_decomposed.quantize_per_channel_group.default",
    "torchao.quantize_affine.default",
    _INNER_TENSOR,
}

#: The tensor behind a constant, None for what the model calculates.
Constants = Callable[[Node], "torch.Tensor | None"]


def name_of(node: Node) -> str:
    """``aten.add.Tensor`` of a call, the empty string for other nodes."""
    return operator_name(node.target) if node.op == "call_function" else ""


def program_constants(program: ExportedProgram) -> Constants:
    """Finds the tensors of a program's parameters, buffers and lifted constants, and of what is made of them."""
    state = state_inputs(program.graph_signature)

    def stored(node: Node) -> torch.Tensor | None:
        spec = state.get(node.name) if node.op == "placeholder" else None
        if spec is None or spec.target is None:
            return None
        found = program.state_dict.get(spec.target)
        return program.constants[spec.target] if found is None else found

    def find(node: Node) -> torch.Tensor | None:
        if name_of(node) not in _PREPARING:
            return stored(node)
        found = {source: find(source) for source in node.all_input_nodes}
        if any(tensor is None for tensor in found.values()):
            return None
        if name_of(node) == _INNER_TENSOR:
            inner: torch.Tensor = getattr(found[node.args[0]], str(node.args[1]))  # type: ignore[index]
            return inner
        op = aten_op(node.target)
        args = torch.fx.node.map_arg(node.args, lambda one: found[one])
        kwargs = torch.fx.node.map_arg(node.kwargs, lambda one: found[one])
        with torch.no_grad():
            result: torch.Tensor = op(*args, **kwargs)  # type: ignore[misc]
        return result

    return find


def preparation(node: Node) -> list[Node]:
    """The calls that prepare a constant, ``node`` last; nothing if it is stored as it is."""
    if name_of(node) not in _PREPARING:
        return []
    before = [one for source in node.all_input_nodes for one in preparation(source)]
    return [*before, node]


def prepared_constants(node: Node, constants: Constants) -> list[Node]:
    """What prepares the constants that ``node`` reads."""
    sources = [
        one for one in node.all_input_nodes if name_of(one) in _PREPARING and constants(one) is not None
    ]
    return [call for source in sources for call in preparation(source)]
