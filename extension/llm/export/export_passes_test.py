"""Transpositions that undo each other go; what is computed stays the same."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as attention

from executorch.extension.llm.export.export_passes import (
    RemoveRedundantTransposes,
    ReplaceSDPAWithCustomSDPAPass,
)

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


QUERY, KEY, FEW = torch.rand(1, 4, 3, 8), torch.rand(1, 4, 5, 8), torch.rand(1, 2, 3, 8)
MASK = torch.zeros(3, 5).masked_fill(torch.ones(3, 5).triu(1).bool(), float("-inf"))


@pytest.mark.parametrize(
    ("function", "arguments", "is_replaced"),
    [
        (lambda q: attention(q, q, q), (QUERY,), True),
        (lambda q: attention(q, q, q, is_causal=True), (QUERY,), True),
        (lambda q, k: attention(q, k, k, is_causal=True), (QUERY, KEY), True),
        (lambda q, k, m: attention(q, k, k, m), (QUERY, KEY, MASK), True),
        (lambda q, k, m: attention(q, k, k, m), (QUERY, KEY, MASK[None, None]), True),
        (lambda q, k, m: attention(q, k, k, m), (QUERY, KEY, MASK == 0), True),
        (lambda q, k: attention(q, k, k, enable_gqa=True), (QUERY, FEW), True),
        (lambda q: attention(q, q, q, scale=0.5), (QUERY,), True),
        (lambda q, k: attention(q, k, k), (QUERY, KEY), False),
        (lambda q, k, m: attention(q, k, k, m), (QUERY, KEY, MASK.expand(1, 4, 3, 5).clone()), False),
    ],
)
def test_attention_by_the_custom_operator(function, arguments, is_replaced):
    class Model(torch.nn.Module):
        def forward(self, *given):
            return function(*given)

    module = torch.export.export(Model(), arguments).module()
    result = ReplaceSDPAWithCustomSDPAPass()(module)
    targets = {node.target for node in result.graph_module.graph.nodes}
    assert (torch.ops.llama.custom_sdpa.default in targets) == result.modified == is_replaced
    assert (torch.ops.aten.scaled_dot_product_attention.default in targets) != is_replaced
    torch.testing.assert_close(result.graph_module(*arguments), function(*arguments))


def test_a_mask_that_is_known_to_be_causal_is_not_read():
    class Model(torch.nn.Module):
        def forward(self, q, mask):
            return attention(q, q, q, mask)

    mask = MASK[:, :3]
    module = torch.export.export(Model(), (QUERY, mask)).module()
    result = ReplaceSDPAWithCustomSDPAPass(assume_causal_mask=True)(module).graph_module
    (call,) = (node for node in result.graph.nodes if node.target == torch.ops.llama.custom_sdpa.default)
    assert call.args[3:7] == (0, None, 0.0, True)
    torch.testing.assert_close(result(QUERY, mask), attention(QUERY, QUERY, QUERY, mask))
