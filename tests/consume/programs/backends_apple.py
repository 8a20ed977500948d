"""Chooses what becomes Core ML's; the model needs coremltools, which the wheel does not require."""

import torch

from executorch.backends.apple.coreml.partition import CoreMLPartitioner

exported = torch.export.export(torch.nn.ReLU(), (torch.randn(2, 3),))
result = CoreMLPartitioner().partition(exported)
assert list(result.partition_tags) == ["coreml_0"]
