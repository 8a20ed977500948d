"""Metal Performance Shaders ahead of time: :class:`MPSBackend` compiles subgraphs for Apple's graphics processors."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.apple.mps.mps_preprocess import MPSBackend

__all__ = ["MPSBackend"]
