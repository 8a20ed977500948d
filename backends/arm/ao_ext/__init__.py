"""Layers whose weights and inputs are MX blocks, under their published path."""

from executorch.backends.arm.ao_ext.mxfp import MXFPOpConfig, to_mxfp

__all__ = ["MXFPOpConfig", "to_mxfp"]
