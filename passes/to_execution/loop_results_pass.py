"""Brings what a loop's body returns into a form that can be copied into the places of the loop's results.

At the end of a round, the new carried values are copied one after the other over those that the round has read. A
new value that is an old one (``a, b = b, a``) would be overwritten before its turn, so it becomes a copy first. The
rows of stacked results have to be contiguous, because they are pieces of a contiguous whole.
"""

import operator
from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.control_flow import Loop, body_module, body_results, control_flow_name, loop_of
from executorch.dialects.dim_order import contiguous_dim_order, is_contiguous_dim_order
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.verifiers import graph_modules
from executorch.ir.values import compute_value, value_of
from executorch.passes.infrastructure.pass_base import PassBase, PassResult

_CLONE: Final = torch.ops.aten.clone.default
_CONTIGUOUS: Final = torch.ops.dim_order_ops._to_dim_order_copy.default


class LoopResultsPass(PassBase):
    """See the module's description. Runs on a graph with specs, before the to-out-variant pass."""

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in list(graph_modules(graph_module)):
            for node in module.graph.nodes:
                loop = loop_of(node)
                if loop is not None:
                    modified |= _settle_results(body_module(module, loop.body), loop)
        return PassResult(graph_module, modified)


def _settle_results(body: GraphModule, loop: Loop) -> bool:
    carried, pieces = loop.results_of_body(body)
    placeholders = loop.inputs_of_body(body)[0]
    output = body.graph.output_node()
    # A value that is handed on in its own place is not written.
    overwritten: set[Node] = set()
    results: list[Any] = []
    for placeholder, value in zip(placeholders, carried, strict=True):
        may_be_gone = any(old in overwritten for old in _may_stand_for(body, value))
        results.append(_insert(output, value, _CLONE, {}) if may_be_gone and _is_tensor(value) else value)
        if value is not placeholder:
            overwritten.add(placeholder)
    for value in pieces:
        spec = value.meta.get(meta_keys.SPEC) if isinstance(value, Node) else None
        is_other_order = isinstance(spec, TensorSpec) and not is_contiguous_dim_order(spec.dim_order)
        order = (
            {"dim_order": list(contiguous_dim_order(len(spec.shape)))} if isinstance(spec, TensorSpec) else {}
        )
        results.append(_insert(output, value, _CONTIGUOUS, order) if is_other_order else value)
    if all(new is old for new, old in zip(results, body_results(body), strict=True)):
        return False
    output.args = (tuple(results),)
    body.recompile()
    return True


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Node) and isinstance(value_of(value), torch.Tensor)


def _may_stand_for(body: GraphModule, value: Any) -> set[Node]:
    """The placeholders of ``body`` that ``value`` may be another name for: itself, or operands of a condition."""
    if not isinstance(value, Node):
        return set()
    if value.op == "placeholder":
        return {value}
    source = value.args[0] if value.target is operator.getitem else value
    if control_flow_name(source) != "cond":
        return set()
    _, *branches, operands = source.args  # type: ignore[union-attr]
    index = value.args[1] if value.target is operator.getitem else 0
    found: set[Node] = set()
    for branch in branches:
        module = body_module(body, branch)  # type: ignore[arg-type]
        inputs = list(module.graph.find_nodes(op="placeholder"))
        for inner in _may_stand_for(module, body_results(module)[index]):  # type: ignore[index]
            found |= _may_stand_for(body, operands[inputs.index(inner)])  # type: ignore[index]
    return found


def _insert(output: Node, value: Any, target: Any, kwargs: "dict[str, Any]") -> Node:
    graph = output.graph
    with graph.inserting_before(output):
        node = graph.call_function(target, (value,), kwargs)
    node.meta = {key: item for key, item in value.meta.items() if key not in (meta_keys.VAL, meta_keys.SPEC)}
    node.meta[meta_keys.VAL] = compute_value(target, (value,), kwargs, graph.nodes)
    spec = TensorSpec.from_tensor(node.meta[meta_keys.VAL])
    old = value.meta.get(meta_keys.SPEC)
    if isinstance(old, TensorSpec):
        # The sizes of the value are upper bounds by now.
        spec.set_upper_bound(old.shape)
        spec.shape_dynamism, spec.unbounded_dims = old.shape_dynamism, old.unbounded_dims
    node.meta[meta_keys.SPEC] = spec
    return node
