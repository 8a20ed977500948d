"""Whether Core ML takes a call, and why not."""

from __future__ import annotations

import operator
from collections.abc import Collection
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.apple.coreml.compiler import operators
from executorch.backends.apple.coreml.compiler.targets import least_target
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import arguments

#: Weights that torchao compressed: no kernel takes them as they are.
_COMPRESSED = ("quant.dequantize_codebook.default", "torchao.dequantize_affine.default")
#: Why the user's own choice is left.
SKIPPED = "skip_ops_for_coreml_delegation has its operator"
#: Arithmetic on sizes.
SIZES = (operator.add, operator.floordiv, operator.mul, operator.sub)


def refusal(
    node: Node,
    skipped: Collection[str] = (),
    target: int | None = None,
    most_dimensions: int = operators.MAX_RANK,
) -> str | None:
    """Why a call is left, None where it is taken.

    Args:
        node: the call.
        skipped: operators to leave, as ``aten.add.Tensor`` or ``add``.
        target: the oldest system that the program is for, None where that is left open.
        most_dimensions: of its tensors.
    """
    if node.target is operator.getitem or node.target in SIZES:
        return None
    op = aten_op(node.target)
    if op is None:
        return "no operator"
    name = str(op)
    if {name, name.rpartition(".")[0], name.split(".")[1], name.replace(".", "::", 1)} & set(skipped):
        return SKIPPED
    if name not in operators.SUPPORTED:
        return "not in the table of Core ML's operators"
    why = _wrong_elements(name, node, most_dimensions) or _wrong_arguments(name, node)
    if why is None and target is not None and target < least_target(node):
        return "the oldest system that the program is for does not have it (minimum_deployment_target)"
    return why


def needs_newer_system(node: Node, skipped: Collection[str] = (), target: int | None = None) -> bool:
    """Whether a compressed weight is left for no other reason than the target."""
    if str(aten_op(node.target)) not in _COMPRESSED:
        return False
    return refusal(node, skipped) is None and refusal(node, skipped, target) is not None


def _tensors(node: Node) -> list[torch.Tensor]:
    """What the node reads, and what of its results is read."""
    values: list[Any] = [one.meta.get(meta_keys.VAL) for one in node.all_input_nodes]
    result = node.meta.get(meta_keys.VAL)
    if isinstance(result, list | tuple):
        read = {user.args[1] for user in node.users if user.target is operator.getitem}
        values += [value for index, value in enumerate(result) if index in read]
    else:
        values.append(result)
    return [value for value in values if isinstance(value, torch.Tensor)]


def _is_index_of_table(node: Node) -> bool:
    return all(str(aten_op(user.target)) == "quant.dequantize_codebook.default" for user in node.users)


def _wrong_elements(name: str, node: Node, most_dimensions: int) -> str | None:
    allowed: Collection[torch.dtype] = operators.DTYPES
    if name in operators.QUANTIZED or _is_index_of_table(node):
        allowed = operators.DTYPES + operators.QUANTIZED_DTYPES
    for value in _tensors(node):
        if value.dtype not in allowed:
            return f"Core ML does not calculate with {value.dtype}"
        if value.dim() > most_dimensions:
            return f"a tensor has {value.dim()} dimensions; Core ML's have {most_dimensions} at most"
        if any(isinstance(size, int) and size == 0 for size in value.shape):
            return "a tensor has no elements"
    return None


def _wrong_arguments(name: str, node: Node) -> str | None:
    condition = _CONDITIONS.get(name)
    if condition is not None:
        return condition(node)
    if name in operators.BOOLEAN and node.meta[meta_keys.VAL].dtype != torch.bool:
        return "Core ML has no operators on the bits of integers"
    return None


def _has_users_of(node: Node, index: int) -> bool:
    return any(user.target is operator.getitem and user.args[1] == index for user in node.users)


def _max_pool(node: Node) -> str | None:
    if _has_users_of(node, 1):
        return "indices of the largest elements are read"
    if any(one != 1 for one in arguments(node)["dilation"]):
        return "dilation"
    return None


def _pad(node: Node) -> str | None:
    pads = node.args[1]
    assert isinstance(pads, list | tuple)
    return "pads with negative sizes" if any(one < 0 for one in pads if isinstance(one, int)) else None


def _avg_pool(node: Node) -> str | None:
    return "a divisor of its own" if arguments(node)["divisor_override"] is not None else None


def _index_put(node: Node) -> str | None:
    given = arguments(node)
    values = [None if one is None else one.meta[meta_keys.VAL] for one in given["indices"]]
    found = [one for one in values if one is not None]
    if any(one.dtype == torch.bool for one in found):
        return "indices of booleans"
    if None in values and (len(found) > 1 or found[0].dim() != 1):
        return "several indices with whole dimensions between"
    return None


def _index(node: Node) -> str | None:
    indices = arguments(node)["indices"]
    values = [one.meta[meta_keys.VAL] for one in indices if one is not None]
    if any(one.dtype == torch.bool for one in values):
        return "indices of booleans, whose number follows from the data"
    # The converter gathers whole slices with the indices in front of them.
    source = node.args[0]
    assert isinstance(source, Node)
    if max(one.dim() for one in values) + source.meta[meta_keys.VAL].dim() > operators.MAX_RANK:
        return "too many dimensions on the way"
    return None


def _along_axis(node: Node) -> str | None:
    given = arguments(node)
    source, index = given["self"].meta[meta_keys.VAL], given["index"].meta[meta_keys.VAL]
    dim = given["dim"] % max(source.dim(), 1)
    if source.dim() != index.dim() or any(
        a != b for axis, (a, b) in enumerate(zip(source.shape, index.shape, strict=True)) if axis != dim
    ):
        return "indices of another shape than the data beside the axis"
    return None


def _extreme_place(node: Node) -> str | None:
    # Core ML's own operator wants an axis; reshaped to one, released systems crash now and then.
    return "the place of an extreme among all elements" if arguments(node)["dim"] is None else None


def _attention(node: Node) -> str | None:
    given = arguments(node)
    if given["dropout_p"] or given.get("enable_gqa"):
        return "dropout or groups of queries"
    return None


def _normal(node: Node) -> str | None:
    is_single = node.meta[meta_keys.VAL].dtype == torch.float32
    return None if is_single else "random numbers in half precision"


def _part_of_weight(node: Node) -> str | None:
    # The converter knows them as arguments of what unpacks the weight, which may have been taken apart.
    return None if _is_unpacked(node) else "a part of a compressed weight, read by itself"


def _is_unpacked(node: Node) -> bool:
    """Whether nothing but what unpacks weights reads it, as it is or moved."""
    names = {user: str(aten_op(user.target)) for user in node.users}
    return all(
        name in _COMPRESSED or (name in operators.MOVING and _is_unpacked(user))
        for user, name in names.items()
    )


_CONDITIONS = {
    "aten.argmax.default": _extreme_place,
    "aten.argmin.default": _extreme_place,
    "aten.avg_pool2d.default": _avg_pool,
    "aten.avg_pool3d.default": _avg_pool,
    "aten.constant_pad_nd.default": _pad,
    "aten.gather.default": _along_axis,
    "aten.index.Tensor": _index,
    "aten.index_put.default": _index_put,
    "aten.max_pool2d_with_indices.default": _max_pool,
    "aten.max_pool3d_with_indices.default": _max_pool,
    "aten.randn.default": _normal,
    "aten.scaled_dot_product_attention.default": _attention,
    "aten.scatter.src": _along_axis,
    "aten.scatter.value": _along_axis,
    "aten.scatter_add.default": _along_axis,
    "export.access_subclass_inner_tensor.default": _part_of_weight,
}
