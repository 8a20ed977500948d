"""Replaces symbolic sizes in specs by numbers that memory can be planned for."""

from collections.abc import Callable
from typing import Any

from torch.fx import GraphModule, Node

from executorch.dialects.dim_order import example_int
from executorch.dialects.errors import Problems, UnboundedShapeError
from executorch.dialects.execution import tensor_specs
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.verifiers import graph_modules
from executorch.passes.pass_base import PassBase, PassResult


def upper_bound(size: Any) -> "int | None":
    """The largest value of a size under the program's constraints; None when there is no bound.

    Read from the value ranges of the symbols in ``size`` (``Dim("batch", max=8)``, ``torch._check(n <= 8)``).
    """
    if isinstance(size, int):
        return size
    # sympy is slow to import; only programs with symbolic sizes come here.
    from torch.utils._sympy.numbers import int_oo
    from torch.utils._sympy.value_ranges import bound_sympy

    node = size.node
    bound = bound_sympy(node.expr, node.shape_env.var_to_range).upper
    if bound is int_oo or not bound.is_finite or bound >= 2**31 - 1:
        return None
    return int(bound)


def example_or_bound(size: Any) -> "int | None":
    """The value of a size in the example inputs; for one that the data decide, which has none, its upper bound."""
    if isinstance(size, int):
        return size
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # slow to import, like sympy

    return upper_bound(size) if free_unbacked_symbols(size) else example_int(size)


class _EvalPass(PassBase):
    """Visits every spec with symbolic sizes once."""

    evaluate: Callable[[Any], "int | None"]

    def call(self, graph_module: GraphModule) -> PassResult:
        problems = Problems("Sizes without an upper bound, for which no memory can be planned")
        pending: dict[int, TensorSpec] = {}
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                for spec in tensor_specs(node):
                    if id(spec) not in pending and not all(isinstance(size, int) for size in spec.shape):
                        pending[id(spec)] = spec
                        self._evaluate_spec(node, spec, problems)
        problems.raise_if_any(
            'give the dimension a maximum (torch.export.Dim("name", max=...), or torch._check(size <= ...) in the model '
            "for a size that depends on data), or plan for the sizes of the example inputs with "
            "ExecutorchBackendConfig(sym_shape_eval_pass=HintBasedSymShapeEvalPass()), which refuses larger ones",
            UnboundedShapeError,
        )
        return PassResult(graph_module, bool(pending))

    def _evaluate_spec(self, node: Node, spec: TensorSpec, problems: Problems) -> None:
        bounds = [type(self).evaluate(size) for size in spec.shape]
        concrete = [bound for bound in bounds if bound is not None]
        if len(concrete) == len(bounds):
            spec.set_upper_bound(concrete)
            return
        unbounded = [str(size) for size, bound in zip(spec.shape, bounds, strict=True) if bound is None]
        problems.add(node, f"shape {tuple(map(str, spec.shape))}: no upper bound for {', '.join(unbounded)}")

    def ensures(self, graph_module: GraphModule) -> None:
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                for spec in tensor_specs(node):
                    assert all(isinstance(size, int) for size in spec.shape), (
                        f"{node.name} keeps symbolic sizes"
                    )


class ConstraintBasedSymShapeEvalPass(_EvalPass):
    """Upper bounds from the value ranges of the program's symbols. The default.

    Raises:
        UnboundedShapeError: a size has no upper bound; the message lists all such values.
    """

    evaluate = staticmethod(upper_bound)


class HintBasedSymShapeEvalPass(_EvalPass):
    """Sizes of the example inputs, whatever the ranges say. Larger inputs are then refused at run time.

    Sizes that the data decide have no example: they count with their upper bounds.

    Raises:
        UnboundedShapeError: the data decide a size, and nothing bounds it.
    """

    evaluate = staticmethod(example_or_bound)


#: The names used in the documentation's prose.
ValueRangeBasedSymShapeEval = ConstraintBasedSymShapeEvalPass
HintBasedSymShapeEval = HintBasedSymShapeEvalPass

__all__ = [
    "ConstraintBasedSymShapeEvalPass",
    "HintBasedSymShapeEval",
    "HintBasedSymShapeEvalPass",
    "ValueRangeBasedSymShapeEval",
    "upper_bound",
]
