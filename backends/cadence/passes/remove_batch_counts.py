"""No counts of the batches that a batch norm was trained with: nothing is trained where the program runs."""

from __future__ import annotations

from typing import Final

from torch.export import ExportedProgram

from executorch.ir.constants import remove_constants
from executorch.ir.mutations import state_mutations
from executorch.ir.signature import state_inputs
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

#: What PyTorch calls the count among the buffers of a batch norm.
_COUNT: Final = "num_batches_tracked"


class RemoveBNTrackingMutationsPass(ExportedProgramPassBase):
    """Takes out what raises ``num_batches_tracked`` in programs of models that were exported while they were trained.

    Counts that nothing else reads go from the inputs and from the state too.
    """

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        signature = exported_program.graph_signature
        counts = {one.index for one in state_mutations(signature) if one.target.rpartition(".")[2] == _COUNT}
        if not counts:
            return ExportedProgramPassResult(exported_program, False)
        output = exported_program.graph.output_node()
        results = list(output.args[0])  # type: ignore[arg-type]
        output.args = (tuple(one for index, one in enumerate(results) if index not in counts),)
        signature.output_specs[:] = [
            spec for index, spec in enumerate(signature.output_specs) if index not in counts
        ]
        exported_program.graph.eliminate_dead_code()
        names = {
            name
            for name, spec in state_inputs(signature).items()
            if (spec.target or "").rpartition(".")[2] == _COUNT
        }
        remove_constants(
            exported_program,
            [node for node in exported_program.graph.find_nodes(op="placeholder") if node.name in names],
        )
        exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, True)


__all__ = ["RemoveBNTrackingMutationsPass"]
