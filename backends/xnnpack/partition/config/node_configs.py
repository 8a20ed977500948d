"""Under this path: configs of operators that are several nodes or have constants of their own."""

from executorch.backends.xnnpack.partition.config.gemm_configs import BatchNormConfig
from executorch.backends.xnnpack.partition.config.generic_node_configs import MaxDimConfig, PreluConfig

__all__ = ["BatchNormConfig", "MaxDimConfig", "PreluConfig"]
