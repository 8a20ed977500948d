"""Batch normalisation at inference: a factor and a summand for each channel, which the layer before it can take over.

With fixed statistics, normalising a convolution's result is another convolution, with scaled weights and another bias.
"""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch.fx import Node

from executorch.ir.rewriter import arguments, is_call
from executorch.ir.values import rank_of

_aten: Final = torch.ops.aten
#: All take the input, scale, shift, mean and variance first.
BATCH_NORMS: Final = (
    _aten._native_batch_norm_legit_no_training.default,
    _aten.native_batch_norm.default,
    _aten.batch_norm.default,
)
CONVOLUTIONS: Final = (
    _aten.convolution.default,
    _aten.conv1d.default,
    _aten.conv2d.default,
    _aten.conv3d.default,
)


def batch_norm_refusal(norm: Node, is_constant: Callable[[Node], bool]) -> "str | None":
    """Why a batch norm is not a factor and a summand that are known ahead of time; None if it is.

    Args:
        norm: calls one of ``BATCH_NORMS``.
        is_constant: whether the value of a node is known ahead of time.
    """
    if arguments(norm).get("training"):
        return "it is in training"
    if not is_call(norm, _aten.batch_norm.default):
        if any(user.users for user in norm.users if user.args[1:] != (0,)):
            return "its statistics are used"
        if not any(user.args[1:] == (0,) for user in norm.users):
            return "its result is not used"
    for name, one in zip(("weight", "bias", "mean", "variance"), norm.args[1:5], strict=True):
        if one is not None and not (isinstance(one, Node) and is_constant(one)):
            return f"its {name} is not a constant"
    return "its mean or variance is missing" if None in norm.args[3:5] else None


def fusion_refusal(layer: Any, norm: Node, is_constant: Callable[[Node], bool]) -> "str | None":
    """Why the weights of a layer cannot do what the batch norm behind it does; None if they can.

    Args:
        layer: what the batch norm reads.
        norm: calls one of ``BATCH_NORMS``.
        is_constant: whether the value of a node is known ahead of time.
    """
    if not is_call(layer, *CONVOLUTIONS, _aten.linear.default):
        return "it does not read a convolution or a linear layer"
    if len(layer.users) != 1:
        return "the layer's result is used elsewhere too"
    named = arguments(layer)
    if is_call(layer, _aten.linear.default) and rank_of(layer) != 2:
        return "the channels are not the layer's outputs"
    if named.get("transposed") and named["groups"] != 1:
        return "a transposed convolution has groups"
    weights = [one for one in (named["weight"], named["bias"]) if one is not None]
    if not all(isinstance(one, Node) and is_constant(one) for one in weights):
        return "the layer's weights are quantized, or calculated by the model"
    return batch_norm_refusal(norm, is_constant)


def factor_and_summand(
    mean: torch.Tensor,
    variance: torch.Tensor,
    scale: "torch.Tensor | None",
    shift: "torch.Tensor | None",
    epsilon: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What a batch norm does to each channel, in double precision; all tensors are (channels,)."""
    factor = torch.rsqrt(variance.double() + epsilon)
    factor = factor if scale is None else factor * scale.double()
    summand = -mean.double() * factor
    return factor, summand if shift is None else summand + shift.double()


def of_batch_norm(norm: Node, tensor: Callable[[Node], Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Factor and summand of a batch norm whose tensors are known; ``tensor`` gives the value of a node."""
    scale, shift, mean, variance = (tensor(one) if isinstance(one, Node) else None for one in norm.args[1:5])
    return factor_and_summand(mean, variance, scale, shift, float(arguments(norm)["eps"]))


def folded(
    weight: torch.Tensor, bias: "torch.Tensor | None", norm: Node, tensor: Callable[[Node], Any], channel: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight and bias of a layer that does what the batch norm behind it does.

    Args:
        weight, bias: of the layer before.
        norm: the batch norm.
        tensor: gives the value of a node.
        channel: the weight's output dimension.
    """
    factor, summand = of_batch_norm(norm, tensor)
    if bias is not None:
        summand = summand + bias.double() * factor
    shape = [-1 if dim == channel else 1 for dim in range(weight.dim())]
    # Large weights are multiplied as they are: through double precision that would take three times as long.
    factor = factor.to(torch.promote_types(weight.dtype, torch.float32)).reshape(shape)
    return (weight * factor).to(weight.dtype), summand.to(weight.dtype)


def fuse(
    layer: Node, norm: Node, tensor: Callable[[Node], Any], add: Callable[[torch.Tensor, str], Node]
) -> None:
    """Gives a layer weights with which it does what the batch norm behind it does, which goes; in place.

    Args:
        layer, norm: for which there is no ``fusion_refusal``.
        tensor: gives the value of a node.
        add: makes a constant of a new weight; its second argument is ``weight`` or ``bias``.
    """
    named = arguments(layer)
    weight = tensor(named["weight"])
    bias = None if named["bias"] is None else tensor(named["bias"])
    with torch.no_grad():
        new = folded(weight, bias, norm, tensor, 1 if named.get("transposed") else 0)
    nodes = [add(value.detach(), name) for value, name in zip(new, ("weight", "bias"), strict=True)]
    layer.args = (layer.args[0], *nodes, *layer.args[3:])
    layer.kwargs = {key: value for key, value in layer.kwargs.items() if key not in ("weight", "bias")}
    replace_result(norm, layer)


def first_result(node: Node) -> Node:
    """The ``getitem`` of the first of several results."""
    return next(user for user in node.users if user.args[1:] == (0,))


def replace_result(norm: Node, new: Node) -> None:
    """Puts another value in the place of a batch norm's result, and removes the batch norm."""
    if is_call(norm, _aten.batch_norm.default):
        norm.replace_all_uses_with(new, propagate_meta=False)
    else:
        first_result(norm).replace_all_uses_with(new, propagate_meta=False)
        for user in list(norm.users):
            norm.graph.erase_node(user)
    norm.graph.erase_node(norm)
