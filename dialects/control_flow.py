"""Control flow in graphs: conditions and loops, read in one way whatever operator says it.

=============  =====================================================================================
``cond``       ``(predicate, true_body, false_body, operands)``
``while_loop`` ``(condition, body, carried, shared)``: repeats while the condition holds
``scan``       ``(body, carried, sequences, shared)``: once for each row of the sequences
``map_impl``   ``(body, sequences, shared)``: the same without carried values
=============  =====================================================================================

A loop's body has a placeholder for each carried value, for one row of each sequence, and for each shared value, in
this order. It returns the new carried values and then one row of each stacked result; the loop's results are the
last carried values and the stacked rows. A condition body takes what the body takes and returns one truth value.
"""

import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.execution import is_higher_order

LOOPS = frozenset({"while_loop", "scan", "map_impl"})
#: The operators that memory planning and emission know; a delegate call is not one of them.
CONTROL_FLOW = LOOPS | {"cond"}


@dataclass(frozen=True)
class Loop:
    """One loop.

    Attributes:
        node: the call.
        condition: ``get_attr`` node of the graph that decides whether to go on; None for a loop over rows.
        body: ``get_attr`` node of the graph that is repeated.
        carried: initial values (nodes or numbers) of what one round hands to the next.
        sequences: tensors of which each round sees one row (dimension 0).
        shared: values that all rounds see.
    """

    node: Node
    condition: "Node | None"
    body: Node
    carried: tuple[Any, ...] = ()
    sequences: tuple[Any, ...] = ()
    shared: tuple[Any, ...] = ()

    def inputs_of_body(self, body: GraphModule) -> tuple[list[Node], list[Node], list[Node]]:
        """The placeholders of a body: for carried values, rows and shared values."""
        placeholders = list(body.graph.find_nodes(op="placeholder"))
        rows = len(self.carried)
        shared = rows + len(self.sequences)
        return placeholders[:rows], placeholders[rows:shared], placeholders[shared:]

    def results_of_body(self, body: GraphModule) -> tuple[list[Any], list[Any]]:
        """What the body returns: the new carried values, and a row of each stacked result."""
        results = body_results(body)
        return results[: len(self.carried)], results[len(self.carried) :]


def loop_of(node: Any) -> "Loop | None":
    """The loop that a node is; None for all other nodes."""
    name = control_flow_name(node)
    if name == "while_loop":
        condition, body, carried, *shared = node.args
        return Loop(node, condition, body, tuple(carried), shared=tuple(shared[0]) if shared else ())
    if name == "scan":
        body, carried, sequences, *shared = node.args
        return Loop(node, None, body, tuple(carried), tuple(sequences), tuple(shared[0]) if shared else ())
    if name == "map_impl":
        body, sequences, shared = node.args
        return Loop(node, None, body, sequences=tuple(sequences), shared=tuple(shared))
    return None


def control_flow_name(node: Any) -> "str | None":
    """``cond``, ``while_loop``, ``scan`` or ``map_impl``; None for a node that is none of these."""
    if not is_higher_order(node):
        return None
    name = node.target.name()
    return name if name in CONTROL_FLOW else None


def body_module(owner: torch.nn.Module, body: Node) -> GraphModule:
    """The graph that a ``get_attr`` node names."""
    return operator.attrgetter(str(body.target))(owner)


def body_results(body: GraphModule) -> list[Any]:
    """What a body returns, as a list."""
    results: Any = body.graph.output_node().args[0]
    return list(results) if isinstance(results, (tuple, list)) else [results]
