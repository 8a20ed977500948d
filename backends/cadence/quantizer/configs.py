"""How values are observed and quantized: activations of 8 or 16 bits, weights of 8, one scale for a tensor."""

from __future__ import annotations

from typing import Any, Final

import torch
from torchao.quantization.pt2e.fake_quantize import FakeQuantize, FusedMovingAvgObsFakeQuantize
from torchao.quantization.pt2e.observer import HistogramObserver, MinMaxObserver
from torchao.quantization.pt2e.quantizer import QuantizationSpec
from torchao.quantization.pt2e.quantizer.utils import QuantizationConfig

#: No scale is smaller.
_EPS: Final = 2**-12


def _spec(dtype: torch.dtype, observer: Any, scheme: torch.qscheme) -> QuantizationSpec:
    info = torch.iinfo(dtype)
    return QuantizationSpec(
        dtype=dtype,
        quant_min=info.min,
        quant_max=info.max,
        qscheme=scheme,
        is_dynamic=False,
        observer_or_fake_quant_ctr=observer,
    )


_HISTOGRAM: Final = HistogramObserver.with_args(eps=_EPS)
_FAKE_WEIGHT: Final = FakeQuantize.with_args(observer=MinMaxObserver)

act_qspec_asym8s: Final = _spec(torch.int8, _HISTOGRAM, torch.per_tensor_affine)
act_qspec_asym16s: Final = _spec(torch.int16, _HISTOGRAM, torch.per_tensor_affine)
wgt_qspec_asym8s: Final = _spec(torch.int8, MinMaxObserver, torch.per_tensor_affine)
wgt_qspec_sym8s: Final = _spec(torch.int8, MinMaxObserver, torch.per_tensor_symmetric)
act_qat_qspec_asym8s: Final = _spec(torch.int8, FusedMovingAvgObsFakeQuantize, torch.per_tensor_affine)
wgt_qat_qspec_asym8s: Final = _spec(torch.int8, _FAKE_WEIGHT, torch.per_tensor_affine)
wgt_qat_qspec_sym8s: Final = _spec(torch.int8, _FAKE_WEIGHT, torch.per_tensor_symmetric)
#: A bias is quantized in the scale of its layer's sums.
bias_qspec: Final[QuantizationSpec | None] = None

#: Activations of 8 bits; weights with a zero point, or (``sym``) without.
qconfig_A8W8: Final = QuantizationConfig(act_qspec_asym8s, act_qspec_asym8s, wgt_qspec_asym8s, bias_qspec)
qconfig_A8W8sym: Final = QuantizationConfig(act_qspec_asym8s, act_qspec_asym8s, wgt_qspec_sym8s, bias_qspec)
#: The same for training.
qconfig_A8W8_qat: Final = QuantizationConfig(
    act_qat_qspec_asym8s, act_qat_qspec_asym8s, wgt_qat_qspec_asym8s, bias_qspec
)
qconfig_A8W8sym_qat: Final = QuantizationConfig(
    act_qat_qspec_asym8s, act_qat_qspec_asym8s, wgt_qat_qspec_sym8s, bias_qspec
)
#: Activations of 16 bits.
qconfig_A16: Final = QuantizationConfig(act_qspec_asym16s, act_qspec_asym16s, wgt_qspec_asym8s, bias_qspec)
#: Weights and biases alone.
qconfig_A32W8sym: Final = QuantizationConfig(None, None, wgt_qspec_sym8s, wgt_qspec_sym8s)
