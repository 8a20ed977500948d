"""Verifiers of the three forms a program goes through: ATen, edge, execution.

Each ``verify_*`` function reads a whole graph with its control-flow bodies and raises one
:class:`~executorch.dialects.errors.SpecViolationError` that lists every node that breaks a rule. The rules are
the functions below them, one a rule.
"""

import functools
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch._export.verifier import _VerifierMeta
from torch.fx import GraphModule, Node

from executorch.dialects import memory, meta_keys
from executorch.dialects.dim_order_ops import MEMORY_FORMAT_OP_TO_DIM_ORDER_OP
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.errors import ExportErrorType, Problems, SpecViolationError
from executorch.dialects.execution_rules import EXECUTION_RULES
from executorch.dialects.kernel_ops import KERNEL_OPS
from executorch.dialects.torch_types import HigherOrderOperator, OpOverload, Verifier

_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
_NUMBER = (bool, int, float)
_PRINTING_LIMIT = 3


@dataclass(frozen=True)
class DialectRules:
    """What a program may contain beyond the dialect's own operators, and which checks are on.

    Attributes:
        exceptions: overloads outside core ATen that are allowed all the same.
        check_dtypes: compare element types with the constraint table.
        dim_order: memory formats must have been restated as dim orders.
    """

    exceptions: frozenset[OpOverload] = frozenset()
    check_dtypes: bool = True
    dim_order: bool = True


def graph_modules(root: GraphModule) -> Iterator[GraphModule]:
    """``root`` and the control-flow bodies inside it; not the insides of delegates."""
    yield root
    for node in root.graph.nodes:
        if node.op == "get_attr":
            child = _attribute(root, node.target)
            if isinstance(child, GraphModule):
                yield from graph_modules(child)


def _attribute(root: Any, path: str) -> Any:
    for name in path.split("."):
        root = getattr(root, name, None)
    return root


def returns_tensor(op: OpOverload) -> bool:
    """True when any result of ``op`` is or contains a tensor."""
    return any("Tensor" in str(ret.type) for ret in op._schema.returns)


def _run(root: GraphModule, headline: str, way_out: str, rules: list[Callable[[Node], "str | None"]]) -> None:
    problems = Problems(headline)
    for module in graph_modules(root):
        for node in module.graph.nodes:
            if node.op in ("call_module", "call_method"):
                problems.add(
                    node, f"{node.op} nodes are not allowed; a program is one flat graph of functions"
                )
                continue
            if node.op == "get_attr":
                reason = _get_attr_rule(module, node)
                if reason:
                    problems.add(node, reason)
                continue
            for rule in rules:
                reason = rule(node)
                if reason:
                    problems.add(node, reason)
    problems.raise_if_any(way_out)


def _get_attr_rule(module: GraphModule, node: Node) -> "str | None":
    value = _attribute(module, str(node.target))
    if isinstance(value, torch.nn.Module):
        return None
    return (
        f"get_attr may only name a submodule (control flow or a delegate), not a {type(value).__name__}; "
        "data must be lifted to a placeholder"
    )


# ---- ATen -----------------------------------------------------------------------------------------------------


def verify_aten_graph(root: GraphModule, rules: "DialectRules | None" = None) -> None:
    """Raises unless ``root`` is a functional graph of core ATen operators, control flow and custom operators."""
    rules = rules or DialectRules()
    _run(
        root,
        "The program is not in the core ATen dialect",
        "rewrite the model with supported operators, let them decompose, register them as custom operators with an "
        "out variant, or, if a kernel or backend of yours takes them as they are, name them in "
        "EdgeCompileConfig(preserve_ops=[...])",
        [_value_rule, _aten_target_rule(rules)],
    )


def _value_rule(node: Node) -> "str | None":
    if node.op not in ("placeholder", "call_function") or meta_keys.VAL in node.meta:
        return None
    if isinstance(node.target, (OpOverload, EdgeOpOverload)) and not node.target._schema.returns:
        return None
    return "has no example value (meta['val']), so neither its shape nor its type is known"


def is_core(op: OpOverload, exceptions: "frozenset[OpOverload]" = frozenset()) -> bool:
    """True for core ATen operators, those of ``KERNEL_OPS``, operators outside ATen, and ``exceptions``."""
    if op.namespace not in ("aten", "prim") or op in exceptions or torch.Tag.core in op.tags:
        return True
    return not returns_tensor(op) or op in _CORE_COUNTERPARTS or op in KERNEL_OPS


_DIM_ORDER_OPS = frozenset(MEMORY_FORMAT_OP_TO_DIM_ORDER_OP.values())

#: Operators that stand for a core operator: copies in place of views, and what export itself inserts.
_CORE_COUNTERPARTS = frozenset(
    {
        torch.ops.aten._conj_physical.default,
        torch.ops.aten._fft_c2c.default,  # core between real and complex
        torch.ops.aten._upsample_bilinear2d_aa.default,  # core without antialiasing
        torch.ops.aten.alias_copy.default,
        torch.ops.aten.as_strided_copy.default,
        torch.ops.aten.bitwise_left_shift.Tensor,  # core are the other bitwise operators
        torch.ops.aten.bitwise_left_shift.Tensor_Scalar,
        torch.ops.aten.bitwise_right_shift.Tensor,
        torch.ops.aten.bitwise_right_shift.Tensor_Scalar,
        torch.ops.aten.complex.default,
        torch.ops.aten.detach_copy.default,
        torch.ops.aten.diagonal_copy.default,
        torch.ops.aten.expand_copy.default,
        torch.ops.aten.histc.default,  # how many tokens each expert gets
        torch.ops.aten.max.default,  # core with a dimension
        torch.ops.aten.min.default,
        torch.ops.aten.lift_fresh_copy.default,
        torch.ops.aten.permute_copy.default,
        torch.ops.aten.select_copy.int,
        torch.ops.aten.slice_copy.Tensor,
        torch.ops.aten.split_copy.Tensor,
        torch.ops.aten.split_with_sizes_copy.default,
        torch.ops.aten.squeeze_copy.default,
        torch.ops.aten.squeeze_copy.dim,
        torch.ops.aten.squeeze_copy.dims,
        torch.ops.aten.t_copy.default,
        torch.ops.aten.transpose_copy.int,
        torch.ops.aten.unbind_copy.int,
        torch.ops.aten.unfold_copy.default,
        torch.ops.aten.unsqueeze_copy.default,
        torch.ops.aten.view_as_complex_copy.default,
        torch.ops.aten.view_as_real_copy.default,
        torch.ops.aten.view_copy.default,
        torch.ops.aten.view_copy.dtype,
        torch.ops.aten.split_with_sizes.default,
        torch.ops.aten.unbind.int,
        torch.ops.aten.unfold.default,
        torch.ops.aten.view_as_complex.default,
        torch.ops.aten.view_as_real.default,
        torch.ops.aten.lift_fresh_copy.default,
        torch.ops.aten.detach.default,
        torch.ops.aten.detach_.default,
        torch.ops.aten.alias.default,
        torch.ops.aten.lift_fresh.default,
        torch.ops.aten.scalar_tensor.default,
        torch.ops.aten.copy.default,
    }
)


def _aten_target_rule(rules: DialectRules) -> Callable[[Node], "str | None"]:
    def rule(node: Node) -> "str | None":
        target = node.target
        if node.op != "call_function":
            return None
        if isinstance(target, OpOverload):
            if target._schema.is_mutable:
                return f"changes its arguments ({target._schema}); the graph must be functional"
            return None if is_core(target, rules.exceptions) else "is not a core ATen operator"
        return _scalar_function_rule(target)

    return rule


def _scalar_function_rule(target: Any) -> "str | None":
    if isinstance(target, (HigherOrderOperator, types.BuiltinFunctionType)):
        return None
    if target is memory.alloc:  # Work space that a backend's pass gives to a kernel.
        return None
    module = getattr(target, "__module__", "") or ""
    if module in ("math", "_operator", "operator", "torch") or module.startswith("torch.fx.experimental"):
        return None
    return "is neither an operator with a schema nor arithmetic on numbers"


# ---- edge -----------------------------------------------------------------------------------------------------


def verify_edge_graph(root: GraphModule, rules: "DialectRules | None" = None) -> None:
    """Raises unless ``root`` is a valid graph of the edge dialect."""
    rules = rules or DialectRules()
    checks: list[Callable[[Node], str | None]] = [
        _value_rule,
        _edge_target_rule(rules),
        _scalar_argument_rule,
    ]
    if rules.dim_order:
        checks.append(_memory_format_rule)
    if rules.check_dtypes:
        checks.append(_dtype_rule)
    _run(
        root,
        "The program is not in the edge dialect",
        "if your own pass made these nodes, use executorch.exir.dialects._ops.ops.edge.* operators on tensors of the "
        "listed types; to let a program pass unchecked use EdgeCompileConfig(_check_ir_validity=False)",
        checks,
    )


def verify_dtypes(root: GraphModule) -> None:
    """Raises unless the edge operators of ``root`` have element types that the constraint table allows."""
    _run(
        root,
        "The program has edge operators with mismatched dtypes",
        "convert the tensors to one of the listed types",
        [_dtype_rule],
    )


def verify_memory_formats(root: GraphModule) -> None:
    """Raises if operators of ``root`` have dim orders: of a program that was lowered to keep memory formats."""
    _run(
        root,
        "The program has dim orders where memory formats are expected",
        "lower and verify with the same EdgeCompileConfig(_skip_dim_order=...)",
        [_dim_order_rule],
    )


def _edge_target_rule(rules: DialectRules) -> Callable[[Node], "str | None"]:
    def rule(node: Node) -> "str | None":
        target = node.target
        if node.op != "call_function":
            return None
        if isinstance(target, OpOverload):
            if returns_tensor(target):
                return f"is not an edge operator; use ops.edge.{target.namespace}.{target.__name__}"
            return None
        if not isinstance(target, EdgeOpOverload):
            return _scalar_function_rule(target)
        return edge_operator_problem(target, rules)

    return rule


def edge_operator_problem(op: EdgeOpOverload, rules: DialectRules) -> "str | None":
    """Why an edge operator has no place in an edge program; None for one that has."""
    if op._schema.is_mutable:
        return f"changes its arguments ({op._schema}); the graph must be functional"
    if _is_alias(op._op):
        return "returns a view of its argument; use the operator that copies (view_copy, slice_copy ...)"
    return None if is_core(op._op, rules.exceptions) else "is not a core ATen operator"


def _is_alias(op: OpOverload) -> bool:
    return any(ret.alias_info is not None for ret in op._schema.returns)


def _scalar_argument_rule(node: Node) -> "str | None":
    if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
        return None
    for arg, value in bound_arguments(node):
        if str(arg.type) in ("Tensor", "Optional[Tensor]") and isinstance(value, (*_NUMBER, *_SYMBOLIC)):
            return f"argument {arg.name!r} is the number {value}, which must be a tensor in the edge dialect"
    return None


def _memory_format_rule(node: Node) -> "str | None":
    if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
        return None
    counterpart = MEMORY_FORMAT_OP_TO_DIM_ORDER_OP.get(node.target._op)
    if counterpart is None:
        return None
    return f"names a memory format; the edge dialect says it with a dim order ({counterpart})"


def _dim_order_rule(node: Node) -> "str | None":
    if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
        return None
    if node.target._op not in _DIM_ORDER_OPS:
        return None
    return "has a dim order, and the program keeps memory formats (_skip_dim_order=True)"


def _dtype_rule(node: Node) -> "str | None":
    if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
        return None
    constraint = node.target._schema.constraint
    if constraint is None:
        return None
    dtypes = node_dtypes(node)
    if constraint.accepts(dtypes):
        return None
    shown = ", ".join(f"{name}={str(dtype).removeprefix('torch.')}" for name, dtype in dtypes.items())
    rows = [
        "{" + ", ".join(f"{name}: {_names(row[name])}" for name in dtypes if name in row) + "}"
        for row in constraint.rows[:_PRINTING_LIMIT]
    ]
    more = len(constraint.rows) - _PRINTING_LIMIT
    return f"element types {shown} are not allowed; allowed: {', '.join(rows)}" + (
        f" and {more} more" * (more > 0)
    )


def _names(dtypes: "frozenset[torch.dtype]") -> str:
    return "|".join(sorted(str(dtype).removeprefix("torch.") for dtype in dtypes))


def bound_arguments(node: Node) -> Iterator[tuple[Any, Any]]:
    """Pairs of schema argument and the value ``node`` passes for it; arguments left to their default are absent."""
    schema = node.target._schema  # type: ignore[union-attr]
    schema = getattr(schema, "_schema", schema)
    for position, arg in enumerate(schema.arguments):
        if position < len(node.args) and not arg.kwarg_only:
            yield arg, node.args[position]
        elif arg.name in node.kwargs:
            yield arg, node.kwargs[arg.name]


def node_dtypes(node: Node) -> dict[str, torch.dtype]:
    """Element types of a node's tensor arguments by name, and of its results as ``__ret_<i>``.

    A ``Tensor[]`` counts with its first tensor whose type differs from the rest, or its first.
    """
    dtypes: dict[str, torch.dtype] = {}
    for arg, value in bound_arguments(node):
        found = _dtypes_of(value)
        if found:
            dtypes[arg.name] = next((dtype for dtype in found if dtype != found[0]), found[0])
    result = node.meta.get(meta_keys.VAL)
    results = result if isinstance(result, tuple) else (result,)
    for index, value in enumerate(results):
        tensor = value[0] if isinstance(value, list) and value else value
        if isinstance(tensor, torch.Tensor):
            dtypes[f"__ret_{index}"] = tensor.dtype
    return dtypes


def _dtypes_of(value: Any) -> list[torch.dtype]:
    if isinstance(value, (list, tuple)):
        return [dtype for item in value for dtype in _dtypes_of(item)]
    example = value.meta.get(meta_keys.VAL) if isinstance(value, Node) else None
    return [example.dtype] if isinstance(example, torch.Tensor) else []


class RegisteredOnce(_VerifierMeta):
    """Torch finds verifiers by their dialect, and takes the class that was made last. Here the first one stays."""

    def __new__(metacls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> Any:
        if attrs.get("dialect", "EDGE") in metacls._registry:
            return type.__new__(metacls, name, bases, attrs)
        return super().__new__(metacls, name, bases, attrs)  # type: ignore[no-untyped-call]


class UncheckedEdgeVerifier(Verifier, metaclass=RegisteredOnce):
    """Edge form that nobody checks: the user asked for that, or it comes from a file, where the rules do not stand."""

    dialect = "EDGE"

    def allowed_op_types(self) -> tuple[type, ...]:
        return (
            EdgeOpOverload,
            OpOverload,
            HigherOrderOperator,
            types.FunctionType,
            types.BuiltinFunctionType,
        )


class EdgeVerifier(UncheckedEdgeVerifier):
    """The edge rules as torch's ``ExportedProgram`` wants them; ``ExportedProgram.dialect`` is then ``EDGE``."""

    dialect = "EDGE"
    rules = DialectRules()

    def check_additional(self, gm: GraphModule) -> None:
        verify_edge_graph(gm, self.rules)


@functools.cache
def _verifier_of(rules: DialectRules) -> type[Verifier]:
    return type("EdgeVerifier", (EdgeVerifier,), {"dialect": "EDGE", "rules": rules, "__module__": __name__})


def edge_verifier(rules: DialectRules) -> type[Verifier]:
    """The verifier class with ``rules``; one for equal rules."""
    return EdgeVerifier if rules == EdgeVerifier.rules else _verifier_of(rules)


# ---- execution ------------------------------------------------------------------------------------------------


def verify_execution_graph(root: GraphModule) -> None:
    """Raises unless ``root`` is in the execution form (see :mod:`executorch.dialects.execution`)."""
    _run(
        root,
        "The program is not in execution form",
        "passes after to-out-variant may only move values and specs, not add operators that allocate their results",
        list(EXECUTION_RULES),
    )


__all__ = [
    "DialectRules",
    "EdgeVerifier",
    "ExportErrorType",
    "RegisteredOnce",
    "SpecViolationError",
    "UncheckedEdgeVerifier",
    "bound_arguments",
    "edge_operator_problem",
    "edge_verifier",
    "graph_modules",
    "is_core",
    "node_dtypes",
    "returns_tensor",
    "verify_aten_graph",
    "verify_dtypes",
    "verify_edge_graph",
    "verify_execution_graph",
    "verify_memory_formats",
]
