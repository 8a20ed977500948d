"""Turns copies that only change the shape into ``memory.view``, which costs nothing at run time.

``view_copy``, ``unsqueeze_copy`` and ``squeeze_copy`` of a contiguous value read the same bytes in the same order.
Such a copy becomes a view unless something could tell them apart:

* the result leaves the method (the caller may have it written to memory of its own), or
* the value lives in a buffer that the method writes afterwards, or
* a custom operator writes the result, and would write what it is a copy of.
"""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.dialects import memory, meta_keys
from executorch.dialects.dim_order import is_contiguous_dim_order
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.execution import (
    is_delegate_call,
    is_higher_order,
    is_in_place,
    is_out_variant,
    is_view,
)
from executorch.dialects.tensor_spec import TensorSpec, ViewSpec
from executorch.dialects.verifiers import graph_modules
from executorch.ir.views import RESHAPE_COPIES
from executorch.passes.infrastructure.functional_forms import written_arguments
from executorch.passes.infrastructure.pass_base import PassBase, PassResult
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass

_aten = torch.ops.aten

#: Operators that keep all elements in order when their argument is contiguous.
SHAPE_CHANGES: Final = RESHAPE_COPIES - {_aten.alias_copy.default}


class ReplaceViewCopyWithViewPass(PassBase):
    """See the module's description. Runs before the to-out-variant pass; copies that have no specs get them first.

    Args:
        may_view: asked for each candidate; a planner or backend that cannot share bytes says False.
    """

    def __init__(self, may_view: "Callable[[Node], bool] | None" = None) -> None:
        self._may_view = may_view or (lambda node: True)

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        if any(_lacks_spec(node) for module in graph_modules(graph_module) for node in module.graph.nodes):
            SpecPropPass()(graph_module)
        for module in graph_modules(graph_module):
            changed = False
            writers = _writers(module)
            for node in list(module.graph.nodes):
                if _is_candidate(node, writers) and self._may_view(node):
                    changed |= _replace(node)
            if changed:
                module.recompile()
            modified |= changed
        return PassResult(graph_module, modified)

    def ensures(self, graph_module: GraphModule) -> None:
        for module in graph_modules(graph_module):
            for node in filter(is_view, module.graph.nodes):
                spec = node.meta[meta_keys.SPEC]
                assert spec.base is node.args[0].meta[meta_keys.SPEC], (
                    f"{node.name} does not view its argument"
                )


def _lacks_spec(node: Node) -> bool:
    changes_shape = node.op == "call_function" and aten_op(node.target) in SHAPE_CHANGES
    return changes_shape and meta_keys.SPEC not in node.meta


def _writers(module: GraphModule) -> dict[int, list[Node]]:
    """Identity of a spec to the nodes that update its value in place, in order."""
    writers: dict[int, list[Node]] = {}
    for node in module.graph.nodes:
        if is_in_place(node):
            for argument in _written_nodes(node):
                writers.setdefault(id(argument.meta.get(meta_keys.SPEC)), []).append(node)
    return writers


def _written_nodes(node: Node) -> list[Node]:
    """The values that an in-place operator writes."""
    op = aten_op(node.target)
    assert op is not None
    return [
        leaf
        for position in written_arguments(op)
        for leaf in pytree.tree_leaves(node.args[position] if position < len(node.args) else None)
        if isinstance(leaf, Node)
    ]


def _is_overwritten(spec: TensorSpec, writers: dict[int, list[Node]]) -> bool:
    """True when an operator that was wrapped for export writes the value itself.

    In-place operators that return what they write were chosen because nobody reads it, views included.
    """
    for writer in writers.get(id(spec), []):
        op = aten_op(writer.target)
        if op is None or is_out_variant(op) or all(item.alias_info is None for item in op._schema.returns):
            return True
    return False


def _may_change_later(source: Node, base: TensorSpec, writers: dict[int, list[Node]]) -> bool:
    """True when the bytes of ``source`` may be overwritten while a view of it is in use."""
    found = writers.get(id(base.root), [])
    owner = source
    while is_view(owner):
        owner = owner.args[0]  # type: ignore[assignment]
    return bool(found) and owner is not found[-1]


def _is_candidate(node: Node, writers: dict[int, list[Node]]) -> bool:
    if node.op != "call_function" or aten_op(node.target) not in SHAPE_CHANGES:
        return False
    source = node.args[0]
    base = source.meta.get(meta_keys.SPEC) if isinstance(source, Node) else None
    spec = node.meta.get(meta_keys.SPEC)
    if not isinstance(source, Node) or not isinstance(base, TensorSpec) or not isinstance(spec, TensorSpec):
        return False
    if (
        base.scalar_type != spec.scalar_type
        or _may_change_later(source, base, writers)
        or _is_overwritten(spec, writers)
        or _leaves_graph(node)
    ):
        return False
    return is_contiguous_dim_order(base.dim_order) and is_contiguous_dim_order(spec.dim_order)


def is_safe_view_copy(node: Node) -> bool:
    """True for a ``view_copy`` with specs that nothing could tell from a view of its argument."""
    if node.op != "call_function" or aten_op(node.target) is not _aten.view_copy.default:
        return False
    module = node.graph.owning_module
    assert module is not None
    return _is_candidate(node, _writers(module))


def _leaves_graph(node: Node) -> bool:
    """True when the value is returned or handed to control flow, whose results are redirected at run time."""
    return any(
        user.op == "output" or (is_higher_order(user) and not is_delegate_call(user)) for user in node.users
    )


def _sizes(node: Node) -> "list[Any] | None":
    """The ``size`` argument of the view; None when more than one size is symbolic and no node computes them."""
    if aten_op(node.target) is _aten.view_copy.default:
        return list(node.args[1]) if len(node.args) > 1 else list(node.kwargs["size"])  # type: ignore[arg-type]
    sizes = node.meta[meta_keys.VAL].shape
    symbolic = [index for index, size in enumerate(sizes) if not isinstance(size, int)]
    if len(symbolic) > 1:
        return None
    return [-1 if index in symbolic else size for index, size in enumerate(sizes)]


def _replace(node: Node) -> bool:
    spec: TensorSpec = node.meta[meta_keys.SPEC]
    sizes = _sizes(node)
    if sizes is None:
        return False
    source = node.args[0]
    assert isinstance(source, Node)
    view_spec = ViewSpec(source.meta[meta_keys.SPEC], spec.shape)
    view_spec.unbounded_dims = spec.unbounded_dims
    _share(node, spec, view_spec)
    node.target = memory.view
    node.args = (source, sizes)
    node.kwargs = {}
    return True


def _share(node: Node, old: TensorSpec, new: ViewSpec) -> None:
    node.meta[meta_keys.SPEC] = new
    for user in node.users:
        if user.meta.get(meta_keys.SPEC) is old:
            user.meta[meta_keys.SPEC] = new
