"""The OpenVINO backend, ahead of time: :class:`OpenvinoPartitioner` chooses, :class:`OpenvinoBackend` compiles.

``OpenVINOQuantizer`` is imported when it is asked for, since torchao comes with it.
"""

from typing import Any

from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.backends.openvino.preprocess import OpenvinoBackend

__all__ = ["OpenVINOQuantizer", "OpenvinoBackend", "OpenvinoPartitioner"]


def __getattr__(name: str) -> Any:
    if name == "OpenVINOQuantizer":
        from executorch.backends.openvino.quantizer import OpenVINOQuantizer

        return OpenVINOQuantizer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
