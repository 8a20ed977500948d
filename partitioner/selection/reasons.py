"""Why nodes were not delegated.

A partitioner notes reasons while it decides (``note_reason``, ``WhyNoPartition``, ``WhyNoPartitionReporter``);
``to_backend`` adds one for every node that it left without a word. They travel in the nodes' meta, so the
program that ``to_backend`` returns can be asked: ``print_reasons(program.graph_module)``.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import Any, TextIO

import torch
from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.dialects import meta_keys
from executorch.partitioner.inspection.text_table import text_table
from executorch.partitioner.interface.call_delegate import calls, executorch_call_delegate
from executorch.partitioner.selection.partition_proposals import operator_name

#: ``node.meta`` key with a tuple of (who, reason); owned by this module.
DELEGATION_REASONS = "delegation_reasons"

#: What ``to_backend`` notes when a partitioner said nothing.
UNEXPLAINED = "not tagged; the partitioner gave no reason"


def note_reason(node: torch.fx.Node, who: str, reason: str) -> None:
    """Notes that ``who`` (a partitioner or a check) does not take ``node``, and why."""
    # A new tuple: the copies of a node share what its meta holds.
    noted = node.meta.get(DELEGATION_REASONS, ())
    if (who, reason) not in noted:
        node.meta[DELEGATION_REASONS] = (*noted, (who, reason))


def note_unexplained(graph_module: torch.fx.GraphModule, who: str) -> None:
    """Gives every untagged operator about which ``who`` said nothing the reason ``UNEXPLAINED``."""
    for module in graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in calls(module.graph):
                noted = node.meta.get(DELEGATION_REASONS, ())
                if meta_keys.DELEGATION_TAG not in node.meta and all(name != who for name, _ in noted):
                    note_reason(node, who, UNEXPLAINED)


@dataclass(frozen=True)
class Reason:
    """One reason for one node.

    Attributes:
        node: the node's name.
        op: its operator, ``aten.add.Tensor``.
        who: the partitioner or check that did not take it.
        reason: why.
    """

    node: str
    op: str
    who: str
    reason: str


def get_reasons(graph_module: torch.fx.GraphModule) -> list[Reason]:
    """Reasons of every operator outside delegates, in graph order, control-flow submodules included.

    Delegate calls and the ``getitem`` of their results are not operators of the model. An operator that no
    partitioner saw has one reason that says so.
    """
    found = []
    for module in graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in calls(module.graph):
            if node.target is executorch_call_delegate or _is_delegate_result(node):
                continue
            noted = node.meta.get(DELEGATION_REASONS) or (("-", "no partitioner has seen this node"),)
            found += [Reason(node.name, operator_name(node.target), who, reason) for who, reason in noted]
    return found


def _is_delegate_result(node: torch.fx.Node) -> bool:
    source = node.args[0] if node.args else None
    return isinstance(source, torch.fx.Node) and source.target is executorch_call_delegate


def format_reasons(graph_module: torch.fx.GraphModule) -> str:
    """A table by operator, partitioner and reason, with how many nodes it holds for, most frequent first."""
    counts = Counter((one.op, one.who, one.reason) for one in get_reasons(graph_module))
    if not counts:
        return "Every operator is delegated."
    rows = [(op, count, who, reason) for (op, who, reason), count in counts.items()]
    rows.sort(key=lambda row: (-row[1], row[0], row[2], row[3]))
    return text_table(["operator", "nodes", "not taken by", "reason"], rows)


def print_reasons(graph_module: torch.fx.GraphModule, file: TextIO | None = None) -> None:
    """Prints :func:`format_reasons`."""
    print(format_reasons(graph_module), file=file)


class WhyNoPartition:
    """Writes reasons to a logger at debug level, and notes them on the nodes.

    Args:
        logger: of the partitioner.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._node: torch.fx.Node | None = None
        self._reason = ""

    def __call__(self, node: torch.fx.Node, reason: str) -> None:
        """Says that ``node`` is not taken."""
        self._node, self._reason = node, reason
        note_reason(node, self._logger.name, reason)
        self._logger.debug("%s", self)

    def __str__(self) -> str:
        return f"WhyNoPartition: Node {self._node} was not partitioned because {self._reason}."


class WhyNoPartitionReporter:
    """Collects the first reason of each node for one report, and notes all of them on the nodes."""

    def __init__(self) -> None:
        self._rejected: dict[torch.fx.Node, str] = {}

    def report_reject(self, node: torch.fx.Node, reason: str) -> None:
        """Says that ``node`` is not taken."""
        self._rejected.setdefault(node, reason)
        note_reason(node, type(self).__name__, reason)

    def get_table_report(self) -> str:
        """A table of the nodes that were reported, with the function of the model each comes from."""
        if not self._rejected:
            return "No nodes rejected."
        rows = [
            (node.name, operator_name(node.target), node.meta.get("torch_fn", "-"), reason)
            for node, reason in self._rejected.items()
        ]
        return text_table(["Node name", "Target", "Torch func", "Reason"], rows)

    def wrap_check(self, operator_support: OperatorSupportBase, message: str) -> OperatorSupportBase:
        """The same check, but what it refuses is reported with ``message``."""
        return ReportRejected(operator_support, self, message)


class ReportRejected(OperatorSupportBase):
    """A check that reports what it refuses; see ``WhyNoPartitionReporter.wrap_check``."""

    def __init__(
        self, operator_support: OperatorSupportBase, reporter: WhyNoPartitionReporter, message: str
    ) -> None:
        self._operator_support = operator_support
        self._reporter = reporter
        self._message = message

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        if self._operator_support.is_node_supported(submodules, node):
            return True
        self._reporter.report_reject(node, self._message)
        return False
