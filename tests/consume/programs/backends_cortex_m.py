"""Quantizes a model and calls an operator; programs are made with `exir`, which the wheel does not require."""

import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer

inputs = (torch.randn(2, 8),)
prepared = prepare_pt2e(torch.export.export(torch.nn.Linear(8, 4), inputs).module(), CortexMQuantizer())
prepared(*inputs)
quantized = torch.export.export(convert_pt2e(prepared), inputs)
assert CortexMPassManager(quantized).exported_program is quantized
table = torch.arange(-128, 128).neg().clamp(-128, 127).to(torch.int8)
assert torch.ops.cortex_m.quantized_activation(torch.tensor([3, -5], dtype=torch.int8), table).tolist() == [
    -3,
    5,
]
