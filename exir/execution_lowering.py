"""Edge to the execution form with a memory plan: the stages of :data:`EXECUTION`, and what they are made of."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram

from executorch.dialects.errors import ExportErrorType, PassError
from executorch.dialects.verifiers import (
    DialectRules,
    UncheckedEdgeVerifier,
    graph_modules,
    verify_execution_graph,
)
from executorch.exir.capture._config import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    PropagateDeviceConfig,
)
from executorch.exir.edge_lowering import EDGE_DIALECT, Preserved, decompose_leftovers, dialect_rules
from executorch.exir.shared_buffers import with_shared_buffers
from executorch.exir.stages import Asked, Form, JointStage, Pipeline, ProgramStep, Stage
from executorch.ir.clone import clone_program, copy_graph_module, copy_signature, replace_parts
from executorch.ir.signature import constant_values, sync_signature
from executorch.ir.values import fill_missing_values
from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, run_pass
from executorch.passes.infrastructure.pass_manager import (
    ExportedProgramPassManager,
    PassManager,
    flatten_passes,
    pass_name,
)
from executorch.passes.optimization.constant_prop_pass import ConstantPropPass
from executorch.passes.optimization.external_constants_pass import (
    external_constants_pass,
    external_mutable_weights_pass,
)
from executorch.passes.optimization.fuse_batch_norm_pass import FuseBatchNormPass
from executorch.passes.optimization.fuse_linear_pass import FuseLinearPass
from executorch.passes.optimization.keep_weights_pass import KeepWeightsPass
from executorch.passes.optimization.remove_unused_parameters_pass import RemoveUnusedParametersPass
from executorch.passes.quantized.quant_fusion_pass import (
    fuse_quantized_embeddings,
    lift_inner_tensors,
    look_up_integers,
    quant_fusion_and_const_prop_pass,
)
from executorch.passes.to_edge.edge_ops_pass import EdgeToAtenPass
from executorch.passes.to_edge.lift_constants_pass import lift_tensor_attributes
from executorch.passes.to_edge.remove_graph_asserts_pass import RemoveGraphAssertsPass
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass
from executorch.passes.to_execution.delegate_results_pass import DelegateResultsPass
from executorch.passes.to_execution.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from executorch.passes.to_execution.legalize_portable_dim_order_pass import LegalizePortableDimOrderPass
from executorch.passes.to_execution.loop_results_pass import LoopResultsPass
from executorch.passes.to_execution.propagate_device_pass import PropagateDevicePass
from executorch.passes.to_execution.reinplace import DEFAULT_INPLACEABLE_OPS, ReinplacePass
from executorch.passes.to_execution.replace_edge_with_backend_pass import EdgeToBackendOpsPass
from executorch.passes.to_execution.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from executorch.passes.to_execution.restore_mutating_ops_pass import RestoreMutatingOpsPass
from executorch.passes.to_execution.spec_prop_pass import (
    SpecPropPass,
    describe_output,
    update_placeholder_specs,
)
from executorch.passes.to_execution.weights_to_outputs_pass import weights_to_outputs_pass


def run_user_passes(program: ExportedProgram, passes: Any) -> ExportedProgram:
    """The program after a caller's passes, with its signature renamed; the graph of ``program`` is left alone.

    Args:
        program: whose tables (signature, weights, constants) a graph pass may edit in place: such passes are made with
            the manager's program, as in ``edge.transform([MyPass(edge.exported_program())])``. A pass with the program
            among its attributes gets the program's own graph, since it edits both together (new inputs, say).
        passes: graph passes and ``ExportedProgramPassBase``s in nested lists, or a ``PassManager``.

    Raises:
        PassError: a pass added or removed inputs or outputs.
    """
    if isinstance(passes, PassManager):
        return _run_graph_passes(program, passes) if passes.passes else program
    for over_program, group in itertools.groupby(flatten_passes(passes), _takes_program):
        if over_program:
            program = clone_program(program)
            for pass_ in group:
                program = pass_(program).exported_program
        else:
            program = _run_graph_passes(program, PassManager(list(group)))
    return program


def _takes_program(pass_: Any) -> bool:
    return isinstance(pass_, (ExportedProgramPassBase, ExportedProgramPassManager))


def _holds(pass_: Any, program: ExportedProgram) -> bool:
    return any(value is program for value in getattr(pass_, "__dict__", {}).values())


def _run_graph_passes(program: ExportedProgram, manager: PassManager) -> ExportedProgram:
    own = any(_holds(pass_, program) for pass_ in manager.passes)
    result = manager(program.graph_module if own else copy_graph_module(program.graph_module))
    for module in graph_modules(result.graph_module):
        fill_missing_values(module)
    # Only now: what a pass has written into the tables of `program` is part of the result.
    new = replace_parts(
        program,
        graph_module=result.graph_module,
        signature=copy_signature(program.graph_signature),
        state_dict=dict(program.state_dict),
        constants=dict(program.constants),
    )
    lift_tensor_attributes(new)
    try:
        sync_signature(new)
    except ValueError as error:
        names = ", ".join(pass_name(item) for item in manager.passes)
        raise PassError(
            ExportErrorType.VIOLATION_OF_SPEC,
            f"the passes {names} changed the interface of the method: {error}\nWay out: passes over a graph keep its "
            "inputs and outputs; one that adds constants derives from ExportedProgramPassBase",
        ) from error
    return new


def tag_external_constants(program: ExportedProgram, settings: "ExecutionSettings") -> None:
    """Marks the constants that go to ``.ptd`` files (in place)."""
    config = settings.config
    if config.external_constants:
        chooser = config.external_constants if callable(config.external_constants) else None
        external_constants_pass(program, chooser)
    elif config.external_mutable_weights:
        external_mutable_weights_pass(program.graph_module, program)


def plan_memory(programs: Mapping[str, ExportedProgram], config: ExecutorchBackendConfig) -> None:
    """Plans all methods (in place)."""
    planners = {
        name: for_method(config.memory_planning_pass, name, None) or MemoryPlanningPass() for name in programs
    }
    distinct = {id(planner): planner for planner in planners.values()}.values()
    try:
        for name, program in programs.items():
            planner = planners[name]
            if isinstance(planner, MemoryPlanningPass):
                planner.enable_non_cpu_memory_planning = config.enable_non_cpu_memory_planning
            if hasattr(planner, "run"):
                planner.run(program.graph_module, program.graph_signature)
            else:
                run_pass(planner, program.graph_module)
        for planner in distinct:
            if hasattr(planner, "run_multimethod"):
                planner.run_multimethod()
    finally:
        # A configuration is used again; what one of its planners has seen of a lowering that failed is not.
        for planner in distinct:
            if isinstance(planner, MemoryPlanningPass):
                planner.forget_methods()


def for_method(setting: Any, method_name: str, default: Any) -> Any:
    """What a setting says for a method: settings are either for all methods or a dictionary by name."""
    return setting.get(method_name, default) if isinstance(setting, dict) else setting


@dataclass(frozen=True)
class ExecutionSettings:
    """What the stages of one method on its way to the execution form depend on.

    Attributes:
        config: see :class:`~executorch.exir.capture._config.ExecutorchBackendConfig`.
        method: its name, for settings by method.
        edge_config: how it was lowered to the edge dialect.
    """

    config: ExecutorchBackendConfig = field(default_factory=ExecutorchBackendConfig)
    method: str = "forward"
    edge_config: EdgeCompileConfig = field(default_factory=EdgeCompileConfig)

    @property
    def rules(self) -> DialectRules:
        """What the edge program may contain."""
        return dialect_rules(self.edge_config)

    def chosen(self, setting: Any, default: Any = None) -> Any:
        """What a setting, for all methods or by name, says for this one."""
        return for_method(setting, self.method, default)


def _over(function: Callable[..., Any]) -> "Callable[[ExecutionSettings], Sequence[Any]]":
    """The passes of a stage that consists of a function of a program and the settings."""

    def passes(settings: ExecutionSettings) -> Sequence[Any]:
        return [ProgramStep(function, settings)]

    return passes


def _without_conversions(program: ExportedProgram, settings: ExecutionSettings) -> ExportedProgram:
    """Fuses what no backend took of torchao's conversions, if that is asked for, or decomposes it.

    Of torchao's tensors the program keeps the parts that it reads, as constants.
    """
    kept = Preserved.conversions(program)
    if kept.filters and settings.config.do_quant_fusion_and_const_prop:
        # Before external constants are tagged, so that packed tables go where the others went.
        fuse_quantized_embeddings(program)
    lift_inner_tensors(program)
    look_up_integers(program)
    return decompose_leftovers(program, settings.edge_config, kept) if kept.filters else program


def _share_buffers(
    programs: Mapping[str, ExportedProgram], settings: Mapping[str, ExecutionSettings]
) -> Mapping[str, ExportedProgram]:
    return with_shared_buffers(programs, next(iter(settings.values())).config) if settings else programs


def _plan(
    programs: Mapping[str, ExportedProgram], settings: Mapping[str, ExecutionSettings]
) -> Mapping[str, ExportedProgram]:
    if settings:
        plan_memory(programs, next(iter(settings.values())).config)
    return programs


def _linear_layers(program: ExportedProgram, settings: ExecutionSettings) -> None:
    config = settings.config
    if config.fuse_linear:
        FuseLinearPass()(program.graph_module)
    elif config.fold_constants:
        adds_bias_apart = bool(config.external_constants)
        KeepWeightsPass(constant_values(program), adds_bias_apart=adds_bias_apart)(program.graph_module)


def _callers_passes(program: ExportedProgram, settings: ExecutionSettings) -> ExportedProgram:
    return run_user_passes(program, settings.chosen(settings.config.passes, []))


def _legalized(program: ExportedProgram) -> ExportedProgram:
    return run_user_passes(program, [LegalizePortableDimOrderPass()])


def _describe_placeholders(program: ExportedProgram) -> None:
    update_placeholder_specs(program, program.graph_module)


def _describe_outputs(program: ExportedProgram) -> None:
    for module in graph_modules(program.graph_module):
        describe_output(module)


def _shapes(settings: ExecutionSettings) -> Sequence[Any]:
    chosen = settings.chosen(settings.config.sym_shape_eval_pass)
    return [] if chosen is None else [chosen]


def _in_place(settings: ExecutionSettings) -> Sequence[Any]:
    return [ReinplacePass([*DEFAULT_INPLACEABLE_OPS, *(settings.config.reinplace_extra_ops or ())])]


def _devices(settings: ExecutionSettings) -> Sequence[Any]:
    """What puts values of a method's delegates into memory of their devices."""
    setting = settings.chosen(settings.config.propagate_device_config) or PropagateDeviceConfig()
    return [
        PropagateDevicePass(
            settings.chosen(setting.skip_h2d_for_method_inputs, False),
            settings.chosen(setting.skip_d2h_for_method_outputs, False),
            settings.config.enable_non_cpu_memory_planning,
        )
    ]


def _verified_execution(program: ExportedProgram, settings: ExecutionSettings) -> ExportedProgram:
    if not getattr(settings.config.to_out_var_pass, "ignore_to_out_var_failure", False):
        verify_execution_graph(program.graph_module)
    return replace_parts(program, verifiers=[UncheckedEdgeVerifier])


#: Every operator writes into memory that it is given, every value has a spec.
EXECUTION_FORM = Form("execution", _verified_execution)
#: Values have places in memory; the planner has proven that none overlap.
PLANNED = Form("planned")

_COPY = (
    Stage(
        "own graph",
        lambda settings: [ProgramStep(clone_program)],
        EDGE_DIALECT,
        leaves="graphs that may be edited; weights are shared",
    ),
    Stage(
        "conversions",
        _over(_without_conversions),
        leaves="no conversions of torchao's that no backend took: fused into embeddings, or decomposed",
    ),
    JointStage(
        "shared buffers",
        _share_buffers,
        leaves="buffers that one method changes changed by all that read them, where methods share them",
    ),
    Stage("caller's passes", _over(_callers_passes), leaves="an edge graph still"),
)

_OPTIMIZATION = (
    Stage("external constants", _over(tag_external_constants), leaves="names of `.ptd` files on constants"),
    Stage(
        "quantized operators",
        lambda settings: [ProgramStep(quant_fusion_and_const_prop_pass)],
        when=Asked("do_quant_fusion_and_const_prop"),
        leaves="operators on integers",
    ),
    Stage(
        "clones",
        lambda settings: [RemoveNoopPass(remove_clones=True)],
        when=Asked("remove_clones"),
        leaves="no copies that nobody can tell from the original",
    ),
    Stage(
        "batch norm",
        lambda settings: [FuseBatchNormPass()],
        when=Asked("fuse_batch_norm"),
        leaves="batch normalisation in the convolutions before it",
    ),
    Stage(
        "linear layers",
        _over(_linear_layers),
        leaves="linear layers whole (`fuse_linear`), or the weights that are better left as they are kept from folding",
    ),
    Stage(
        "folding",
        lambda settings: [ConstantPropPass()],
        when=Asked("fold_constants"),
        leaves="what depends on constants only computed",
    ),
    Stage("unused weights", lambda settings: [RemoveUnusedParametersPass()], leaves="no unused weights"),
)

_MUTATION = (
    Stage(
        "training",
        lambda settings: [ProgramStep(weights_to_outputs_pass)],
        leaves="the parameters behind their gradients, where a method returns any",
    ),
    Stage(
        "layout",
        lambda settings: [ProgramStep(_legalized)],
        when=Asked("legalize_dim_order"),
        leaves="contiguous inputs for operators whose released kernels know no other",
    ),
    Stage("in place", _in_place, when=Asked("run_reinplace_pass"), leaves="results over dead arguments"),
    Stage(
        "mutating operators",
        lambda settings: [RestoreMutatingOpsPass()],
        leaves="calls of operators that write their arguments, in place of their functional wrappers",
    ),
    Stage(
        "buffer write-back",
        lambda settings: [InsertWriteBackForBuffersPass()],
        leaves="mutated buffers written at the end, or in place",
    ),
    Stage(
        "delegate results",
        lambda settings: [DelegateResultsPass()],
        leaves="a value for every result of a delegate",
    ),
)

_TO_EXECUTION = (
    Stage(
        "specs",
        lambda settings: [SpecPropPass(), ProgramStep(_describe_placeholders)],
        leaves="a spec on every value; constants know their bytes",
    ),
    Stage(
        "primitives",
        lambda settings: [EdgeToBackendOpsPass(), EdgeToAtenPass(), RemoveGraphAssertsPass(), SpecPropPass()],
        leaves="torch operators and `executorch_prim` arithmetic, no assertions",
    ),
    Stage("shapes", _shapes, leaves="upper bounds in place of symbols"),
    Stage("devices", _devices, leaves="copies to and from the memory of delegates' devices"),
    Stage(
        "zero-copy views",
        lambda settings: [ReplaceViewCopyWithViewPass()],
        when=Asked("remove_view_copy"),
        leaves="views in place of copies where nobody can tell",
    ),
    Stage(
        "loops",
        lambda settings: [LoopResultsPass()],
        leaves="rounds return values that can be copied into the loop's results",
    ),
    Stage(
        "out variants",
        lambda settings: [settings.config.to_out_var_pass, ProgramStep(_describe_outputs)],
        ensures=EXECUTION_FORM,
        leaves="every operator writes into a `memory.alloc`",
    ),
    JointStage("memory plan", _plan, EXECUTION_FORM, PLANNED, leaves="places in memory"),
)

EXECUTION = Pipeline("to_executorch", (*_COPY, *_OPTIMIZATION, *_MUTATION, *_TO_EXECUTION))


def to_planned_execution(
    programs: Mapping[str, ExportedProgram],
    config: ExecutorchBackendConfig,
    edge_config: "EdgeCompileConfig | None" = None,
) -> dict[str, ExportedProgram]:
    """New programs in execution form with a memory plan, by method; ``programs`` are left alone.

    Args:
        programs: in the edge dialect, verified.
        config: of this half of the lowering.
        edge_config: how they were lowered to the edge dialect.

    Raises:
        MissingOutVariantError, UnboundedShapeError, SpecViolationError: with all offending nodes in the message.
    """
    edge_config = edge_config or EdgeCompileConfig()
    settings = {name: ExecutionSettings(config, name, edge_config) for name in programs}
    return (config.pipeline or EXECUTION).ending_in(PLANNED).run(programs, settings, EDGE_DIALECT)


__all__ = [
    "EXECUTION",
    "EXECUTION_FORM",
    "PLANNED",
    "ExecutionSettings",
    "for_method",
    "plan_memory",
    "run_user_passes",
    "to_planned_execution",
]
