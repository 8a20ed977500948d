"""The XNNPACK backend, ahead of time: :class:`XnnpackPartitioner` chooses, :class:`XnnpackBackend` compiles."""

import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackFloatingPointPartitioner,
    XnnpackPartitioner,
    XnnpackQuantizedPartitioner,
)
from executorch.backends.xnnpack.utils.configs import (
    get_xnnpack_edge_compile_config,
    get_xnnpack_executorch_backend_config,
)
from executorch.backends.xnnpack.xnnpack_preprocess import XnnpackBackend

__all__ = [
    "XnnpackBackend",
    "XnnpackDynamicallyQuantizedPartitioner",
    "XnnpackFloatingPointPartitioner",
    "XnnpackPartitioner",
    "XnnpackQuantizedPartitioner",
    "get_xnnpack_edge_compile_config",
    "get_xnnpack_executorch_backend_config",
]
