"""Which weights are quantized."""
