"""All operators that the XNNPACK backend takes."""

from __future__ import annotations

import inspect
import pkgutil

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

from executorch.backends.xnnpack.partition.config import (
    elementwise_configs,
    gemm_configs,
    image_configs,
    quant_configs,
    reduction_configs,
    shape_configs,
)
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    ConfigPrecisionType,
    XNNPartitionerConfig,
)


def _configs_of(module: object) -> list[type[XNNPartitionerConfig]]:
    return [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, XNNPartitionerConfig)
        and not name.startswith("_")
        and not inspect.isabstract(value)
    ]


_MODULES = (gemm_configs, elementwise_configs, shape_configs, reduction_configs, image_configs, quant_configs)
ALL_PARTITIONER_CONFIGS: list[type[XNNPartitionerConfig]] = list(
    dict.fromkeys(config for module in _MODULES for config in _configs_of(module))
)
globals().update({config.__name__: config for config in ALL_PARTITIONER_CONFIGS})

__all__ = ["ALL_PARTITIONER_CONFIGS", "ConfigPrecisionType", "XNNPartitionerConfig"]
