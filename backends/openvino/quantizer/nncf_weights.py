"""Compression of weights by NNCF: what it asks of a quantizer, and its results in operators that the delegate keeps in few bits."""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.utils import create_getattr_from_value

from executorch.backends.openvino.conversion.compression import Compression
from executorch.backends.openvino.quantizer.four_bits import decomposed


def nncf() -> Any:
    """The module ``nncf``.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import nncf as found
    except ImportError as error:
        raise ImportError(
            f"NNCF compresses weights with data by its own package, which cannot be imported ({error}). Way out: "
            "pip install nncf"
        ) from error
    return found


def configuration(asked: Compression, all_layers: bool) -> dict[str, Any]:
    """What NNCF asks a quantizer for, by the names that it reads."""
    mode = f"INT{asked.bits}_{'ASYM' if asked.has_zero_points else 'SYM'}"
    eight = asked.bits == 8
    return {
        "mode": nncf().CompressWeightsMode[mode],
        "group_size": -1 if eight else asked.group_size,
        "all_layers": None if eight else all_layers,
    }


def parameters(
    model: GraphModule, graph: Any, ignored: Collection[str], asked: Compression, all_layers: bool
) -> Any:
    """NNCF's own choice of weights: all of them, those that have the few bits, those that stay.

    Args:
        graph: NNCF's of the same model.
        ignored: names of nodes whose weights stay as they are.
    """
    scope = nncf().IgnoredScope(names=sorted(ignored), validate=False)
    from nncf.quantization.algorithms.weight_compression import algorithm

    made = algorithm.get_weight_compression_configuration(
        **configuration(asked, all_layers),
        ratio=1,
        ignored_scope=scope,
        sensitivity_metric=nncf().SensitivityMetric.WEIGHT_QUANTIZATION_ERROR,
    )
    chooser = algorithm.WeightCompression(
        subset_size=1, compression_format=nncf().CompressionFormat.DQ, **made
    )
    chooser.set_backend_entity(model)
    return chooser.get_weight_compression_parameters(model, graph)


def compress(
    model: GraphModule, quantizer: Any, dataset: Any, awq: bool, scale_estimation: bool
) -> GraphModule:
    """A captured model with compressed weights, as quantized operators say them.

    Args:
        dataset: NNCF's, of example inputs; None where nothing looks at data.
        awq: scales channels of activations so that weights which matter are rounded less.
        scale_estimation: chooses scales by what they do to results.

    Raises:
        ImportError: there is no NNCF.
    """
    nncf()
    from nncf.experimental.torch.fx import compress_pt2e

    with torch.no_grad():
        made = compress_pt2e(model, quantizer, dataset=dataset, awq=awq, scale_estimation=scale_estimation)
        return with_operators(made)


def with_operators(model: GraphModule) -> GraphModule:
    """Says NNCF's decompressing modules as operators over integers; their scales keep their names. What has no such form stays."""
    from nncf.torch.quantization.layers import BaseWeightsDecompressor

    for node in list(model.graph.nodes):
        module = model.get_submodule(str(node.target)) if node.op == "call_module" else None
        if not isinstance(module, BaseWeightsDecompressor):
            continue
        with model.graph.inserting_before(node):
            made = (
                _few_bits(model, node, module)
                if hasattr(module, "result_shape")
                else _rows(model, node, module)
            )
        if made is not None:
            node.replace_all_uses_with(made)
            model.graph.erase_node(node)
    model.graph.eliminate_dead_code()
    # Without what nothing reads any more: packed weights, and modules but for their scales.
    return GraphModule(model, model.graph)


def _few_bits(model: GraphModule, node: Node, module: Any) -> Node | None:
    """Four bits of a matrix, in groups along its last dimension, or along its first one, which is turned."""
    from nncf.torch.quantization.quantize_functions import unpack_uint4

    if len(module.result_shape) != 2:
        return None
    is_turned = module._scale.shape[-1] != 1
    integers = unpack_uint4(_constant(model, node)).reshape(module.compressed_weight_shape)
    zeros = torch.full_like(module._scale, 8, dtype=torch.int32)
    if hasattr(module, "_zero_point"):
        zeros = unpack_uint4(module._zero_point).reshape(module._scale.shape).to(torch.int32)
    if is_turned:
        integers, zeros = integers.movedim(-1, 0), zeros.movedim(-1, 0)
        module._scale = module._scale.movedim(-1, 0).contiguous()
    made = model.graph.call_function(
        decomposed("dequantize_per_channel_group"),
        (
            _get(model, "_integers", integers.flatten(1)),
            model.graph.get_attr(f"{node.target}._scale"),
            _get(model, "_zero_points", zeros.flatten(1)),
            0,
            15,
            torch.uint8,
            integers.shape[-1],
            module.result_dtype,
        ),
    )
    return model.graph.call_function(torch.ops.aten.permute.default, (made, [1, 0])) if is_turned else made


def _rows(model: GraphModule, node: Node, module: Any) -> Node:
    """Eight bits, with a scale for each row; signed integers are moved."""
    integers, scale = _constant(model, node), module._scale
    axis = next((dim for dim, size in enumerate(scale.shape) if size != 1), 0)
    zeros = torch.full_like(scale, 128, dtype=torch.int64)
    if hasattr(module, "_zero_point"):
        zeros = module._zero_point.to(torch.int64)
    else:
        integers = (integers.to(torch.int16) + 128).to(torch.uint8)
    module._scale = scale.reshape(-1)
    return model.graph.call_function(
        decomposed("dequantize_per_channel"),
        (
            _get(model, "_integers", integers),
            model.graph.get_attr(f"{node.target}._scale"),
            _get(model, "_zero_points", zeros.reshape(-1)),
            axis,
            0,
            255,
            torch.uint8,
        ),
        {"out_dtype": module.result_dtype},
    )


def _constant(model: GraphModule, node: Node) -> torch.Tensor:
    """What a decompressing module reads."""
    (packed,) = node.args
    value: torch.Tensor = attrgetter(str(packed.target))(model)  # type: ignore[union-attr]
    return value


def _get(model: GraphModule, name: str, value: torch.Tensor) -> Any:
    return create_getattr_from_value(model, model.graph, name, value.contiguous(), None)
