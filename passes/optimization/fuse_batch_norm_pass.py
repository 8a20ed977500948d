"""Folds batch normalisation at inference into the convolution before it.

One operator and one intermediate value less per layer; results differ by rounding only.
"""

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.ir.constants import ConstantLifter
from executorch.ir.rewriter import is_call
from executorch.ir.signature import constant_values
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.optimization.batch_norm import BATCH_NORMS, CONVOLUTIONS, fuse, fusion_refusal


class FuseBatchNormPass(ExportedProgramPassBase):
    """Replaces convolution and batch norm by a convolution (in place), where all weights are constants of the program
    that nothing else reads, and none is bound for an external file."""

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        constants = constant_values(exported_program)
        lifter = ConstantLifter(exported_program, "_fused_batch_norm")
        modified = False

        def is_own(node: Node) -> bool:
            return node in constants and len(node.users) == 1

        for norm in list(exported_program.graph.nodes):
            if not is_call(norm, *BATCH_NORMS) or not is_call(norm.args[0], *CONVOLUTIONS):
                continue
            if fusion_refusal(norm.args[0], norm, is_own) is None:
                fuse(norm.args[0], norm, constants.__getitem__, lambda value, _: lifter.lift(value))
                modified = True
        if modified:
            exported_program.graph.eliminate_dead_code()
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, modified)
