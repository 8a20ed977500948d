"""Pairs of quantization: what becomes one step, what goes, and what stays."""

import pytest
import torch

from executorch.backends.cadence.passes.fuse_requantization import (
    FuseQuantDequantToRequantizePass,
    RemoveBranchedQuantDequant,
)
from executorch.backends.cadence.passes.graphs_for_tests import INT8, after, aten, cadence, decomposed

QUANTIZES = [decomposed.quantize_per_tensor.default, cadence.quantize_per_tensor.default]
DEQUANTIZES = [decomposed.dequantize_per_tensor.default, cadence.dequantize_per_tensor.default]
Q = torch.randint(-128, 128, (2, 3, 4), dtype=torch.int8)
X = torch.randn(2, 3, 4)
OTHER = (0.08, -5, -128, 127, torch.int8)
REQUANTIZE = "cadence.requantize.per_tensor"


@pytest.mark.parametrize(("quantize", "dequantize"), zip(QUANTIZES, DEQUANTIZES, strict=True))
def test_other_integers_are_made_of_integers(quantize, dequantize):
    def write(do, q):
        moved = do(aten.permute_copy.default, do(dequantize, q, *INT8), [2, 0, 1])
        return do(quantize, do(aten.view_copy.default, moved, [4, 6]), *OTHER)

    # A half may be rounded the other way.
    assert after(FuseQuantDequantToRequantizePass(), write, Q, off_by=1) == [
        "permute_copy",
        "view_copy",
        REQUANTIZE,
    ]


def test_narrower_limits_stay_limits():
    def write(do, q):
        return do(QUANTIZES[0], do(DEQUANTIZES[0], q, *INT8), 0.01, 3, 0, 100, torch.int8)

    assert after(FuseQuantDequantToRequantizePass(), write, Q, off_by=1) == [REQUANTIZE, "clamp"]


def test_equal_parameters_need_no_step():
    def write(do, q):
        x = do(DEQUANTIZES[0], q, *INT8)
        return do(QUANTIZES[0], x, *INT8), do(QUANTIZES[0], do(aten.view_copy.default, x, [24]), *OTHER)

    names = after(FuseQuantDequantToRequantizePass(), write, Q, off_by=1)
    assert names == ["view_copy", REQUANTIZE]


def test_values_that_are_also_read_as_numbers_stay():
    def write(do, q):
        x = do(DEQUANTIZES[0], q, *INT8)
        return do(QUANTIZES[0], x, *OTHER), do(aten.abs.default, x)

    assert after(FuseQuantDequantToRequantizePass(), write, Q) is None


def test_only_equal_parameters_where_nothing_else_is_allowed():
    def write(do, q):
        return do(QUANTIZES[0], do(DEQUANTIZES[0], q, *INT8), *OTHER)

    assert after(FuseQuantDequantToRequantizePass(allow_requantize=False), write, Q) is None


def rounded(do, x):
    """A number that is rounded to integers and back; half of a step."""
    q = do(QUANTIZES[0], x, *INT8)
    return do(DEQUANTIZES[0], do(aten.view_copy.default, q, [6, 4]), *INT8)


def test_numbers_are_not_rounded_on_their_way_to_numbers():
    assert after(FuseQuantDequantToRequantizePass(), rounded, X, off_by=0.026) == ["view_copy"]


def test_numbers_that_are_read_by_other_parameters_stay_integers():
    def write(do, x):
        return do(DEQUANTIZES[0], do(QUANTIZES[0], x, *INT8), *OTHER)

    assert after(FuseQuantDequantToRequantizePass(), write, X) is None


def test_permutations_between_quantization_and_numbers_only_by_force():
    def write(do, x):
        return do(DEQUANTIZES[0], do(aten.permute_copy.default, do(QUANTIZES[0], x, *INT8), [2, 1, 0]), *INT8)

    assert after(FuseQuantDequantToRequantizePass(), write, X) is None
    forced = FuseQuantDequantToRequantizePass(force_quant_dequant_fusion=True)
    assert after(forced, write, X, off_by=0.026) == ["permute_copy"]


def test_a_branch_reads_the_value_itself():
    def write(do, x):
        q = do(QUANTIZES[0], x, *INT8)
        return do(aten.neg.default, q), do(aten.exp.default, do(DEQUANTIZES[0], q, *INT8))

    names = after(RemoveBranchedQuantDequant(), write, X, off_by=0.026, rtol=0.03)
    assert names == ["quantized_decomposed.quantize_per_tensor", "neg", "exp"]
    assert after(RemoveBranchedQuantDequant(), rounded, X) is None
