"""ATen to edge: the stages of :data:`EDGE`, and what they are made of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload, aten_op
from executorch.dialects.errors import OperatorNotSupportedError, Problems
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import (
    DialectRules,
    UncheckedEdgeVerifier,
    edge_verifier,
    verify_aten_graph,
    verify_edge_graph,
)
from executorch.exir.capture._config import EdgeCompileConfig
from executorch.exir.stages import Asked, Form, Pipeline, ProgramStep, Stage
from executorch.ir.clone import clone_program, replace_parts
from executorch.ir.views import VIEW_TO_COPY
from executorch.passes.decomposition.decompose import decompose
from executorch.passes.infrastructure.functional_forms import is_view
from executorch.passes.quantized.quantized_embeddings import is_quantized_table
from executorch.passes.to_edge.debug_handle_generator_pass import DebugHandleGeneratorPass
from executorch.passes.to_edge.edge_ops_pass import EdgeOpsPass
from executorch.passes.to_edge.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.to_edge.lift_constants_pass import LiftConstantsPass
from executorch.passes.to_edge.memory_format_ops_pass import MemoryFormatOpsPass
from executorch.passes.to_edge.remove_graph_asserts_pass import RemoveGraphAssertsPass
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass
from executorch.passes.to_edge.scalar_to_tensor_pass import ScalarToTensorPass
from executorch.passes.to_edge.type_promotion_pass import TypePromotionPass

NodeFilter = Callable[[Node], bool]

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


@dataclass(frozen=True)
class EdgeSettings:
    """What the stages of one method on its way to the edge dialect depend on.

    Attributes:
        config: see :class:`~executorch.exir.capture._config.EdgeCompileConfig`.
        preserved: operators not to decompose, besides those of ``config``.
    """

    config: EdgeCompileConfig = field(default_factory=EdgeCompileConfig)
    preserved: Preserved = field(default_factory=Preserved)

    @property
    def edge_config(self) -> EdgeCompileConfig:
        """How the program is lowered to the edge dialect, as the settings of later stages say it too."""
        return self.config

    @cached_property
    def rules(self) -> DialectRules:
        """The verification rules that follow."""
        return dialect_rules(self.config, self.preserved.filters)


def _refuse_kept_views(program: ExportedProgram, config: EdgeCompileConfig) -> None:
    wanted = VIEW_TO_COPY.keys() & set(config.preserve_ops)
    problems = Problems("Views cannot be kept whole, because values of the edge dialect share no memory")
    for node in program.graph.nodes:
        if node.op == "call_function" and node.target in wanted:
            problems.add(node, f"becomes {VIEW_TO_COPY[node.target]}")
    if problems:
        raise OperatorNotSupportedError(
            problems.message("leave these operators out of EdgeCompileConfig(preserve_ops=[...])")
        )


def _verified_aten(program: ExportedProgram, settings: EdgeSettings) -> ExportedProgram:
    if settings.config._check_ir_validity:
        verify_aten_graph(program.graph_module, settings.rules)
    return program


def _verified_edge(program: ExportedProgram, settings: Any) -> ExportedProgram:
    return as_edge_program(program, settings.edge_config, settings.rules)


def _core_aten(settings: EdgeSettings) -> Sequence[Any]:
    # Views that are made of others (reshape, narrow) are taken apart, as released; the others were refused.
    always = frozenset(op for op in settings.config.preserve_ops if not is_view(op))
    kept = settings.preserved

    def choose(node: Node) -> bool:
        return node.target not in always and not kept.keeps(node)

    return [ProgramStep(decompose, [*always, *kept.filters], choose), RemoveGraphAssertsPass()]


#: What ``torch.export`` gives; torch's own verifier has seen it.
CAPTURED = Form("captured")
#: Functional, core ATen operators and those that stay whole.
ATEN = Form("core ATen", _verified_aten)
#: The edge dialect, with the operators that partitioners want whole.
EDGE_DIALECT = Form("edge", _verified_edge)

EDGE = Pipeline(
    "to_edge",
    (
        Stage(
            "decompose",
            _core_aten,
            CAPTURED,
            ATEN,
            leaves="a functional program of core ATen operators, without assertions",
        ),
        Stage(
            "identities",
            lambda settings: [RemoveNoopPass()],
            leaves="no identities, no casts to the own type",
        ),
        Stage(
            "scalars",
            lambda settings: [ScalarToTensorPass()],
            leaves="rank-0 tensors for numbers in tensor places",
        ),
        Stage("constants", lambda settings: [LiftConstantsPass()], leaves="constants as inputs of the graph"),
        Stage(
            "type promotion",
            lambda settings: [TypePromotionPass()],
            when=Asked("_skip_type_promotion", off=True),
            leaves="equal element types at elementwise operators",
        ),
        Stage(
            "views",
            lambda settings: [FunctionalizeViewsPass()],
            leaves="no views; every value contiguous or channels-last",
        ),
        Stage(
            "dim orders",
            lambda settings: [MemoryFormatOpsPass()],
            when=Asked("_skip_dim_order", off=True),
            leaves="dim orders in place of memory formats",
        ),
        Stage(
            "edge operators",
            lambda settings: [EdgeOpsPass()],
            when=Asked("_use_edge_ops"),
            leaves="edge operators as targets, edge names on the nodes",
        ),
        Stage(
            "debug handles",
            lambda settings: [DebugHandleGeneratorPass()],
            ensures=EDGE_DIALECT,
            leaves="a number on every operator",
        ),
    ),
)


def to_edge_dialect(
    programs: Mapping[str, ExportedProgram], settings: Mapping[str, EdgeSettings]
) -> dict[str, ExportedProgram]:
    """New programs in the edge dialect by method; ``programs`` are left alone, weights are shared.

    Raises:
        SpecViolationError: a program has operators or element types that the dialect lacks.
        OperatorNotSupportedError: ``preserve_ops`` names a view that a program has.
    """
    if not programs:
        return {}
    for name, program in programs.items():
        _refuse_kept_views(program, settings[name].config)
    config = next(iter(settings.values())).config
    return (config.pipeline or EDGE).ending_in(EDGE_DIALECT).run(programs, settings, CAPTURED)


def decompose_leftovers(
    program: ExportedProgram, config: EdgeCompileConfig, preserved: Preserved, tables: bool = True
) -> ExportedProgram:
    """Decomposes what was kept whole for partitioners but went to none of them; gives ``program`` if that is nothing.

    Args:
        program: in the edge dialect; left alone.
        config: what must stay whole.
        preserved: the operators in question.
        tables: also those in front of embeddings of quantized tables, which can be fused later.
    """
    always = frozenset(config.preserve_ops)

    def is_leftover(node: Node) -> bool:
        op = aten_op(node.target)
        return op in preserved.filters and op not in always and (tables or not is_quantized_table(node))

    if not any(is_leftover(node) for node in program.graph.nodes if node.op == "call_function"):
        return program
    program = clone_program(program)
    for node in program.graph.nodes:
        if node.op == "call_function" and is_leftover(node) and isinstance(node.target, EdgeOpOverload):
            node.target = node.target._op
    program = decompose(program, always, is_leftover)
    RemoveGraphAssertsPass()(program.graph_module)
    # The stages behind the decomposition also take programs that are partly in the dialect. Whoever asks for this is a
    # stage itself, whose border is where the result is checked.
    programs, settings = {"": program}, {"": EdgeSettings(config)}
    for stage in (config.pipeline or EDGE).after("decompose"):
        programs, _ = stage.apply(programs, settings)
    return programs[""]


__all__: Sequence[str] = (
    "ATEN",
    "CAPTURED",
    "EDGE",
    "EDGE_DIALECT",
    "EdgeSettings",
    "Preserved",
    "as_edge_program",
    "decompose_leftovers",
    "dialect_rules",
    "to_edge_dialect",
)
