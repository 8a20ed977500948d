"""ATen to edge, stage by stage.

===================  ============================================================================
stage                what it leaves behind
===================  ============================================================================
decompose            a functional program of core ATen operators
verify ATen          (a check)
clean up             no assertions, identities, or casts to the own type
scalars              numbers in tensor places are rank-0 tensors, constants lifted
type promotion       elementwise operators see equal element types
layout               no views; every value contiguous or channels-last
edge operators       edge targets, edge names, dim orders in place of memory formats
debug handles        every operator numbered
verify edge          (a check)
===================  ============================================================================
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload, aten_op
from executorch.dialects.verifiers import (
    DialectRules,
    UncheckedEdgeVerifier,
    edge_verifier,
    verify_aten_graph,
    verify_edge_graph,
)
from executorch.exir.capture._config import EdgeCompileConfig
from executorch.exir.progress import step
from executorch.ir.clone import clone_program, replace_parts
from executorch.ir.signature import sync_signature
from executorch.passes.debug_handle_generator_pass import DebugHandleGeneratorPass
from executorch.passes.decompose import decompose
from executorch.passes.edge_ops_pass import EdgeOpsPass
from executorch.passes.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.lift_constants_pass import LiftConstantsPass
from executorch.passes.memory_format_ops_pass import MemoryFormatOpsPass
from executorch.passes.pass_manager import ExportedProgramPassManager
from executorch.passes.quantized_embeddings import is_quantized_table
from executorch.passes.remove_graph_asserts_pass import RemoveGraphAssertsPass
from executorch.passes.remove_noop_pass import RemoveNoopPass
from executorch.passes.scalar_to_tensor_pass import ScalarToTensorPass
from executorch.passes.type_promotion_pass import TypePromotionPass

NodeFilter = Callable[[Node], bool]

#: Steps of :func:`aten_to_edge` that a progress bar counts.
STEPS = 4


_CONVERSIONS = frozenset(
    f"torchao::{name}" for name in ("choose_qparams_affine", "dequantize_affine", "quantize_affine")
)


@dataclass(frozen=True)
class Preserved:
    """Operators that partitioners want whole.

    Attributes:
        filters: operator to the conditions under which a node of it stays whole (one of them is enough).
    """

    filters: dict[OpOverload, list[NodeFilter]] = field(default_factory=dict)

    @classmethod
    def asked_by(cls, partitioners: Iterable[Any], program: ExportedProgram) -> "Preserved":
        """Collects ``ops_to_not_decompose`` of all partitioners for ``program``."""
        filters: dict[OpOverload, list[NodeFilter]] = {}
        for partitioner in partitioners:
            ops, accepts = partitioner.ops_to_not_decompose(program)
            for op in ops:
                filters.setdefault(op, []).append(accepts or (lambda node: True))
        return cls(filters)

    @classmethod
    def conversions(cls, program: ExportedProgram) -> "Preserved":
        """torchao's conversions, which backends look for; what none takes is decomposed for the run time."""
        called = {aten_op(node.target) for node in program.graph.nodes if node.op == "call_function"}
        found = [op for op in called if op is not None and op._schema.name in _CONVERSIONS]
        return cls({op: [lambda node: True] for op in sorted(found, key=str)})

    def with_tables(self, program: ExportedProgram) -> "Preserved":
        """These, and the conversion in front of embeddings of tables that torchao quantized."""
        filters = {op: list(accepts) for op, accepts in self.filters.items()}
        for node in program.graph.nodes:
            op = aten_op(node.target) if is_quantized_table(node) else None
            if op is not None and is_quantized_table not in filters.setdefault(op, []):
                filters[op].append(is_quantized_table)
        return Preserved(filters)

    def keeps(self, node: Node) -> bool:
        op = aten_op(node.target)
        return op is not None and any(accepts(node) for accepts in self.filters.get(op, ()))


def dialect_rules(config: EdgeCompileConfig, extra: Iterable[OpOverload] = ()) -> DialectRules:
    """The verification rules that follow from ``config``; ``extra`` operators are allowed too."""
    return DialectRules(
        exceptions=frozenset([*config._core_aten_ops_exception_list, *config.preserve_ops, *extra]),
        check_dtypes=not config._skip_type_promotion,
        dim_order=not config._skip_dim_order,
    )


def aten_to_edge(
    program: ExportedProgram, config: EdgeCompileConfig, preserved: "Preserved | None" = None
) -> ExportedProgram:
    """A new program in the edge dialect; ``program`` is left alone, weights are shared.

    Args:
        program: as ``torch.export.export`` gives it.
        config: see :class:`~executorch.exir.capture._config.EdgeCompileConfig`.
        preserved: operators not to decompose, besides those of ``config``.

    Raises:
        SpecViolationError: the program has operators or element types that the dialect lacks.
    """
    kept = preserved or Preserved()
    always = frozenset(config.preserve_ops)

    def choose(node: Node) -> bool:
        return node.target not in always and not kept.keeps(node)

    step("decompose")
    program = decompose(program, [*always, *kept.filters], choose)
    rules = dialect_rules(config, kept.filters)
    step("verify ATen")
    if config._check_ir_validity:
        RemoveGraphAssertsPass()(program.graph_module)
        verify_aten_graph(program.graph_module, rules)
    step("edge passes")
    program = _into_edge_dialect(program, config)
    step("verify edge")
    return as_edge_program(program, config, rules)


def _into_edge_dialect(program: ExportedProgram, config: EdgeCompileConfig) -> ExportedProgram:
    """The stages between the two checks; works in place, also on programs that are partly in the dialect."""
    passes: list[Any] = [
        RemoveGraphAssertsPass(),
        RemoveNoopPass(),
        ScalarToTensorPass(),
        LiftConstantsPass(),
    ]
    if not config._skip_type_promotion:
        passes.append(TypePromotionPass())
    passes.append(FunctionalizeViewsPass())
    if not config._skip_dim_order:
        passes.append(MemoryFormatOpsPass())
    if config._use_edge_ops:
        passes.append(EdgeOpsPass())
    passes.append(DebugHandleGeneratorPass())
    program = ExportedProgramPassManager(passes)(program).exported_program
    sync_signature(program)
    return program


def decompose_leftovers(
    program: ExportedProgram, config: EdgeCompileConfig, preserved: Preserved, tables: bool = True
) -> ExportedProgram:
    """Decomposes what was kept whole for partitioners but went to none of them.

    Args:
        program: in the edge dialect.
        config: what must stay whole, and what verification accepts.
        preserved: the operators in question.
        tables: also those in front of embeddings of quantized tables, which can be fused later.
    """
    always = frozenset(config.preserve_ops)

    def is_leftover(node: Node) -> bool:
        op = aten_op(node.target)
        return op in preserved.filters and op not in always and (tables or not is_quantized_table(node))

    if not any(is_leftover(node) for node in program.graph.nodes if node.op == "call_function"):
        return as_edge_program(program, config)
    program = clone_program(program)
    for node in program.graph.nodes:
        if node.op == "call_function" and is_leftover(node) and isinstance(node.target, EdgeOpOverload):
            node.target = node.target._op
    program = decompose(program, always, is_leftover)
    return as_edge_program(_into_edge_dialect(program, config), config)


def as_edge_program(
    program: ExportedProgram, config: EdgeCompileConfig, rules: "DialectRules | None" = None
) -> ExportedProgram:
    """``program`` verified as an edge program and marked as one.

    Raises:
        SpecViolationError: it breaks a rule of the dialect, and ``config`` asks for the check.
    """
    rules = rules or dialect_rules(config)
    if not (config._check_ir_validity and config._use_edge_ops):
        return replace_parts(program, verifiers=[UncheckedEdgeVerifier])
    verify_edge_graph(program.graph_module, rules)
    return replace_parts(program, verifiers=[edge_verifier(rules)])


__all__: Sequence[str] = (
    "STEPS",
    "Preserved",
    "as_edge_program",
    "aten_to_edge",
    "decompose_leftovers",
    "dialect_rules",
)
