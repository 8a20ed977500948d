"""The operators' shapes and types, what they refuse, and that they are known to differ from call to call."""

import pytest
import torch

from executorch.dialects.out_variants import to_out_variant
from executorch.dialects.random_draws import BINOMIAL, POISSON, STANDARD_GAMMA

_HALVES = torch.full((3, 1), 0.5)


@pytest.mark.parametrize(
    ("op", "args", "shape"),
    [
        (POISSON, (_HALVES,), (3, 1)),
        (STANDARD_GAMMA, (_HALVES,), (3, 1)),
        (BINOMIAL, (torch.full((4,), 9.0), _HALVES), (3, 4)),
    ],
)
def test_shape_type_and_out_variant(op, args, shape):
    assert torch.Tag.nondeterministic_seeded in op.tags
    for kind in ("cpu", "meta"):
        drawn = op(*(arg.to(kind) for arg in args))
        assert drawn.shape == shape and drawn.dtype == torch.float32
    out = to_out_variant(op)
    assert out(*args, out=torch.empty(0)).shape == shape


def test_whole_numbers_and_several_types_are_refused():
    with pytest.raises(RuntimeError, match="one floating type"):
        POISSON(torch.ones(3, dtype=torch.int64, device="meta"))
    with pytest.raises(RuntimeError, match="one floating type"):
        BINOMIAL(torch.ones(3, device="meta"), _HALVES.double().to("meta"))
