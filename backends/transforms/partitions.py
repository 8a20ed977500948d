"""What partitioners share whose delegates take whole graphs: refusals are noted, what is not worth a call is left, the rest is tagged."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.transforms.constants import Constants, take_constants
from executorch.dialects import meta_keys
from executorch.partitioner import DelegationSpec, Partitioner, PartitionResult, note_reason

_IDLE = "nothing is calculated where it stands; not worth a call"


def is_taken(
    node: Node, constants: Constants, partitioner: Partitioner, refusal: Callable[[Node], str | None]
) -> bool:
    """Whether a node is a call that the delegate takes. ``refusal`` has the reason if it does not, which is noted."""
    if node.op != "call_function" or node in constants or node.target is operator.getitem:
        return False
    why = refusal(node)
    if why is not None:
        note_reason(node, type(partitioner).__name__, why)
    return why is None


def worth_a_call(
    partitions: Iterable[list[Node]], partitioner: Partitioner, is_work: Callable[[Node], bool]
) -> list[list[Node]]:
    """Those in which something is calculated. Nodes of the others have that reason."""
    worth = []
    for nodes in partitions:
        if any(map(is_work, nodes)):
            worth.append(nodes)
            continue
        for node in nodes:
            note_reason(node, type(partitioner).__name__, _IDLE)
    return worth


def tag_partitions(
    program: ExportedProgram,
    prefix: str,
    spec: DelegationSpec,
    partitions_of: Callable[[GraphModule, Constants], Iterable[list[Node]]],
) -> PartitionResult:
    """Tags the partitions of all graphs of a program, and its constants that they alone read."""
    constants = Constants(program)
    tags: dict[str, DelegationSpec] = {}
    for module in program.graph_module.modules():
        for nodes in partitions_of(module, constants) if isinstance(module, GraphModule) else ():
            tag = f"{prefix}_{len(tags)}"
            tags[tag] = spec
            for node in nodes:
                node.meta[meta_keys.DELEGATION_TAG] = tag
    take_constants(program, constants)
    return PartitionResult(program, tags)
