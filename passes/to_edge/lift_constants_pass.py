"""Lifts constants that a graph creates for itself into placeholders of the program."""

from typing import Final

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.edge_ops import aten_op
from executorch.ir.constants import ConstantLifter
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

_SCALAR_TENSOR: Final = torch.ops.aten.scalar_tensor.default


class LiftConstantsPass(ExportedProgramPassBase):
    """Replaces ``scalar_tensor`` of a plain number by a lifted tensor constant; equal constants are shared.

    Only the outermost graph: a control-flow body has no constants of its own and computes them in place.
    """

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        lifter = ConstantLifter(exported_program)
        modified = False
        for node in list(exported_program.graph.nodes):
            if node.op == "call_function" and aten_op(node.target) is _SCALAR_TENSOR:
                modified |= _lift(node, lifter)
        return ExportedProgramPassResult(exported_program, modified)


def _lift(node: Node, lifter: ConstantLifter) -> bool:
    number = node.args[0]
    if not isinstance(number, (int, float, bool, complex)):
        return False
    dtype = node.kwargs.get("dtype") or torch.get_default_dtype()
    assert isinstance(dtype, torch.dtype)
    # repr keeps 0.0 and -0.0 apart and makes nan equal to itself.
    constant = lifter.lift(torch.tensor(number, dtype=dtype), key=(repr(number), type(number), dtype))
    node.replace_all_uses_with(constant, propagate_meta=False)
    node.graph.erase_node(node)
    return True


def lift_tensor_attributes(exported_program: ExportedProgram) -> bool:
    """Turns ``get_attr`` nodes that name tensors, which graph passes leave behind, into lifted constants (in place).

    Returns:
        whether there were any.
    """
    module = exported_program.graph_module
    lifter = ConstantLifter(exported_program)
    lifted = False
    for node in module.graph.find_nodes(op="get_attr"):
        value = getattr(module, str(node.target), None)
        if isinstance(value, torch.Tensor):
            constant = lifter.lift(value, key=(id(value),))
            node.replace_all_uses_with(constant, propagate_meta=False)
            module.graph.erase_node(node)
            lifted = True
    return lifted
