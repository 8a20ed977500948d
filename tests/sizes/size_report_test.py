"""The size report: what three models keep, and that it is little."""

import os

import pytest

from executorch.tests.sizes import size_report

PLATFORM = os.environ.get("SIZE_REPORT_PLATFORM", "host")


@pytest.fixture(scope="module")
def rows():
    return {model: size_report.row(model, PLATFORM) for model in size_report.MODELS}


def test_the_digits_keep_their_five_operators(rows):
    assert rows["digits"]["operators"] == [
        "aten::addmm.out",
        "aten::convolution.out",
        "aten::max_pool2d_with_indices.out",
        "aten::relu.out",
        # Of the ten scores: the last layer's result is turned round, and outputs have memory of their own.
        "aten::view_copy.out",
    ]


def test_each_model_keeps_what_it_calls(rows):
    assert "aten::hardtanh.out" in rows["mobile"]["operators"]
    assert {"aten::embedding.out", "aten::_softmax.out"} <= set(rows["transformer"]["operators"])


def test_the_kernels_are_small(rows):
    # From both sides: a program that lost its kernels would be under any target.
    most = size_report.TARGET if PLATFORM.startswith("cortex_m") else 3 * size_report.TARGET
    assert 4 * 1024 < rows["digits"]["text"] < most, rows["digits"]
    for model in ("mobile", "transformer"):
        assert 4 * 1024 < rows[model]["text"] < 4 * most, rows[model]
