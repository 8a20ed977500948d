"""A class for each operator that a user lowers to XNNPACK's graph.

The backend's own lowerings are functions (``graph/lowering.py``). A visitor that is registered here joins them, or takes
the place of one; a partitioner config that takes its operator is the other half.
"""

from __future__ import annotations

from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

# The backend's own lowerings come first, so that a visitor can take the place of one.
from executorch.backends.xnnpack.graph import (  # noqa: F401
    convolutions,
    elementwise,
    group_norm,
    matrix,
    reduce,
    shape,
    spatial,
)
from executorch.backends.xnnpack.graph.builder import shape_of, torch_datatype
from executorch.backends.xnnpack.graph.constants import name_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, has_lowering, lowers
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError
from executorch.partitioner import NamedDataStore

_NO_HANDLE = 0xFFFF
_EXTERNAL_INPUT = 1


class _Visitors(dict[str, "type[NodeVisitor]"]):
    """Visitors by name of their operator; the backend's own lowerings appear as visitors when somebody asks for one."""

    def __missing__(self, target: str) -> type[NodeVisitor]:
        if not has_lowering(target):
            raise KeyError(target)
        return type("OwnLowering", (NodeVisitor,), {"target": target})


#: Exporters of other projects exchange it for a copy with subclasses; only registered visitors are ever run.
_node_visitor_dict: dict[str, type[NodeVisitor]] = _Visitors()


class InputTypeToIndex:
    """Which argument of an operator is what.

    Args:
        node_input: position of the input.
        node_weight: of the weight.
        node_bias: of the bias, None if there is none.
    """

    def __init__(self, node_input: int, node_weight: int, node_bias: int | None = None) -> None:
        self.node_input = node_input
        self.node_weight = node_weight
        self.node_bias = node_bias


def get_tensor_value(xvalue: schema.XValue) -> schema.XNNTensorValue:
    """The tensor in a value of the graph, whether it is quantized or not."""
    union: Any = xvalue.xvalue_union
    tensor = union.tensor_value if isinstance(union, schema.XNNQuantizedTensorValue) else union
    assert isinstance(tensor, schema.XNNTensorValue)
    return tensor


def get_input_node(node: Node, position: int) -> Node:
    """The argument at a position.

    Raises:
        ExportError: it is no node.
    """
    found = node.args[position]
    if not isinstance(found, Node):
        raise ExportError(f"XNNPACK: argument {position} of {node.name} is {found!r}, no node")
    return found


class NodeVisitor:
    """Adds the XNNPACK nodes that stand for one operator.

    A subclass names the operator in ``target`` (``"aten.sign.default"``) and writes ``define_node``.

    Args:
        exported_program: the subgraph that is lowered.
        external_ids: what ``gen_ids_and_flags`` numbers; the backend itself needs none.
        named_data_store: constants go there.
    """

    target: str = ""

    def __init__(
        self,
        exported_program: ExportedProgram,
        external_ids: dict[Any, Any],
        named_data_store: NamedDataStore,
    ) -> None:
        self._exported_program = exported_program
        self._external_ids = external_ids
        self._named_data_store = named_data_store

    @property
    def exported_program(self) -> ExportedProgram:
        return self._exported_program

    @property
    def external_ids(self) -> dict[Any, Any]:
        return self._external_ids

    def is_graph_input(self, tensor: Node) -> bool:
        """Whether a node is an argument of the subgraph."""
        return tensor.op == "placeholder"

    def is_graph_output(self, tensor: Node) -> bool:
        """Whether the subgraph returns a node's value."""
        return any(user.op == "output" for user in tensor.users)

    def define_tensor(
        self,
        tensor: Node,
        xnn_graph: schema.XNNGraph,
        vals_to_ids: dict[Node, int],
        convert_to_nhwc: bool = False,
    ) -> None:
        """Gives a node a value in the graph, unless it has one.

        Args:
            tensor: whose value, in floating point.
            xnn_graph: gets the value.
            vals_to_ids: node to number of its value.
            convert_to_nhwc: its channels come last.
        """
        if tensor in vals_to_ids:
            return
        layout = Layout.CHANNELS_LAST if convert_to_nhwc else Layout.PLAIN
        dims = layout.arrange(shape_of(tensor)) or [1]
        identifier = len(xnn_graph.xvalues)
        value = schema.XNNTensorValue(
            datatype=torch_datatype(tensor.meta[meta_keys.VAL].dtype),
            num_dims=len(dims),
            dims=dims,
            external_id=INVALID_ID,
            id_out=identifier,
        )
        xnn_graph.xvalues.append(schema.XValue(xvalue_union=value))
        vals_to_ids[tensor] = identifier

    def gen_ids_and_flags(
        self, tensor: Node, xnn_graph: schema.XNNGraph, quant_params: Any
    ) -> tuple[int, int, int]:
        """Numbers of the value that ``tensor`` gets next, which is noted in the graph as an input or output if it is one.

        Args:
            tensor: the node.
            xnn_graph: gets the value.
            quant_params: how its elements are quantized; says nothing here.

        Returns:
            Its number among what comes in and goes out (invalid for others), among values, and the flag of its kind.
        """
        identifier = len(xnn_graph.xvalues)
        known = self._external_ids.get(tensor)
        if known is None:
            return INVALID_ID, identifier, 0
        ids = xnn_graph.input_ids if known.io_type == _EXTERNAL_INPUT else xnn_graph.output_ids
        ids.append(identifier)
        return known.external_id, identifier, known.io_type

    def define_nodes_tensor_inputs_outputs(
        self,
        node: Node,
        xnn_graph: schema.XNNGraph,
        vals_to_ids: dict[Node, int],
        convert_to_nhwc: bool = False,
    ) -> None:
        """``define_tensor`` for the operator's inputs, which the backend has defined already, and its result."""
        for one in [*node.all_input_nodes, node]:
            self.define_tensor(one, xnn_graph, vals_to_ids, convert_to_nhwc)

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Appends the XNNPACK nodes for ``node``.

        Args:
            node: the operator.
            xnn_graph: ``xnodes`` gets nodes, ``xvalues`` values between them.
            vals_to_ids: numbers of the values of its inputs, in the order of the tensors' own dimensions; gets that
                of its result.
            debug_handle: for the nodes.
        """
        raise NotImplementedError(f"{type(self).__name__} has no define_node")


def register_node_visitor(visitor: type[NodeVisitor]) -> type[NodeVisitor]:
    """Makes a class the lowering of its ``target``; a decorator.

    Raises:
        ValueError: the class names no operator.
    """
    if not visitor.target:
        raise ValueError(f"{visitor.__name__} names no operator: set target = 'aten.NAME.OVERLOAD'")
    _node_visitor_dict[visitor.target] = visitor
    lowers(visitor.target)(_visit)
    return visitor


def offer_node_visitor(visitor: type[NodeVisitor]) -> type[NodeVisitor]:
    """Puts a class among what ``get_node_visitors`` gives, with no say in how the backend lowers; a decorator."""
    _node_visitor_dict[visitor.target] = visitor
    return visitor


def get_node_visitors(*args: Any) -> dict[str, NodeVisitor]:
    """The backend's own and all that were registered, made with ``args``: by name of the operator."""
    return {target: visitor(*args) for target, visitor in _node_visitor_dict.items()}


def _visit(operator: Operator) -> None:
    builder, node = operator.builder, operator.node
    if operator.quantized is not None or operator.dynamic is not None:
        raise ExportError(f"XNNPACK: {node.name} has a visitor for floating-point numbers only")
    visitor = _node_visitor_dict[name_of(node)](builder.program, {}, builder.named_data)
    numbers = {one: operator.input(one) for one in node.all_input_nodes}
    handle = node.meta.get(meta_keys.DEBUG_HANDLE, _NO_HANDLE)
    visitor.define_node(node, builder.graph(), numbers, handle)
    if node not in numbers:
        raise ExportError(
            f"XNNPACK: {type(visitor).__name__}.define_node gave {node.name} no value; call define_tensor for it"
        )
    builder.found(operator.result, Layout.PLAIN, numbers[node])
