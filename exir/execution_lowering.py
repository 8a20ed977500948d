"""Edge to the execution form with a memory plan, stage by stage.

===================  ============================================================================
stage                what it leaves behind
===================  ============================================================================
the caller's passes  an edge graph still
external constants   names of ``.ptd`` files on constants
optimisation         no clones without need, batch norm in convolutions, linear layers whole, constants folded, no unused weights
training             the parameters behind their gradients, where the method returns any
layout               contiguous inputs for operators whose released kernels know no other
in-place             results over dead arguments, where that was asked for
mutating operators   calls of operators that write their arguments, in place of their functional wrappers
buffer write-back    mutated buffers written at the end, or in place
specs                a spec on every value; constants know their bytes
primitives           torch operators and ``executorch_prim`` arithmetic, no assertions
shapes               upper bounds in place of symbols
devices              copies to and from the memory of delegates' devices
views                zero-copy views where nobody can tell
loops                rounds return values that can be copied into the loop's results
out variants         every operator writes into a ``memory.alloc``
verify execution     (a check)
memory plan          places in memory
===================  ============================================================================
"""

import itertools
from typing import Any

from torch.export import ExportedProgram

from executorch.dialects.errors import ExportErrorType, PassError
from executorch.dialects.verifiers import UncheckedEdgeVerifier, graph_modules, verify_execution_graph
from executorch.exir.capture._config import ExecutorchBackendConfig, PropagateDeviceConfig
from executorch.ir.clone import clone_program, copy_graph_module, copy_signature, replace_parts
from executorch.ir.signature import constant_values, sync_signature
from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.constant_prop_pass import ConstantPropPass
from executorch.passes.delegate_results_pass import DelegateResultsPass
from executorch.passes.edge_ops_pass import EdgeToAtenPass
from executorch.passes.external_constants_pass import external_constants_pass, external_mutable_weights_pass
from executorch.passes.fake_values import fill_missing_values
from executorch.passes.fuse_batch_norm_pass import FuseBatchNormPass
from executorch.passes.fuse_linear_pass import FuseLinearPass
from executorch.passes.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from executorch.passes.keep_weights_pass import KeepWeightsPass
from executorch.passes.legalize_portable_dim_order_pass import LegalizePortableDimOrderPass
from executorch.passes.lift_constants_pass import lift_tensor_attributes
from executorch.passes.loop_results_pass import LoopResultsPass
from executorch.passes.pass_base import ExportedProgramPassBase, run_pass
from executorch.passes.pass_manager import ExportedProgramPassManager, PassManager, flatten_passes, pass_name
from executorch.passes.propagate_device_pass import PropagateDevicePass
from executorch.passes.quant_fusion_pass import quant_fusion_and_const_prop_pass
from executorch.passes.reinplace import DEFAULT_INPLACEABLE_OPS, ReinplacePass
from executorch.passes.remove_graph_asserts_pass import RemoveGraphAssertsPass
from executorch.passes.remove_noop_pass import RemoveNoopPass
from executorch.passes.remove_unused_parameters_pass import RemoveUnusedParametersPass
from executorch.passes.replace_edge_with_backend_pass import EdgeToBackendOpsPass
from executorch.passes.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from executorch.passes.restore_mutating_ops_pass import RestoreMutatingOpsPass
from executorch.passes.spec_prop_pass import SpecPropPass, describe_output, update_placeholder_specs
from executorch.passes.weights_to_outputs_pass import weights_to_outputs_pass


def edge_to_execution(
    program: ExportedProgram, config: ExecutorchBackendConfig, method_name: str = "forward"
) -> ExportedProgram:
    """A new program in execution form, without a memory plan; ``program`` is left alone.

    Raises:
        MissingOutVariantError, UnboundedShapeError, SpecViolationError: with all offending nodes in the message.
    """
    program = clone_program(program)
    program = run_user_passes(program, for_method(config.passes, method_name, []))
    tag_external_constants(program, config)
    optimize(program, config)
    weights_to_outputs_pass(program)
    if config.legalize_dim_order:
        program = run_user_passes(program, [LegalizePortableDimOrderPass()])
    if config.run_reinplace_pass:
        extra = config.reinplace_extra_ops or ()
        ReinplacePass([*DEFAULT_INPLACEABLE_OPS, *extra])(program)
    RestoreMutatingOpsPass()(program)
    program = InsertWriteBackForBuffersPass()(program).exported_program
    graph_module = program.graph_module
    DelegateResultsPass()(graph_module)
    spec_prop = SpecPropPass()
    spec_prop(graph_module)
    update_placeholder_specs(program, graph_module)
    EdgeToBackendOpsPass()(graph_module)
    EdgeToAtenPass()(graph_module)
    RemoveGraphAssertsPass()(graph_module)
    spec_prop(graph_module)
    run_pass(for_method(config.sym_shape_eval_pass, method_name, None), graph_module)
    device_pass(config, method_name)(graph_module)
    if config.remove_view_copy:
        ReplaceViewCopyWithViewPass()(graph_module)
    LoopResultsPass()(graph_module)
    graph_module = run_pass(config.to_out_var_pass, graph_module).graph_module
    for module in graph_modules(graph_module):
        describe_output(module)
    program = replace_parts(program, graph_module=graph_module, verifiers=[UncheckedEdgeVerifier])
    sync_signature(program)
    if not getattr(config.to_out_var_pass, "ignore_to_out_var_failure", False):
        verify_execution_graph(graph_module)
    return program


def device_pass(config: ExecutorchBackendConfig, method_name: str) -> PropagateDevicePass:
    """What puts values of a method's delegates into memory of their devices."""
    setting = for_method(config.propagate_device_config, method_name, None) or PropagateDeviceConfig()
    return PropagateDevicePass(
        for_method(setting.skip_h2d_for_method_inputs, method_name, False),
        for_method(setting.skip_d2h_for_method_outputs, method_name, False),
        config.enable_non_cpu_memory_planning,
    )


def optimize(program: ExportedProgram, config: ExecutorchBackendConfig) -> None:
    """Rewrites that save work or space at run time and change results by rounding at most (in place)."""
    if config.do_quant_fusion_and_const_prop:
        quant_fusion_and_const_prop_pass(program)
    if config.remove_clones:
        RemoveNoopPass(remove_clones=True)(program.graph_module)
    if config.fuse_batch_norm:
        FuseBatchNormPass()(program)
    if config.fuse_linear:
        FuseLinearPass()(program.graph_module)
    elif config.fold_constants:
        keep = KeepWeightsPass(constant_values(program), adds_bias_apart=bool(config.external_constants))
        keep(program.graph_module)
    if config.fold_constants:
        ConstantPropPass()(program)
    RemoveUnusedParametersPass()(program)


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


def tag_external_constants(program: ExportedProgram, config: ExecutorchBackendConfig) -> None:
    """Marks the constants that go to ``.ptd`` files (in place)."""
    if config.external_constants:
        chooser = config.external_constants if callable(config.external_constants) else None
        external_constants_pass(program, chooser)
    elif config.external_mutable_weights:
        external_mutable_weights_pass(program.graph_module, program)


def plan_memory(programs: dict[str, ExportedProgram], config: ExecutorchBackendConfig) -> None:
    """Plans all methods (in place)."""
    planners: dict[int, MemoryPlanningPass] = {}
    for name, program in programs.items():
        planner = for_method(config.memory_planning_pass, name, None) or MemoryPlanningPass()
        planners[id(planner)] = planner
        if isinstance(planner, MemoryPlanningPass):
            planner.enable_non_cpu_memory_planning = config.enable_non_cpu_memory_planning
        if hasattr(planner, "run"):
            planner.run(program.graph_module, program.graph_signature)
        else:
            run_pass(planner, program.graph_module)
    for planner in planners.values():
        if hasattr(planner, "run_multimethod"):
            planner.run_multimethod()


def for_method(setting: Any, method_name: str, default: Any) -> Any:
    """What a setting says for a method: settings are either for all methods or a dictionary by name."""
    return setting.get(method_name, default) if isinstance(setting, dict) else setting


__all__ = ["edge_to_execution", "for_method", "plan_memory", "run_user_passes", "tag_external_constants"]
