"""Linear layers and convolutions on the integers themselves, where no backend takes a quantized model.

================================================================  ======================================================
graph                                                             becomes
================================================================  ======================================================
``quantize(clamp(convolution(dequantize(x), dequantize(w), b)))``  ``quantized_decomposed.convolution(x, ..., w, ..., b)``
``quantize(clamp(addmm(b, dequantize(x), transposed(w))))``        ``quantized_decomposed.linear(x, ..., w, ..., b)``
================================================================  ======================================================

``clamp`` may be any of relu, hardtanh and clamp, or absent; around a linear layer there may be views, which move to the
integers. Weights keep their bytes: int8, symmetric, with a scale for each output channel or one for all. The operators
are this project's own: programs that are to run on other runtimes do without this pass.
"""

from typing import Any, Final, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import bound_ops, meta_keys
from executorch.dialects.edge_ops import aten_op, edge_op
from executorch.ir.constants import add_attribute
from executorch.ir.signature import constant_values, sync_signature
from executorch.ir.values import compute_value, value_of
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.to_edge.lift_constants_pass import lift_tensor_attributes

_aten = torch.ops.aten
_LAYERS: Final = bound_ops.LIBRARIES and torch.ops.quantized_decomposed
_QUANTIZE: Final = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE: Final = "quantized_decomposed::dequantize_per_tensor"
_PER_CHANNEL: Final = "quantized_decomposed::dequantize_per_channel"
_TRANSPOSED: Final = {
    _aten.permute_copy.default: (([1, 0],),),
    _aten.t_copy.default: ((),),
    _aten.transpose_copy.int: ((0, 1), (1, 0)),
}


class _Weight(NamedTuple):
    integers: Node
    scales: "Node | float"


class QuantizedLayersPass(ExportedProgramPassBase):
    """See the module's description. For programs in the edge dialect, before or after partitioning::

        edge.transform([QuantizedLayersPass()])

    The operators have kernels in ``//kernels/quantized``; ``import executorch.kernels.quantized`` defines their out
    variants.
    """

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        self._values = constant_values(exported_program)
        graph = exported_program.graph_module.graph
        modified = False
        for node in list(graph.nodes):
            modified |= _name(node) == _QUANTIZE and self._fuse(node)
        if modified:
            graph.eliminate_dead_code()
            lift_tensor_attributes(exported_program)
            sync_signature(exported_program)
            exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, modified)

    def _fuse(self, quantize: Node) -> bool:
        limits = _numbers(quantize)
        if limits is None:
            return False
        scale, zero_point, low, high, dtype = limits
        source, shape = _through_view(_sole(quantize.args[0]))
        source, least, most = _through_clamp(_sole(source))
        if shape is None:
            source, shape = _through_view(_sole(source))
        # Rounding keeps the order, so that a quantized bound bounds what is quantized.
        low = low if least is None else max(low, _quantized(least, limits))
        high = high if most is None else min(high, _quantized(most, limits))
        call = None if low > high else self._call(_sole(source), dtype, (scale, zero_point, low, high))
        if call is None:
            return False
        op, args = call
        with quantize.graph.inserting_before(quantize):
            result = _new_call(quantize, op, args)
            if shape is not None:
                result = _new_call(quantize, _aten.view_copy.default, (result, shape))
        quantize.replace_all_uses_with(result, propagate_meta=False)
        quantize.graph.erase_node(quantize)
        return True

    def _call(
        self, layer: Any, dtype: torch.dtype, out: "tuple[Any, ...]"
    ) -> "tuple[Any, tuple[Any, ...]] | None":
        """Operator and arguments in place of a layer in floating point; None if it is none, or not of integers."""
        op = _op(layer)
        rest: tuple[Any, ...] = ()
        if op is _aten.convolution.default:
            value, weight, bias, stride, padding, dilation, transposed, _, groups = layer.args
            if transposed or not 3 <= value_of(value).dim() <= 4:
                return None
            rest, fused = (stride, padding, dilation, groups), _LAYERS.convolution.default
        elif op is _aten.linear.default:
            value, weight, bias = (*layer.args, None)[:3]
            fused = _LAYERS.linear.default
        elif op in (_aten.addmm.default, _aten.mm.default) and not layer.kwargs:
            bias, value, weight = layer.args if op is _aten.addmm.default else (None, *layer.args)
            weight, fused = _transposed(weight), _LAYERS.linear.default
        else:
            return None
        found = self._weight(weight)
        bias_is_plain = bias is None or (value_of(bias).dim() == 1 and value_of(bias).dtype == torch.float32)
        integers = self._integers(layer, value, dtype) if found is not None and bias_is_plain else None
        if found is None or integers is None:
            return None
        return fused, (*integers, found.integers, self._scales(found), bias, *rest, *out)

    def _weight(self, node: Any) -> "_Weight | None":
        name = _name(node)
        if name == _DEQUANTIZE:
            params = _numbers(node)
            plain = params is not None and params[1] == 0 and params[4] == torch.int8
            return _Weight(node.args[0], params[0]) if params is not None and plain else None
        if name != _PER_CHANNEL or node.args[3] != 0 or node.args[6] != torch.int8:
            return None
        integers, scales, zero_points = node.args[:3]
        zeros = None if zero_points is None else self._values.get(zero_points)
        if zero_points is not None and (zeros is None or bool(zeros.any())):
            return None
        return _Weight(integers, scales) if value_of(scales).dtype == torch.float32 else None

    def _scales(self, weight: _Weight) -> Node:
        """The scales as a tensor; a number becomes an attribute of the graph's module, which is lifted in the end."""
        if isinstance(weight.scales, Node):
            return weight.scales
        graph = weight.integers.graph
        with graph.inserting_after(graph.find_nodes(op="placeholder")[-1]):
            return add_attribute(graph, torch.tensor([weight.scales]), f"_{weight.integers.name}_scale")

    def _integers(self, layer: Node, value: Any, dtype: torch.dtype) -> "tuple[Node, float, int] | None":
        """The integers behind a layer's input, their scale and their zero point."""
        source, shape = _through_view(value)
        params = _numbers(source) if _name(source) == _DEQUANTIZE else None
        if params is None or params[4] != dtype or dtype not in (torch.int8, torch.uint8):
            return None
        integers = source.args[0]
        if shape is not None:
            with layer.graph.inserting_before(layer):
                integers = _new_call(layer, _aten.view_copy.default, (integers, shape))
        return integers, params[0], params[1]


def _op(node: Any) -> Any:
    return aten_op(node.target) if isinstance(node, Node) and node.op == "call_function" else None


def _name(node: Any) -> str:
    op = _op(node)
    return op._schema.name if op is not None else ""


def _numbers(node: Node) -> "tuple[Any, ...] | None":
    """Scale, zero point, range and dtype of a quantization of whole tensors; None if they are tensors."""
    params = tuple(node.args[1:6])
    plain = len(params) == 5 and not any(isinstance(item, Node) for item in params)
    return params if plain and not node.kwargs.keys() - {"out_dtype"} else None


def _sole(node: Any) -> Any:
    """``node`` if it has one reader; else None, since somebody wants it in floating point."""
    return node if isinstance(node, Node) and len(node.users) == 1 else None


def _through_view(node: Any) -> "tuple[Any, Any]":
    """What a view shows, and the view's shape; ``node`` and None if it is no view."""
    return (node.args[0], node.args[1]) if _op(node) is _aten.view_copy.default else (node, None)


def _through_clamp(node: Any) -> "tuple[Any, float | None, float | None]":
    """What an activation that only clamps is applied to, and its bounds."""
    op = _op(node)
    if op is _aten.relu.default:
        bounds: tuple[Any, Any] = (0.0, None)
    elif op is _aten.hardtanh.default:
        bounds = (*node.args[1:], *(-1.0, 1.0)[len(node.args) - 1 :])  # type: ignore[assignment]
    elif op is _aten.clamp.default:
        bounds = (*node.args[1:], None, None)[:2]  # type: ignore[assignment]
    else:
        return node, None, None
    return node.args[0], *bounds


def _quantized(bound: float, limits: "tuple[Any, ...]") -> int:
    quantize = torch.ops.quantized_decomposed.quantize_per_tensor.default
    return int(quantize(torch.tensor([float(bound)]), *limits))


def _transposed(node: Any) -> Any:
    """The matrix whose transposition ``node`` is; None if it is none."""
    arguments = _TRANSPOSED.get(_op(node))
    return node.args[0] if arguments is not None and tuple(node.args[1:]) in arguments else None


def _new_call(place: Node, op: Any, args: "tuple[Any, ...]") -> Node:
    """A call where the graph's insertion point is, with what ``place`` says of its origin."""
    node = place.graph.call_function(edge_op(op), args)
    node.meta = {key: item for key, item in place.meta.items() if key != meta_keys.SPEC}
    node.meta[meta_keys.VAL] = compute_value(op, args, {}, place.graph.nodes)
    return node


__all__ = ["QuantizedLayersPass"]
