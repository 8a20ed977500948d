"""Chooses what OpenVINO takes; lowering it needs the front door, on which the wheel does not depend."""

import torch

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.partitioner import CompileSpec

exported = torch.export.export(
    torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), (torch.ones(2, 3),)
)
result = OpenvinoPartitioner([CompileSpec("device", b"CPU")]).partition(exported)
assert len(result.partition_tags) == 1, result.partition_tags
