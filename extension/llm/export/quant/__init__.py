"""Weights in few bits: what is to have how many, and what the weights are then."""

from executorch.extension.llm.export.quant.convert import (
    fuse_along_output,
    identity,
    maybe_cast,
    to_default,
    to_exportable,
)
from executorch.extension.llm.export.quant.quantize import (
    dequantize_weight,
    quantize_model,
    quantize_stream,
    quantize_weight,
)
from executorch.extension.llm.export.quant.recipe import QuantConfig, QuantRecipe, QuantRule

__all__ = [
    "QuantConfig",
    "QuantRecipe",
    "QuantRule",
    "dequantize_weight",
    "fuse_along_output",
    "identity",
    "maybe_cast",
    "quantize_model",
    "quantize_stream",
    "quantize_weight",
    "to_default",
    "to_exportable",
]
