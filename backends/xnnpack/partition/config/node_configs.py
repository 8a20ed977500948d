"""Under this path: configs of operators that are several nodes or have constants of their own."""

from executorch.backends.xnnpack.partition.config.elementwise_configs import PreluConfig
from executorch.backends.xnnpack.partition.config.gemm_configs import BatchNormConfig
from executorch.backends.xnnpack.partition.config.reduction_configs import MaxDimConfig

__all__ = ["BatchNormConfig", "MaxDimConfig", "PreluConfig"]
