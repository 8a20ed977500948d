"""Selections by masks that have more elements than what they select from."""

import pytest
import torch

from executorch.passes.decomposition.decompose import decompose
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound


class _Selection(torch.nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x, mask):
        found = x.masked_select(mask)
        if self.limit is not None:
            torch._check(found.shape[0] <= self.limit)
        return found


def _bound(x, mask, rows=None, limit=None):
    shapes = None if rows is None else ({0: torch.export.Dim("rows", min=2, max=rows)}, None)
    program = torch.export.export(_Selection(limit), (x, mask), dynamic_shapes=shapes)
    decomposed = decompose(program)
    (node,) = decomposed.graph.find_nodes(op="call_function", target=torch.ops.aten.masked_select.default)
    size = node.meta["val"].shape[0]
    assert decomposed.range_constraints[size.node.expr].upper == upper_bound(size)
    return upper_bound(size)


@pytest.mark.parametrize(
    ("shape", "mask", "options", "most"),
    [
        ((3, 5), (3, 5), {}, 15),
        ((3, 5), (5,), {}, 15),
        ((3, 1, 5), (4, 5), {}, 60),
        ((3, 1, 5), (4, 5), {"rows": 9}, 180),
        ((3, 5), (2, 3, 5), {"rows": None}, 30),
        ((3, 1, 5), (4, 5), {"limit": 7}, 7),
    ],
)
def test_a_larger_mask_selects_more(shape, mask, options, most):
    assert _bound(torch.rand(shape), torch.ones(mask, dtype=torch.bool), **options) == most
