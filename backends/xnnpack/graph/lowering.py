"""The table of operators that become XNNPACK nodes, and how a whole subgraph is lowered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import ElementType, GraphBuilder
from executorch.backends.xnnpack.graph.constants import Constants
from executorch.backends.xnnpack.graph.dynamic import DynamicCall, dynamic_call
from executorch.backends.xnnpack.graph.fusion import Fusions, find_fusions
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.quantized import StaticCall, static_call
from executorch.dialects.errors import ExportError
from executorch.partitioner.partition_proposals import operator_name

#: Adds the nodes of one operator. ``limits`` is the range to which a fused activation clamps the result, which
#: belongs to the node ``result``.
Lowering = Callable[["Operator"], None]

_LOWERINGS: dict[str, Lowering] = {}


@dataclass(frozen=True)
class Plan:
    """What is done how in a subgraph.

    Attributes:
        fusions: what one XNNPACK node does with its predecessor.
        static: operators that work on integers.
        dynamic: layers that quantize their inputs at run time.
    """

    fusions: Fusions
    static: dict[Node, StaticCall]
    dynamic: dict[Node, DynamicCall]

    def done(self) -> set[Node]:
        """Nodes that become nothing of their own."""
        quantizations = {call.output for call in self.static.values()}
        chains = {node for call in self.dynamic.values() for node in call.chain}
        return self.fusions.absorbed | quantizations | chains | self._unread()

    def _unread(self) -> set[Node]:
        """Dequantizations that nobody reads but operators that work on the integers."""
        read = {source for call in self.static.values() for source in call.inputs}
        calls = self.static
        return {
            node for node in read if all(user in calls and node in calls[user].inputs for user in node.users)
        }


def make_plan(program: ExportedProgram, constants: Constants) -> Plan:
    """How XNNPACK does a subgraph."""
    nodes = list(program.graph.nodes)
    static = {node: static_call(node, constants) for node in nodes}
    dynamic = {node: dynamic_call(node, constants) for node in nodes}
    return Plan(
        find_fusions(program, constants),
        {node: call for node, call in static.items() if call is not None},
        {node: call for node, call in dynamic.items() if call is not None},
    )


class Operator:
    """One operator of the subgraph with what was fused into it.

    Attributes:
        quantized: how it works on integers, None for one that works on floating-point numbers.
        dynamic: how it quantizes its input at run time, None for one that does not.
        result: the node whose value it produces: its own, that of an activation or of a quantization behind it.
        limits: the range to which a fused activation clamps the result.
    """

    def __init__(self, builder: GraphBuilder, node: Node, plan: Plan) -> None:
        self.builder = builder
        self.node = node
        self.fusions = plan.fusions
        self.quantized = plan.static.get(node)
        self.dynamic = plan.dynamic.get(node)
        self.result, self.limits = plan.fusions.result_of(node)
        if self.quantized is not None:
            self.result = self.quantized.output

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """An argument of the call, by position or by name."""
        args = self.node.args
        return args[position] if len(args) > position else self.node.kwargs.get(name, default)

    def source(self, node: Node) -> Node:
        """Where the operator reads the value of its argument ``node``: integers before their dequantization."""
        return self.quantized.inputs.get(node, node) if self.quantized is not None else node

    def input(self, node: Node, layout: Layout = Layout.PLAIN) -> int:
        """The value of an argument in ``layout``."""
        return self.builder.input(self.source(node), layout)

    def input_type(self, node: Node) -> ElementType:
        """The type of an argument's elements."""
        return self.builder.type_of(self.source(node))

    def output(self, layout: Layout = Layout.PLAIN) -> int:
        """A new value for the result in ``layout``."""
        return self.builder.output(self.result, layout)

    @property
    def output_type(self) -> ElementType:
        """The type of the result's elements."""
        return self.builder.type_of(self.result)

    def add(self, operator: Any) -> None:
        """Appends the XNNPACK node that stands for this operator."""
        self.builder.add(operator, self.node, self.limits)


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers a function for operators such as ``aten.add.Tensor``."""

    def register(function: Lowering) -> Lowering:
        _LOWERINGS.update(dict.fromkeys(names, function))
        return function

    return register


def lower_graph(program: ExportedProgram) -> GraphBuilder:
    """The XNNPACK graph of a subgraph that the partitioner chose.

    Raises:
        ExportError: An operator that the partitioner should not have chosen.
    """
    builder = GraphBuilder(program)
    plan = make_plan(program, builder.tensor_of)
    done = plan.done()
    nodes = list(program.graph.nodes)
    for node in nodes:
        if node.op == "placeholder" and builder.tensor_of(node) is None:
            builder.add_external_input(node)
    for node in nodes:
        if node.op == "call_function" and node not in done and builder.tensor_of(node) is None:
            _lower_node(Operator(builder, node, plan))
    output = nodes[-1].args[0]
    for node in output if isinstance(output, tuple | list) else (output,):
        builder.add_external_output(node)
    return builder


def _lower_node(operator: Operator) -> None:
    name = operator_name(operator.node.target)
    lowering = _LOWERINGS.get(name)
    if lowering is None:
        raise ExportError(f"XNNPACK: no lowering for {name} (node {operator.node.name})")
    lowering(operator)
