"""Half precision: what it does not have the digits or the range for is calculated in floats."""

import pytest
import torch
from torch import nn

from executorch.backends.xnnpack.lowering_for_tests import Call, lowered, operators_left
from executorch.runtime import Runtime

IMAGE = (torch.rand(2, 6, 9, 11) - 0.5).half()


def filled(norm):
    """The norm with weights that are not the initial ones."""
    for parameter in norm.parameters():
        nn.init.normal_(parameter)
    return norm


def check(model, image, left=(), most=2e-3):
    """``left`` is not delegated, and the largest difference from eager is ``most`` of the largest number."""
    edge = lowered(model.half(), (image,))
    assert operators_left(edge) == list(left)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    got, want = method.execute([image])[0], model(image).detach()
    assert got.dtype == want.dtype
    assert float((got.double() - want.double()).abs().max()) <= most * float(want.double().abs().max())


@pytest.mark.parametrize("groups", [1, 6])
@pytest.mark.parametrize("bias", [False, True])
def test_convolution(groups, bias):
    check(nn.Conv2d(6, 6, 3, groups=groups, bias=bias), IMAGE)


def test_batch_norm():
    check(nn.Sequential(nn.Conv1d(6, 4, 3), nn.BatchNorm1d(4), nn.ReLU()), IMAGE[:, :, 0])


@pytest.mark.parametrize("number", [1e-6, 1e6])
def test_numbers_that_are_no_halves_stay_outside(number):
    model = Call(lambda x: torch.ops.aten.mul.Scalar(x, number))
    check(model, IMAGE * 1e-3, left=["aten.mul.Scalar"])


@pytest.mark.parametrize(
    "pool", [nn.AvgPool2d(32), nn.AdaptiveAvgPool2d(2), nn.AdaptiveAvgPool2d(1)], ids=str
)
def test_sums_of_pools(pool):
    check(pool, (torch.rand(1, 6, 64, 64) + 100).half(), most=1e-3)


@pytest.mark.parametrize("scale", [1, 1000, 10000])
@pytest.mark.parametrize("affine", [False, True])
def test_squares_of_layer_norms(affine, scale):
    rows = (torch.randn(2, 5, 64).clamp(-3, 3) * scale).half()
    check(filled(nn.LayerNorm(64, elementwise_affine=affine)), rows)


@pytest.mark.parametrize("scale", [1, 1000, 10000])
@pytest.mark.parametrize(
    "norm",
    [
        nn.GroupNorm(2, 6),
        nn.GroupNorm(6, 6),
        nn.InstanceNorm2d(6, affine=True),
        nn.BatchNorm2d(6, track_running_stats=False),
    ],
    ids=str,
)
def test_squares_of_norms_of_images(norm, scale):
    check(filled(norm), (torch.randn(2, 6, 9, 7).clamp(-3, 3) * scale).half())


def test_casts_around_a_norm_stay_in_its_delegate():
    model = nn.Sequential(nn.Linear(64, 64), nn.RMSNorm(64, eps=1e-5), nn.Linear(64, 64))
    check(model, torch.randn(3, 64).half(), most=5e-3)


def test_a_cast_by_itself_is_no_delegate():
    left = ["dim_order_ops._to_dim_order_copy.default", "aten.cumsum.default"]
    check(Call(lambda x: torch.cumsum(x.float(), 1)), IMAGE[0, 0], left=left)
