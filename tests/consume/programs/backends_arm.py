"""Chooses what becomes TOSA; writing it needs tosa-tools, which the wheel does not require."""

import torch

from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner

exported = torch.export.export(torch.nn.ReLU(), (torch.randn(2, 3),))
result = TOSAPartitioner(TosaCompileSpec("TOSA-1.0+FP")).partition(exported)
assert list(result.partition_tags) == ["tag0"]
