"""The quantizer for Cortex-M."""

from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer

__all__ = ["CortexMQuantizer"]
