"""Parts of the lowering by themselves, as functions over one program."""

from collections.abc import Sequence
from typing import Any

from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.exir.capture._config import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.execution_lowering import for_method, run_user_passes
from executorch.exir.published.legacy_program import ExirExportedProgram
from executorch.ir.clone import replace_parts
from executorch.passes.infrastructure.functional_forms import may_alias
from executorch.passes.infrastructure.pass_base import PassResult
from executorch.passes.infrastructure.pass_manager import flatten_passes
from executorch.passes.to_edge.edge_ops_pass import EdgeToAtenPass
from executorch.passes.to_edge.lift_constants_pass import lift_tensor_attributes
from executorch.passes.to_execution.replace_edge_with_backend_pass import EdgeToBackendOpsPass
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass


def edge_to_executorch_passes(
    config: ExecutorchBackendConfig,
    name: "str | None" = None,
    edge_compile_config: "EdgeCompileConfig | None" = None,
) -> list[Any]:
    """The graph passes from an edge graph to its execution form that ``config`` decides about, in order.

    The stages in full, with those over a whole program, stand in ``executorch.exir.execution_lowering``.

    Args:
        config: its ``passes`` come first.
        name: method, for settings by method.
        edge_compile_config: has no say in them.
    """
    del edge_compile_config
    method = name or "forward"
    return [
        *flatten_passes([for_method(config.passes, method, [])]),
        *pre_memory_planning_passes(config, method),
    ]


def pre_memory_planning_passes(config: ExecutorchBackendConfig, name: "str | None" = None) -> list[Any]:
    """The graph passes between the caller's and memory planning."""
    return [
        SpecPropPass(),
        EdgeToBackendOpsPass(),
        EdgeToAtenPass(),
        for_method(config.sym_shape_eval_pass, name or "forward", None),
        config.to_out_var_pass,
    ]


def transform_exported_program(ep: ExportedProgram, *passes: Any) -> ExportedProgram:
    """``ep`` after graph passes, in order; the graph of ``ep`` is left alone."""
    return run_user_passes(ep, flatten_passes(passes))


def lift_constant_tensor_pass(ep: ExportedProgram) -> ExportedProgram:
    """Makes tensors that the graph holds as attributes inputs of the program; returns ``ep``, changed in place."""
    lift_tensor_attributes(ep)
    return ep


def _remove_invalid_ops_for_not_decompose(preserve_ops: Sequence[OpOverload]) -> list[OpOverload]:
    """The operators among ``preserve_ops`` that a functional graph can hold whole: they write nothing, their results
    are tensors of their own."""

    def is_functional(op: OpOverload) -> bool:
        results = [str(result.type) for result in op._schema.returns]
        return (
            not op._schema.is_mutable and not may_alias(op) and bool(results) and set(results) == {"Tensor"}
        )

    return [op for op in preserve_ops if is_functional(op)]


def _to_edge(ep: ExirExportedProgram, config: EdgeCompileConfig) -> ExirExportedProgram:
    return ep.to_edge(config)


def _transform(
    self: ExportedProgram, *passes: Any, override_verifiers: "Sequence[Any] | None" = None
) -> ExportedProgram:
    """A new program after ``passes``.

    Args:
        passes: as for ``EdgeProgramManager.transform``.
        override_verifiers: classes that verify the new program, at once and later, in place of those of ``self``.

    Raises:
        SpecViolationError: one of ``override_verifiers`` refuses the new program.
    """
    transformed = transform_exported_program(self, *passes)
    if override_verifiers is None:
        return transformed
    transformed = replace_parts(transformed, verifiers=list(override_verifiers))
    transformed.validate()
    return transformed


def _copy_module(new_prog: GraphModule, new_gm: GraphModule) -> None:
    """Makes the first module what the second is: its graph, its submodules and tensors, and all else that hangs on it."""
    vars(new_prog).update(vars(new_gm))
    new_prog.recompile()


def _update_exported_program_graph_module(
    exported_program: ExportedProgram, gm: GraphModule, override_verifiers: "Sequence[Any] | None" = None
) -> ExportedProgram:
    """The program with another graph; inputs and outputs that the graph renames are renamed.

    Raises:
        SpecViolationError: one of ``override_verifiers`` refuses the new program.
    """
    return _transform(exported_program, lambda _: PassResult(gm, True), override_verifiers=override_verifiers)
