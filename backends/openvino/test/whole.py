"""Lowers models whole and runs them on the real library."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import export

from executorch.backends.openvino import OpenvinoPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime


def difference(model: torch.nn.Module, inputs: tuple[Any, ...]) -> float:
    """Of the delegate from eager PyTorch, as a part of the largest result; the model is one delegate and nothing else."""
    edge = to_edge_transform_and_lower(export(model, inputs), partitioner=[OpenvinoPartitioner()])
    graph = edge.exported_program().graph_module
    assert len(get_lowered_submodules(graph)) == 1
    left = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
    assert {name for name in left if "getitem" not in name} == {"executorch_call_delegate"}
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    got, want = method.execute(list(inputs))[0], model(*inputs).detach()
    assert torch.isfinite(got).all()
    return float((got - want).abs().max() / want.abs().max())
