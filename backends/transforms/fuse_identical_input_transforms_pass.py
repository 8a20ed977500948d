"""One permutation or view after an operator for equal ones on all of its operands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from executorch.backends.transforms.graph_edit import permutation_of, same_shape, view_arguments
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops
from executorch.ir.rewriter import arguments, call_like, is_call, replace, source_of
from executorch.ir.torch_internals import rename
from executorch.ir.values import shape_of
from executorch.ir.views import VIEWS
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_BINARY = (
    "add sub mul div remainder eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor bitwise_left_shift "
    "bitwise_right_shift"
)


class FuseIdenticalInputTransformsPass(GraphPass):
    """``op(permute(x), permute(y))`` becomes ``permute(op(x, y))``, for elementwise operators, ``where`` and ``cat``.

    So does ``view``, but not around ``cat``. An operand of one element may stand beside. Transforms that others read
    too stay.

    Args:
        exported_program: not needed; taken so that all such passes are made alike.
        permute_targets: edge operators that permute; ``permute_copy`` if None.
    """

    _CONCAT_OPS = {ops.edge.aten.cat.default, ops.edge.aten.concatenate.default}
    _BINARY_ELEMENTWISE_OPS = {getattr(ops.edge.aten, name).Tensor for name in _BINARY.split()}
    _NARY_ELEMENTWISE_OPS = {ops.edge.aten.where.self}
    _ELEMENTWISE_OPS = _BINARY_ELEMENTWISE_OPS | _NARY_ELEMENTWISE_OPS
    target_ops = _CONCAT_OPS | _ELEMENTWISE_OPS

    def __init__(
        self, exported_program: ExportedProgram | None = None, permute_targets: Iterable[Any] | None = None
    ) -> None:
        super().__init__()
        targets = (ops.edge.aten.permute_copy.default,) if permute_targets is None else permute_targets
        self._permute_targets = frozenset(targets)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if node.op == "call_function" and node.target in self.target_ops:
                modified |= self._sink(node)
        return modified

    def _sink(self, node: Node) -> bool:
        transforms = [arg for arg in node.all_input_nodes if not _is_single(arg)]
        if not transforms or any(set(arg.users) != {node} for arg in transforms):
            return False
        first = transforms[0]
        if node.target in self._CONCAT_OPS and len(transforms) != len(node.all_input_nodes):
            return False
        is_permute = first.target in self._permute_targets
        is_view = is_call(first, *VIEWS) and node.target in self._ELEMENTWISE_OPS
        if not (is_permute or is_view) or any(arg.target != first.target for arg in transforms):
            return False
        return self._sink_permutes(node, transforms) if is_permute else _sink_views(node, transforms)

    def _sink_permutes(self, node: Node, transforms: list[Node]) -> bool:
        dims = permutation_of(transforms[0])
        if dims is None or any(permutation_of(arg) != dims for arg in transforms):
            return False
        changes: dict[Any, Any] = {arg: source_of(arg) for arg in transforms}
        if node.target in self._CONCAT_OPS:
            named = arguments(node)
            made = _copy_with(node, changes, (named["tensors"], dims[named["dim"] % len(dims)]))
        else:
            made = _copy_with(node, changes)
        replace(node, call_like(node, _aten.permute_copy.default, (made, dims)))
        return True


def _sink_views(node: Node, transforms: list[Node]) -> bool:
    shape, source, result = shape_of(transforms[0]), shape_of(transforms[0].args[0]), shape_of(node)
    for arg in transforms:
        if not same_shape(shape, shape_of(arg)) or not same_shape(source, shape_of(arg.args[0])):
            return False
    sizes = None if result is None else view_arguments(node, result)
    if sizes is None or not same_shape(shape, result):
        return False
    made = _copy_with(node, {arg: source_of(arg) for arg in transforms})
    replace(node, call_like(node, _aten.view_copy.default, (made, sizes)))
    return True


def _copy_with(node: Node, changes: dict[Any, Any], args: tuple[Any, ...] = ()) -> Node:
    """A call before ``node`` like it, with other operands."""
    op = aten_op(node.target)
    new_args = map_arg(args or node.args, lambda arg: changes.get(arg, arg))
    kwargs = {} if args else map_arg(node.kwargs, lambda arg: changes.get(arg, arg))
    return call_like(node, op, new_args, dict(kwargs))


def _is_single(node: Node) -> bool:
    """Whether an operand is one element: the same for every order and size of the others."""
    shape = shape_of(node)
    return shape is not None and len(shape) <= 1 and all(str(size) == "1" for size in shape)


class NormalizeTransformInputPlaceholdersPass(GraphPass):
    """Gives inputs of the program names that are not those of permutations and views.

    After partitioning an input may be called ``aten_permute_copy_default`` after the node that makes it, and passes
    that go by names would take it for one.

    Args:
        exported_program: its signature follows the new names.
        permute_targets: edge operators that permute; ``permute_copy`` if None.
    """

    def __init__(
        self, exported_program: ExportedProgram | None = None, permute_targets: Iterable[Any] | None = None
    ) -> None:
        super().__init__()
        targets = (ops.edge.aten.permute_copy.default,) if permute_targets is None else permute_targets
        self._prefixes = tuple(
            op.__name__.replace(".", "_") for op in (*targets, ops.edge.aten.view_copy.default)
        )
        self.exported_program = exported_program

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        renamed: dict[str, str] = {}
        for node in graph_module.graph.find_nodes(op="placeholder"):
            if node.name.startswith(self._prefixes):
                old = node.name
                rename(node, f"input_{old}")
                node.target = node.name
                renamed[old] = node.name
        if renamed and self.exported_program is not None:
            signature = self.exported_program.graph_signature
            for spec in (*signature.input_specs, *signature.output_specs):
                name = getattr(spec.arg, "name", None)
                if name in renamed:
                    spec.arg.name = renamed[name]  # type: ignore[union-attr]
        return bool(renamed)


__all__ = ["FuseIdenticalInputTransformsPass", "NormalizeTransformInputPlaceholdersPass"]
