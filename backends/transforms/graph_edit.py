"""What the passes of this package share: calls of the right dialect, arguments by name, values kept true."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch._ops import OpOverload
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.dialects.verifiers import graph_modules
from executorch.passes.fake_values import compute_value
from executorch.passes.pass_base import PassBase

_DERIVED_META = frozenset({meta_keys.VAL, meta_keys.SPEC, "tensor_meta"})
_aten = torch.ops.aten

VIEWS = (_aten.view_copy.default, _aten.view.default)
PERMUTES = (_aten.permute_copy.default, _aten.permute.default)
TRANSPOSES = (_aten.transpose_copy.int, _aten.transpose.int)
#: By name: it is defined where layouts are chosen.
_LAYOUT_PERMUTATION = "channels_last::permute_copy"
#: The quantization operators that treat every element alike.
PER_TENSOR_QUANTIZATIONS = ("quantize_per_tensor", "dequantize_per_tensor")


class GraphRewrite(PassBase):
    """A pass that edits graphs in place; control-flow bodies are graphs too.

    A subclass edits in ``rewrite``. Dead code, ``meta["val"]`` of what was edited and of what follows from it, and
    the generated code are looked after here.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in list(graph_modules(graph_module)):
            modified |= edit(module, self.rewrite)
        return PassResult(graph_module, modified)

    def rewrite(self, graph_module: GraphModule) -> bool:
        """Edits one graph; returns whether it changed."""
        raise NotImplementedError


def edit(module: GraphModule, rewrite: Any) -> bool:
    """Runs ``rewrite(module)``, which says whether it changed the graph, and settles what follows from a change."""
    before = _calls(module.graph)
    if not rewrite(module):
        return False
    module.graph.eliminate_dead_code()
    refresh_values(
        module.graph, [node for node, call in _calls(module.graph).items() if before.get(node) != call]
    )
    module.recompile()
    return True


def _calls(graph: Graph) -> dict[Node, Any]:
    return {node: (node.target, node.args, node.kwargs) for node in graph.nodes if node.op == "call_function"}


def refresh_values(graph: Graph, edited: Iterable[Node]) -> None:
    """Computes ``meta["val"]`` of ``edited`` again, and of what depends on it as far as sizes or types change."""
    stale = set(edited)
    for node in graph.nodes:
        if node not in stale or not _is_computable(node):
            continue
        value = compute_value(node.target, node.args, node.kwargs, graph.nodes)  # type: ignore[arg-type]
        if _description(value) != _description(node.meta.get(meta_keys.VAL)):
            for key in _DERIVED_META:
                node.meta.pop(key, None)
            node.meta[meta_keys.VAL] = value
            stale.update(node.users)


def _is_computable(node: Node) -> bool:
    if node.op != "call_function" or any(meta_keys.VAL not in arg.meta for arg in node.all_input_nodes):
        return False
    return isinstance(node.target, (EdgeOpOverload, OpOverload)) or node.target is operator.getitem


def _description(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_description(item) for item in value]
    if isinstance(value, torch.Tensor):
        # Sizes as text: comparing symbols would add guards to the program.
        return value.dtype, [str(size) for size in value.shape], [str(step) for step in value.stride()]
    return str(value)


def call_like(node: Node, op: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Node:
    """A new call before ``node``, of the same dialect and with its meta, and a value of its own.

    Args:
        node: what the call stands for; the insertion point.
        op: a torch overload; becomes the edge operator where ``node`` calls one.
        args, kwargs: of the call.
    """
    target = in_dialect_of(node, op)
    with node.graph.inserting_before(node):
        made = node.graph.call_function(target, tuple(args), kwargs or {})
    made.meta = {key: value for key, value in node.meta.items() if key not in _DERIVED_META}
    if all(meta_keys.VAL in arg.meta for arg in made.all_input_nodes):
        made.meta[meta_keys.VAL] = compute_value(made.target, made.args, made.kwargs, node.graph.nodes)  # type: ignore[arg-type]
    return made


def in_dialect_of(node: Node, op: OpOverload) -> Any:
    """``op`` as an edge operator where ``node`` calls one, else as it is."""
    return edge_op(op) if isinstance(node.target, EdgeOpOverload) else op


def replace(node: Node, new: Node) -> None:
    """Gives the users of ``node`` another value and removes it."""
    node.replace_all_uses_with(new, propagate_meta=False)
    node.graph.erase_node(node)


def is_call(node: Any, *ops: OpOverload) -> bool:
    """Whether ``node`` calls one of these torch overloads, in either dialect."""
    return isinstance(node, Node) and node.op == "call_function" and aten_op(node.target) in ops


def is_quantization(node: Node, names: Sequence[str] = PER_TENSOR_QUANTIZATIONS) -> bool:
    """Whether ``node`` calls an operator of ``quantized_decomposed`` with one of these names."""
    op = aten_op(node.target) if node.op == "call_function" else None
    return (
        op is not None and op.namespace == "quantized_decomposed" and op._schema.name.split("::")[1] in names
    )


def arguments(node: Node) -> dict[str, Any]:
    """The arguments of an operator call by name, defaults included."""
    op = aten_op(node.target)
    assert op is not None, node
    named: dict[str, Any] = {}
    for position, argument in enumerate(op._schema.arguments):
        if position < len(node.args):
            named[argument.name] = node.args[position]
        else:
            default = argument.default_value if argument.has_default_value() else None
            named[argument.name] = node.kwargs.get(argument.name, default)
    return named


def value_of(node: Any) -> torch.Tensor | None:
    """The example tensor of a node; None for anything else."""
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    return value if isinstance(value, torch.Tensor) else None


def shape_of(node: Any) -> tuple[Any, ...] | None:
    """The sizes of a node's tensor; None where it has none."""
    value = value_of(node)
    return None if value is None else tuple(value.shape)


def same_shape(left: Sequence[Any] | None, right: Sequence[Any] | None) -> bool:
    """Whether sizes are known to be equal, compared as expressions: no guard comes of it."""
    return left is not None and right is not None and [str(size) for size in left] == [str(s) for s in right]


def source_of(node: Node) -> Node:
    """The first argument, which must be a node."""
    (source, *_) = node.args
    assert isinstance(source, Node), node
    return source


def permutation_of(node: Any) -> list[int] | None:
    """What a permutation or a transposition does, as ``dims`` of ``permute``, none negative; None for other nodes."""
    value = value_of(node)
    if value is None:
        return None
    rank = value.dim()
    if is_call(node, *PERMUTES) or _is_layout_permutation(node):
        return [dim % rank for dim in arguments(node)["dims"]] if rank else []
    if is_call(node, *TRANSPOSES):
        dims = list(range(rank))
        if rank:
            first, second = (arguments(node)[name] % rank for name in ("dim0", "dim1"))
            dims[first], dims[second] = dims[second], dims[first]
        return dims
    return None


def _is_layout_permutation(node: Node) -> bool:
    op = aten_op(node.target) if node.op == "call_function" else None
    return op is not None and op._schema.name == _LAYOUT_PERMUTATION


def inverse(dims: Sequence[int]) -> list[int]:
    """The permutation that undoes ``dims``."""
    found = [0] * len(dims)
    for position, dim in enumerate(dims):
        found[dim] = position
    return found


def view_arguments(node: Node, sizes: Sequence[Any]) -> list[Any] | None:
    """Sizes for a ``view`` that replaces ``node``: numbers, and at most one unknown size, as -1.

    None where two sizes are unknown: a symbol cannot stand in the arguments of a call without a node behind it.
    """
    numbers = [int(size) if not isinstance(size, torch.SymInt) else None for size in sizes]
    if sum(number is None for number in numbers) > 1 or (None in numbers and 0 in numbers):
        return None
    return [-1 if number is None else number for number in numbers]
