"""From quantized edge programs to the operators of ``cortex_m``."""

from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager

__all__ = ["CortexMPassManager"]
