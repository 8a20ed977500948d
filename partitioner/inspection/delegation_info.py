"""How much of a program was delegated: counts, and a table by operator.

``executorch.devtools.backend_debug`` is the documented path. Counted are operators, inside delegates and outside;
not counted are delegate calls, references, inputs, outputs and memory allocations.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from executorch.partitioner.inspection.text_table import text_table
from executorch.partitioner.interface.call_delegate import calls, executorch_call_delegate, is_lowered_module
from executorch.partitioner.interface.lowered_module import LoweredBackendModule

if TYPE_CHECKING:
    import pandas

_COLUMNS = ("op_type", "occurrences_in_delegated_graphs", "occurrences_in_non_delegated_graphs")


@dataclass
class DelegationBreakdown:
    """Nodes of one operator: inside delegates and outside."""

    op_type: str = ""
    delegated: int = 0
    non_delegated: int = 0


@dataclass
class DelegationInfo:
    """What was delegated.

    Attributes:
        num_delegated_subgraphs: delegate calls' modules, those in control-flow submodules included.
        num_delegated_nodes: operators inside them.
        num_non_delegated_nodes: operators outside.
        delegation_by_operator: operator, as node names spell it (``aten_add_tensor``), -> its counts.
    """

    num_delegated_subgraphs: int
    num_delegated_nodes: int
    num_non_delegated_nodes: int
    delegation_by_operator: dict[str, DelegationBreakdown]

    def get_summary(self) -> str:
        """Three lines of text."""
        return (
            f"Total delegated subgraphs: {self.num_delegated_subgraphs}\n"
            f"Number of delegated nodes: {self.num_delegated_nodes}\n"
            f"Number of non-delegated nodes: {self.num_non_delegated_nodes}\n"
        )

    columns = ("operator", "delegated", "not delegated")

    def rows(self) -> list[tuple[str, int, int]]:
        """The table's rows under ``columns``: operators by name, and a last row ``Total``."""
        by_name = sorted(self.delegation_by_operator.values(), key=lambda one: one.op_type)
        rows = [(one.op_type, one.delegated, one.non_delegated) for one in by_name]
        return [*rows, ("Total", self.num_delegated_nodes, self.num_non_delegated_nodes)]

    def get_operator_delegation_dataframe(self) -> pandas.DataFrame:
        """One row per operator in the order of their names, and a last row ``Total``. Needs pandas."""
        import pandas  # Only this method needs it, and it takes longer to import than the rest takes to run.

        return pandas.DataFrame(self.rows(), columns=list(_COLUMNS))

    def format_table(self) -> str:
        """The same table as text, without pandas."""
        return text_table(self.columns, self.rows())


def get_delegation_info(graph_module: torch.fx.GraphModule) -> DelegationInfo:
    """Counts operators inside and outside the delegates of a graph and of its control-flow submodules."""
    by_operator: dict[str, DelegationBreakdown] = {}
    subgraphs = 0

    def entry(node: torch.fx.Node) -> DelegationBreakdown:
        name = _op_type(node)
        return by_operator.setdefault(name, DelegationBreakdown(name))

    for module, node in _calls(graph_module):
        if node.target is executorch_call_delegate:
            subgraphs += 1
            for inner in _operators_within(_callee(module, node)):
                entry(inner).delegated += 1
        elif not _is_allocation(node):
            entry(node).non_delegated += 1
    return DelegationInfo(
        num_delegated_subgraphs=subgraphs,
        num_delegated_nodes=sum(one.delegated for one in by_operator.values()),
        num_non_delegated_nodes=sum(one.non_delegated for one in by_operator.values()),
        delegation_by_operator=by_operator,
    )


def print_delegation_info(graph_module: torch.fx.GraphModule) -> None:
    """Prints the summary and the table."""
    info = get_delegation_info(graph_module)
    print(info.get_summary())
    print(info.format_table())


def _calls(graph_module: torch.fx.GraphModule) -> Iterator[tuple[torch.fx.GraphModule, torch.fx.Node]]:
    for module in graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in calls(module.graph):
                yield module, node


def _callee(module: torch.fx.GraphModule, call: torch.fx.Node) -> LoweredBackendModule:
    reference = call.args[0]
    assert isinstance(reference, torch.fx.Node)
    lowered = operator.attrgetter(str(reference.target))(module)
    assert is_lowered_module(lowered)
    return lowered  # type: ignore[no-any-return]


def _operators_within(lowered: LoweredBackendModule) -> Iterator[torch.fx.Node]:
    """Operators of a delegate; those of delegates inside it in place of their calls."""
    for module, node in _calls(lowered.original_module.graph_module):
        if node.target is executorch_call_delegate:
            yield from _operators_within(_callee(module, node))
        else:
            yield node


def _op_type(node: torch.fx.Node) -> str:
    """The node's name without the number at its end: it survives memory planning, which replaces targets."""
    return re.sub(r"_\d+$", "", node.name)


def _is_allocation(node: torch.fx.Node) -> bool:
    return str(getattr(node.target, "__module__", "")).endswith(".memory") and (
        getattr(node.target, "__name__", "") == "alloc"
    )
