"""From quantized edge programs to the operators of ``cortex_m``."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager

__all__ = ["CortexMPassManager"]
