"""Under this path: configs of torchao's affine quantization."""

from executorch.backends.xnnpack.partition.config.quant_configs import (
    ChooseQParamsAffineConfig,
    DeQuantizeAffineConfig,
    QDQAffineConfigs,
    QuantizeAffineConfig,
)

__all__ = [
    "ChooseQParamsAffineConfig",
    "DeQuantizeAffineConfig",
    "QDQAffineConfigs",
    "QuantizeAffineConfig",
]
