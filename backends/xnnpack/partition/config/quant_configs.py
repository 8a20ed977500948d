"""Conversions between floating-point numbers and integers."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import is_empty, program_constants
from executorch.backends.xnnpack.graph.dynamic import DYNAMIC_OPERATORS
from executorch.backends.xnnpack.graph.quantized import parameters_of
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    ConfigPrecisionType,
    XNNPartitionerConfig,
)
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner.selection.partition_proposals import operator_name


def _get_q_dq_quantization_params(node: Node) -> tuple[tuple[str, object], ...]:
    """What a conversion is given beside the values that it converts, by name; nothing for other nodes."""
    op = aten_op(node.target) if node.op == "call_function" else None
    if op is None or op.namespace not in ("quantized_decomposed", "torchao"):
        return ()
    names = [argument.name for argument in op._schema.arguments]
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    return tuple((name, given[name]) for name in names[1:] if name in given)


class _ConversionConfig(XNNPartitionerConfig):
    def supported_precision_types(self) -> list[ConfigPrecisionType]:
        return [ConfigPrecisionType.STATIC_QUANT]

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        value = node.args[0].meta[meta_keys.VAL]  # type: ignore[union-attr]
        why = None
        if ConfigPrecisionType.STATIC_QUANT not in self.enabled_precision_types:
            why = "its precision STATIC_QUANT is not enabled"
        elif parameters_of(node) is None:
            why = "only int8 with the range from -128 or -127 to 127 is known"
        elif program_constants(ep).has(node):
            why = "it prepares a constant; who reads that takes it"
        elif value.dtype not in (torch.float32, torch.int8):
            why = f"the other side is {value.dtype}"
        elif is_empty(value):
            why = "a tensor is empty"
        return not self.refuse(node, why)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return [node] if self.check_constraints(node, ep) else []


class QuantizedPerTensorConfig(_ConversionConfig):
    target_name = "quantize_per_tensor.default"


class DeQuantizedPerTensorConfig(_ConversionConfig):
    target_name = "dequantize_per_tensor.default"


class QDQAffineConfigs(XNNPartitionerConfig):
    """Keeps an operator of torchao whole, so that linear layers find it; alone it is not taken."""

    operator = ""

    def supported_precision_types(self) -> list[ConfigPrecisionType]:
        return [ConfigPrecisionType.DYNAMIC_QUANT]

    def get_original_aten(self) -> OpOverload | None:
        packet = getattr(torch.ops.torchao, self.operator, None)
        found: OpOverload | None = getattr(packet, "default", None)
        return found

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        enabled = ConfigPrecisionType.DYNAMIC_QUANT in self.enabled_precision_types
        layers = {operator_name(user.target) for user in _readers(node)}
        why = None if enabled and layers and layers <= DYNAMIC_OPERATORS else "no linear layer reads it"
        return not self.refuse(node, why)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return []


def _readers(node: Node) -> set[Node]:
    """Who reads what becomes of ``node``, through the rest of its chain."""
    found: set[Node] = set()
    for user in node.users:
        name = operator_name(user.target) if user.op == "call_function" else ""
        found |= _readers(user) if name == "getitem" or name.startswith("torchao.") else {user}
    return found


class QuantizeAffineConfig(QDQAffineConfigs):
    target_name = "quantize_affine.default"
    operator = "quantize_affine"


class DeQuantizeAffineConfig(QDQAffineConfigs):
    target_name = "dequantize_affine.default"
    operator = "dequantize_affine"


class ChooseQParamsAffineConfig(QDQAffineConfigs):
    target_name = "choose_qparams_affine.default"
    operator = "choose_qparams_affine"
