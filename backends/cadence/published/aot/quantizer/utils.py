"""What patterns of one's own ask of a graph and write into it, under the names of released versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.utils.source_matcher_utils import SourcePartition
from torchao.quantization.pt2e.quantizer.quantizer import Q_ANNOTATION_KEY

from executorch.backends.cadence.quantizer.integers import filled
from executorch.backends.cadence.quantizer.pattern import chains, partitions
from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import is_call
from executorch.ir.values import sizes_of


def check_out_zero_point_is_min_range(out_zero_point: int, out_dtype: torch.dtype) -> bool:
    """Whether nothing below zero can be said in the integers, so that they are an activation's already."""
    activations = (torch.int8, torch.uint8, torch.int16, torch.uint16)
    return out_dtype in activations and out_zero_point == torch.iinfo(out_dtype).min


def is_annotated(nodes: Iterable[Node]) -> bool:
    """Whether a quantizer has taken one of the nodes."""
    found = [node.meta[Q_ANNOTATION_KEY] for node in nodes if Q_ANNOTATION_KEY in node.meta]
    return any(one._annotated for one in found)


def copy_node_metadata(dest_node: Node, src_node: Node) -> None:
    """Notes where a node comes from: all that is known of the other one, but its value."""
    known = {key: value for key, value in src_node.meta.items() if key != "val"}
    dest_node.meta.update(known)


def create_zero_bias_int32(graph_module: GraphModule, weight_node: Node, bias_scale: float) -> Node:
    """A bias of zeros behind a weight, one for each of its outputs; zero is 0 in any scale.

    Raises:
        ValueError: the weight has no value to take the number of outputs from.
    """
    sizes = sizes_of(weight_node)
    if not sizes:
        raise ValueError(f"the weight {weight_node} has no dimensions")
    return filled(weight_node.next, sizes[:1], 0, torch.int32)


def get_aten_node_target_partitions(
    graph: Graph, wanted_original_aten_op: Sequence[OpOverload]
) -> dict[OpOverload, list[SourcePartition]]:
    """The calls of each operator, each as a partition; operators without calls are left out."""
    found: dict[OpOverload, list[SourcePartition]] = {}
    for op in wanted_original_aten_op:
        calls = partitions([node for node in graph.nodes if is_call(node, op)])
        if calls:
            found[op] = calls
    return found


def find_sequential_partitions_aten(
    gm: GraphModule, partition_types: Sequence[Any]
) -> list[tuple[SourcePartition, ...]]:
    """Where operators follow each other, each read by the next one alone: a partition for each operator of a match."""
    return [tuple(partitions(chain)) for chain in chains(gm, partition_types)]


def no_outside_users(fused_partition: Sequence[SourcePartition]) -> bool:
    """Whether all values of a match but the last one are read within it."""
    inside = {node for one in fused_partition for node in one.nodes}
    return all(set(node.users) <= inside for one in fused_partition[:-1] for node in one.output_nodes)
