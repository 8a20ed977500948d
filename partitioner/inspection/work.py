"""How much of a program's arithmetic was delegated, and by which operators the rest is done.

The unit is a multiply-accumulate of a product of matrices or a convolution, by the formulas of
:mod:`torch.utils.flop_counter`: these decide how long a network takes. An operator without a formula counts as none, so
that it is listed by its nodes. Sizes that are not fixed count as they were in the example inputs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_map
from torch.utils.flop_counter import flop_registry

from executorch.dialects.edge_ops import aten_op
from executorch.partitioner.inspection.text_table import text_table
from executorch.partitioner.interface.call_delegate import calls, executorch_call_delegate, is_lowered_module
from executorch.partitioner.interface.lowered_module import LoweredBackendModule
from executorch.partitioner.selection.partition_proposals import operator_name
from executorch.partitioner.selection.reasons import get_reasons

#: Rows of :meth:`Work.table`, most work first.
_MOST_ROWS = 12


@dataclass(frozen=True)
class Outside:
    """One operator that is not delegated.

    Attributes:
        op: its name, ``aten.add.Tensor``.
        nodes: how many there are.
        macs: multiply-accumulates of all of them.
        reason: the most frequent one, with the partitioner's name.
    """

    op: str
    nodes: int
    macs: int
    reason: str


@dataclass(frozen=True)
class Work:
    """Where the arithmetic of a program is done.

    Attributes:
        delegates: backend id -> number of its delegates.
        delegated: backend id -> multiply-accumulates within them.
        outside: the operators of the rest, those with most work first, then those with most nodes.
    """

    delegates: dict[str, int]
    delegated: dict[str, int]
    outside: list[Outside]

    @property
    def macs(self) -> int:
        """Of the whole program."""
        return sum(self.delegated.values()) + sum(row.macs for row in self.outside)

    @property
    def share(self) -> float:
        """Delegated multiply-accumulates, between 0 and 1; 1 if there are none at all."""
        return sum(self.delegated.values()) / self.macs if self.macs else 1.0

    def summary(self) -> str:
        """One line."""
        text = f"{_short(self.macs)} multiply-accumulates, {self.share:.1%} of them delegated"
        listed = ", ".join(f"{count} of {backend}" for backend, count in self.delegates.items())
        nodes = sum(row.nodes for row in self.outside)
        return f"{text} (delegates: {listed or 'none'}); {nodes} operators outside"

    def table(self) -> str:
        """The operators outside, with the reason why they are."""
        rows = [
            (row.op, row.nodes, f"{row.macs / self.macs:.1%}" if self.macs else "-", row.reason)
            for row in self.outside[:_MOST_ROWS]
        ]
        return text_table(["operator outside", "nodes", "of the work", "reason"], rows)


def multiply_accumulates(node: torch.fx.Node) -> int:
    """Of one call, by the sizes of the tensors that its meta describes; 0 for what has no formula."""
    packet = getattr(aten_op(node.target), "overloadpacket", None)
    output = node.meta.get("val")
    if packet is torch.ops.aten.linear:
        weight = _concrete(node.args[1])
        return math.prod(_concrete(output).shape) * weight.shape[-1]
    formula = flop_registry.get(packet)
    if formula is None:
        return 0
    args, kwargs = tree_map(_concrete, (node.args, node.kwargs))
    # Two operations each.
    return int(formula(*args, **kwargs, out_val=_concrete(output))) // 2


def _concrete(value: Any) -> Any:
    """A tensor without storage for what is one in a graph, or an example of one; anything else as it is."""
    if isinstance(value, torch.fx.Node):
        value = value.meta.get("val")
    if isinstance(value, torch.Tensor):
        return torch.empty([_size(size) for size in value.shape], dtype=value.dtype, device="meta")
    return _size(value) if isinstance(value, torch.SymInt) else value


def _size(size: int | torch.SymInt) -> int:
    """As in the example inputs; what only the run tells, counts once."""
    if isinstance(size, torch.SymInt):
        return int(size.node.hint) if size.node.hint is not None else 1
    return size


def get_work(graph_module: torch.fx.GraphModule) -> Work:
    """Of an edge program, with its control flow and the graphs that its delegates were made from.

    Args:
        graph_module: of a program that ``to_backend`` has seen, or not yet.
    """
    delegates: Counter[str] = Counter()
    delegated: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    names: dict[str, str] = {}
    for module in graph_module.modules():
        if is_lowered_module(module):
            assert isinstance(module, LoweredBackendModule)
            delegates[module.backend_id] += 1
            delegated[module.backend_id] += sum(map(multiply_accumulates, _all_calls(module)))
        elif isinstance(module, torch.fx.GraphModule):
            for node in calls(module.graph):
                if node.target is not executorch_call_delegate:
                    outside[operator_name(node.target)] += multiply_accumulates(node)
    reasons = [one for one in get_reasons(graph_module) if one.op != "getitem"]
    nodes = Counter(
        {op: len({one.node for one in reasons if one.op == op}) for op in {one.op for one in reasons}}
    )
    for op in nodes:
        who, reason = Counter((one.who, one.reason) for one in reasons if one.op == op).most_common(1)[0][0]
        names[op] = reason if who == "-" else f"{who}: {reason}"
    rows = [Outside(op, count, outside[op], names[op]) for op, count in nodes.items()]
    rows.sort(key=lambda row: (-row.macs, -row.nodes, row.op))
    return Work(dict(delegates), dict(delegated), rows)


def _all_calls(lowered: LoweredBackendModule) -> Iterator[torch.fx.Node]:
    for module in lowered.original_module.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            yield from calls(module.graph)


def _short(count: int) -> str:
    """A number as people read it: ``300.8 M``."""
    for unit, name in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if count >= unit:
            return f"{count / unit:.1f}{name}"
    return str(count)
