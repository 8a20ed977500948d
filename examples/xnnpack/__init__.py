"""Example models on XNNPACK, by the documented command ``python -m executorch.examples.xnnpack.aot_compiler``."""

from executorch.examples.xnnpack.options import MODEL_NAME_TO_OPTIONS, QuantType, XNNPACKOptions

__all__ = ["MODEL_NAME_TO_OPTIONS", "QuantType", "XNNPACKOptions"]
