"""Transpositions that undo each other go; what is computed stays the same."""

import pytest
import torch

from executorch.extension.llm.export.export_passes import RemoveRedundantTransposes

_TURNS = {"transpose.int", "permute.default", "t.default"}


def _turns(module):
    return [
        str(node.target) for node in module.graph.nodes if str(node.target).removeprefix("aten.") in _TURNS
    ]


@pytest.mark.parametrize(
    ("function", "shape", "left"),
    [
        (lambda x: x.transpose(1, 2).transpose(2, 1) + 1, (1, 2, 3, 4), 0),
        (lambda x: x.transpose(1, -2).transpose(-2, 1) + 1, (1, 2, 3, 4), 0),
        (lambda x: x.permute(0, 2, 3, 1).permute(0, 3, 1, 2) + 1, (1, 2, 3, 4), 0),
        (lambda x: x.permute(1, 2, 0).permute(1, 2, 0).permute(1, 2, 0) + 1, (2, 3, 4), 0),
        (lambda x: x.transpose(1, 2).permute(0, 2, 1, 3) + 1, (1, 2, 3, 4), 0),
        (lambda x: x.t().t() + 1, (2, 3), 0),
        (lambda x: x.t().t() + 1, (2,), 0),
        (lambda x: x.transpose(1, 2).transpose(2, 3) + 1, (1, 2, 3, 4), 2),
        (lambda x: (x.transpose(1, 2) * 2, x.transpose(1, 2).transpose(1, 2) * 3), (1, 2, 3, 4), 1),
        (lambda x: x.permute(0, 1, 2) + 1, (1, 2, 3), 0),
        (lambda x: x + 1, (2,), 0),
    ],
)
def test_pairs_go(function, shape, left):
    class Model(torch.nn.Module):
        def forward(self, x):
            return function(x)

    x = torch.rand(shape)
    module = torch.export.export(Model(), (x,)).module()
    before = _turns(module)
    result = RemoveRedundantTransposes()(module)
    assert len(_turns(result.graph_module)) == left
    assert result.modified == (len(before) != left)
    torch.testing.assert_close(result.graph_module(x), function(x))
