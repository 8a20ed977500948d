"""How rows of the benchmark of single kernels are judged, and that each of them can be called."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from executorch.kernels.test.oracle import bind, resolve
from executorch.tests.benchmarks.kernels import counts, judged
from executorch.tests.benchmarks.kernels_cases import KERNELS


def row(ours: float, torch_us: float, copy: float, streams: float) -> dict[str, Any]:
    return judged({"ours_us": ours, "copy_us": copy, "peers": {"torch": torch_us}}, streams)


def test_a_row_reaches_the_target_by_either_share():
    by_copy = row(100, 50, 90, 2)
    assert (by_copy["copy_share"], by_copy["torch_share"]) == (0.9, 0.5)
    assert by_copy["reached"] and not by_copy["not_slower"]
    by_torch = row(100, 71, 20, 2)
    assert by_torch["reached"] and not by_torch["not_slower"]
    neither = row(100, 69, 69, 2)
    assert not neither["reached"]


def test_streams_scale_the_bandwidth():
    assert row(100, 1, 50, 3)["copy_share"] == 0.75
    assert "copy_share" not in row(100, 1, 50, 0)
    assert not row(100, 1, 500, 0)["reached"]


def test_counts():
    rows = [row(100, 100, 10, 0), row(100, 80, 10, 0), row(100, 10, 10, 0)]
    assert counts(rows) == {"reached": 2, "not_slower": 1, "misses": 1}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.out)
def test_arguments_are_the_operators(kernel):
    torch.manual_seed(0)
    args = kernel.args()
    operator = resolve(kernel.functional)
    assert len(args) <= len(operator._schema.arguments)
    bound = bind(operator, args, kernel.options)
    assert set(kernel.options) <= set(bound)
    assert isinstance(bound[operator._schema.arguments[0].name], (torch.Tensor, list))
