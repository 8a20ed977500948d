"""Says how a captured graph is quantized for microcontrollers, with torchao's PT2E flow.

``prepare_pt2e(torch.export.export(model, inputs).module(), CortexMQuantizer())``, calibrate, ``convert_pt2e``, export again.
"""

from __future__ import annotations

import math
from typing import Any, Final

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import (
    FixedQParamsQuantizationSpec,
    QuantizationAnnotation,
    QuantizationConfig,
    SharedQuantizationSpec,
)

from executorch.backends.arm.quantizer.annotations import (
    ANNOTATION,
    BINARY,
    CLAMPING,
    READING,
    UNARY,
    WEIGHTED,
    is_real,
    mark_node_as_annotated,
    with_copies,
)
from executorch.backends.arm.quantizer.arm_quantizer import TOSAQuantizer
from executorch.backends.arm.quantizer.quantization_config import get_symmetric_quantization_config
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.backends.transforms.graph_edit import same_shape, view_arguments
from executorch.dialects import meta_keys
from executorch.ir.graph import sole_user
from executorch.ir.rewriter import new_call, replace

#: Means, which keep the scale of what is averaged.
_MEANS: Final = {"aten.mean.dim"}
_POOLS: Final = {"aten.max_pool2d.default"}
#: Scales are those of what the largest or smallest is chosen of.
_CHOSEN: Final = {"aten.amax.default", "aten.amin.default"}
_EXTREMES: Final = {"aten.maximum.default", "aten.minimum.default"}
_SOFTMAX: Final = {"aten.softmax.int"}
#: What the family quantizes and kernels for Cortex-M do not calculate.
_NO_TABLE: Final = {
    "aten.layer_norm.default",
    "aten.mean.default",
    "aten.sum.default",
    "aten.sum.dim_IntList",
}
_WEIGHTED: Final = {
    "aten.conv1d.default",
    "aten.conv1d.padding",
    "aten.conv2d.default",
    "aten.conv2d.padding",
    "aten.conv_transpose1d.default",
    "aten.conv_transpose2d.input",
    "aten.linear.default",
}
#: Of equal shapes.
_QUOTIENT: Final = "aten.div.Tensor"
_PRODUCTS: Final = {"aten.bmm.default", "aten.matmul.default"}
#: Integers are moved, by kernels that move any integers, or averaged. A list of what is known: another mover of the family stays
#: in floating point until it stands here.
MOVED: Final = with_copies(
    {
        "aten.adaptive_avg_pool2d.default",
        "aten.alias.default",
        "aten.avg_pool2d.default",
        "aten.cat.default",
        "aten.clone.default",
        "aten.concat.default",
        "aten.concatenate.default",
        "aten.constant_pad_nd.default",
        "aten.contiguous.default",
        "aten.detach.default",
        "aten.dropout.default",
        "aten.dropout_.default",
        "aten.expand.default",
        "aten.flatten.using_ints",
        "aten.flip.default",
        "aten.gather.default",
        "aten.index.Tensor",
        "aten.index_put.default",
        "aten.index_select.default",
        "aten.max_pool2d.default",
        "aten.moveaxis.int",
        "aten.moveaxis.intlist",
        "aten.movedim.int",
        "aten.movedim.intlist",
        "aten.pad.default",
        "aten.permute.default",
        "aten.repeat.default",
        "aten.reshape.default",
        "aten.select.int",
        "aten.slice.Tensor",
        "aten.squeeze.default",
        "aten.squeeze.dim",
        "aten.squeeze.dims",
        "aten.t.default",
        "aten.tile.default",
        "aten.transpose.int",
        "aten.unflatten.int",
        "aten.unfold.default",
        "aten.unsqueeze.default",
        "aten.view.default",
    }
)
_KNOWN: Final = (
    (UNARY - _NO_TABLE - _CHOSEN - _MEANS - _SOFTMAX) | BINARY | CLAMPING | _WEIGHTED | _PRODUCTS | MOVED
)


class CortexMQuantizer(TOSAQuantizer):
    """Int8: activations with a zero point, weights symmetric, those of convolutions with a scale for each output.

    Those of linear layers have one scale, as published: a program has their factors as numbers, which take tens of bytes
    each where it is loaded.

    What no kernel of ``cortex_m`` calculates stays in floating point. Parts get configs of their own by the setters
    of the family's quantizers (``set_module_name``, ``set_module_type``, ``set_io``); a config of None leaves them.

    Args:
        per_tensor_config: instead of the default config, for everything.
        use_explicit_layout: as released versions take it; scales do not depend on it, ``CortexMPassManager`` has the layout.
    """

    #: What is picked by numbers is left to kernels that take int64.
    _indices_stay = True

    def __init__(
        self, per_tensor_config: QuantizationConfig | None = None, *, use_explicit_layout: bool = False
    ) -> None:
        super().__init__(TosaSpecification.create_from_string("TOSA-1.0+INT"))
        self._default = get_symmetric_quantization_config()
        self.set_global(per_tensor_config or self._default)

    def config_of(self, node: Node) -> QuantizationConfig | None:
        config = super().config_of(node)
        if config is self._default and str(node.target) == "aten.linear.default":
            return get_symmetric_quantization_config(is_per_channel=False)
        return config

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        """What the family does, products of more than two leading dimensions as batches, and quotients of equal shapes as such."""
        model = super().transform_for_annotation(model)
        for node in model.graph.find_nodes(op="call_function", target=torch.ops.aten.matmul.default):
            _as_batches(node)
        for node in model.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor):
            _as_quotient(node)
        model.graph.eliminate_dead_code()
        model.recompile()
        return model

    def annotate(self, model: GraphModule) -> GraphModule:
        for node in model.graph.nodes:
            known = is_real(node) or str(node.target) in READING
            if node.op == "call_function" and known and ANNOTATION not in node.meta:
                self._annotate_own(node)
        return super().annotate(model)

    def _annotate_own(self, node: Node) -> None:
        """Annotates what differs from the rest of the family; marks what stays in floating point."""
        config, name = self.config_of(node), str(node.target)
        if config is None or ANNOTATION in node.meta:
            return
        operands = [one for one in node.all_input_nodes if is_real(one)]
        if (
            name in _CHOSEN
            or (name in _MEANS and _is_spatial(node))
            or (name in _EXTREMES and all(map(is_real, node.args)))
            or (name in CLAMPING and not _belongs_to_layer(node))
        ):
            _share(node, operands, config)
        elif name in _POOLS and (clamp := sole_user(node)) is not None and str(clamp.target) in CLAMPING:
            # The pool clamps.
            mark_node_as_annotated(node, {operands[0]: config.input_activation}, None)
            mark_node_as_annotated(clamp, {}, SharedQuantizationSpec((operands[0], node)))
        elif name in _SOFTMAX and node.args[1] in (-1, operands[0].meta[meta_keys.VAL].dim() - 1):
            # Probabilities of 256ths.
            spec = FixedQParamsQuantizationSpec(torch.int8, 1 / 256, -128, -128, 127)
            mark_node_as_annotated(node, {operands[0]: config.input_activation}, spec)
        elif name == _QUOTIENT:
            mark_node_as_annotated(
                node, dict.fromkeys(operands, config.input_activation), config.output_activation
            )
        elif name not in _KNOWN:
            node.meta[ANNOTATION] = QuantizationAnnotation()


def _belongs_to_layer(node: Node) -> bool:
    """Whether an activation is the bounds of what comes before."""
    before: Any = node.args[0]
    return len(before.users) == 1 and str(before.target) in WEIGHTED.keys() | BINARY


def _as_batches(node: Node) -> None:
    """A product of matrices, or of equal leading dimensions, as one of three-dimensional tensors, which is quantized as a whole.

    Left as it is where a run tells more than one of the sizes that a view asks for.
    """
    shapes = [list(one.meta[meta_keys.VAL].shape) for one in (*node.args, node)]  # type: ignore[union-attr]
    left, right, whole = shapes
    if len(left) in (1, 3) or not same_shape(left[:-2], right[:-2]) or not is_real(node):
        return
    sizes = [view_arguments(node, [math.prod(one[:-2]), *one[-2:]]) for one in (left, right)]
    sizes.append(view_arguments(node, whole))
    if None in sizes:
        return
    reshape = torch.ops.aten.reshape.default
    with node.graph.inserting_before(node):
        flat = [new_call(node, reshape, pair) for pair in zip(node.args, sizes[:2], strict=True)]
        product = new_call(node, torch.ops.aten.bmm.default, tuple(flat))
        replace(node, new_call(node, reshape, (product, sizes[2])))


def _as_quotient(node: Node) -> None:
    """What the family writes as a product with a reciprocal, which in eight bits has few digits left, in one step again."""
    value, other = node.args[:2]
    if not isinstance(other, Node) or other.target is not torch.ops.aten.reciprocal.default:
        return
    divisor: Any = other.args[0]
    operands = [value, divisor]
    if not all(isinstance(one, Node) and is_real(one) for one in operands):
        return
    if same_shape(*(list(one.meta[meta_keys.VAL].shape) for one in operands)):
        with node.graph.inserting_before(node):
            replace(node, new_call(node, torch.ops.aten.div.Tensor, (value, divisor)))


def _is_spatial(node: Node) -> bool:
    """Whether a mean is that of whole images."""
    rank = node.args[0].meta[meta_keys.VAL].dim()  # type: ignore[union-attr]
    dims: Any = node.args[1]
    return rank == 4 and isinstance(dims, list | tuple) and {dim % 4 for dim in dims} == {2, 3}


def _share(node: Node, operands: list[Node], config: QuantizationConfig) -> None:
    """Operands and result have one scale."""
    shared = SharedQuantizationSpec((operands[0], node))
    inputs = dict.fromkeys(operands, shared) | {operands[0]: config.input_activation}
    mark_node_as_annotated(node, inputs, shared)


__all__ = ["CortexMQuantizer", "mark_node_as_annotated"]
