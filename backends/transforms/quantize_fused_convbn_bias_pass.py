"""The bias that folding a batch norm gives to a quantized convolution, quantized as well."""

from __future__ import annotations

from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node

from executorch.backends.transforms.utils import (
    create_constant_placeholder,
    get_param_tensor,
    is_get_attr_node,
    is_param_node,
    set_param_tensor,
)
from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments, call_like, is_call
from executorch.ir.values import tensor_of
from executorch.ir.views import UNSQUEEZES
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_quantized = torch.ops.quantized_decomposed
_CONVOLUTIONS = (
    _aten.convolution.default,
    _aten.conv1d.default,
    _aten.conv2d.default,
    _aten.conv3d.default,
    _aten.conv_transpose1d.default,
    _aten.conv_transpose2d.input,
    _aten.conv_transpose3d.input,
)
_DEQUANTIZES = (_quantized.dequantize_per_tensor.default, _quantized.dequantize_per_channel.default)
_RANGE = torch.iinfo(torch.int32)


class QuantizeFusedConvBnBiasAtenPass(GraphPass):
    """Biases of quantized convolutions that were added after the quantizer become int32 behind a dequantization.

    A quantizer leaves a convolution without a bias alone; folding the batch norm behind it, or training with
    quantization in mind, adds one of floats. Its scale is that of the input times that of the weight, one for each
    channel where the weight has so many, and its zero point 0.

    Args:
        exported_program: of the graph, if its weights are placeholders; not needed where they are attributes.
        default_zero_bias: gives a bias of zeros to quantized convolutions that have none.
        symmetric_quant: leaves out the least number of int32, so that the range is symmetric.
    """

    def __init__(
        self,
        exported_program: ExportedProgram | None = None,
        default_zero_bias: bool = False,
        symmetric_quant: bool = False,
    ) -> None:
        super().__init__()
        self.exported_program = exported_program
        self.default_zero_bias = default_zero_bias
        self.symmetric_quant = symmetric_quant

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        constants = _Constants(graph_module, self.exported_program)
        convolutions = [node for node in graph_module.graph.nodes if is_call(node, *_CONVOLUTIONS)]
        return any([self._quantize_bias(conv, constants) for conv in convolutions])

    def _quantize_bias(self, conv: Node, constants: _Constants) -> bool:
        named, example = arguments(conv), tensor_of(conv)
        bias, scale = named["bias"], _bias_scale(named["input"], named["weight"], constants)
        if example is None or scale is None or (bias is None and not self.default_zero_bias):
            return False
        value = torch.zeros(example.shape[1]) if bias is None else constants.tensor(bias)
        if value is None or not value.is_floating_point() or scale.numel() not in (1, value.numel()):
            return False
        least = _RANGE.min + 1 if self.symmetric_quant else _RANGE.min
        # In doubles, because floats do not hold the bounds.
        steps = torch.round(value.detach().double() / scale.double()).clamp(least, _RANGE.max)
        stored = constants.put(bias, f"{conv.name}_default_zero_bias", steps.to(torch.int32), conv)
        bounds = (least, _RANGE.max, torch.int32)
        if scale.dim() == 0:
            made = call_like(conv, _DEQUANTIZES[0], (stored, float(scale), 0, *bounds))
        else:
            scales = constants.put(None, f"{conv.name}_bias_scale", scale, conv)
            zeros = torch.zeros(scale.numel(), dtype=torch.int32)
            zero_points = constants.put(None, f"{conv.name}_bias_zero_point", zeros, conv)
            made = call_like(conv, _DEQUANTIZES[1], (stored, scales, zero_points, 0, *bounds))
        # What the dequantization gives has the sizes of the bias, not those of the convolution.
        made.meta[meta_keys.VAL] = example.new_empty(value.shape)
        _set_bias(conv, made)
        return True


class _Constants:
    """The weights of a graph: placeholders of a program, or attributes of the module."""

    def __init__(self, module: GraphModule, program: ExportedProgram | None) -> None:
        self._module = module
        self._program = program

    def tensor(self, node: Any) -> torch.Tensor | None:
        """The value of a constant; None for anything else."""
        if not isinstance(node, Node):
            return None
        if is_get_attr_node(node):
            owner, name = self._place(str(node.target))
            value = getattr(owner, name, None)
            return value if isinstance(value, torch.Tensor) else None
        if self._program is None or not is_param_node(self._program, node):
            return None
        return get_param_tensor(self._program, node)

    def put(self, old: Node | None, name: str, value: torch.Tensor, user: Node) -> Node:
        """Gives a constant that only ``user`` reads another value, or makes a new one of this name."""
        if old is not None and self._readers(old) == {user}:
            if not is_get_attr_node(old):
                assert self._program is not None
                set_param_tensor(self._program, old, value)
                return old
            self._store(str(old.target), value)
            old.meta[meta_keys.VAL] = user.meta[meta_keys.VAL].new_empty(value.shape, dtype=value.dtype)
            return old
        if self._program is not None and self._program.graph_module is self._module:
            graph = self._module.graph
            return create_constant_placeholder(self._program, graph, name, InputKind.PARAMETER, value)
        self._store(name, value)
        with user.graph.inserting_before(user):
            made = user.graph.get_attr(name)
        made.meta[meta_keys.VAL] = user.meta[meta_keys.VAL].new_empty(value.shape, dtype=value.dtype)
        return made

    def _readers(self, node: Node) -> set[Node]:
        same = [node]
        if is_get_attr_node(node):
            same = [
                other for other in node.graph.nodes if other.op == "get_attr" and other.target == node.target
            ]
        return {user for one in same for user in one.users}

    def _place(self, path: str) -> tuple[torch.nn.Module, str]:
        owner, _, name = path.rpartition(".")
        return self._module.get_submodule(owner), name

    def _store(self, path: str, value: torch.Tensor) -> None:
        owner, name = self._place(path)
        setattr(owner, name, torch.nn.Parameter(value, requires_grad=False))


def _bias_scale(source: Any, weight: Any, constants: _Constants) -> torch.Tensor | None:
    """What one step of the accumulated products stands for: a scalar, or one for each channel; None if not quantized."""
    while is_call(weight, *UNSQUEEZES):
        weight = weight.args[0]
    if not is_call(source, _DEQUANTIZES[0]) or not is_call(weight, *_DEQUANTIZES):
        return None
    step = float(source.args[1])  # type: ignore[arg-type]
    if is_call(weight, _DEQUANTIZES[0]):
        return torch.tensor(step * float(weight.args[1]))
    scales = constants.tensor(weight.args[1])
    return None if scales is None else scales.detach().float().reshape(-1) * step


def _set_bias(conv: Node, bias: Node) -> None:
    if len(conv.args) > 2:
        conv.update_arg(2, bias)
    elif "bias" in conv.kwargs:
        conv.update_kwarg("bias", bias)
    else:
        conv.args = (*conv.args[:2], bias)


__all__ = ["QuantizeFusedConvBnBiasAtenPass"]
