"""What partitioners share whose delegates take whole graphs: refusals are noted, what is not worth a call is left, the rest is tagged."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.transforms.constants import Constants
from executorch.partitioner import (
    DelegationSpec,
    Partitioner,
    PartitionResult,
    note_reason,
    tag_groups,
    tag_prepared_constants,
)

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
    result = tag_groups(program, f"{prefix}_", spec, lambda module: partitions_of(module, constants))
    tag_prepared_constants(program, constants.__contains__)
    return result
