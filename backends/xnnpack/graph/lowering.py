"""The table of operators that become XNNPACK nodes, and how a whole subgraph is lowered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import ElementType, GraphBuilder
from executorch.backends.xnnpack.graph.constants import Constants, external_tag, name_of
from executorch.backends.xnnpack.graph.dynamic import DynamicCall, dynamic_call
from executorch.backends.xnnpack.graph.fusion import Fusions, find_fusions
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.orders import Order, plan_layouts
from executorch.backends.xnnpack.graph.padding import Margins, margins_of
from executorch.backends.xnnpack.graph.products import (
    Product,
    is_size,
    plain_product_of,
    product_of,
    through_views,
)
from executorch.backends.xnnpack.graph.quantized import StaticCall, static_call
from executorch.backends.xnnpack.graph.recovery import Recovery, recoveries
from executorch.backends.xnnpack.graph.validation import validate_quantization
from executorch.dialects.errors import ExportError
from executorch.partitioner.selection.partition_proposals import operator_name

#: Adds the nodes of one operator. ``limits`` is the range to which a fused activation clamps the result, which
#: belongs to the node ``result``.
Lowering = Callable[["Operator"], None]

_LOWERINGS: dict[str, Lowering] = {}
#: These name a result or a size of what is there already.
_PICKING = {"getitem", "aten.sym_size.int"}
_ORDERS: dict[str, Order | Callable[[Node], Order]] = {}


@dataclass(frozen=True)
class Plan:
    """What is done how in a subgraph.

    Attributes:
        fusions: what one XNNPACK node does with its predecessor.
        static: operators that work on integers.
        dynamic: layers that quantize their inputs at run time.
        recovered: last node of a formula -> the operator that it spells out.
        products: products with weights, with the views and transpositions around them.
        layouts: result -> its order, where the operator leaves that open.
        margins: convolutions that pad their input themselves.
    """

    fusions: Fusions
    static: dict[Node, StaticCall]
    dynamic: dict[Node, DynamicCall]
    recovered: dict[Node, Recovery] = field(default_factory=dict)
    products: dict[Node, Product] = field(default_factory=dict)
    layouts: dict[Node, Layout] = field(default_factory=dict)
    margins: dict[Node, Margins] = field(default_factory=dict)

    def done(self) -> set[Node]:
        """Nodes that become nothing of their own."""
        quantizations = {call.output for call in self.static.values()}
        chains = {node for call in self.dynamic.values() for node in call.chain}
        spelled = {node for found in self.recovered.values() for node in found.nodes} - set(self.recovered)
        views = {node for product in self.products.values() for node in product.views}
        pads = {node for found in self.margins.values() for node in found.absorbed}
        return self.fusions.absorbed | quantizations | chains | spelled | views | pads | self._unread()

    def result_of(self, node: Node) -> Node:
        """The node whose value ``node`` computes with everything that is done with it."""
        if node in self.static:
            return self.static[node].output
        result = self.fusions.result_of(node)[0]
        return self.products[node].result if result is node and node in self.products else result

    def values_read_by(self, node: Node) -> list[Node]:
        """The nodes whose values ``node`` reads: integers before their dequantization where it works on such."""
        if node in self.recovered:
            return [self.recovered[node].source]
        inputs = self.static[node].inputs if node in self.static else {}
        if node not in self.products:
            return [inputs.get(one, one) for one in node.all_input_nodes]
        product = self.products[node]
        source = inputs.get(product.source, product.source)
        source = self.dynamic[node].source if node in self.dynamic else source
        source = self.margins[node].source if node in self.margins else source
        return [one for one in (source, product.weight, product.bias) if one is not None]

    def _unread(self) -> set[Node]:
        """Dequantizations that nobody reads but operators that work on the integers."""
        read = {source for call in self.static.values() for source in call.inputs}
        calls = self.static
        return {
            node
            for node in read
            if all(user in calls and node in calls[user].inputs for user in through_views(node))
        }


def make_plan(program: ExportedProgram, constants: Constants) -> Plan:
    """How XNNPACK does a subgraph."""
    nodes = list(program.graph.nodes)
    static = {node: static_call(node, constants) for node in nodes}
    dynamic = {node: dynamic_call(node, constants) for node in nodes}
    plan = Plan(
        find_fusions(program, constants),
        {node: call for node, call in static.items() if call is not None},
        {node: call for node, call in dynamic.items() if call is not None},
        recoveries(program, constants),
        {product.node: product for product in map(product_of, nodes) if product is not None},
    )
    # XNNPACK clamps no GELU.
    for node in plan.recovered:
        behind = plan.fusions.activation.pop(node, None)
        plan.fusions.absorbed.discard(node if behind is None else behind[0])
    for node in nodes:
        found = margins_of(node, plan.static) if node not in plan.dynamic else None
        if found is not None:
            plan.margins[node] = found
    done = plan.done()
    calls = [
        (node, plan.result_of(node), plan.values_read_by(node))
        for node in nodes
        if node.op == "call_function" and node not in done and name_of(node) not in _PICKING
        if not constants.has(node) and not is_size(node)
    ]
    plan.layouts.update(plan_layouts(program, constants, calls, _order_of))
    return plan


def _order_of(node: Node) -> Order:
    """What an operator asks of the order of its inputs and gives its result."""
    order = _ORDERS.get(name_of(node), Order.PLAIN)
    return order if isinstance(order, Order) else order(node)


class Operator:
    """One operator of the subgraph with what was fused into it.

    Attributes:
        quantized: how it works on integers, None for one that works on floating-point numbers.
        dynamic: how it quantizes its input at run time, None for one that does not.
        recovered: the operator that a formula ending in this node spells out, None for a plain operator.
        product: what it multiplies, None for an operator without weights.
        result: the node whose value it produces: its own, that of a view behind a product, that of an activation or of a quantization behind it.
        limits: the range to which a fused activation clamps the result.
        layout: the order of its result, for operators that leave it open.
    """

    def __init__(self, builder: GraphBuilder, node: Node, plan: Plan) -> None:
        self.builder = builder
        self.node = node
        self.fusions = plan.fusions
        self.quantized = plan.static.get(node)
        self.dynamic = plan.dynamic.get(node)
        self.recovered = plan.recovered.get(node)
        self.limits = plan.fusions.result_of(node)[1]
        self.product = plan.products.get(node)
        self.result = plan.result_of(node)
        self.plan = plan

    @property
    def layout(self) -> Layout:
        return self.layout_of(self.result)

    def layout_of(self, result: Node) -> Layout:
        """The order that was chosen for a result."""
        return self.plan.layouts.get(result, Layout.PLAIN)

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """An argument of the call, by position or by name."""
        args = self.node.args
        return args[position] if len(args) > position else self.node.kwargs.get(name, default)

    def source(self, node: Node) -> Node:
        """Where the operator reads the value of its argument ``node``: integers before their dequantization.

        Of an input that the operator pads itself, the value before the padding.
        """
        margins = self.plan.margins.get(self.node)
        if margins is not None and node is self.node.args[0]:
            return margins.source
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


def lowers(
    *names: str, order: Order | Callable[[Node], Order] = Order.PLAIN
) -> Callable[[Lowering], Lowering]:
    """Registers a function for operators such as ``aten.add.Tensor``; ``order`` may depend on the node."""

    def register(function: Lowering) -> Lowering:
        _LOWERINGS.update(dict.fromkeys(names, function))
        _ORDERS.update(dict.fromkeys(names, order))
        return function

    return register


def has_lowering(name: str) -> bool:
    """Whether there is a function for an operator such as ``aten.add.Tensor``."""
    return name in _LOWERINGS


def lower_graph(program: ExportedProgram, has_final_constants: bool = False) -> GraphBuilder:
    """The XNNPACK graph of a subgraph that the partitioner chose.

    Args:
        program: the subgraph.
        has_final_constants: nobody writes to its constants any more; see :class:`GraphBuilder`.

    Raises:
        ExportError: An operator that the partitioner should not have chosen.
        ValueError: A scale is not a positive number, or a zero point out of range.
    """
    builder = GraphBuilder(program, has_final_constants=has_final_constants)
    validate_quantization(program, builder.constants)
    plan = make_plan(program, builder.constants)
    done = plan.done()
    nodes = list(program.graph.nodes)
    for node in nodes:
        if node.op == "placeholder" and not builder.is_constant(node):
            builder.add_external_input(node)
    for node in nodes:
        if node.op != "call_function" or node in done or is_size(node):
            continue
        if not builder.is_constant(node):
            _lower_node(Operator(builder, node, plan))
    builder.external_tag = None
    output = nodes[-1].args[0]
    for node in output if isinstance(output, tuple | list) else (output,):
        builder.add_external_output(node)
    builder.finish()
    return builder


def lower_alone(builder: GraphBuilder, node: Node) -> None:
    """Adds one operator by itself, in floating point: nothing is fused with it, its weight is its argument.

    Args:
        builder: has values for the inputs that are no constants, and gets one for the result.
        node: the operator.

    Raises:
        ExportError: there is no lowering for it.
    """
    product = plain_product_of(node)
    _lower_node(
        Operator(builder, node, Plan(Fusions(), {}, {}, products={} if product is None else {node: product}))
    )


def _lower_node(operator: Operator) -> None:
    name = operator_name(operator.node.target) if operator.recovered is None else operator.recovered.name
    lowering = _LOWERINGS.get(name)
    if lowering is None:
        raise ExportError(f"XNNPACK: no lowering for {name} (node {operator.node.name})")
    builder, product = operator.builder, operator.product
    read = [*operator.node.all_input_nodes, *([] if product is None else [product.weight])]
    builder.external_tag = external_tag(one for one in read if builder.is_constant(one))
    lowering(operator)
