"""Variants for one type: which one, and what has none."""

import pytest
import torch

from executorch.backends.cadence.passes.graphs_for_tests import after, cadence
from executorch.backends.cadence.passes.type_dispatch import CompileTimeTypeDispatchPass

KINDS = {torch.int8: "8s", torch.uint8: "8u"}


def integers(kind, *sizes):
    limits = torch.iinfo(kind)
    return torch.randint(limits.min, limits.max + 1, sizes, dtype=kind)


def dispatched(write, *inputs):
    """The variant that is called, after proof that it calculates the same."""
    (name,) = after(CompileTimeTypeDispatchPass(), write, *inputs)
    return name.removeprefix("cadence.")


@pytest.mark.parametrize("kind", KINDS)
def test_layers(kind):
    end, bias = KINDS[kind], torch.randint(-500, 500, (4,), dtype=torch.int32)
    x, w = integers(kind, 2, 3), integers(kind, 4, 3)
    numbers = (3, 2, 1 << 30, -9, 1)
    assert dispatched(
        lambda do, x, w, b: do(cadence.quantized_linear.per_tensor, x, w, b, *numbers, None), x, w, bias
    ) == (f"quantized_linear_asym{end}xasym{end}_asym{end}.per_tensor")
    assert dispatched(
        lambda do, x, w: do(cadence.quantized_matmul.default, x, 3, w, 2, None, 1 << 30, -9, 1),
        x,
        w.T.contiguous(),
    ) == (f"quantized_matmul_asym{end}xasym{end}_asym{end}")
    assert dispatched(
        lambda do, x, y: do(cadence.quantized_add.per_tensor, x, 0.1, 3, y, 0.2, 1, 0.3, 2), x, x
    ) == (f"quantized_add_asym{end}xasym{end}_asym{end}.per_tensor")
    assert dispatched(lambda do, x: do(cadence.quantized_relu.per_tensor, x, 3, 1, 1 << 30, 0), x) == (
        f"quantized_relu_asym{end}_asym{end}.per_tensor"
    )


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize(
    ("groups", "dilation", "infix"), [(1, 1, ""), (1, 2, "_dilated"), (3, 1, "_depthwise")]
)
def test_convolutions(is_last, groups, dilation, infix):
    layout = "nhwc" if is_last else "nchw"
    x, w = integers(torch.int8, 1, 3, 8, 8), integers(torch.int8, 6, 3 // groups, 3, 3)
    if is_last:
        x, w = x.permute(0, 2, 3, 1).contiguous(), w.permute(0, 2, 3, 1).contiguous()

    def write(do, x, w, b):
        op = getattr(cadence, f"quantized_conv2d_{layout}").per_tensor
        place = ([1, 1], [0, 0], [dilation, dilation], groups)
        return do(op, x, w, b, *place, 3, -2, 0.0004, 0.5, 7, 1717986918, -10)

    bias = torch.randint(-500, 500, (6,), dtype=torch.int32)
    assert dispatched(write, x, w, bias) == f"quantized_conv2d_{layout}{infix}_asym8sxsym8s_asym8s.per_tensor"


@pytest.mark.parametrize(
    ("kind", "end"),
    [
        (torch.int8, "8s"),
        (torch.uint8, "8u"),
        (torch.int16, "16s"),
        (torch.uint16, "16u"),
        (torch.int32, "32s"),
    ],
)
def test_quantization(kind, end):
    limits = (0, 100)

    def to(do, x):
        return do(cadence.quantize_per_tensor.default, x, 0.05, 3, *limits, kind)

    def back(do, q):
        return do(cadence.dequantize_per_tensor.default, q, 0.05, 3, *limits, kind)

    assert dispatched(to, torch.rand(2, 3)) == f"quantize_per_tensor_asym{end}"
    assert dispatched(back, torch.randint(0, 100, (2, 3)).to(kind)) == f"dequantize_per_tensor_asym{end}"


def test_types_that_there_is_no_variant_for():
    def write(do, x, w, b):
        return do(cadence.quantized_linear.per_tensor, x, w, b, 0, 0, 1, 0, 0, None)

    with pytest.raises(RuntimeError, match="Unsupported input types"):
        after(
            CompileTimeTypeDispatchPass(),
            write,
            integers(torch.int8, 2, 3),
            integers(torch.uint8, 4, 3),
            torch.zeros(4, dtype=torch.int32),
        )
