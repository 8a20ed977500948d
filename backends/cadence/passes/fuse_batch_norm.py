"""Batch normalisation at inference, folded into the convolution before it, in graphs whose weights are attributes."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import EDGE
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.backends.transforms.utils import is_get_attr_node
from executorch.ir.constants import add_attribute, numbered
from executorch.ir.rewriter import arguments, is_call, replace
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.optimization.batch_norm import (
    BATCH_NORMS,
    CONVOLUTIONS,
    factor_and_summand,
    fuse,
    fusion_refusal,
)


class FuseBatchNormWithConv(GraphPass):
    """``convolution -> batch norm`` becomes a convolution with weights of its own, new attributes of the module.

    Where weights are inputs, as in an exported program, ``backends/transforms/fuse_batch_norm_with_conv`` does it, which knows
    their values.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for norm in list(graph_module.graph.nodes):
            if not is_call(norm, *BATCH_NORMS) or not is_call(norm.args[0], *CONVOLUTIONS):
                continue
            conv = norm.args[0]
            if fusion_refusal(conv, norm, is_get_attr_node) is not None:
                continue

            def add(value: torch.Tensor, kind: str, conv: Node = conv) -> Node:
                with conv.graph.inserting_before(conv):
                    return add_attribute(conv.graph, value, f"{conv.name}_fused_{kind}")

            fuse(conv, norm, _attribute, add)
            changed = True
        return changed


def _attribute(node: Any) -> Any:
    module = node.graph.owning_module
    assert module is not None
    value: Any = module
    for name in str(node.target).split("."):
        value = getattr(value, name)
    return value


#: Convolution, the batch norm that it takes over, and how its weights are packed and unpacked.
_QUANTIZED = {
    EDGE.quantized.conv1d.default: (EDGE.quantized.batch_norm1d.default, "conv1d"),
    EDGE.quantized.conv2d.new: (EDGE.quantized.batch_norm2d.default, "conv2d"),
}


class FuseQuantizedBatchNormWithConv(RemoveOrReplacePassInterface):
    """The same for convolutions and batch norms of ``quantized::``, whose weights are packed objects.

    Each channel gets a scale of its own, so the weights stay the integers that they are; a negative factor turns their signs.
    """

    @property
    def targets(self) -> list[Any]:
        return list(_QUANTIZED)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        norm_op, name = _QUANTIZED[node.target]  # type: ignore[index]
        if len(node.users) != 1 or not is_get_attr_node(node.args[1]):
            return False
        (norm,) = node.users
        if norm.target is not norm_op:
            return False
        scale, shift, mean, variance = tensors = norm.args[1:5]
        given = [one for one in tensors if one is not None]
        if mean is None or variance is None or not all(map(is_get_attr_node, given)):
            return False
        named = arguments(norm)
        values: Any = [None if one is None else _attribute(one) for one in tensors]
        scale, shift, mean, variance = values
        factor, summand = factor_and_summand(mean, variance, scale, shift, named["eps"])
        packed = _repacked(_attribute(node.args[1]), name, factor, summand)
        node.args = (
            node.args[0],
            _add_object(node, packed),
            named["output_scale"],
            named["output_zero_point"],
        )
        replace(norm, node)
        return True


def _repacked(packed: Any, name: str, factor: torch.Tensor, summand: torch.Tensor) -> Any:
    ops = torch.ops.quantized
    weight, bias = getattr(ops, f"{name}_unpack")(packed)
    if weight.qscheme() == torch.per_tensor_affine:
        scales = torch.full((weight.shape[0],), weight.q_scale(), dtype=torch.double)
        zero_points = torch.full((weight.shape[0],), weight.q_zero_point())
    else:
        scales, zero_points = weight.q_per_channel_scales(), weight.q_per_channel_zero_points()
    wide = [-1] + [1] * (weight.dim() - 1)
    numbers = weight.int_repr().int() - zero_points.reshape(wide)
    numbers = numbers * torch.sign(factor).reshape(wide) + zero_points.reshape(wide)
    new = torch._make_per_channel_quantized_tensor(
        numbers.clamp(-128, 127).to(torch.int8),
        # A channel that is multiplied by zero is zero whatever its scale is.
        torch.where(factor == 0, scales, scales * factor.abs()),
        zero_points,
        0,
    )
    summand = summand if bias is None else summand + bias.double() * factor
    # Those of one dimension are packed as if of two; the last number is theirs.
    own = slice(-1 if name == "conv1d" else None, None)
    geometry = [getattr(ops, f"conv2d_{of}")(packed)[own] for of in ("stride", "padding", "dilation")]
    return getattr(ops, f"{name}_prepack")(new, summand.float(), *geometry, ops.conv2d_groups(packed))


def _add_object(like: Node, value: Any) -> Node:
    module = like.graph.owning_module
    assert module is not None
    name = next(one for one in numbered("fused_packed_params") if not hasattr(module, one))
    setattr(module, name, value)
    with like.graph.inserting_before(like):
        return like.graph.get_attr(name)


__all__ = ["FuseBatchNormWithConv", "FuseQuantizedBatchNormWithConv"]
