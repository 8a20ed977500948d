"""Batch normalisation at inference, folded into the convolution before it."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node
from torch.nn.utils.fusion import fuse_conv_bn_weights

from executorch.backends.transforms.utils import create_constant_placeholder, get_param_tensor, is_param_node
from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments, is_call, replace
from executorch.passes.pass_base import GraphRewrite

_aten = torch.ops.aten
_NORMS = (
    _aten._native_batch_norm_legit_no_training.default,
    _aten.batch_norm.default,
)
_CONVOLUTIONS = (
    _aten.convolution.default,
    _aten.conv1d.default,
    _aten.conv2d.default,
    _aten.conv3d.default,
)


class FuseBatchNormWithConvPass(GraphRewrite):
    """``convolution -> batch norm`` becomes a convolution with weights of its own, new parameters of the program.

    Args:
        exported_program: whose graph the pass is called with.
    """

    def __init__(self, exported_program: ExportedProgram) -> None:
        super().__init__()
        self.exported_program = exported_program

    def rewrite(self, graph_module: GraphModule) -> bool:
        modified = False
        for norm in list(graph_module.graph.nodes):
            if not is_call(norm, *_NORMS) or not isinstance(norm.args[0], Node):
                continue
            if self.can_fuse(norm.args[0], norm, self.exported_program):
                self._fuse(norm.args[0], norm, graph_module)
                modified = True
        return modified

    @staticmethod
    def can_fuse(conv: Node, bn: Node, program: ExportedProgram) -> bool:
        """Whether only ``bn`` reads the convolution, only its first result is read, and all weights are constants."""
        if not is_call(conv, *_CONVOLUTIONS) or not is_call(bn, *_NORMS) or len(conv.users) > 1:
            return False
        named, norm = arguments(conv), _norm_arguments(bn)
        if norm is None or (named.get("transposed") and named["groups"] != 1):
            return False
        if bn.meta.get(meta_keys.VAL).__class__ in (tuple, list) and any(
            user.target is not operator.getitem or user.args[1] != 0 for user in bn.users
        ):
            return False
        tensors = [named["weight"], named["bias"], *norm[:4]]
        required = (named["weight"], *norm[2:4])
        return all(item is not None for item in required) and all(
            item is None or is_param_node(program, item) for item in tensors
        )

    def _fuse(self, conv: Node, bn: Node, graph_module: GraphModule) -> None:
        program, named = self.exported_program, arguments(conv)
        norm = _norm_arguments(bn)
        assert norm is not None
        weight, bias, gamma, beta, mean, variance = (
            get_param_tensor(program, item) for item in (named["weight"], named["bias"], *norm[:4])
        )
        with torch.no_grad():
            fused = fuse_conv_bn_weights(
                weight,
                bias,
                mean,
                variance,
                norm[4],
                gamma,
                beta,
                transpose=bool(named.get("transposed")),  # type: ignore[arg-type]
            )
        new = [
            self._constant(graph_module, f"{conv.name}_fused_bn_{kind}", value.detach())
            for kind, value in zip(("weight", "bias"), fused, strict=True)
        ]
        conv.args = (conv.args[0], *new, *conv.args[3:])
        conv.kwargs = {key: value for key, value in conv.kwargs.items() if key not in ("weight", "bias")}
        for user in list(bn.users):
            if user.target is operator.getitem:
                replace(user, conv)
        replace(bn, conv)

    def _constant(self, graph_module: GraphModule, name: str, value: torch.Tensor) -> Node:
        return create_constant_placeholder(
            self.exported_program, graph_module.graph, name, InputKind.PARAMETER, value
        )


def _norm_arguments(bn: Node) -> list[Any] | None:
    """Scale, shift, mean, variance and epsilon; None while training, when they change."""
    named = arguments(bn)
    if named.get("training"):
        return None
    return [named[name] for name in ("weight", "bias", "running_mean", "running_var", "eps")]


__all__ = ["FuseBatchNormWithConvPass"]
