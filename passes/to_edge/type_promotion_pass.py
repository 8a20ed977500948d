"""Makes implicit type promotion explicit.

ATen operators accept tensors of different element types and promote them; edge operators take equal types. This
pass casts the arguments of elementwise operators to the type torch would compute in. A value that several
operators need in the same type is cast once.
"""

from typing import Any, Final

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.ir.values import compute_value, value_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_TO_COPY: Final = _aten._to_copy.default

_TENSOR_OVERLOADS: Final = """
    add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign div eq fmod ge gt le lt mul ne
    remainder sub
"""
_DEFAULT_OVERLOADS: Final = """
    atan2 floor_divide fmax fmin gcd hypot lcm logical_and logical_or logical_xor maximum minimum nextafter
"""

#: Operators that promote, with the positions of the arguments that take part.
PROMOTING: Final[dict[Any, tuple[int, ...]]] = {
    **{getattr(_aten, name).Tensor: (0, 1) for name in _TENSOR_OVERLOADS.split()},
    **{getattr(_aten, name).default: (0, 1) for name in _DEFAULT_OVERLOADS.split()},
    _aten.clamp.Tensor: (0, 1, 2),
    _aten.div.Tensor_mode: (0, 1),
    _aten.pow.Tensor_Tensor: (0, 1),
    _aten.where.self: (1, 2),
    _aten.cat.default: (0,),
    _aten.stack.default: (0,),
}


#: Operators of a tensor and numbers, with the tensor's position: a fraction makes the result of integers a float.
WITH_NUMBERS: Final[dict[Any, int]] = {
    _aten.clamp.default: 0,
    _aten.fmod.Scalar: 0,
    _aten.pow.Scalar: 1,
    _aten.pow.Tensor_Scalar: 0,
    _aten.remainder.Scalar: 0,
}


class TypePromotionPass(GraphPass):
    """See the module's description. Works on ATen and on edge graphs.

    ``divides_in_floats``: cast integers that ``div`` takes, whose quotient is a float. Kernels do that by themselves;
    backends that have kernels for equal types only do not.
    """

    describes_values = True
    removes_dead_code = False

    divides_in_floats = False

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        self._casts: dict[tuple[Node, torch.dtype], Node] = {}
        return super().rewrite_graph(graph_module)

    def rewrite_node(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        if op in WITH_NUMBERS:
            return self._promote_by_numbers(node, (WITH_NUMBERS[op],))
        positions = PROMOTING.get(op)
        if positions is None:
            return False
        sources = _tensor_arguments(node, positions)
        dtypes = {value_of(source).dtype for source in sources}
        wanted = self._compute_dtype(node, sources) if sources else None
        if wanted is None or dtypes == {wanted}:
            return False
        for source in dict.fromkeys(sources):
            if value_of(source).dtype != wanted:
                _replace_at(node, positions, source, self._cast(node, source, wanted))
        return True

    def _promote_by_numbers(self, node: Node, positions: tuple[int]) -> bool:
        wanted = value_of(node).dtype
        sources = [one for one in _tensor_arguments(node, positions) if value_of(one).dtype != wanted]
        for source in sources:
            _replace_at(node, positions, source, self._cast(node, source, wanted))
        return bool(sources)

    def _compute_dtype(self, node: Node, sources: list[Node]) -> torch.dtype:
        dtype = _compute_dtype(sources)
        integers = not (dtype.is_floating_point or dtype.is_complex)
        # In the dialect, `div.Tensor_mode` returns the type that it takes, also where nothing is rounded.
        in_floats = self.divides_in_floats or aten_op(node.target) is _aten.div.Tensor_mode
        if in_floats and integers and _is_true_division(node):
            return torch.get_default_dtype()
        return dtype

    def _cast(self, node: Node, source: Node, dtype: torch.dtype) -> Node:
        known = self._casts.get((source, dtype))
        if known is not None:
            return known
        target, kwargs = self._cast_call(node, source, dtype)
        with node.graph.inserting_before(node):
            cast = node.graph.call_function(target, (source,), kwargs)
        cast.meta = {
            key: item for key, item in node.meta.items() if key not in (meta_keys.VAL, meta_keys.SPEC)
        }
        cast.meta[meta_keys.VAL] = compute_value(_TO_COPY, (source,), {"dtype": dtype}, node.graph.nodes)
        self._casts[source, dtype] = cast
        return cast

    def _cast_call(self, node: Node, source: Node, dtype: torch.dtype) -> tuple[Any, dict[str, Any]]:
        """The operator that casts for ``node``, and its keyword arguments."""
        target: Any = edge_op(_TO_COPY) if isinstance(node.target, EdgeOpOverload) else _TO_COPY
        return target, {"dtype": dtype}


def _is_true_division(node: Node) -> bool:
    op = aten_op(node.target)
    unrounded = op is _aten.div.Tensor_mode and node.kwargs.get("rounding_mode") is None
    return unrounded or op is _aten.div.Tensor


def _replace_at(node: Node, positions: tuple[int, ...], source: Node, cast: Node) -> None:
    """Only the promoting arguments: the condition of a ``where`` may be the same value."""
    for position in positions:
        if position < len(node.args):
            replaced = map_arg(node.args[position], lambda item: cast if item is source else item)
            node.update_arg(position, replaced)


def _tensor_arguments(node: Node, positions: tuple[int, ...]) -> list[Node]:
    found = []
    for position in positions:
        value = node.args[position] if position < len(node.args) else None
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Node) and isinstance(value_of(item), torch.Tensor):
                found.append(item)
    return found


def _compute_dtype(sources: list[Node]) -> torch.dtype:
    """The type torch promotes to; tensors of rank 0 count less than others, as in eager."""
    ranked = [value_of(source) for source in sources]
    result = ranked[0]
    dtype = result.dtype
    for value in ranked[1:]:
        dtype = torch.result_type(result, value)
        shape = (1,) * max(result.dim(), value.dim())
        result = torch.empty(shape, dtype=dtype, device="meta")
    return dtype
