"""``ExportPass``: passes written as "what to emit instead of this operator".

An ``ExportPass`` builds a new graph by visiting the old one in order and calling one method per node. Override
``call_operator`` (or another ``call_*``) and call ``super()`` to emit; what the method returns stands for the old
node's value::

    class ReplaceInPlaceRelu(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            if op is torch.ops.aten.relu_.default:
                op = torch.ops.aten.relu.default
            return super().call_operator(op, args, kwargs, meta)

New operators are executed once on fake tensors, to know their results. Operators that are emitted as they were,
on values that are as they were, keep their value and are not executed.
"""

import contextlib
import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.torch_types import FakeTensor, FakeTensorMode, HigherOrderOperator, OpOverload
from executorch.ir.graph import fake_mode_of
from executorch.ir.torch_internals import make_graph_module
from executorch.passes.infrastructure.export_tracer import ExportTracer
from executorch.passes.infrastructure.graph_values import (
    ExportPassBaseError,
    NodeMetadata,
    ProxyValue,
    check_symbolic_inputs,
)
from executorch.passes.infrastructure.pass_base import PassBase, PassResult
from executorch.passes.infrastructure.size_queries import SizeQueries

Argument = Any
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
_DERIVED_META = frozenset({meta_keys.VAL, meta_keys.SPEC, "tensor_meta"})


class _Scope:
    """One graph under construction and the graph it is made from."""

    def __init__(self, source: GraphModule, graph: "Graph | None" = None, root: Any = None) -> None:
        self.source = source
        self.graph = graph or Graph()
        self.root = root
        self.attributes: dict[str, Any] = {}
        self.visited: Node | None = None

    def add_attribute(self, prefix: str, value: Any) -> str:
        for name, known in self.attributes.items():
            if known is value:
                return name
        number = 0
        while (name := f"{prefix}_{number}") in self.attributes or hasattr(self.source, name):
            number += 1
        self.attributes[name] = value
        if self.root is not None:
            setattr(self.root, name, value)
        return name


class ExportPass(SizeQueries, PassBase):
    """See the module's description. Override what concerns the pass."""

    ExportTracer = ExportTracer

    def __init__(self) -> None:
        self._scopes: list[_Scope] = []
        self.fake_mode: FakeTensorMode | None = None

    # ---- what passes override ---------------------------------------------------------------------------------

    def call_operator(
        self, op: Any, args: "tuple[Argument, ...]", kwargs: "dict[str, Argument]", meta: NodeMetadata
    ) -> ProxyValue:
        """Emits ``op``. ``args`` may hold ``ProxyValue`` objects, numbers, tensors (which become constants)."""
        return self._emit(op, args, kwargs, meta)

    def call_sym(self, target: Any, args: "tuple[Argument, ...]", meta: NodeMetadata) -> ProxyValue:
        """Emits arithmetic on sizes."""
        return self._emit(target, args, {}, meta)

    def call_getitem(self, value: ProxyValue, key: int, meta: NodeMetadata) -> ProxyValue:
        """Emits the selection of one of several results."""
        return self._emit(operator.getitem, (value, key), {}, meta)

    def call_cond(
        self,
        pred: ProxyValue,
        true_fn: GraphModule,
        false_fn: GraphModule,
        inputs: "list[Argument]",
        meta: NodeMetadata,
    ) -> ProxyValue:
        """Emits ``torch.cond`` after running the pass over both branches."""
        branches = [
            self._submodule(true_fn, inputs, "true_graph"),
            self._submodule(false_fn, inputs, "false_graph"),
        ]
        return self._emit(torch.ops.higher_order.cond, (pred, *branches, list(inputs)), {}, meta)

    def call_map(
        self,
        f: GraphModule,
        mapped_args: "list[ProxyValue]",
        operands: "list[ProxyValue]",
        meta: NodeMetadata,
    ) -> ProxyValue:
        """Emits ``map`` after running the pass over its body, on one slice of each mapped value."""
        rows = [_first_row(value) for value in mapped_args]
        body = self._submodule(f, [*rows, *operands], "map_graph")
        return self._emit(
            torch.ops.higher_order.map_impl, (body, list(mapped_args), list(operands)), {}, meta
        )

    def call_scan(
        self,
        combine_fn: GraphModule,
        init: "list[ProxyValue]",
        xs: "list[Argument]",
        additional_inputs: "list[ProxyValue]",
        meta: NodeMetadata,
    ) -> ProxyValue:
        """Emits ``scan`` after running the pass over its body, on carried values and one row of each sequence."""
        rows = [_first_row(value) for value in xs]
        body = self._submodule(combine_fn, [*init, *rows, *additional_inputs], "scan_graph")
        args = (body, list(init), list(xs), list(additional_inputs))
        return self._emit(torch.ops.higher_order.scan, args, {}, meta)

    def call_while(
        self,
        cond_fn: GraphModule,
        body_fn: GraphModule,
        carried_inputs: "list[Argument]",
        additional_inputs: "list[Argument]",
        meta: NodeMetadata,
    ) -> ProxyValue:
        """Emits ``while_loop`` after running the pass over its condition and its body."""
        inputs = [*carried_inputs, *additional_inputs]
        condition = self._submodule(cond_fn, _in_any_round(cond_fn, inputs), "while_cond_graph")
        body = self._submodule(body_fn, _in_any_round(body_fn, inputs), "while_body_graph")
        args = (condition, body, tuple(carried_inputs), tuple(additional_inputs))
        return self._emit(torch.ops.higher_order.while_loop, args, {}, meta)

    def call_submodule(self, graph_module: GraphModule, inputs: "tuple[Argument, ...]") -> PassResult:
        """Runs the pass over a graph whose inputs have the example values of ``inputs``."""
        scope = _Scope(graph_module)
        self._scopes.append(scope)
        try:
            self._visit_graph(scope, [item.data if isinstance(item, ProxyValue) else item for item in inputs])
        finally:
            self._scopes.pop()
        if _same_graph(graph_module, scope):
            _note_values(graph_module.graph, scope.graph)
            return PassResult(graph_module, False)
        attributes = {**dict(graph_module.named_children()), **scope.attributes}
        result = make_graph_module(attributes, scope.graph)
        result.meta.update(graph_module.meta)
        return PassResult(result, True)

    def call_delegate(
        self,
        lowered_module: Any,
        args: "tuple[Argument, ...]",
        kwargs: "dict[str, Argument]",
        meta: NodeMetadata,
    ) -> ProxyValue:
        """Emits the call of a delegate; the pass does not look inside."""
        name = self._scopes[-1].add_attribute("lowered_module", lowered_module)
        target = torch.ops.higher_order.executorch_call_delegate
        return self._emit(target, (self._attribute(name), *args), kwargs, meta)

    def placeholder(self, name: str, arg: Argument, meta: NodeMetadata) -> ProxyValue:
        """Emits an input; inputs must stay as they are in number and order."""
        node = self._scopes[-1].graph.placeholder(name)
        return self._finish(node, arg, meta)

    def output(self, results: "list[Argument]", meta: NodeMetadata) -> ProxyValue:
        """Emits the output."""
        node = self._scopes[-1].graph.output(tuple(_to_nodes(results)))
        node.meta = {**meta.data, meta_keys.VAL: tuple(_to_data(results))}
        return ProxyValue(tuple(results), node)

    def build_on(self, graph: Graph, root: torch.nn.Module) -> None:
        """Emits into ``graph`` from now on, and puts what it refers to into ``root``."""
        self._scopes = [_Scope(GraphModule(torch.nn.Module(), Graph()), graph, root)]
        self.fake_mode = None

    # ---- the walk ---------------------------------------------------------------------------------------------

    def call(self, graph_module: GraphModule) -> PassResult:
        self._scopes = []
        self.fake_mode = fake_mode_of(graph_module.graph.nodes)
        result = self.call_submodule(graph_module, tuple(self.inputs(graph_module)))
        if self.should_preserve_symbolic_input_metadata():
            check_symbolic_inputs(graph_module.graph, result.graph_module.graph)
        return result

    def should_preserve_symbolic_input_metadata(self) -> bool:
        """Whether inputs must keep their symbolic sizes; overridden by passes that fix sizes on purpose."""
        return True

    def inputs(self, graph_module: GraphModule) -> "list[Argument]":
        """Example values of the graph's inputs; overridden by passes that change the type of an input."""
        return [node.meta.get(meta_keys.VAL) for node in graph_module.graph.find_nodes(op="placeholder")]

    def _visit_graph(self, scope: _Scope, inputs: "list[Any]") -> None:
        values: dict[Node, Any] = {}
        remaining = iter(inputs)
        for node in scope.source.graph.nodes:
            scope.visited = node
            meta = NodeMetadata(node.meta)
            if node.op == "placeholder":
                value, own = next(remaining), node.meta.get(meta_keys.VAL)
                values[node] = self.placeholder(
                    str(node.target), own if _same_example(value, own) else value, meta
                )
            elif node.op == "get_attr":
                values[node] = _attribute_of(scope.source, str(node.target))
            elif node.op == "output":
                (results,) = _map_nodes(node.args, values)
                self.output(list(results) if isinstance(results, (tuple, list)) else [results], meta)
            else:
                args, kwargs = _map_nodes(node.args, values), _map_nodes(node.kwargs, values)
                values[node] = self._visit_call(node, args, kwargs, meta)

    def _visit_call(self, node: Node, args: Any, kwargs: Any, meta: NodeMetadata) -> ProxyValue:
        target: Any = node.target
        if node.op != "call_function":
            raise ExportPassBaseError(
                f"{node.format_node()}: {type(self).__name__} works on graphs of operators, not of {node.op} nodes\n"
                "Way out: take the graph from torch.export.export"
            )
        if target is operator.getitem:
            return self.call_getitem(args[0], args[1], meta)
        if isinstance(target, HigherOrderOperator):
            return self._visit_higher_order(target, args, kwargs, meta)
        if isinstance(target, (EdgeOpOverload, OpOverload)):
            return self.call_operator(target, args, kwargs, meta)
        if isinstance(node.meta.get(meta_keys.VAL), (*_SYMBOLIC, int, float, bool)):
            return self.call_sym(target, args, meta)
        return self.call_operator(target, args, kwargs, meta)

    def _visit_higher_order(self, target: Any, args: Any, kwargs: Any, meta: NodeMetadata) -> ProxyValue:
        name = target.name()
        if name == "cond":
            pred, true_fn, false_fn, inputs = args
            return self.call_cond(pred, true_fn, false_fn, list(inputs), meta)
        if name == "map_impl":
            body, mapped, operands = args
            return self.call_map(body, list(mapped), list(operands), meta)
        if name == "scan":
            body, init, xs, *additional = args
            return self.call_scan(body, list(init), list(xs), list(additional[0]) if additional else [], meta)
        if name == "while_loop":
            cond_fn, body, carried, *additional = args
            return self.call_while(
                cond_fn, body, list(carried), list(additional[0]) if additional else [], meta
            )
        if name == "executorch_call_delegate":
            return self.call_delegate(args[0], tuple(args[1:]), kwargs, meta)
        return self.call_operator(target, args, kwargs, meta)

    # ---- emission ---------------------------------------------------------------------------------------------

    def _submodule(self, module: GraphModule, inputs: "Sequence[Argument]", prefix: str) -> "_Attribute":
        result = self.call_submodule(module, tuple(inputs)).graph_module
        return _Attribute(self._attribute(self._scopes[-1].add_attribute(prefix, result)), result)

    def _attribute(self, name: str) -> Node:
        return self._scopes[-1].graph.get_attr(name)

    def _emit(self, target: Any, args: Any, kwargs: Any, meta: NodeMetadata) -> ProxyValue:
        scope = self._scopes[-1]
        args, kwargs = self._lift_tensors((args, kwargs))
        data, is_old = self._value(scope, target, args, kwargs)
        is_same_operator = scope.visited is not None and scope.visited.target is target
        name = scope.visited.name if is_same_operator and scope.visited is not None else None
        node_args, node_kwargs = _to_nodes(args), _to_nodes(kwargs)
        node = scope.graph.create_node("call_function", target, tuple(node_args), node_kwargs, name=name)
        if is_old:
            assert scope.visited is not None
            node.meta = dict(scope.visited.meta)
            if data is not None:
                node.meta[meta_keys.VAL] = data
            return ProxyValue(data, node)
        return self._finish(node, data, meta)

    def _finish(self, node: Node, data: Any, meta: NodeMetadata) -> ProxyValue:
        node.meta = {key: value for key, value in meta.data.items() if key not in _DERIVED_META}
        if data is not None or node.op == "placeholder":
            node.meta[meta_keys.VAL] = data
        return ProxyValue(data, node)

    def _value(self, scope: _Scope, target: Any, args: Any, kwargs: Any) -> "tuple[Any, bool]":
        """Example value of a call, and whether the call is that of the visited node."""
        visited = scope.visited
        is_visited = visited is not None and visited.op == "call_function" and visited.target is target
        if is_visited and _same_arguments((visited.args, visited.kwargs), (args, kwargs), scope):  # type: ignore[union-attr]
            known = visited.meta.get(meta_keys.VAL)  # type: ignore[union-attr]
            if known is not None or not _has_data((args, kwargs)):
                return known, True
            return self._execute(target, args, kwargs), True
        if isinstance(target, HigherOrderOperator):
            return (visited.meta.get(meta_keys.VAL) if visited is not None else None), False
        return self._execute(target, args, kwargs), False

    def _execute(self, target: Any, args: Any, kwargs: Any) -> Any:
        plain_args, plain_kwargs = _to_data(args), _to_data(kwargs)
        mode = _mode_of((plain_args, plain_kwargs)) or self.fake_mode
        with mode or contextlib.nullcontext():
            return target(*plain_args, **plain_kwargs)

    def _lift_tensors(self, arguments: Any) -> Any:
        """Real tensors among the arguments become attributes, which the lowering lifts to constants."""

        def lift(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or isinstance(value, FakeTensor):
                return value
            node = self._attribute(self._scopes[-1].add_attribute("_tensor_constant", value))
            mode = self.fake_mode or FakeTensorMode()
            node.meta[meta_keys.VAL] = mode.from_tensor(value, static_shapes=True)
            return ProxyValue(node.meta[meta_keys.VAL], node)

        return pytree.tree_map(lift, arguments)


class _Attribute:
    """A submodule as an argument: the new graph's ``get_attr`` node, and the module."""

    def __init__(self, node: Node, module: GraphModule) -> None:
        self.node = node
        self.module = module


def _to_nodes(arguments: Any) -> Any:
    return pytree.tree_map(
        lambda item: item.node if isinstance(item, (ProxyValue, _Attribute)) else item, arguments
    )


def _to_data(arguments: Any) -> Any:
    def plain(item: Any) -> Any:
        if isinstance(item, _Attribute):
            return item.module
        return item.data if isinstance(item, ProxyValue) else item

    return pytree.tree_map(plain, arguments)


def _has_data(arguments: Any) -> bool:
    leaves = pytree.tree_leaves(arguments)
    return all(leaf.data is not None for leaf in leaves if isinstance(leaf, ProxyValue))


def _map_nodes(arguments: Any, values: "dict[Node, Any]") -> Any:
    # Not fx.map_arg: values may be modules, which fx does not take as arguments.
    return pytree.tree_map(
        lambda item: values[item] if isinstance(item, Node) else item,
        arguments,
        is_leaf=lambda item: isinstance(item, Node),
    )


def _mode_of(values: Any) -> "FakeTensorMode | None":
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, FakeTensor):
            return leaf.fake_mode
    return None


def _attribute_of(root: Any, path: str) -> Any:
    return operator.attrgetter(path)(root)


def _first_row(value: Any) -> Any:
    data = value.data if isinstance(value, ProxyValue) else value
    return data[0] if isinstance(data, torch.Tensor) else data


def _in_any_round(body: GraphModule, inputs: "list[Argument]") -> "list[Argument]":
    """The inputs of a loop's body: a number is another one in each round, so it keeps the body's own symbol."""
    own = [node.meta.get(meta_keys.VAL) for node in body.graph.find_nodes(op="placeholder")]
    return [
        value if isinstance(value, ProxyValue) and value.is_tensor() else symbol
        for value, symbol in zip(inputs, own, strict=True)
    ]


def _same_arguments(old: Any, new: Any, scope: _Scope) -> bool:
    """True when ``new`` are the values that the visited node had: equal literals, identical example values.

    A list is as good as fx's immutable list, and a dictionary likewise.
    """
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        pairs = zip(old, new, strict=False)
        return len(old) == len(new) and all(_same_arguments(left, right, scope) for left, right in pairs)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same_arguments(old[key], new[key], scope) for key in old)
    return _same_argument(old, new, scope)


def _same_example(value: Any, own: Any) -> bool:
    """True when a body that was traced with ``own`` computes the same for ``value``."""
    if isinstance(value, torch.Tensor) and isinstance(own, torch.Tensor):
        same_type = value.dtype == own.dtype and value.device == own.device
        return same_type and _layout(value) == _layout(own)
    return type(value) is type(own) and str(value) == str(own)


def _layout(value: torch.Tensor) -> str:
    # As text: comparing symbolic sizes would add guards.
    return f"{tuple(value.shape)} {value.stride()}"


def _same_argument(old: Any, new: Any, scope: _Scope) -> bool:
    if isinstance(old, Node) and old.op == "get_attr":
        known = getattr(scope.source, str(old.target), None)
        return isinstance(new, (_Attribute, Node)) and _module_of(new, scope) is known
    if isinstance(old, Node) or isinstance(new, (ProxyValue, _Attribute, Node)):
        return (
            isinstance(old, Node) and isinstance(new, ProxyValue) and new.data is old.meta.get(meta_keys.VAL)
        )
    return type(old) is type(new) and bool(old == new)


def _module_of(item: Any, scope: _Scope) -> Any:
    return item.module if isinstance(item, _Attribute) else scope.attributes.get(str(item.target))


def _same_graph(source: GraphModule, scope: _Scope) -> bool:
    """True when the new graph computes the same nodes on the same values as the old one."""
    new_nodes, old_nodes = _computed(scope.graph), _computed(source.graph)
    if len(new_nodes) != len(old_nodes):
        return False
    twins = dict(zip(new_nodes, old_nodes, strict=True))
    return all(
        new.op == old.op
        and (new.target is old.target or new.target == old.target)
        and _same_value(new, old)
        and _same_links(new, old, twins, source, scope)
        for new, old in twins.items()
    )


def _same_value(new: Node, old: Node) -> bool:
    known = old.meta.get(meta_keys.VAL)
    return new.op == "output" or known is None or new.meta.get(meta_keys.VAL) is known


def _note_values(old: Graph, new: Graph) -> None:
    """Gives the nodes of a graph the values that a pass over it found out, where they had none."""
    for known, made in zip(_computed(old), _computed(new), strict=True):
        if meta_keys.VAL in made.meta:
            known.meta.setdefault(meta_keys.VAL, made.meta[meta_keys.VAL])


def _computed(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op != "get_attr"]


def _same_links(new: Node, old: Node, twins: "dict[Node, Node]", source: GraphModule, scope: _Scope) -> bool:
    new_leaves = pytree.tree_leaves((new.args, new.kwargs))
    old_leaves = pytree.tree_leaves((old.args, old.kwargs))
    if len(new_leaves) != len(old_leaves):
        return False
    for left, right in zip(new_leaves, old_leaves, strict=True):
        if isinstance(left, Node) and isinstance(right, Node):
            if left.op == "get_attr" or right.op == "get_attr":
                known = getattr(source, str(right.target), None)
                if scope.attributes.get(str(left.target)) is not known:
                    return False
            elif twins.get(left) is not right:
                return False
        elif (
            isinstance(left, Node)
            or isinstance(right, Node)
            or type(left) is not type(right)
            or left != right
        ):
            return False
    return True


__all__ = ["Argument", "ExportPass", "ExportPassBaseError", "NodeMetadata", "ProxyValue"]
