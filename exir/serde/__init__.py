"""Programs of the compiler's dialects as bytes, and back; see :mod:`executorch.exir.serde.serialize`."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)
