"""What quantization costs, layer by layer."""

from executorch.devtools.quantization.layer_errors import LayerError, layer_errors, signal_to_noise, table

__all__ = ["LayerError", "layer_errors", "signal_to_noise", "table"]
