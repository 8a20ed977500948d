"""Models to try things with, by the names that the documented commands take."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin: the names of llama among it.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.examples.models.registry import MODEL_NAME_TO_MODEL

__all__ = ["MODEL_NAME_TO_MODEL"]
