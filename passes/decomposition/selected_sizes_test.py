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


class _Branch(torch.nn.Module):
    def forward(self, x, mask):
        return torch.cond(x.sum() > 0, lambda x, m: x.masked_select(m).sum(), lambda x, m: x.sum(), (x, mask))


@pytest.mark.parametrize("model", [_Selection(None), _Branch()])
def test_more_than_torch_takes_for_possible_is_selected(model):
    inputs = torch.rand(3, 1, 5), torch.ones(4, 5, dtype=torch.bool)
    selected = inputs[0].masked_select(inputs[1])  # torch.cond has the check of fewer in eager, too.
    program = torch.export.export(model, inputs)
    for _ in range(2):  # The second time, the symbols know of the first.
        decomposed = decompose(program)
        assert max(one.upper for one in decomposed.range_constraints.values()) == 60
        expected = selected.sum() if isinstance(model, _Branch) else selected
        torch.testing.assert_close(decomposed.module()(*inputs), expected)


def test_what_is_decomposed_keeps_its_bounds():
    program = torch.export.export(_Branch(), (torch.rand(3, 1, 5), torch.ones(4, 5, dtype=torch.bool)))
    before = dict(program.range_constraints)
    decompose(program)
    assert program.range_constraints == before


def test_what_a_model_says_itself_is_checked():
    program = torch.export.export(_Selection(7), (torch.rand(3, 1, 5), torch.ones(4, 5, dtype=torch.bool)))
    with pytest.raises(RuntimeError, match="<= 7"):
        decompose(program).module()(torch.rand(3, 1, 5), torch.ones(4, 5, dtype=torch.bool))
