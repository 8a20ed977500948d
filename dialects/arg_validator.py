"""Runs a graph and notes which edge operators saw element types outside their constraints.

Where the verifier reads the example values that stages leave on nodes, this runs the graph on given inputs.
Documented path: ``executorch.exir.verification.arg_validator``.
"""

from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node

from executorch.dialects.dtype_constraints import ALL_DTYPES
from executorch.dialects.dtype_sets import SHORT_FLOATS
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.torch_types import HigherOrderOperator


class RunHigherOrderOperatorError(Exception):
    """The graph has control flow or a delegate, whose insides this does not run."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class EdgeOpArgValidator(Interpreter):
    """Runs an edge graph: ``EdgeOpArgValidator(graph_module).run(*inputs)``.

    Attributes:
        violating_ops: edge operator to the element types that it was given outside its constraints, by argument
            name and ``__ret_<i>`` (None for an optional tensor that was left out), and the node that gave them.
            Empty when all is well.
    """

    def __init__(self, graph_module: GraphModule) -> None:
        super().__init__(graph_module)
        self.violating_ops: dict[EdgeOpOverload, tuple[dict[str, torch.dtype | None], Node]] = {}
        self._node: Node | None = None

    def run_node(self, n: Node) -> Any:
        if isinstance(n.target, HigherOrderOperator):
            raise RunHigherOrderOperatorError(
                f"cannot run {n.target} of node {n.name}; validate its graphs one by one"
            )
        self._node = n
        return super().run_node(n)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = super().call_function(target, args, kwargs)
        if isinstance(target, EdgeOpOverload):
            dtypes = _argument_dtypes(target, args, kwargs) | _result_dtypes(result)
            given = {name: dtype for name, dtype in dtypes.items() if dtype is not None}
            if _is_judged(target, given) and not target._schema.dtype_constraint.validate(given):
                self.violating_ops[target] = (dtypes, self._node)  # type: ignore[assignment]
        return result


def _is_judged(op: EdgeOpOverload, given: "dict[str, torch.dtype]") -> bool:
    """False of operators and of real types that the table does not know; complex ones no operator takes."""
    known = ALL_DTYPES | SHORT_FLOATS
    return op._schema.constraint is not None and all(
        dtype in known or dtype.is_complex for dtype in given.values()
    )


def _argument_dtypes(
    op: EdgeOpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> "dict[str, torch.dtype | None]":
    dtypes: dict[str, torch.dtype | None] = {}
    for position, arg in enumerate(op._op._schema.arguments):
        if "Tensor" not in str(arg.type):
            continue
        value = args[position] if position < len(args) else kwargs.get(arg.name)
        dtypes[arg.name] = _dtype_of(value)
    return dtypes


def _result_dtypes(result: Any) -> "dict[str, torch.dtype | None]":
    results = result if isinstance(result, tuple) else (result,)
    return {
        f"__ret_{index}": dtype
        for index, item in enumerate(results)
        if (dtype := _dtype_of(item)) is not None
    }


def _dtype_of(value: Any) -> "torch.dtype | None":
    if isinstance(value, (list, tuple)):
        return next((item.dtype for item in value if isinstance(item, torch.Tensor)), None)
    return value.dtype if isinstance(value, torch.Tensor) else None


__all__ = ["EdgeOpArgValidator", "RunHigherOrderOperatorError"]
