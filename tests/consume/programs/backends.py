"""A graph pass that backends share, on an edge program that the front door has made."""

import torch

from executorch.backends.transforms.addmm_mm_to_linear import AddmmToLinearTransform
from executorch.exir import to_edge

model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
program = to_edge(torch.export.export(model, (torch.rand(2, 4),))).exported_program()
assert AddmmToLinearTransform()(program.graph_module).modified
assert "aten.linear" in str(program.graph) and "aten.addmm" not in str(program.graph)
