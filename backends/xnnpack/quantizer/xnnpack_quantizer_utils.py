"""Which operators of a captured graph are quantized, and at which edges; one function for each kind of operator.

A function takes the graph, a config and a filter of nodes, marks what it annotates, and returns those groups of
nodes. Nodes that are marked already are left alone, so that the first config that fits a node wins.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import (
    OperatorConfig,
    OperatorPatternType,
    QuantizationAnnotation,
    QuantizationConfig,
    QuantizationSpec,
    SharedQuantizationSpec,
    get_bias_qspec,
    get_input_act_qspec,
    get_output_act_qspec,
    get_weight_qspec,
)

from executorch.ir.constants import add_attribute

__all__ = [
    "OP_TO_ANNOTATOR",
    "OperatorConfig",
    "OperatorPatternType",
    "QuantizationConfig",
    "QuantizationSpec",
    "get_bias_qspec",
    "get_input_act_qspec",
    "get_output_act_qspec",
    "get_weight_qspec",
    "propagate_annotation",
]

FilterFunction = Callable[[Node], bool]
Annotator = Callable[
    [GraphModule, QuantizationConfig | None, FilterFunction | None], "list[list[Node]] | None"
]

Q_ANNOTATION_KEY = "quantization_annotation"
_ANNOTATION = Q_ANNOTATION_KEY
_VALUE = "val"
#: Larger numbers leave no resolution for anything else.
_LARGEST_NUMBER = 3.4e38
#: Of a convolution of one dimension: channels out, channels in, kernel.
_WEIGHT_DIMENSIONS_1D = 3

aten = torch.ops.aten
CONV_TARGETS = {
    aten.conv1d.default,
    aten.conv1d.padding,
    aten.conv2d.default,
    aten.conv2d.padding,
    aten.convolution.default,
}
CONV_TRANSPOSE_TARGETS = {aten.conv_transpose1d.default, aten.conv_transpose2d.input}
LINEAR_TARGETS = {aten.linear.default}
ADD_TARGETS = {aten.add.Tensor, aten.add_.Tensor}
SUB_TARGETS = {aten.sub.Tensor, aten.sub_.Tensor}
MUL_TARGETS = {aten.mul.Tensor, aten.mul_.Tensor}
CAT_TARGETS = {aten.cat.default}
POOLING_TARGETS = {aten.adaptive_avg_pool2d.default, aten.mean.dim}
_RELU_TARGETS = {aten.relu.default, aten.relu_.default}
#: XNNPACK does these with the operator before.
_ACTIVATION_TARGETS = {
    *_RELU_TARGETS,
    aten.hardtanh.default,
    aten.hardtanh_.default,
    aten.relu6.default,
    aten.relu6_.default,
}
_BATCH_NORM_TARGETS = {aten.batch_norm.default, aten._native_batch_norm_legit.default}
#: The result has the scale of the input: elements are moved, chosen, or lie within its range.
_SHARING_TARGETS = {
    *_ACTIVATION_TARGETS,
    *POOLING_TARGETS,
    aten.alias.default,
    aten.clone.default,
    aten.contiguous.default,
    aten.dropout.default,
    aten.dropout_.default,
    aten.flatten.using_ints,
    aten.max_pool2d.default,
    aten.mean.default,
    aten.pad.default,
    aten.permute.default,
    aten.permute_copy.default,
    aten.reshape.default,
    aten.slice.Tensor,
    aten.slice_copy.Tensor,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.squeeze_copy.dim,
    aten.transpose.int,
    aten.transpose_.default,
    aten.unsqueeze.default,
    aten.unsqueeze_copy.default,
    aten.upsample_bilinear2d.vec,
    aten.view.default,
    aten.view_copy.default,
}
OP_TO_ANNOTATOR: dict[str, Annotator] = {}


def register_annotator(op: str) -> Callable[[Annotator], Annotator]:
    """Makes a function the annotator of the kind of operators called ``op``."""

    def register(function: Annotator) -> Annotator:
        OP_TO_ANNOTATOR[op] = function
        return function

    return register


def _is_conv_node(n: Node) -> bool:
    """Whether ``n`` is a convolution."""
    return n.op == "call_function" and n.target in CONV_TARGETS


def _is_conv_transpose_node(n: Node) -> bool:
    """Whether ``n`` is a transposed convolution."""
    return n.op == "call_function" and n.target in CONV_TRANSPOSE_TARGETS


def is_relu_node(node: Node) -> bool:
    """Whether ``node`` is a rectifier."""
    return node.op == "call_function" and node.target in _RELU_TARGETS


def _is_annotated(nodes: list[Node]) -> bool:
    return any(_ANNOTATION in node.meta and node.meta[_ANNOTATION]._annotated for node in nodes)


def _mark_nodes_as_annotated(nodes: list[Node]) -> None:
    """Says that these nodes are done; what they are annotated with already stays."""
    for node in nodes:
        annotation = node.meta.setdefault(_ANNOTATION, QuantizationAnnotation())
        annotation._annotated = True


def _is_share_obs_or_fq_op(op: Callable[..., Any]) -> bool:
    """Whether the result of an operator has the scale of its input."""
    return op in _SHARING_TARGETS


def _is_input_large_scalar(node: Node, gm: GraphModule) -> bool:
    """Whether ``node`` is a number of the module that leaves no resolution for anything else."""
    return _is_large_number(node, gm)


def _is_input_non_float_tensor(node: Node) -> bool:
    """Whether ``node`` is no tensor of floating-point numbers."""
    return not _is_real(node)


def _is_real(node: Any) -> bool:
    value = node.meta.get(_VALUE) if isinstance(node, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float16)


def _is_large_number(node: Node, model: GraphModule) -> bool:
    if node.op != "get_attr":
        return False
    holder: Any = model
    for part in str(node.target).split("."):
        holder = getattr(holder, part)
    return isinstance(holder, torch.Tensor) and holder.numel() == 1 and float(holder.abs()) > _LARGEST_NUMBER


def _sole_user(node: Node) -> Node | None:
    return next(iter(node.users)) if len(node.users) == 1 else None


def _calls(model: GraphModule, targets: set[Any], accepts: FilterFunction | None) -> list[Node]:
    """Nodes with one of the targets that are not annotated yet."""
    return [
        node
        for node in model.graph.nodes
        if node.op == "call_function"
        and node.target in targets
        and (accepts is None or accepts(node))
        and not _is_annotated([node])
    ]


def _mark(nodes: list[Node], inputs: dict[Node, Any], output: Any) -> list[Node]:
    """Annotates a chain of nodes that run as one: the edges into its first and the result of its last."""
    for node in nodes:
        node.meta[_ANNOTATION] = QuantizationAnnotation(_annotated=True)
    nodes[0].meta[_ANNOTATION].input_qspec_map = inputs
    nodes[-1].meta[_ANNOTATION].output_qspec = output
    return nodes


def _chain(node: Node, batch_norm: bool, activation: bool) -> list[Node]:
    """``node`` with the batch norm and the activation that run with it."""
    chain = [node]
    for wanted, targets in ((batch_norm, _BATCH_NORM_TARGETS), (activation, _ACTIVATION_TARGETS)):
        user = _sole_user(chain[-1])
        if wanted and user is not None and user.target in targets and not _is_annotated([user]):
            chain.append(user)
    return chain


def change_quantization_config(
    original_qspec: QuantizationSpec,
    dtype: torch.dtype | None = None,
    quant_min: int | None = None,
    quant_max: int | None = None,
    qscheme: torch.qscheme | None = None,
    ch_axis: int | None = None,
    is_dynamic: bool | None = None,
    observer_or_fake_quant_ctr: Any = None,
) -> QuantizationSpec:
    """The same spec with other fields; None leaves one as it is."""
    changes = {
        "dtype": dtype,
        "quant_min": quant_min,
        "quant_max": quant_max,
        "qscheme": qscheme,
        "ch_axis": ch_axis,
        "is_dynamic": is_dynamic,
        "observer_or_fake_quant_ctr": observer_or_fake_quant_ctr,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    return dataclasses.replace(original_qspec, **given)


def _annotate_products(
    model: GraphModule,
    config: QuantizationConfig | None,
    accepts: FilterFunction | None,
    targets: set[Any],
    output_axis: int = 0,
) -> list[list[Node]]:
    """Products with weights: input, weight and bias quantized, and the result unless it is dynamic."""
    found = []
    weight_spec = get_weight_qspec(config)
    dynamic = _is_dynamic(config)
    if weight_spec is not None and weight_spec.qscheme == torch.per_channel_symmetric:
        weight_spec = change_quantization_config(weight_spec, ch_axis=output_axis)
    for node in _calls(model, targets, accepts):
        source, weight = node.args[:2]
        bias = node.args[2] if len(node.args) > 2 else node.kwargs.get("bias")
        if not _is_real(source) or not isinstance(weight, Node) or (dynamic and why_not_dynamic(node)):
            continue
        inputs: dict[Any, Any] = {source: get_input_act_qspec(config), weight: weight_spec}
        if isinstance(bias, Node):
            inputs[bias] = get_bias_qspec(config)
        is_qat = config is not None and config.is_qat
        nodes = _chain(node, batch_norm=is_qat and not dynamic, activation=not dynamic)
        found.append(_mark(nodes, inputs, get_output_act_qspec(config)))
    return found


def _is_dynamic(config: QuantizationConfig | None) -> bool:
    return config is not None and config.input_activation is not None and config.input_activation.is_dynamic


def why_not_dynamic(node: Node) -> str:
    """Why XNNPACK has no such layer with an input that is quantized at run time; empty if it has one."""
    if node.target not in CONV_TARGETS | CONV_TRANSPOSE_TARGETS:
        return ""
    if (node.args[6] if len(node.args) > 6 else node.kwargs.get("groups", 1)) != 1:
        return "XNNPACK has no convolution in groups whose input is quantized at run time"
    weight = node.args[1].meta.get(_VALUE) if isinstance(node.args[1], Node) else None
    if isinstance(weight, torch.Tensor) and weight.dim() == _WEIGHT_DIMENSIONS_1D:
        return "the delegate takes no convolution of one dimension whose input is quantized at run time"
    return ""


@register_annotator("linear")
def annotate_linear(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    return _annotate_products(model, config, filter_fn, LINEAR_TARGETS)


@register_annotator("conv")
def annotate_conv(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    found = _annotate_products(model, config, filter_fn, CONV_TARGETS)
    if not _is_dynamic(config):
        for chain in found:
            _annotate_pad(chain[0].args[0], config)
    return found


def _annotate_pad(pad: Any, config: QuantizationConfig | None) -> None:
    """Zeros before a convolution, which adds them itself if they are quantized as their image is."""
    known = pad.target is aten.pad.default and _sole_user(pad) is not None and not _is_annotated([pad])
    mode, value = [*pad.args[2:], "constant", None][:2] if known else ("", None)
    if known and mode == "constant" and not value and not pad.kwargs and _is_real(pad.args[0]):
        source = pad.args[0]
        _mark([pad], {source: get_input_act_qspec(config)}, SharedQuantizationSpec((source, pad)))


@register_annotator("conv_transpose")
def annotate_conv_transpose(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    return _annotate_products(model, config, filter_fn, CONV_TRANSPOSE_TARGETS, output_axis=1)


def _annotate_binary(
    model: GraphModule, config: QuantizationConfig | None, accepts: FilterFunction | None, targets: set[Any]
) -> list[list[Node]]:
    found = []
    for node in _calls(model, targets, accepts):
        inputs = list(node.args[:2])
        numbers = [one for one in inputs if isinstance(one, Node)]
        if not all(map(_is_real, inputs)) or any(_is_large_number(one, model) for one in numbers):
            continue
        specs = {one: get_input_act_qspec(config) for one in numbers}
        nodes = _chain(node, batch_norm=False, activation=True)
        found.append(_mark(nodes, specs, get_output_act_qspec(config)))
    return found


@register_annotator("add")
def annotate_add(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    return _annotate_binary(model, config, filter_fn, ADD_TARGETS)


@register_annotator("sub")
def annotate_sub(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    return _annotate_binary(model, config, filter_fn, SUB_TARGETS)


@register_annotator("mul")
def annotate_mul(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    return _annotate_binary(model, config, filter_fn, MUL_TARGETS)


@register_annotator("adaptive_avg_pool2d")
def annotate_pooling(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    """Averages over an image, with the scale of the image."""
    found = []
    for node in _calls(model, {aten.adaptive_avg_pool2d.default}, filter_fn):
        source = node.args[0]
        if not isinstance(source, Node) or not _is_real(source):
            continue
        before = source.meta.get(_ANNOTATION)
        known = before is not None and before.output_qspec is not None
        spec = SharedQuantizationSpec(source) if known else get_input_act_qspec(config)
        found.append(_mark([node], {source: spec}, SharedQuantizationSpec((source, node))))
    return found


def _register_chain(kind: str, batch_norm: bool, activation: bool) -> None:
    """Makes an annotator of those operators of a kind that a batch norm, an activation or both follow."""
    plain = OP_TO_ANNOTATOR[kind]
    wanted = 1 + batch_norm + activation

    def annotate(
        model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
    ) -> list[list[Node]] | None:
        def accepts(node: Node) -> bool:
            follows = len(_chain(node, batch_norm, activation)) == wanted
            return follows and (filter_fn is None or filter_fn(node))

        return plain(model, config, accepts)

    OP_TO_ANNOTATOR[f"{kind}{'_bn' * batch_norm}{'_relu' * activation}"] = annotate


for _kind in ("linear", "conv", "conv_transpose", "add", "mul"):
    _register_chain(_kind, batch_norm=False, activation=True)
for _kind in ("conv", "conv_transpose"):
    _register_chain(_kind, batch_norm=True, activation=False)
    _register_chain(_kind, batch_norm=True, activation=True)


def _has_annotated_qparam_source(node: Node) -> bool:
    """Whether what moves and chooses elements before ``node`` leads to a result that is to be quantized."""
    annotation = node.meta.get(_ANNOTATION)
    if annotation is not None and annotation.output_qspec is not None:
        return True
    source = node.args[0] if node.args else None
    if node.target not in _SHARING_TARGETS or not isinstance(source, Node):
        return False
    return _has_annotated_qparam_source(source)


def _get_cat_qparam_source(inputs: Sequence[Node]) -> Node:
    """The input of a concatenation whose scale all have: the first that is quantized already, else the first."""
    return next(filter(_has_annotated_qparam_source, inputs), inputs[0])


def _do_annotate_conv(
    gm: GraphModule,
    quantization_config: QuantizationConfig | None,
    filter_fn: FilterFunction | None = None,
    is_conv_transpose: bool = False,
) -> list[list[Node]] | None:
    """Annotates convolutions, or transposed ones."""
    return OP_TO_ANNOTATOR["conv_transpose" if is_conv_transpose else "conv"](
        gm, quantization_config, filter_fn
    )


def _do_annotate_conv_relu(
    gm: GraphModule,
    quantization_config: QuantizationConfig | None,
    filter_fn: FilterFunction | None = None,
    is_conv_transpose: bool = False,
) -> list[list[Node]] | None:
    """Annotates convolutions with the activation behind them."""
    kind = "conv_transpose_relu" if is_conv_transpose else "conv_relu"
    return OP_TO_ANNOTATOR[kind](gm, quantization_config, filter_fn)


def _do_annotate_conv_bn(
    gm: GraphModule,
    quantization_config: QuantizationConfig | None,
    filter_fn: FilterFunction | None,
    has_relu: bool,
    is_conv_transpose: bool = False,
) -> list[list[Node]]:
    """Annotates convolutions with the batch norm, and the activation if ``has_relu``, behind them."""
    kind = f"{'conv_transpose' if is_conv_transpose else 'conv'}_bn{'_relu' * has_relu}"
    return OP_TO_ANNOTATOR[kind](gm, quantization_config, filter_fn) or []


@register_annotator("cat")
def annotate_cat(
    model: GraphModule, config: QuantizationConfig | None, filter_fn: FilterFunction | None = None
) -> list[list[Node]] | None:
    """Concatenations: all inputs and the result have one scale."""
    found = []
    for node in _calls(model, CAT_TARGETS, filter_fn):
        sources: Any = node.args[0]
        if not all(map(_is_real, sources)):
            continue
        first = _get_cat_qparam_source(sources)
        shared = SharedQuantizationSpec((first, node))
        inputs = dict.fromkeys(sources, shared) | {first: get_input_act_qspec(config)}
        found.append(_mark([node], inputs, shared))
    return found


def propagate_annotation(model: GraphModule) -> None:
    """Lets operators that move or choose elements share the scale of the quantized value that they read."""
    for node in model.graph.nodes:
        source = node.args[0] if node.op == "call_function" and node.args else None
        if node.target not in _SHARING_TARGETS or _is_annotated([node]) or not isinstance(source, Node):
            continue
        before = source.meta.get(_ANNOTATION)
        if before is None or before.output_qspec is None or not _is_real(node):
            continue
        shared = SharedQuantizationSpec(source)
        _mark([node], {source: shared}, shared)


def _convert_scalars_to_attrs(model: GraphModule) -> GraphModule:
    """Numbers in sums and products as tensors of the module, so that they can be quantized (in place)."""
    for node in list(model.graph.nodes):
        if node.op != "call_function" or node.target not in ADD_TARGETS | SUB_TARGETS | MUL_TARGETS:
            continue
        if not _is_real(node):
            continue
        args = [
            one if isinstance(one, Node) else _attribute(model, node, position, one)
            for position, one in enumerate(node.args[:2])
        ]
        node.args = (*args, *node.args[2:])
    model.recompile()
    return model


def _attribute(model: GraphModule, node: Node, position: int, number: Any) -> Node:
    tensor = torch.tensor(float(number), dtype=node.meta[_VALUE].dtype)
    with model.graph.inserting_before(node):
        return add_attribute(model.graph, tensor, f"_constant_{node.name}_{position}")
