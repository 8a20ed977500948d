"""Schemas and example values of the operators ``cadence::``."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from executorch.backends.cadence.ops import operators, schemas

assert operators.LIBRARIES
cadence = torch.ops.cadence
NUMBERS = (0, 0, 1.0, 1.0, 0, 1, 1)


def values(*shapes, dtype=torch.int8):
    with FakeTensorMode():
        return [torch.empty(shape, dtype=dtype) for shape in shapes]


@pytest.mark.parametrize("name", schemas.ARGUMENTS)
def test_every_operator_has_an_out_variant_of_the_same_arguments(name):
    schema = torch._C._get_schema("cadence::" + name.partition(".")[0], name.partition(".")[2])
    base, _, overload = schemas.out_name(name).partition(".")
    out = torch._C._get_schema(f"cadence::{base}", overload)
    written = out.arguments[-1]
    assert written.is_out and written.alias_info.is_write
    assert [(one.name, str(one.type)) for one in out.arguments[:-1]] == [
        (one.name, str(one.type)) for one in schema.arguments
    ]


def test_released_schemas():
    assert str(cadence.quantized_linear.per_tensor_out._schema) == (
        "cadence::quantized_linear.per_tensor_out(Tensor src, Tensor weight, Tensor bias, SymInt src_zero_point, "
        "SymInt weight_zero_point, SymInt out_multiplier, SymInt out_shift, SymInt out_zero_point, Tensor? offset, *, "
        "Tensor(a!) out) -> Tensor(a!)"
    )
    assert str(cadence.quantized_conv2d_nchw_dilated_asym8sxsym8s_asym8s.per_tensor._schema).endswith(
        "int weight_zero_point, float bias_scale, float out_scale, int out_zero_point, int out_multiplier, "
        "int out_shift) -> Tensor"
    )


@pytest.mark.parametrize(
    ("op", "input", "weight", "given"),
    [
        (cadence.quantized_conv2d_nchw.per_tensor, (1, 4, 8, 9), (6, 4, 3, 2), (1, 6, 4, 10)),
        (cadence.quantized_conv2d_nhwc.per_tensor, (1, 8, 9, 4), (6, 3, 2, 4), (1, 4, 10, 6)),
        (cadence.quantized_conv2d_nhwc.per_tensor, (1, 8, 9, 6), (3, 2, 12), (1, 4, 10, 12)),
        (
            cadence.quantized_conv2d_nhwc_asym8sxsym8s_asym8s.per_tensor,
            (1, 8, 9, 4),
            (6, 3, 2, 4),
            (1, 4, 10, 6),
        ),
    ],
)
def test_convolutions(op, input, weight, given):
    x, w = values(input, weight)
    made = op(x, w, x, (2, 1), (1, 1), (1, 1), 1, *NUMBERS)
    assert made.shape == given and made.dtype == torch.int8


def test_convolutions_along_one_dimension_read_the_last_numbers():
    x, w = values((1, 4, 8), (6, 4, 3))
    assert cadence.quantized_conv2d_nchw.per_tensor(x, w, x, (1, 2), (0, 1), (1, 1), 1, *NUMBERS).shape == (
        1,
        6,
        4,
    )
    assert cadence.quantized_conv1d_ncl.per_tensor(x, w, x, (1,), (0,), (1,), 1, *NUMBERS).shape == (1, 6, 6)
    x, w = values((1, 8, 4), (6, 3, 4))
    assert cadence.quantized_conv1d_nlc.per_tensor(x, w, x, (1,), (0,), (1,), 1, *NUMBERS).shape == (1, 6, 6)


def test_layers():
    x, y, weight = values((2, 3, 4), (2, 5, 4), (6, 4))
    assert cadence.quantized_matmul(x, 0, y, 0, None, 1, 1, 0, True).shape == (2, 3, 5)
    assert cadence.quantized_linear.per_tensor(x, weight, x, 0, 0, 1, 1, 0, None).shape == (2, 3, 6)
    assert cadence.quantized_add.per_tensor(x, 1.0, 0, x[0, :1], 1.0, 0, 1.0, 0).shape == (2, 3, 4)
    assert cadence.requantize.per_tensor(x, 1.0, 0, 1.0, 0, torch.uint8).dtype == torch.uint8
    assert cadence.dequantize_per_tensor_asym8s(x, 1.0, 0, -128, 127, torch.int8).dtype == torch.float32


def test_what_does_not_fit_is_refused():
    x, y = values((2, 3, 4), (4, 5))
    with pytest.raises(ValueError, match="different batches"):
        cadence.quantized_matmul(x, 0, y, 0, None, 1, 1, 0)
    with pytest.raises(ValueError, match="one row"):
        cadence.quantized_fully_connected.per_tensor(x, y, y, 0, 0, 1, 1, 0, None)


def test_windows():
    (x,) = values((1, 3, 8, 9))
    assert cadence.im2row.per_tensor(x, [2, 3], [1, 1], [1, 0], [1, 2], 0).shape == (1, 36, 18)
    assert cadence.im2row.per_tensor(
        x.permute(0, 2, 3, 1), [2, 3], [1, 1], [1, 0], [1, 2], 0, True
    ).shape == (
        1,
        36,
        18,
    )
    assert cadence.quantized_max_pool2d_nchw(x, [2, 2], [2, 2], [0, 0], [1, 1], True).shape == (1, 3, 4, 5)
    assert cadence.quantized_max_pool2d_nhwc(
        x.permute(0, 2, 3, 1), [2, 2], [2, 2], [0, 0], [1, 1], False
    ).shape == (
        1,
        4,
        4,
        3,
    )
    assert cadence.transposed_convolution(
        *values((1, 4, 8, 9), (6, 4, 3, 2), (6,), dtype=torch.float32), [2, 1], [1, 0], [1, 1], [0, 0], 1
    ).shape == (1, 6, 15, 10)


def test_symbols_of_a_program_stay():
    class Model(torch.nn.Module):
        def forward(self, x):
            return cadence.quantized_relu.per_tensor(
                cadence.quantize_per_tensor(x, 0.1, 0, -128, 127, torch.int8), 0, 0, 1, 1
            )

    batch = torch.export.Dim("batch", min=2, max=8)
    program = torch.export.export(Model(), (torch.randn(4, 3),), dynamic_shapes={"x": {0: batch}})
    (output,) = program.graph.output_node().args[0]
    assert isinstance(output.meta["val"].shape[0], torch.SymInt)
