"""Rewrites of quantized graphs: dequantize, compute, quantize becomes one operator on integers."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.passes.utils.source_matcher_utils import SourcePartition

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverloadPacket
from executorch.partitioner.interface.errors import PartitionerContractError
from executorch.partitioner.selection.partition_proposals import operator_name

_QUANTIZE = "quantized_decomposed.quantize_per_tensor."
_DEQUANTIZE = "quantized_decomposed.dequantize_per_tensor."


def _is(node: torch.fx.Node, name: str) -> bool:
    return node.op == "call_function" and operator_name(node.target).startswith(name)


def remove_first_quant_and_last_dequant(graph_module: torch.fx.GraphModule) -> None:
    """The graph takes and gives integers: no quantization of its inputs, no dequantization of its outputs.

    Done where an input is used by quantizations only, and where an output is a dequantization.
    """
    graph = graph_module.graph
    for node in graph.find_nodes(op="placeholder"):
        users = list(node.users)
        if users and all(_is(user, _QUANTIZE) for user in users):
            node.meta[meta_keys.VAL] = users[0].meta.get(meta_keys.VAL)
            for user in users:
                user.replace_all_uses_with(node)
                graph.erase_node(user)
    output = graph.output_node()
    for node in list(output.all_input_nodes):
        if _is(node, _DEQUANTIZE):
            output.replace_input_with(node, node.all_input_nodes[0])
            if not node.users:
                graph.erase_node(node)
    graph_module.recompile()


def replace_quantized_partition_with_op(
    graph_module: torch.fx.GraphModule,
    partition: SourcePartition,
    replacement_op: OpOverloadPacket,
) -> tuple[torch.fx.Node, list[torch.fx.Node], list[torch.fx.Node]]:
    """Puts one operator in the place of a partition with the dequantizations before and quantizations after it.

    The new node takes what the dequantizations took, in the order of the partition's inputs, and gives what
    the quantization gave.

    Args:
        graph_module: changed in place.
        partition: of one quantized module or function, as ``get_source_partitions`` finds it.
        replacement_op: its default overload is called.

    Returns:
        the new node, the dequantizations and the quantizations that it replaced.

    Raises:
        PartitionerContractError: the partition is not surrounded by dequantizations and one quantization.
    """
    dequantizations = [node for node in partition.input_nodes if _is(node, _DEQUANTIZE)]
    quantizations = [user for node in partition.output_nodes for user in node.users if _is(user, _QUANTIZE)]
    if not dequantizations or len(quantizations) != 1 or len(partition.output_nodes) != 1:
        raise PartitionerContractError(
            f"the partition of {partition.source} has {len(dequantizations)} dequantized inputs and "
            f"{len(quantizations)} quantized outputs; it needs at least one of the former and exactly one of "
            "the latter. Way out: quantize the module's inputs and its output, or leave the partition as it is."
        )
    (quantization,) = quantizations
    arguments = tuple(node.args[0] if node in dequantizations else node for node in partition.input_nodes)
    graph = graph_module.graph
    with graph.inserting_before(quantization):
        replacement = graph.call_function(_default_overload(replacement_op), arguments)
    replacement.meta = dict(quantization.meta)
    quantization.replace_all_uses_with(replacement)
    gone = {quantization, *partition.nodes, *dequantizations}
    for node in reversed(list(graph.nodes)):
        if node in gone and node.op == "call_function" and not node.users:
            graph.erase_node(node)
    graph_module.recompile()
    return replacement, dequantizations, quantizations


def _default_overload(packet: Any) -> Any:
    return getattr(packet, "default", packet)
