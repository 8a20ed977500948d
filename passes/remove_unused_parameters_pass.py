"""Drops weights that nothing reads."""

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from executorch.passes.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.program import variable_placeholders

_STATE = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


class RemoveUnusedParametersPass(ExportedProgramPassBase):
    """Removes placeholders of parameters, buffers and constants without users, and their tensors (in place).

    Buffers that the program writes stay, because the next call reads them, and so do parameters that it trains.
    """

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        specs = exported_program.graph_signature.input_specs
        placeholders = exported_program.graph.find_nodes(op="placeholder")
        written = variable_placeholders(exported_program)
        unused = [
            (node, spec)
            for node, spec in zip(placeholders, specs, strict=True)
            if spec.kind in _STATE and not node.users and node not in written
        ]
        for node, spec in unused:
            specs.remove(spec)
            exported_program.graph.erase_node(node)
        still_used = {spec.target for spec in specs}
        for _, spec in unused:
            if spec.target is not None and spec.target not in still_used:
                exported_program.state_dict.pop(spec.target, None)
                exported_program.constants.pop(spec.target, None)
        if unused:
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, bool(unused))


def remove_unused_parameters_pass(ep: ExportedProgram) -> ExportedProgram:
    """Function form of :class:`RemoveUnusedParametersPass`; returns the program."""
    return RemoveUnusedParametersPass()(ep).exported_program
