"""Models in 8 bits for XNNPACK, by the one function that scripts import."""

from __future__ import annotations

from typing import Any

import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.examples.xnnpack.options import QuantType


def quantize(
    model: torch.nn.Module,
    example_inputs: tuple[Any, ...],
    quant_type: QuantType = QuantType.STATIC_PER_TENSOR,
) -> torch.nn.Module:
    """The model in int8; activations are calibrated with nothing but the example, so mind its accuracy.

    Args:
        model: in eval mode.
        example_inputs: positional inputs.
        quant_type: whence the scales come.

    Raises:
        ValueError: ``quant_type`` asks for no quantization.
    """
    if quant_type is QuantType.NONE:
        raise ValueError("QuantType.NONE does not quantize")
    config = get_symmetric_quantization_config(
        is_per_channel=quant_type is not QuantType.STATIC_PER_TENSOR,
        is_dynamic=quant_type is QuantType.DYNAMIC_PER_CHANNEL,
    )
    captured = torch.export.export(model, example_inputs).module()
    prepared = prepare_pt2e(captured, XNNPACKQuantizer().set_global(config))
    with torch.no_grad():
        prepared(*example_inputs)
    quantized: torch.nn.Module = convert_pt2e(prepared)
    return quantized
