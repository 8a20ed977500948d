"""Quantizes a model and calls an operator; programs are made with `exir`, which the wheel does not require."""

import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.cadence.quantizer.fusion_pass import QuantFusionPass
from executorch.backends.cadence.quantizer.quantizer import CadenceDefaultQuantizer, patterns_of
from executorch.backends.cadence.reference import operators

inputs = (torch.randn(2, 8),)
quantizer = CadenceDefaultQuantizer()
prepared = prepare_pt2e(torch.export.export(torch.nn.Linear(8, 4), inputs).module(), quantizer)
prepared(*inputs)
quantized = torch.export.export(convert_pt2e(prepared), inputs)
assert QuantFusionPass(patterns_of([quantizer]))(quantized.graph_module).modified
assert operators.LIBRARY and quantized.module()(*inputs).shape == (2, 4)
