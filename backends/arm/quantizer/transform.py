"""What is done to a captured graph before it is annotated."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from executorch.backends.arm.common.pipeline_config import (
    ArmPassPipelineConfig,
    SDPASafeSoftmaxGuardPolicy,
    SoftmaxDecompositionConfig,
)
from executorch.backends.arm.quantizer.annotations import BINARY, is_real
from executorch.backends.arm.quantizer.composites import composites_apart
from executorch.backends.arm.quantizer.decompositions import has_rule, take_apart
from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY, ReplaceInfAndLimitValuesPass
from executorch.backends.transforms.decompose_recurrent import DecomposeRecurrent
from executorch.backends.transforms.decompose_sdpa import DecomposeScaledDotProductAttention
from executorch.dialects import meta_keys
from executorch.ir.constants import add_attribute
from executorch.ir.rewriter import new_call, replace


def transform_for_annotation(
    model: GraphModule, pipeline: ArmPassPipelineConfig | None = None, indices_stay: bool = False
) -> GraphModule:
    """A graph of operators that the quantizer knows. In place.

    Numbers in sums, products, comparisons and operators on bits become tensors, a division by a number a product. Attention, recurrent layers and
    what ``decompositions`` has a rule for are taken apart, an extreme whose place nobody asks for is one without its place, dropouts that
    drop nothing are gone, and infinities are numbers that have integers. ``pipeline`` says how, where there are several ways. Inputs of int64 that
    number elements are read through a cast to int32, unless ``indices_stay``.
    """
    pipeline = pipeline or ArmPassPipelineConfig()
    left = _MASKED_FILLS if pipeline.softmax is SoftmaxDecompositionConfig.STABLE else frozenset()
    finite = pipeline.quantize_inf
    _idle_dropouts_out(model)
    _attention_apart(model, pipeline.sdpa_safe_softmax_guard is SDPASafeSoftmaxGuardPolicy.REMOVE)
    _RecurrentApart()(model)
    composites_apart(model, lambda target: target in _WRITTEN_HERE or has_rule(target))
    _extremes_alone(model)
    ReplaceInfAndLimitValuesPass(finite.neg_inf, finite.pos_inf, tfa_pass=True)(model)
    take_apart(model, left)
    for node in list(model.graph.nodes):
        if node.op == "call_function" and (is_real(node) or node.target in _WITH_NUMBERS):
            _numbers_as_tensors(node)
    if not indices_stay:
        for node in model.graph.find_nodes(op="placeholder"):
            _indices_narrow(node)
    model.graph.eliminate_dead_code()
    model.recompile()
    return model


def _idle_dropouts_out(model: GraphModule) -> None:
    for target in (torch.ops.aten.dropout.default, torch.ops.aten.dropout_.default):
        for node in model.graph.find_nodes(op="call_function", target=target):
            if not node.args[2]:
                replace(node, node.args[0])  # type: ignore[arg-type]


class _RecurrentApart(DecomposeRecurrent):
    """Not of what a config leaves in floating point."""

    def accepts(self, node: Node) -> bool:
        return not node.meta.get(DISALLOW_TFA_META_KEY) and any(map(is_real, node.all_input_nodes))


def _attention_apart(model: GraphModule, no_row_is_empty: bool) -> None:
    attention = torch.ops.aten.scaled_dot_product_attention.default
    calls = model.graph.find_nodes(op="call_function", target=attention)
    masked = any(
        len(node.args) > 3 or node.kwargs.get("attn_mask") is not None or node.kwargs.get("is_causal")
        for node in calls
    )
    if not calls:
        return
    DecomposeScaledDotProductAttention()(model)
    if masked and not no_row_is_empty:
        return
    # Without a mask no row is.
    for node in model.graph.find_nodes(op="call_function", target=torch.ops.aten._safe_softmax.default):
        node.target = torch.ops.aten.softmax.int


def _extremes_alone(model: GraphModule) -> None:
    aten = torch.ops.aten
    for target, alone in ((aten.max.dim, aten.amax.default), (aten.min.dim, aten.amin.default)):
        for node in model.graph.find_nodes(op="call_function", target=target):
            if any(user.args[1:] != (0,) for user in node.users if user.users):
                continue
            for user in [one for one in node.users if one.users]:
                dim, keeps = [*node.args[1:], node.kwargs.get("keepdim", False)][:2]
                with user.graph.inserting_before(user):
                    replace(user, new_call(user, alone, (node.args[0], [dim], keeps)))


_aten = torch.ops.aten
_MASKED_FILLS = frozenset(
    {
        _aten.masked_fill.Scalar,
        _aten.masked_fill_.Scalar,
        _aten.masked_fill.Tensor,
        _aten.masked_fill_.Tensor,
    }
)
_DIVISIONS = {
    _aten.div.Tensor: _aten.mul.Tensor,
    _aten.div_.Tensor: _aten.mul.Tensor,
    _aten.div.Scalar: _aten.mul.Tensor,
}
#: Of real numbers.
_SCALAR_FORMS = {
    _aten.add.Scalar: _aten.add.Tensor,
    _aten.sub.Scalar: _aten.sub.Tensor,
    _aten.mul.Scalar: _aten.mul.Tensor,
}
#: What makes no real numbers: on bits, and comparisons.
_WITH_NUMBERS = {
    _aten.bitwise_and.Scalar: _aten.bitwise_and.Tensor,
    _aten.bitwise_or.Scalar: _aten.bitwise_or.Tensor,
    _aten.bitwise_xor.Scalar: _aten.bitwise_xor.Tensor,
    _aten.bitwise_left_shift.Tensor_Scalar: _aten.bitwise_left_shift.Tensor,
    _aten.bitwise_right_shift.Tensor_Scalar: _aten.bitwise_right_shift.Tensor,
    _aten.__lshift__.Scalar: _aten.bitwise_left_shift.Tensor,
    _aten.__rshift__.Scalar: _aten.bitwise_right_shift.Tensor,
    **{getattr(_aten, one).Scalar: getattr(_aten, one).Tensor for one in ("eq", "gt", "ge", "lt", "le")},
}


#: What is written otherwise here.
_WRITTEN_HERE = frozenset(
    {
        *_DIVISIONS,
        *_SCALAR_FORMS,
        *_WITH_NUMBERS,
        _aten.max.dim,
        _aten.min.dim,
        _aten.rsub.Scalar,
    }
)

#: What picks or writes elements by their numbers, and where it is given them.
_INDEXING = {
    _aten.embedding.default: 1,
    _aten.gather.default: 2,
    _aten.index.Tensor: 1,
    _aten.index_put.default: 1,
    _aten.index_put_.default: 1,
    _aten.index_select.default: 2,
    _aten.scatter.src: 2,
    _aten.scatter.value: 2,
}


def _indices_narrow(given: Node) -> None:
    """TOSA has int32 at most, and no tensor here has more elements than that."""
    value = given.meta.get(meta_keys.VAL)
    if not isinstance(value, torch.Tensor) or value.dtype is not torch.int64:
        return
    readers = [one for one in given.users if _counts_with(one, given)]
    if not readers:
        return
    with given.graph.inserting_before(min(readers)):
        cast = new_call(given, _aten._to_copy.default, (given,), {"dtype": torch.int32})
    for reader in readers:
        reader.replace_input_with(given, cast)


def _counts_with(node: Node, given: Node) -> bool:
    """Whether a call takes ``given`` for numbers of elements, and for nothing else."""
    place = _INDEXING.get(node.target)  # type: ignore[call-overload]
    if place is None or node.meta.get(DISALLOW_TFA_META_KEY):
        return False
    numbers = node.args[place]
    among = numbers if isinstance(numbers, list | tuple) else [numbers]
    return given in among and all(one is not given for i, one in enumerate(node.args) if i != place)


def _numbers_as_tensors(node: Node) -> None:
    if str(node.target) == "aten.rsub.Scalar" and len(node.args) == 2 and not node.kwargs:
        node.target, node.args = _aten.sub.Tensor, (node.args[1], node.args[0])
    divides = node.target in _DIVISIONS and isinstance(node.args[1], int | float)
    renamed = {**_SCALAR_FORMS, **_WITH_NUMBERS, **(_DIVISIONS if divides else {})}
    if node.target not in renamed and str(node.target) not in BINARY:
        return
    args = list(node.args[:2])
    for place in (0, 1):
        number = args[place]
        if isinstance(number, int | float):
            number = 1.0 / number if divides else number
            args[place] = _attribute(node, place, number)
    if len(node.args) > 2:
        node.kwargs = {"alpha": node.args[2]}
    node.target = renamed.get(node.target, node.target)  # type: ignore[arg-type]
    node.args = tuple(args)


def _attribute(node: Node, place: int, number: float | int) -> Node:
    """Of the type of what is calculated with; a comparison makes another."""
    (other,) = [one for one in node.args[:2] if isinstance(one, Node)]
    tensor = torch.tensor(number, dtype=other.meta[meta_keys.VAL].dtype)
    with node.graph.inserting_before(node):
        return add_attribute(node.graph, tensor, f"_constant_{node.name}_{place}")
