"""From subgraphs to models of Core ML."""

from executorch.backends.apple.coreml.compiler.coreml_preprocess import CoreMLBackend

__all__ = ["CoreMLBackend"]
