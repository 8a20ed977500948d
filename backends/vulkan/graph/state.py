"""State that a delegate holds: buffers and parameters that the program writes, read and written by one delegate alone."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.ir.graph import output_arguments
from executorch.ir.mutations import mutated_state


def states_of(program: ExportedProgram) -> dict[Node, Node]:
    """State that a delegate could hold -> its new value: calculated, and not returned besides."""
    nodes = {node.name: node for node in program.graph.nodes}
    returned = list(output_arguments(program.graph))
    found = {}
    for placeholder, mutation in mutated_state(program.graph_signature).items():
        value = nodes[mutation.value]
        if value.op == "call_function" and returned.count(value) == 1:
            found[nodes[placeholder]] = value
    return found


def calls_around(state: Node, value: Node) -> set[Node]:
    """The calls that read or write state, or read its new value."""
    calls = {user for one in (state, value) for user in one.users if user.op == "call_function"}
    calls.add(value)
    return {_maker(one) for one in calls}


def split_states(states: dict[Node, Node], partitions: Iterable[list[Node]]) -> dict[Node, set[Node]]:
    """State around which calls are in several partitions or in none -> those calls."""
    homes = {node: number for number, nodes in enumerate(partitions) for node in nodes}
    found = {}
    for state, value in states.items():
        calls = calls_around(state, value)
        if len({homes.get(one, -1) for one in calls}) > 1 or not calls <= homes.keys():
            found[state] = calls
    return found


def _maker(node: Node) -> Node:
    if node.target is not operator.getitem:
        return node
    source = node.args[0]
    assert isinstance(source, Node)
    return source
