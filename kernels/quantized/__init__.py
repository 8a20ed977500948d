"""The quantized operators as PyTorch sees them; scripts import this module before they lower a quantized model.

Defines the operators of ``quantized_decomposed`` that a quantizer leaves behind or fusion makes, with the out variants
that programs call (``torch.ops.quantized_decomposed.quantize_per_tensor.out``). The kernels are another matter: the
runtime of ``executorch.runtime`` has them, and in C++ they are linked from ``//kernels/quantized``.
"""

from __future__ import annotations

import importlib
from typing import Final

import torch

# Those that fusion makes, with their out variants, are defined where fusion finds them.
from executorch.dialects import bound_ops  # noqa: F401
from executorch.dialects.quantized_out_variants import define_out_variant

#: Operators with a kernel whose out variants nobody else defines, all overloads.
_OPERATORS: Final = (
    "add",
    "add_relu",
    "choose_qparams",
    "choose_qparams_per_token",
    "choose_qparams_per_token_asymmetric",
    "choose_qparams_symmetric",
    "convolution",
    "dequantize_per_channel",
    "dequantize_per_channel_group",
    "dequantize_per_tensor",
    "dequantize_per_token",
    "linear",
    "quantize_per_channel",
    "quantize_per_channel_group",
    "quantize_per_tensor",
    "quantize_per_token",
)


def _define() -> None:
    # Torch registers them only when somebody asks.
    importlib.import_module("torch.ao.quantization.fx._decomposed")
    for name in _OPERATORS:
        packet = getattr(torch.ops.quantized_decomposed, name)
        for overload in packet.overloads():
            define_out_variant(getattr(packet, overload))


_define()

__all__: list[str] = []
