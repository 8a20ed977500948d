"""Writes down what was chosen: a tag for each group of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.partitioner.interface.delegation import DelegationSpec, PartitionResult


def tag_groups(
    program: ExportedProgram,
    prefix: str,
    spec: DelegationSpec,
    groups_of: Callable[[GraphModule], Iterable[Sequence[Node]]],
) -> PartitionResult:
    """Tags the nodes of each group, ``prefix0``, ``prefix1`` and so on, in the graphs of control flow too.

    Constants are left: :func:`tag_constant_data` and :func:`tag_prepared_constants` tag them.

    Args:
        program: what the partitioner was given.
        prefix: of the tags.
        spec: the backend that gets the groups.
        groups_of: the groups of one graph, each of them one delegate.
    """
    tags: dict[str, DelegationSpec] = {}
    for module in program.graph_module.modules():
        for nodes in groups_of(module) if isinstance(module, GraphModule) else ():
            tag = f"{prefix}{len(tags)}"
            tags[tag] = spec
            for node in nodes:
                node.meta[meta_keys.DELEGATION_TAG] = tag
    return PartitionResult(program, tags)
