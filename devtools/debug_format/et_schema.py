"""Graphs of torch as :mod:`executorch.devtools.debug_format.base_schema` has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch

from executorch.devtools.debug_format.base_schema import Node, OperatorGraph, OperatorNode, ValueNode
from executorch.dialects.torch_types import OpOverload


class RESERVED_METADATA_ARG(Enum):
    """Keys of ``metadata`` with a meaning."""

    DEBUG_HANDLE = "debug_handle"
    MODULE_STACK = "nn_module_stack"
    SOURCE_FN_STACK = "source_fn_stack"
    MODULE_TYPE = "module_type"
    PROFILE_START_TIME = "profile_start_time"
    PROFILE_END_TIME = "profile_end_time"
    LOAD_START_TIME = "load_start_time"
    LOAD_END_TIME = "load_end_time"
    MEMORY_USAGE = "memory_usage"
    DEBUG_ENTRY = "debug_entry"
    STACK_TRACE = "stack_trace"
    DEBUG_DATA = "debug_data"

    METRICS_KEYWORD = "metrics"
    PROFILE_SUMMARY_COLDSTART = "Coldstart"
    PROFILE_SUMMARY_AVERAGE = "Average"
    PROFILE_SUMMARY_P90 = "P90"
    PROFILE_SUMMARY_P10 = "P10"
    PROFILE_SUMMARY_MIN = "Min"
    PROFILE_SUMMARY_MAX = "Max"

    AGGREGATED_OP_TABLE = "Aggregated op stats"
    RUN_SUMMARY_INDIVIDUAL_RUNS_TABLE = "Run summary individual stats"
    RUN_SUMMARY_TABLE = "Aggregated run summary stats"
    OP_INSTANCE_SUMMARY_TABLE = "Individual op stats"

    TABLES_KEYWORD = "tables"
    KV_KEYWORD = "kv"
    MODEL_LOAD_TIME_KEY = "Model load time (ms)"


_KEPT_METADATA = ("debug_handle", "stack_trace", "nn_module_stack")


@dataclass
class FXOperatorGraph(OperatorGraph):
    """A graph of torch: its elements are the graphs ``inputs``, ``forward`` and ``outputs``."""

    @staticmethod
    def gen_operator_graph(
        model: torch.fx.GraphModule,
        skip_stack_trace: bool | None = False,
        enable_module_hierarchy: bool = False,
    ) -> FXOperatorGraph:
        """The graph of a module.

        Args:
            model: The module; its submodules (branches of control flow) are left out.
            skip_stack_trace: Leaves stack traces out of the metadata.
            enable_module_hierarchy: Groups the calls of ``forward`` into a graph for each module of the model, named by
                its path and its class.
        """
        return _Builder(model, bool(skip_stack_trace)).build(enable_module_hierarchy)


class _Builder:
    """Makes nodes in the order of the graph."""

    def __init__(self, model: torch.fx.GraphModule, skip_stack_trace: bool) -> None:
        self._graph = model.graph
        self._skip_stack_trace = skip_stack_trace
        self._made: dict[torch.fx.Node, Node] = {}
        self._inputs: list[Node] = []
        self._outputs: list[Node] = []
        #: Calls and their constants, each with the modules around it from the outermost.
        self._calls: list[tuple[tuple[tuple[str, str], ...], Node]] = []

    def build(self, by_module: bool) -> FXOperatorGraph:
        for node in self._graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                self._made[node] = _value_node(node, [])
                self._inputs.append(self._made[node])
            elif node.op == "output":
                sources = [self._made[source] for source in node.all_input_nodes]
                self._outputs.append(_value_node(node, sources))
            else:
                self._call(node)
        flat: list[Node | OperatorGraph] = [node for _, node in self._calls]
        calls = _grouped(self._calls) if by_module else flat
        return FXOperatorGraph(
            "base",
            [
                FXOperatorGraph("inputs", list(self._inputs)),
                FXOperatorGraph("forward", calls),
                FXOperatorGraph("outputs", list(self._outputs)),
            ],
        )

    def _call(self, node: torch.fx.Node) -> None:
        modules = _modules_around(node)
        inputs: list[Node] = []
        names: list[str] = []
        for name, argument in _named_arguments(node):
            sources = list(_nodes_in(argument))
            if sources:
                inputs.extend(self._made[source] for source in sources)
                names.extend([name] * len(sources))
            elif argument is not None:
                constant = ValueNode(f"{name}_{node.name}", val=argument)
                self._calls.append((modules, constant))
                inputs.append(constant)
                names.append(name)
        made = OperatorNode(
            node.name,
            inputs=inputs,
            output_shapes=_shapes(node.meta.get("val")),
            metadata=self._metadata(node),
            named_args=names,
            op=_op_name(node),
        )
        self._made[node] = made
        self._calls.append((modules, made))

    def _metadata(self, node: torch.fx.Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in _KEPT_METADATA:
            value = node.meta.get(key)
            if value is None or (key == "stack_trace" and self._skip_stack_trace):
                continue
            found[key] = dict(value) if isinstance(value, Mapping) else value
        return found


def _value_node(node: torch.fx.Node, inputs: list[Node]) -> ValueNode:
    value = node.meta.get("val")
    if node.op == "output":
        value = [source.meta.get("val") for source in node.all_input_nodes]
    dtypes = [str(tensor.dtype) for tensor in _tensors(value)]
    return ValueNode(
        node.name, inputs=inputs, output_shapes=_shapes(value), metadata={}, dtype=", ".join(dtypes)
    )


def _op_name(node: torch.fx.Node) -> str:
    target = node.target
    if isinstance(target, str):
        return target
    if isinstance(target, OpOverload):
        return str(target)
    schema_name = getattr(target, "name", None)
    # Operators of the edge dialect print as "aten.relu.default" as well.
    return str(target) if callable(schema_name) else getattr(target, "__name__", str(target))


def _named_arguments(node: torch.fx.Node) -> Iterator[tuple[str, Any]]:
    schema = getattr(node.target, "_schema", None)
    names = [argument.name for argument in schema.arguments] if schema is not None else []
    for place, argument in enumerate(node.args):
        yield (names[place] if place < len(names) else f"arg{place}"), argument
    yield from node.kwargs.items()


def _nodes_in(argument: Any) -> Iterator[torch.fx.Node]:
    for leaf in torch.utils._pytree.tree_leaves(argument):
        if isinstance(leaf, torch.fx.Node):
            yield leaf


def _tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _shapes(value: Any) -> list[list[int]] | None:
    shapes = [list(tensor.shape) for tensor in _tensors(value)]
    return shapes or None


def _modules_around(node: torch.fx.Node) -> tuple[tuple[str, str], ...]:
    """Path and class of each module around a call, from the outermost; the model itself is left out."""
    found = []
    for entry in (node.meta.get("nn_module_stack") or {}).values():
        path, kind = entry if isinstance(entry, (tuple, list)) else (str(entry), "")
        if path:
            found.append((str(path), kind if isinstance(kind, str) else kind.__qualname__))
    return tuple(found)


def _grouped(calls: list[tuple[tuple[tuple[str, str], ...], Node]]) -> list[Node | OperatorGraph]:
    top: list[Node | OperatorGraph] = []
    graphs: dict[tuple[tuple[str, str], ...], OperatorGraph] = {}
    for modules, node in calls:
        elements = top
        for depth in range(1, len(modules) + 1):
            key = modules[:depth]
            if key not in graphs:
                path, kind = key[-1]
                metadata = {RESERVED_METADATA_ARG.MODULE_TYPE.value: kind}
                graphs[key] = FXOperatorGraph(path, [], metadata)
                elements.append(graphs[key])
            elements = graphs[key].elements
        elements.append(node)
    return top


__all__ = ["RESERVED_METADATA_ARG", "FXOperatorGraph"]
