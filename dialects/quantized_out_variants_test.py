"""Quantized operators find their out variants, which write what the functional ones return."""

import pytest
import torch
import torch.ao.quantization.fx._decomposed

from executorch.dialects.out_variants import find_out_variant, to_out_variant

OPS = torch.ops.quantized_decomposed
X = torch.linspace(-2, 2, 6).reshape(2, 3)
Q = torch.arange(-3, 3, dtype=torch.int8).reshape(2, 3)
SCALES, ZEROS = torch.tensor([0.1, 0.2]), torch.tensor([1, -1])

CALLS = [
    (OPS.quantize_per_tensor.default, (X, 0.05, 3, -128, 127, torch.int8), {}),
    (OPS.quantize_per_tensor.tensor, (X, torch.tensor(0.05), torch.tensor(3), -128, 127, torch.int8), {}),
    (OPS.dequantize_per_tensor.default, (Q, 0.05, 3, -128, 127, torch.int8), {}),
    (OPS.dequantize_per_tensor.default, (Q, 0.05, 3, -128, 127, torch.int8), {"out_dtype": torch.float32}),
    (OPS.quantize_per_channel.default, (X, SCALES, ZEROS, 0, -128, 127, torch.int8), {}),
    (OPS.dequantize_per_channel.default, (Q, SCALES, ZEROS, 0, -128, 127, torch.int8), {}),
    (OPS.choose_qparams.tensor, (X, -128, 127, 1e-6, torch.int8), {}),
]


@pytest.mark.parametrize("op, args, kwargs", CALLS)
def test_it_writes_what_the_functional_overload_returns(op, args, kwargs):
    expected = op(*args, **kwargs)
    expected = (expected,) if isinstance(expected, torch.Tensor) else expected
    variant = to_out_variant(op)
    names = [arg.name for arg in variant._schema.arguments if arg.is_out]
    outs = {name: torch.empty_like(value) for name, value in zip(names, expected, strict=True)}
    variant(*args, **kwargs, **outs)
    for name, value in zip(names, expected, strict=True):
        assert torch.equal(outs[name], value)


def test_names_are_those_of_the_kernels():
    assert (
        str(to_out_variant(OPS.quantize_per_tensor.default)) == "quantized_decomposed.quantize_per_tensor.out"
    )
    variant = to_out_variant(OPS.dequantize_per_tensor.tensor)
    assert str(variant) == "quantized_decomposed.dequantize_per_tensor.Tensor_out"
    assert str(variant._schema).endswith("ScalarType? out_dtype=None, *, Tensor(a!) out) -> Tensor(a!)")


def test_overloads_without_kernel_have_none():
    assert find_out_variant(OPS.quantize_per_tensor.tensor2) is None
