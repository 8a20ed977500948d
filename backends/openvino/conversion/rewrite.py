"""From the graph of an edge program to one that OpenVINO's decoder of PyTorch graphs reads.

The decoder knows ATen operators by name. Constants become attributes, dim orders disappear (OpenVINO has one logical
order; what lies in memory in another one is transposed at the border), and operators that the decoder does not know
are said in those that it knows.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node

from executorch.backends.openvino.conversion.restate import RENAMED, RESTATED
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import dim_order_of, is_contiguous_dim_order
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.errors import ExportError
from executorch.ir.graph import output_arguments
from executorch.ir.signature import state_inputs, state_value


@dataclass
class DecodableGraph:
    """What the decoder reads, and what comes in.

    Attributes:
        module: the graph in ATen operators.
        shapes: of each input as it lies in memory, outermost dimension first; symbolic sizes as such.
        dtypes: of each input; sizes that are computed outside come as scalars of int64.
    """

    module: GraphModule
    shapes: list[Sequence[Any]] = field(default_factory=list)
    dtypes: list[torch.dtype] = field(default_factory=list)


def decodable_graph(program: ExportedProgram) -> DecodableGraph:
    """The graph of a subgraph's program.

    Raises:
        ExportError: an output is no tensor.
    """
    root, graph = torch.nn.Module(), Graph()
    state = state_inputs(program.graph_signature)
    made = DecodableGraph(GraphModule(root, graph))
    values: dict[Node, Any] = {}
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in state:
            values[node] = _constant(root, graph, node, state_value(program, state[node.name]))
        elif node.op == "placeholder":
            values[node] = _input(graph, node, made)
        elif node.op == "call_function":
            values[node] = _call(graph, node, values)
    results = []
    for one in output_arguments(program.graph):
        if not isinstance(one, Node) or not isinstance(one.meta.get(meta_keys.VAL), torch.Tensor):
            raise ExportError(f"OpenVINO: the output {one} of a delegate is no tensor")
        results.append(_output(graph, one, values[one]))
    graph.output(tuple(results))
    made.module = GraphModule(root, graph)
    return made


def _order(node: Node) -> tuple[int, ...]:
    value = node.meta[meta_keys.VAL]
    return dim_order_of(value.shape, value.stride())


def _constant(root: torch.nn.Module, graph: Graph, node: Node, value: Any) -> Node:
    root.register_buffer(node.name, value.detach().contiguous())
    return graph.create_node("get_attr", node.name)


def _input(graph: Graph, node: Node, made: DecodableGraph) -> Node:
    value = node.meta[meta_keys.VAL]
    # A name that the caller chose may be one that Python has; the decoder asks for the signature of the function.
    new = graph.placeholder(f"input_{len(made.shapes)}")
    if not isinstance(value, torch.Tensor):
        made.shapes.append([])
        made.dtypes.append(torch.int64)
        return new
    order = _order(node)
    made.shapes.append([value.shape[dim] for dim in order])
    made.dtypes.append(value.dtype)
    if is_contiguous_dim_order(order):
        return new
    back = [order.index(dim) for dim in range(len(order))]
    return graph.call_function(torch.ops.aten.permute.default, (new, back))


def _output(graph: Graph, node: Node, value: Node) -> Node:
    order = _order(node)
    if not is_contiguous_dim_order(order):
        value = graph.call_function(torch.ops.aten.permute.default, (value, list(order)))
    if value.op in ("placeholder", "get_attr"):
        return graph.call_function(torch.ops.aten.alias.default, (value,))
    return value


def _call(graph: Graph, node: Node, values: dict[Node, Any]) -> Any:
    args: Any = torch.fx.map_arg(node.args, values.__getitem__)
    kwargs: Any = torch.fx.map_arg(node.kwargs, values.__getitem__)
    target: Any = node.target
    if target is operator.getitem and isinstance(args[0], list | tuple):
        return args[0][args[1]]
    op = aten_op(node.target)
    if op is None:  # arithmetic on sizes
        return graph.call_function(target, args, kwargs)
    name = str(op)
    if name in RESTATED:
        return RESTATED[name](graph, node, args, kwargs)
    kwargs = {key: value for key, value in kwargs.items() if key not in _WITHOUT_MEANING}
    return graph.call_function(RENAMED.get(name, op), args, kwargs)


#: Where and how memory is had, which is the runtime's to say.
_WITHOUT_MEANING = {"layout", "device", "pin_memory", "memory_format", "dim_order", "non_blocking"}
