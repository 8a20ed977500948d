"""How a tensor is quantized, read off the conversions around it."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import name_of, program_constants
from executorch.backends.xnnpack.graph.conversions import (
    is_dequant,
    is_dynamic_qdq,
    is_per_channel,
    is_per_channel_group,
    is_quant,
)
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError

_decomposed = torch.ops.quantized_decomposed
#: Range of a bias, which has no conversion of its own.
_BIAS_LIMITS = (-(2**31), 2**31 - 1)
_WEIGHT_READERS = {"aten.convolution.default", "aten.conv2d.default", "aten.conv1d.default"}


class QuantParams:
    """Scales and range of a quantized tensor.

    Args:
        per_channel: there is a scale for each slice along ``axis``, or for each group in it; one otherwise.
        q_input: what is quantized.
        scale: a number, or a tensor of them.
        zp: zero points, likewise.
        axis: the dimension of the slices.
        dtype: of the integers.
        qmax: largest integer.
        qmin: smallest integer.
        is_output: the result leaves the graph.
        is_input: ``q_input`` comes into the graph.
        is_dynamic: scales are found at run time; ``scale`` and ``zp`` are 0 then.
        num_nonbatch_dims: how many of the last dimensions one scale found at run time is for.
        group_size: neighbours in a row that share a scale, 0 if there are no groups.
    """

    def __init__(
        self,
        per_channel: bool,
        q_input: Node,
        scale: torch.Tensor | float,
        zp: torch.Tensor | float,
        axis: int,
        dtype: torch.dtype,
        qmax: int,
        qmin: int,
        is_output: bool,
        is_input: bool,
        is_dynamic: bool = False,
        num_nonbatch_dims: int = 1,
        group_size: int = 0,
    ) -> None:
        self.per_channel = per_channel
        self.q_input = q_input
        self.scale = scale
        self.zp = zp
        self.axis = axis
        self.dtype = dtype
        self.qmax = qmax
        self.qmin = qmin
        self.is_output = is_output
        self.is_input = is_input
        self.is_dynamic = is_dynamic
        self.num_nonbatch_dims = num_nonbatch_dims
        self.group_size = group_size
        self.per_channel_group = per_channel and group_size > 0

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"QuantParams({fields})"

    def quantize_tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        """The integers of ``tensor``, of the same shape."""
        limits = (self.qmin, self.qmax, self.dtype)
        if self.per_channel_group:
            found = _decomposed.quantize_per_channel_group(
                tensor, self.scale, self.zp, *limits, self.group_size
            )
        elif self.per_channel:
            found = _decomposed.quantize_per_channel(tensor, self.scale, self.zp, self.axis, *limits)
        else:
            found = _decomposed.quantize_per_tensor(tensor, self.scale, self.zp, *limits)
        return found  # type: ignore[no-any-return]

    @classmethod
    def from_q_dq_node(cls, quant_node: Node, ep: ExportedProgram | None = None) -> QuantParams:
        """What a quantization or dequantization says.

        Args:
            quant_node: the conversion.
            ep: its program, which has the scales of slices and groups.

        Raises:
            ExportError: this is no conversion, or one whose scales are not constant.
        """
        if not (is_quant(quant_node) or is_dequant(quant_node)):
            raise ExportError(f"XNNPACK: {quant_node.name} is no quantization and no dequantization")
        args: Any = quant_node.args
        source = args[0]
        borders: dict[str, Any] = {
            "q_input": source,
            "is_output": any(user.op == "output" for user in quant_node.users),
            "is_input": isinstance(source, Node) and source.op == "placeholder",
        }
        if is_dynamic_qdq(quant_node):
            rows = 3 if cls._feeds_into_conv(quant_node) else 1
            low, high, dtype = args[3:6]
            return cls(
                False,
                scale=0.0,
                zp=0.0,
                axis=0,
                dtype=dtype,
                qmax=high,
                qmin=low,
                is_dynamic=True,
                num_nonbatch_dims=rows,
                **borders,
            )
        grouped = is_per_channel_group(quant_node)
        by_slice = grouped or is_per_channel(quant_node)
        axis, rest = (args[3], args[4:]) if by_slice and not grouped else (0, args[3:])
        low, high, dtype = rest[:3]
        scale, zero_point = (_number_or_tensor(one, ep) for one in args[1:3])
        group = _group_size(quant_node) if grouped else 0
        return cls(
            by_slice,
            scale=scale,
            zp=zero_point,
            axis=axis,
            dtype=dtype,
            qmax=high,
            qmin=low,
            group_size=group,
            **borders,
        )

    @staticmethod
    def _feeds_into_conv(node: Node) -> bool:
        """Whether a convolution reads what becomes of ``node``."""
        readers = {reader for user in node.users for reader in (user.users if is_dequant(user) else (user,))}
        return any(name_of(reader) in _WEIGHT_READERS for reader in readers if reader.op == "call_function")

    @classmethod
    def from_weights(cls, tensor_node: Node, ep: ExportedProgram | None = None) -> QuantParams | None:
        """How a weight is quantized, None if it is not."""
        return cls.from_q_dq_node(tensor_node, ep) if is_dequant(tensor_node) else None

    @classmethod
    def from_inputs(cls, tensor_node: Node, ep: ExportedProgram) -> QuantParams | None:
        """How what an operator reads is quantized, None if it is not."""
        return cls.from_q_dq_node(tensor_node, ep) if is_dequant(tensor_node) else None

    @classmethod
    def from_outputs(cls, tensor_node: Node) -> QuantParams | None:
        """How the result of an operator is quantized, None if it is not, or not for all who read it."""
        user = next(iter(tensor_node.users)) if len(tensor_node.users) == 1 else None
        return cls.from_q_dq_node(user) if user is not None and is_quant(user) else None

    @classmethod
    def from_bias(
        cls, bias: Node, weight_quantizer: QuantParams | None, input_quantizer: QuantParams | None
    ) -> QuantParams | None:
        """How a bias is quantized: in units of the input's scale times the weight's. None if one is not quantized."""
        if weight_quantizer is None or input_quantizer is None or input_quantizer.is_dynamic:
            return None
        scale = weight_quantizer.scale * input_quantizer.scale
        zero_point: Any = torch.zeros_like(scale, dtype=torch.int64) if isinstance(scale, torch.Tensor) else 0
        return cls(
            weight_quantizer.per_channel,
            bias,
            scale,
            zero_point,
            axis=0,
            dtype=torch.int32,
            qmax=_BIAS_LIMITS[1],
            qmin=_BIAS_LIMITS[0],
            is_output=False,
            is_input=False,
        )


def _number_or_tensor(value: Any, ep: ExportedProgram | None) -> Any:
    if not isinstance(value, Node):
        return 0 if value is None else value
    found = None if ep is None else program_constants(ep)(value)
    if found is None:
        raise ExportError(
            f"XNNPACK: the scales or zero points in {value.name} are not known"
            "\nWay out: give the program, and quantize with constant scales"
        )
    return found


def _group_size(node: Node) -> int:
    source: Any = node.args[0]
    scales: Any = node.args[1]
    shapes = [one.meta[meta_keys.VAL].shape for one in (source, scales)]
    return int(shapes[0][-1] // shapes[1][-1])
