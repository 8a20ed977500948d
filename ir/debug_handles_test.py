"""Handles are given out once in a program, control flow included."""

import torch

from executorch.ir.debug_handles import DebugHandles


def _branches():
    def forward(x):
        return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y * 2, (x,))

    module = torch.nn.Module()
    module.forward = forward
    return torch.export.export(module, (torch.rand(2),)).graph_module


def test_the_first_handle_is_1():
    handles = DebugHandles(_branches())
    assert (handles.last, handles.next(), handles.next(), handles.last) == (0, 1, 2, 2)


def test_handles_of_bodies_are_taken():
    root = _branches()
    body = next(child for child in root.children() if isinstance(child, torch.fx.GraphModule))
    next(iter(root.graph.nodes)).meta["debug_handle"] = 3
    next(iter(body.graph.nodes)).meta["debug_handle"] = 7
    assert DebugHandles(root).next() == 8
