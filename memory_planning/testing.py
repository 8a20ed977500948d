"""Builds small graphs in execution form, for tests of planning and of what comes after it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.dialects import memory, meta_keys
from executorch.dialects.execution import out_argument_names
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec, ViewSpec
from executorch.dialects.torch_types import executorch_call_delegate

#: (size, first step, last step) of values for which no order of placing first-fit or best-fit is known that is best; found by
#: a search over thousands of random lifetimes. They fit into 25, the heuristics need 26.
HARD_TO_PACK = (
    (1, 2, 5),
    (1, 4, 7),
    (2, 1, 5),
    (7, 5, 5),
    (7, 0, 3),
    (8, 5, 5),
    (7, 2, 2),
    (5, 0, 3),
    (4, 3, 5),
    (6, 3, 3),
)


class ExecutionGraph:
    """A method under construction: add inputs, then operators, then `output`."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.modules: dict[str, Any] = {}
        self.inputs: list[InputSpec] = []
        self.outputs: list[OutputSpec] = []
        self.returned: list[Any] = []
        self.mutations: list[tuple[Node, str]] = []

    # Inputs.

    def input(
        self, *shape: int, dtype: torch.dtype = torch.float32, name: str = "x", bounded: bool = False
    ) -> Node:
        """A tensor that the caller hands in; `bounded`: the shape is an upper bound."""
        spec = TensorSpec(dtype, shape)
        if bounded:
            spec.shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND
        return self._placeholder(name, spec, InputKind.USER_INPUT, None)

    def scalar_input(self, value: Any, name: str = "n") -> Node:
        """A number that the caller hands in."""
        node = self.graph.placeholder(name)
        node.target = node.name
        node.meta[meta_keys.SPEC] = value
        self.inputs.append(InputSpec(InputKind.USER_INPUT, ConstantArgument(node.name, value), None))
        return node

    def constant(self, data: torch.Tensor, name: str = "weight", external: str | None = None) -> Node:
        """A parameter."""
        spec = TensorSpec.from_tensor(data, const=True)
        spec.fully_qualified_name, spec.external_tag = name, external
        return self._placeholder("p_" + name.replace(".", "_"), spec, InputKind.PARAMETER, name)

    def buffer(self, data: torch.Tensor, name: str = "state", has_state: bool = True) -> Node:
        """A buffer that the method changes (call `write_back` later)."""
        spec = TensorSpec.from_tensor(data)
        spec.data, spec.fully_qualified_name = data if has_state else None, name
        return self._placeholder("b_" + name, spec, InputKind.BUFFER, name)

    def _placeholder(self, name: str, spec: TensorSpec, kind: InputKind, target: str | None) -> Node:
        node = self.graph.placeholder(name)
        node.target = node.name  # not twice the same argument
        node.meta[meta_keys.SPEC] = spec
        persistent = True if kind is InputKind.BUFFER else None
        self.inputs.append(InputSpec(kind, TensorArgument(node.name), target, persistent))
        return node

    # Operators.

    def call(
        self, op: Any, *args: Any, shape: Sequence[int], dtype: torch.dtype = torch.float32, **kwargs: Any
    ) -> Node:
        """An out variant with one result."""
        return self.call_with(op, [TensorSpec(dtype, shape)], *args, **kwargs)[0]

    def call_with(self, op: Any, specs: Sequence[TensorSpec], *args: Any, **kwargs: Any) -> list[Node]:
        """An out variant with a result for each spec."""
        allocations = []
        for spec in specs:
            node = self.graph.call_function(memory.alloc, ((tuple(spec.shape), spec.dtype),))
            node.meta[meta_keys.SPEC] = spec
            allocations.append(node)
        outs = dict(zip(out_argument_names(op), allocations, strict=True))
        node = self.graph.call_function(op, args, {**kwargs, **outs})
        if len(specs) == 1:
            node.meta[meta_keys.SPEC] = specs[0]
            return [node]
        node.meta[meta_keys.SPEC] = tuple(specs)
        return self._items(node, specs)

    def _items(self, node: Node, specs: Sequence[Any]) -> list[Node]:
        items = []
        for index, spec in enumerate(specs):
            item = self.graph.call_function(operator.getitem, (node, index))
            item.meta[meta_keys.SPEC] = spec
            items.append(item)
        return items

    def add(self, one: Node, other: Node) -> Node:
        """A sum of two tensors of one shape."""
        spec = one.meta[meta_keys.SPEC]
        return self.call(torch.ops.aten.add.out, one, other, shape=spec.shape, dtype=spec.dtype)

    def view(self, base: Node, *shape: int) -> Node:
        """A view of all elements in another shape."""
        node = self.graph.call_function(memory.view, (base, list(shape)))
        node.meta[meta_keys.SPEC] = ViewSpec(base.meta[meta_keys.SPEC], shape)
        return node

    def number(self, op: Any, *args: Any, value: Any = 1) -> Node:
        """A primitive operator with a number as its result."""
        node = self.graph.call_function(op, args)
        node.meta[meta_keys.SPEC] = value
        return node

    def write_back(self, buffer: Node, value: Node) -> Node:
        """The new value of a buffer."""
        node = self.graph.call_function(torch.ops.aten.copy_.default, (buffer, value))
        node.meta[meta_keys.SPEC] = buffer.meta[meta_keys.SPEC]
        target = next(spec.target for spec in self.inputs if spec.arg.name == buffer.name)
        assert target is not None
        self.mutations.append((node, target))
        return node

    def delegate(self, lowered: Any, *args: Node, shapes: Sequence[Sequence[int]]) -> list[Node]:
        """A call of a delegate; returns its results."""
        reference = self._module(lowered)
        node = self.graph.call_function(executorch_call_delegate, (reference, *args))
        specs = [TensorSpec(torch.float32, shape) for shape in shapes]
        node.meta[meta_keys.SPEC] = tuple(specs)
        return self._items(node, specs)

    def cond(self, predicate: Node, bodies: Sequence[ExecutionGraph], operands: Sequence[Node]) -> list[Node]:
        """A condition; results have the shapes of the first body's."""
        modules = [self._module(body.module()) for body in bodies]
        target = torch.ops.higher_order.cond
        node = self.graph.call_function(target, (predicate, *modules, tuple(operands)))
        first = [result.meta[meta_keys.SPEC] for result in bodies[0].returned]
        specs = [TensorSpec(spec.dtype, spec.shape) for spec in first]
        node.meta[meta_keys.SPEC] = tuple(specs)
        return self._items(node, specs)

    def loop(self, target: Any, specs: Sequence[Any], *args: Any) -> list[Node]:
        """A loop operator with results of the given specs; bodies among `args` are graphs of their own."""
        items = [self._module(arg.module()) if isinstance(arg, ExecutionGraph) else arg for arg in args]
        node = self.graph.call_function(target, tuple(items))
        node.meta[meta_keys.SPEC] = tuple(specs)
        return self._items(node, specs)

    def _module(self, module: Any) -> Node:
        name = f"module_{len(self.modules)}"
        self.modules[name] = module
        return self.graph.get_attr(name)

    # Results.

    def output(self, *values: Any) -> ExecutionGraph:
        """Ends the graph."""
        self.returned = list(values)
        mutated = [node for node, _ in self.mutations]
        self.graph.output((*mutated, *values))
        self.outputs = [
            OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument(node.name), target)
            for node, target in self.mutations
        ]
        for value in values:
            argument = TensorArgument(value.name) if isinstance(value, Node) else ConstantArgument("", value)
            self.outputs.append(OutputSpec(OutputKind.USER_OUTPUT, argument, None))
        return self

    def module(self) -> GraphModule:
        """The graph as a module."""
        root = torch.nn.Module()
        for name, module in self.modules.items():
            setattr(root, name, module)
        return GraphModule(root, self.graph)

    def signature(self) -> ExportGraphSignature:
        """What the placeholders and results are."""
        return ExportGraphSignature(self.inputs, self.outputs)

    def program(self) -> Any:
        """An object with the attributes of an `ExportedProgram` that the later stages use."""
        user_inputs = tuple(spec for spec in self.inputs if spec.kind is InputKind.USER_INPUT)
        _, in_spec = pytree.tree_flatten((tuple(range(len(user_inputs))), {}))
        _, out_spec = pytree.tree_flatten(tuple(range(len(self.returned))))
        return SimpleNamespace(
            graph_module=self.module(),
            graph_signature=self.signature(),
            call_spec=SimpleNamespace(in_spec=in_spec, out_spec=out_spec),
        )


def planned(graph: ExecutionGraph, run: Callable[[GraphModule, ExportGraphSignature], Any]) -> Any:
    """The program of a graph after `run`, a planning pass."""
    program = graph.program()
    run(program.graph_module, program.graph_signature)
    return program
