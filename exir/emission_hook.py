"""Lets a lowered module write itself: ``LoweredBackendModule.buffer()`` and ``.program()``.

``partitioner`` stands below the emitter, so the front door hands it the way to a program.
"""

from torch.export import ExportedProgram

from executorch.exir.capture._config import ExecutorchBackendConfig
from executorch.exir.execution_lowering import to_planned_execution
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.memory_planning import MemoryPlanningPass
from executorch.partitioner.interface.lowered_module import set_emission_hook


def emit_lowered_module(
    program: ExportedProgram,
    extract_delegate_segments: bool = False,
    segment_alignment: int = 128,
    constant_tensor_alignment: "int | None" = None,
    delegate_alignment: "int | None" = None,
    memory_planning: "MemoryPlanningPass | None" = None,
) -> ExecutorchProgramManager:
    """A program that calls one delegate, with ``.buffer`` and ``.program``.

    Args:
        program: holds nothing but the delegate call.
        extract_delegate_segments, segment_alignment, constant_tensor_alignment, delegate_alignment: as in
            :class:`~executorch.exir.ExecutorchBackendConfig`.
        memory_planning: plans inputs and outputs; default: the default planner.
    """
    config = ExecutorchBackendConfig(
        extract_delegate_segments=extract_delegate_segments,
        segment_alignment=segment_alignment,
        constant_tensor_alignment=constant_tensor_alignment,
        delegate_alignment=delegate_alignment,
        memory_planning_pass=memory_planning or MemoryPlanningPass(),
    )
    return ExecutorchProgramManager(to_planned_execution({"forward": program}, config), None, config)


def install_emission_hook() -> None:
    """Makes :func:`emit_lowered_module` what lowered modules use."""
    set_emission_hook(emit_lowered_module)
