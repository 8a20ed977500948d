"""Folds batch normalisation at inference into the convolution before it.

With fixed statistics, normalising a convolution's result is another convolution, with scaled weights and another
bias. One operator and one intermediate value less per layer; results differ by rounding only.
"""

import operator
from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.nn.utils.fusion import fuse_conv_bn_weights

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.constants import ConstantLifter
from executorch.ir.signature import constant_values
from executorch.passes.pass_base import ExportedProgramPassBase, ExportedProgramPassResult

_CONVOLUTION: Final = torch.ops.aten.convolution.default
_BATCH_NORM: Final = torch.ops.aten._native_batch_norm_legit_no_training.default


class FuseBatchNormPass(ExportedProgramPassBase):
    """Replaces convolution and batch norm by a convolution (in place), where all weights are constants of the program
    that nothing else reads, and none is bound for an external file."""

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        constants = constant_values(exported_program)
        lifter = ConstantLifter(exported_program, "_fused_batch_norm")
        modified = False
        for node in list(exported_program.graph.nodes):
            if node.op == "call_function" and aten_op(node.target) is _BATCH_NORM:
                modified |= _fuse(node, constants, lifter)
        if modified:
            exported_program.graph.eliminate_dead_code()
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, modified)


def _fuse(norm: Node, constants: dict[Node, torch.Tensor], lifter: ConstantLifter) -> bool:
    conv = norm.args[0]
    if not isinstance(conv, Node) or aten_op(conv.target) is not _CONVOLUTION or len(conv.users) > 1:
        return False
    results = list(norm.users)
    if any(user.target is not operator.getitem or user.args[1] != 0 for user in results):
        return False
    x, weight, bias, stride, padding, dilation, transposed, output_padding, groups = conv.args
    gamma, beta, mean, variance, _, epsilon = norm.args[1:]
    weights = (weight, bias, gamma, beta, mean, variance)
    if (transposed and groups != 1) or not all(_is_own_constant(item, constants) for item in weights):
        return False
    w, b, g, s, m, v = (constants[item] if isinstance(item, Node) else None for item in weights)
    assert w is not None and m is not None and v is not None and isinstance(epsilon, float)
    with torch.no_grad():
        fused = fuse_conv_bn_weights(w, b, m, v, epsilon, g, s, transpose=bool(transposed))
    new_weight, new_bias = (lifter.lift(item.detach()) for item in fused)
    new_weight.meta[meta_keys.VAL] = weight.meta[meta_keys.VAL]  # type: ignore[union-attr]
    conv.args = (x, new_weight, new_bias, stride, padding, dilation, transposed, output_padding, groups)
    for user in results:
        user.replace_all_uses_with(conv, propagate_meta=False)
    return True


def _is_own_constant(item: Any, constants: dict[Node, torch.Tensor]) -> bool:
    """True for an absent weight, and for one that no other operator needs."""
    return item is None or (item in constants and len(item.users) == 1)
