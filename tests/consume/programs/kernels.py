"""Operators of two kernel libraries, as an exporter needs them: in PyTorch, with out variants."""

import torch

import executorch.kernels.quantized  # noqa: F401
from executorch.kernels.detection import detection_ops  # noqa: F401

x = torch.tensor([0.0, 0.26, -1.0])
quantize = torch.ops.quantized_decomposed.quantize_per_tensor
bytes_ = quantize.out(x, 0.5, 0, -128, 127, torch.int8, out=torch.empty(0, dtype=torch.int8))
assert bytes_.tolist() == [0, 1, -2], bytes_

boxes = torch.tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 4.0, 5.0], [8.0, 8.0, 9.0, 9.0]])
assert torch.ops.torchvision.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5).tolist() == [0, 2]
