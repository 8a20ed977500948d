"""Drops weights that nothing reads."""

from torch.export import ExportedProgram

from executorch.ir.constants import remove_constants
from executorch.ir.mutations import variable_placeholders
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult


class RemoveUnusedParametersPass(ExportedProgramPassBase):
    """Removes placeholders of parameters, buffers and constants without users, and their tensors (in place).

    Buffers that the program writes stay, because the next call reads them, and so do parameters that it trains.
    """

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        written = variable_placeholders(exported_program)
        placeholders = exported_program.graph.find_nodes(op="placeholder")
        removed = remove_constants(exported_program, (node for node in placeholders if node not in written))
        return ExportedProgramPassResult(exported_program, removed)


def remove_unused_parameters_pass(ep: ExportedProgram) -> ExportedProgram:
    """Function form of :class:`RemoveUnusedParametersPass`; returns the program."""
    return RemoveUnusedParametersPass()(ep).exported_program
