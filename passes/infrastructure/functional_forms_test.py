"""In-place operators and their functional forms."""

import pytest
import torch

from executorch.passes.infrastructure.functional_forms import (
    functional_form,
    is_view,
    may_alias,
    written_arguments,
)

aten = torch.ops.aten


@pytest.mark.parametrize(
    ("in_place", "functional"),
    [
        (aten.add_.Tensor, aten.add.Tensor),
        (aten.relu_.default, aten.relu.default),
        (aten.index_put_.default, aten.index_put.default),
        (aten.copy_.default, aten.copy.default),
        (aten.zero_.default, aten.zero.default),
        (aten.masked_fill_.Scalar, aten.masked_fill.Scalar),
        (aten.normal_.default, aten.normal_functional.default),
    ],
)
def test_pairs(in_place, functional):
    assert functional_form(in_place) is functional


@pytest.mark.parametrize("op", [aten.add.Tensor, aten.add.out, aten.t_.default, aten.resize_.default])
def test_no_pair(op):
    assert functional_form(op) is None


def test_written_arguments():
    assert written_arguments(aten.add_.Tensor) == [0]
    assert written_arguments(aten.add.out) == [3]
    assert written_arguments(aten.add.Tensor) == []


def test_aliases():
    assert may_alias(aten.view.default) and may_alias(aten.split.Tensor) and may_alias(aten.relu_.default)
    assert not may_alias(aten.relu.default) and not may_alias(aten.clone.default)


def test_views_write_nothing():
    assert is_view(aten.view.default) and is_view(aten.reshape.default)
    assert (
        not is_view(aten.relu_.default) and not is_view(aten.t_.default) and not is_view(aten.clone.default)
    )
