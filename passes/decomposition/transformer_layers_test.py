"""The operators by which torch calculates transformer layers outside of training, against these operators."""

import pytest
import torch
from torch import nn

from executorch.passes.decomposition.decompose import decompose
from executorch.passes.programs_for_tests import calls

SIZE, HEADS, TEXTS, LENGTH = 8, 2, 2, 3
LAYER = "aten._transformer_encoder_layer_fwd.default"

_HIDDEN = {
    "none": (None, None),
    "pairs": (torch.ones(LENGTH, LENGTH).triu(1) > 0, 0),
    "numbers": (torch.full((LENGTH, LENGTH), -torch.inf).triu(1), 0),
    "positions": (torch.tensor([[False, True, True], [False, False, True]]), 1),
    "each head": (torch.eye(LENGTH).bool().expand(TEXTS, HEADS, LENGTH, LENGTH), 2),
    "all": (torch.ones(TEXTS, LENGTH).bool(), 1),
}


def _without(function, *args):
    """The results of ``function``, as its decomposed program has them, and that program's operators."""

    class Model(nn.Module):
        def forward(self, *given):
            return function(*given)

    program = decompose(torch.export.export(Model(), args))
    return program.module()(*args), calls(program)


@pytest.mark.parametrize("hidden", _HIDDEN)
@pytest.mark.parametrize("weights", ["mean", "each", "none"])
def test_attention(hidden, weights):
    torch.manual_seed(0)
    shapes = (3 * SIZE, SIZE), (3 * SIZE,), (SIZE, SIZE), (SIZE,)
    parameters = [torch.randn(shape) for shape in shapes]
    texts = [torch.randn(TEXTS, LENGTH, SIZE) for _ in range(3)]
    mask, mask_type = _HIDDEN[hidden]

    def attention(query, key, value, *parameters):
        found = torch.ops.aten._native_multi_head_attention(
            query, key, value, SIZE, HEADS, *parameters, mask, weights != "none", weights == "mean", mask_type
        )
        return found if weights != "none" else found[:1]

    actual, operators = _without(attention, *texts, *parameters)
    assert "aten._native_multi_head_attention.default" not in operators
    torch.testing.assert_close(tuple(actual), tuple(attention(*texts, *parameters)), equal_nan=True)


@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": "gelu"}], ids=str)
def test_encoder_layers(options):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(SIZE, HEADS, 2 * SIZE, batch_first=True, **options).eval()
    sizes = {0: torch.export.Dim("texts", max=5), 1: torch.export.Dim("length", min=2, max=40)}
    with torch.no_grad():
        x = torch.randn(TEXTS, LENGTH, SIZE)
        program = torch.export.export(layer, (x,), dynamic_shapes=(sizes,), strict=True)
        assert LAYER in calls(program)
        local = decompose(program)
        assert LAYER not in calls(local)
        for shape in (x.shape, (5, 40, SIZE)):
            x = torch.randn(shape)
            torch.testing.assert_close(local.module()(x), layer(x))
