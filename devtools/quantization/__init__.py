"""What quantization costs, layer by layer, and what it left in floating point."""

from executorch.devtools.quantization.float_layers import FloatLayer, float_layers, float_layers_table
from executorch.devtools.quantization.layer_errors import LayerError, layer_errors, signal_to_noise, table

__all__ = [
    "FloatLayer",
    "LayerError",
    "float_layers",
    "float_layers_table",
    "layer_errors",
    "signal_to_noise",
    "table",
]
