"""The quantizer for Cortex-M."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer

__all__ = ["CortexMQuantizer"]
