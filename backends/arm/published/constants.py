"""Orders of dimensions and the operators between floats and integers, under their published names."""

from __future__ import annotations

import torch.ao.quantization.fx._decomposed  # noqa: F401 - registers the operators.

from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY as DISALLOW_TFA_META_KEY
from executorch.dialects.ops import ops

#: The most dimensions that a tensor of TOSA has.
MAX_RANK = 6

# Place of each dimension in the order that the name says, and back; N and further Ns are batches.
NCHW_ORDER = (0, 1, 2, 3)
NHWC_ORDER = (0, 2, 3, 1)
NHWC_INVERSE_ORDER = (0, 3, 1, 2)
NNCHW_ORDER = (0, 1, 2, 3, 4)
NNHWC_ORDER = (0, 1, 3, 4, 2)
NNHWC_INVERSE_ORDER = (0, 1, 4, 2, 3)
NNNCHW_ORDER = (0, 1, 2, 3, 4, 5)
NNNHWC_ORDER = (0, 1, 2, 4, 5, 3)
NNNHWC_INVERSE_ORDER = (0, 1, 2, 5, 3, 4)
# Weights.
OHWI_ORDER = (1, 2, 3, 0)
HWCM_ORDER = (2, 3, 0, 1)
ODHWI_ORDER = (0, 2, 3, 4, 1)
ODHWI_INVERSE_ORDER = (0, 4, 1, 2, 3)

_quantized = ops.edge.quantized_decomposed

QUANT_PER_TENSOR_OP = _quantized.quantize_per_tensor.default
QUANT_PER_TENSOR_OP_T = _quantized.quantize_per_tensor.tensor
QUANT_PER_CHANNEL_OP = _quantized.quantize_per_channel.default
DEQUANT_PER_TENSOR_OP = _quantized.dequantize_per_tensor.default
DEQUANT_PER_TENSOR_OP_T = _quantized.dequantize_per_tensor.tensor
DEQUANT_PER_CHANNEL_OP = _quantized.dequantize_per_channel.default

Q_OPS = (QUANT_PER_TENSOR_OP, QUANT_PER_TENSOR_OP_T, QUANT_PER_CHANNEL_OP)
DQ_OPS = (DEQUANT_PER_TENSOR_OP, DEQUANT_PER_TENSOR_OP_T, DEQUANT_PER_CHANNEL_OP)
PER_TENSOR_QDQ_OPS = (
    QUANT_PER_TENSOR_OP,
    QUANT_PER_TENSOR_OP_T,
    DEQUANT_PER_TENSOR_OP,
    DEQUANT_PER_TENSOR_OP_T,
)
PER_CHANNEL_QDQ_OPS = (QUANT_PER_CHANNEL_OP, DEQUANT_PER_CHANNEL_OP)
