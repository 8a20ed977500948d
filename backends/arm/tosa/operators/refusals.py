"""Why a call that could work on integers is not taken."""

from __future__ import annotations

import math

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.constants import Constants, name_of
from executorch.backends.arm.tosa.graph.quantized import Call, is_float, parameters_of, weight_of
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.operators.choices import (
    argmax,
    choose,
    compare,
    pick,
    scatter,
    scatter_along,
)
from executorch.backends.arm.tosa.operators.elementwise import COMPARISONS, argument
from executorch.backends.arm.tosa.operators.integer import (
    add,
    amax,
    avg_pool,
    bmm,
    change_rank,
    clamp,
    convolution,
    copy,
    cumsum,
    extreme,
    linear,
    linear_parts,
    max_pool,
    mean,
    move,
    move_in_order,
    mul,
    output_dimension,
    permute,
    resize,
)
from executorch.backends.arm.tosa.operators.normalized import group_norm, layer_norm, log_softmax, softmax
from executorch.backends.arm.tosa.operators.shape import is_cut_out
from executorch.backends.arm.tosa.operators.spatial import resize_of
from executorch.backends.arm.tosa.operators.tables import table
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.dialects import meta_keys

#: What Vela 5.2 refuses for these processors.
_NOT_ON_U55 = {
    "aten.embedding.default",
    "aten.flip.default",
    "aten.gather.default",
    "aten.index.Tensor",
    "aten.index_put.default",
    "aten.index_select.default",
    "aten.scatter.src",
    "aten.scatter.value",
    "aten.upsample_bilinear2d.vec",
    "aten.upsample_nearest2d.vec",
    "aten.where.self",
    *(f"aten.logical_{name}.default" for name in ("and", "not", "or", "xor")),
    *COMPARISONS,
}


def target_refusal(node: Node, spec: TosaSpecification) -> str | None:
    """Why a call is not taken for Ethos-U55 and U65, which have less of TOSA than U85."""
    if not spec.is_U55_subset:
        return None
    name = name_of(node)
    volume = name == "aten.convolution.default" and node.args[0].meta[meta_keys.VAL].dim() > 4  # type: ignore[union-attr]
    apart = name == "aten.slice_scatter.default" and argument(node, 5, "step", 1) != 1
    picked = name == "aten.as_strided_copy.default" and not is_cut_out(node)
    truths = name == "aten.unfold_copy.default" and node.meta[meta_keys.VAL].dtype is torch.bool
    if name in _NOT_ON_U55 or volume or apart or picked or truths:
        return "Ethos-U55 and U65 do not have it; Ethos-U85 does"
    return None


#: What takes values of int16.
_INT16 = {
    add,
    amax,
    argmax,
    avg_pool,
    bmm,
    choose,
    clamp,
    compare,
    convolution,
    copy,
    cumsum,
    extreme,
    group_norm,
    layer_norm,
    linear,
    log_softmax,
    max_pool,
    mean,
    move,
    move_in_order,
    permute,
    mul,
    pick,
    change_rank,
    resize,
    scatter,
    scatter_along,
    softmax,
    table,
}
#: ``size * (x - mean)`` has to be an int32.
_MOST_NORMALIZED = 2**15 - 1


def integer_refusal(call: Call, constants: Constants, spec: TosaSpecification) -> str | None:
    """Why a call that works on integers is not taken."""
    node = call.node
    row = OPERATORS[name_of(node)]
    why = row.refusal(node, constants.has)
    if why is not None:
        return why
    kinds = {call.output.dtype}
    for one in node.all_input_nodes:
        if (
            row.integer in (pick, scatter, scatter_along)
            and not constants.has(one)
            and one.meta[meta_keys.VAL].dtype is torch.int64
        ):
            return "indices of type int64, which TOSA 1.0 has not; convert them (.int())"
        quant = parameters_of(one) if is_float(one) else None
        if quant is not None and not constants.has(one):
            kinds.add(quant.dtype)
    if len(kinds) > 1:
        return "operands of int8 and of int16; quantize both alike"
    if torch.int16 in kinds and not spec.support_extension("int16"):
        return f"values of int16, for which {spec} needs the extension int16"
    if row.integer is resize and isinstance(found := resize_of(node), str):
        return found
    if torch.int16 in kinds and row.integer not in _INT16:
        return "values of int16, which this operator takes in int8 only"
    if (
        torch.int16 in kinds
        and row.integer in (layer_norm, group_norm)
        and _normalized(node) > _MOST_NORMALIZED
    ):
        return f"a norm of more than {_MOST_NORMALIZED} values of int16, whose sum has more than 32 bits"
    if torch.int16 in kinds and row.integer is scatter and argument(node, 3, "accumulate", False):
        return "sums of int16 at indices, of which TOSA's products are 48 bits; quantize them to int8"
    return _weights_refusal(call, constants)


def _normalized(node: Node) -> int:
    """How many values have one mean."""
    if "layer_norm" in name_of(node):
        return math.prod(node.args[1])  # type: ignore[arg-type]
    return math.prod(node.args[0].meta[meta_keys.VAL].shape[1:]) // int(node.args[6])  # type: ignore[union-attr, call-overload, arg-type]


def _weights_refusal(call: Call, constants: Constants) -> str | None:
    node, name = call.node, name_of(call.node)
    if name == "aten.convolution.default":
        found = weight_of(node.args[1], constants, output_dimension(node))  # type: ignore[arg-type]
        if found is None:
            return "a filter that is not constant and symmetric in int8"
        if node.args[6] and node.args[8] != 1 and len(found.scales) > 1:
            return "a transposed convolution with groups and scales by output; quantize its filter as a whole"
    if name in ("aten.linear.default", "aten.addmm.default", "aten.mm.default"):
        if linear_parts(node, constants)[1] is None:
            return "a weight that is not constant and symmetric in int8"
        options = {key: value for key, value in node.kwargs.items() if value != 1}
        if options:
            return f"a product with {', '.join(options)}; multiply before it"
    return None
