"""Replaces symbolic sizes in specs by numbers that memory can be planned for."""

from collections.abc import Callable, Collection
from typing import Any

from torch.fx import GraphModule, Node

from executorch.dialects.dim_order import example_int
from executorch.dialects.errors import Problems, UnboundedShapeError
from executorch.dialects.execution import tensor_specs
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassBase, PassResult


def upper_bound(size: Any) -> "int | None":
    """The largest value of a size under the program's constraints; None when there is no bound.

    Read from the value ranges of the symbols in ``size`` (``Dim("batch", max=8)``, ``torch._check(n <= 8)``).
    """
    if isinstance(size, int):
        return size
    # sympy is slow to import; only programs with symbolic sizes come here.
    from torch.utils._sympy.value_ranges import bound_sympy

    node = size.node
    bound = bound_sympy(node.expr, node.shape_env.var_to_range).upper
    return int(bound) if _is_bound(bound) else None


def planned_size(size: Any) -> int:
    """What memory is planned for where a size has no upper bound: what it can be with the example's sizes.

    Symbols without a bound count with their values in the example inputs, at least 1; those that the data decide with
    their lower bounds, at least 1. Sizes that have a bound are :func:`upper_bound`.
    """
    bound = upper_bound(size)
    if bound is not None:
        return bound
    from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy  # slow to import

    node = size.node
    ranges = dict(node.shape_env.var_to_range)
    for symbol in node.expr.free_symbols:
        if not _is_bound(ranges[symbol].upper):
            # A number that is read from a tensor (`item()`) has no lower bound either.
            least = ranges[symbol].lower
            lower = max(int(least), 0) if _is_finite(least) else 0
            ranges[symbol] = ValueRanges(lower, max(lower, 1, _example_of(node.shape_env, symbol)))
    planned = bound_sympy(node.expr, ranges).upper
    return max(1, int(planned)) if _is_bound(planned) else max(1, example_int(size))


def _is_bound(number: Any) -> bool:
    return _is_finite(number) and number < 2**31 - 1


def _is_finite(number: Any) -> bool:
    from torch.utils._sympy.numbers import int_oo  # sympy is slow to import

    return number not in (int_oo, -int_oo) and bool(number.is_finite)


def _example_of(shape_env: Any, symbol: Any) -> int:
    """A symbol's value in the example inputs; 0 for one that the data decide."""
    return int(shape_env.backed_var_to_val.get(symbol, 0))


def example_or_bound(size: Any) -> "int | None":
    """The value of a size in the example inputs; for one that the data decide, which has none, its upper bound."""
    if isinstance(size, int):
        return size
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # slow to import, like sympy

    return upper_bound(size) if free_unbacked_symbols(size) else example_int(size)


class _EvalPass(PassBase):
    """Visits every spec with symbolic sizes once."""

    def call(self, graph_module: GraphModule) -> PassResult:
        pending: dict[int, tuple[Node, TensorSpec]] = {}
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                for spec in tensor_specs(node):
                    if not all(isinstance(size, int) for size in spec.shape):
                        pending.setdefault(id(spec), (node, spec))
        self.evaluate(pending.values())
        return PassResult(graph_module, bool(pending))

    def evaluate(self, found: "Collection[tuple[Node, TensorSpec]]") -> None:
        """Replaces the symbolic sizes of specs; each comes with the node that has it."""
        raise NotImplementedError

    def ensures(self, graph_module: GraphModule) -> None:
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                for spec in tensor_specs(node):
                    assert all(isinstance(size, int) for size in spec.shape), (
                        f"{node.name} keeps symbolic sizes"
                    )


class ConstraintBasedSymShapeEvalPass(_EvalPass):
    """Upper bounds from the value ranges of the program's symbols. The default.

    A size without a bound counts as in the example inputs, and is marked (`TensorSpec.unbounded_dims`): memory is
    planned for the example, and larger values take theirs at run time from the allocator that the application gives.

    Args:
        require_bounds: refuse sizes without a bound, for programs that must do with the planned memory.

    Raises:
        UnboundedShapeError: bounds are required and a size has none; the message lists all such values.
    """

    def __init__(self, require_bounds: bool = False) -> None:
        super().__init__()
        self.require_bounds = require_bounds

    def evaluate(self, found: "Collection[tuple[Node, TensorSpec]]") -> None:
        if self.require_bounds:
            _raise_unless_bounded(found, upper_bound)
        for _, spec in found:
            unbounded = frozenset(dim for dim, size in enumerate(spec.shape) if upper_bound(size) is None)
            spec.set_upper_bound([planned_size(size) for size in spec.shape])
            spec.unbounded_dims = unbounded


class HintBasedSymShapeEvalPass(_EvalPass):
    """Sizes of the example inputs, whatever the ranges say. Larger inputs are then refused at run time.

    Sizes that the data decide have no example: they count with their upper bounds.

    Raises:
        UnboundedShapeError: the data decide a size, and nothing bounds it.
    """

    def evaluate(self, found: "Collection[tuple[Node, TensorSpec]]") -> None:
        _raise_unless_bounded(found, example_or_bound)
        for _, spec in found:
            spec.set_upper_bound([size for size in map(example_or_bound, spec.shape) if size is not None])


def _raise_unless_bounded(
    found: "Collection[tuple[Node, TensorSpec]]", bound: "Callable[[Any], int | None]"
) -> None:
    problems = Problems("Sizes without an upper bound, for which no memory can be planned")
    for node, spec in found:
        unbounded = [str(size) for size in spec.shape if bound(size) is None]
        if unbounded:
            shape = tuple(map(str, spec.shape))
            problems.add(node, f"shape {shape}: no upper bound for {', '.join(unbounded)}")
    problems.raise_if_any(
        'give the dimension a maximum (torch.export.Dim("name", max=...), or torch._check(size <= ...) in the model for a '
        "size that depends on data), or let larger values take their memory at run time with "
        "ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass())",
        UnboundedShapeError,
    )


#: The names used in the documentation's prose.
ValueRangeBasedSymShapeEval = ConstraintBasedSymShapeEvalPass
HintBasedSymShapeEval = HintBasedSymShapeEvalPass

__all__ = [
    "ConstraintBasedSymShapeEvalPass",
    "HintBasedSymShapeEval",
    "HintBasedSymShapeEvalPass",
    "ValueRangeBasedSymShapeEval",
    "planned_size",
    "upper_bound",
]
