"""Values that lower: numbers, strings and None in and out, nested containers; custom and quantized operators."""

from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

from executorch.dialects.errors import MissingOutVariantError, SpecViolationError
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.interpreter_for_tests import ExecutionInterpreter
from executorch.exir.missing_kernels import MissingKernelWarning

X = torch.randn(2, 3)


def _lowered(module, *inputs):
    return to_edge(torch.export.export(module, inputs)).to_executorch()


def _operators(executable):
    return [
        str(node.target) for node in executable.exported_program().graph.nodes if node.op == "call_function"
    ]


def _check(module, *inputs):
    executable = _lowered(module, *inputs)
    actual, expected = ExecutionInterpreter(executable.exported_program())(*inputs), module(*inputs)
    leaves, spec = torch.utils._pytree.tree_flatten(actual)
    expected_leaves, expected_spec = torch.utils._pytree.tree_flatten(expected)
    assert spec == expected_spec
    for left, right in zip(leaves, expected_leaves, strict=True):
        assert type(left) is type(right)
        if isinstance(right, torch.Tensor):
            torch.testing.assert_close(left, right)
        else:
            assert left == right
    return executable


class Scalars(nn.Module):
    def forward(self, x, number: int, flag: bool, scale: float, text: str, nothing: None):
        y = x * number + scale
        return y if flag else -y, number, flag, scale, text, nothing


@pytest.mark.parametrize("flag", [True, False])
def test_numbers_strings_and_none_go_in_and_out(flag):
    executable = _check(Scalars(), X, 3, flag, 0.5, "text", None)
    (plan,) = executable.executorch_program.execution_plan
    assert len(plan.inputs) == 6 and len(plan.outputs) == 6


class Point(NamedTuple):
    x: Any
    y: Any


class Containers(nn.Module):
    def forward(self, pair, options, *rest):
        (a, [b]), c = pair, options["c"]
        return {"sum": a + b, "list": [c, (rest[0] * 2, rest[1])], "point": Point(a - b, options["n"])}


def test_containers_nest_on_both_sides():
    executable = _check(Containers(), (X, [X + 1]), {"c": X.int(), "n": 4}, X, X.bool())
    (plan,) = executable.executorch_program.execution_plan
    assert len(plan.inputs) == 6 and len(plan.outputs) == 6


class Custom(nn.Module):
    def forward(self, x):
        return torch.ops.what_lowers_test.scaled(x + 1, 2.5) - 1


def _library(with_out):
    library = torch.library.Library("what_lowers_test", "FRAGMENT")
    library.define("scaled(Tensor x, float factor) -> Tensor")
    library.impl("scaled", lambda x, factor: x * factor, "CompositeExplicitAutograd")
    torch.library.register_fake(
        "what_lowers_test::scaled", lambda x, factor: torch.empty_like(x), lib=library
    )
    if with_out:
        library.define("scaled.out(Tensor x, float factor, *, Tensor(a!) out) -> Tensor(a!)")
        library.impl(
            "scaled.out", lambda x, factor, *, out: out.copy_(x * factor), "CompositeExplicitAutograd"
        )
    return library


def test_a_custom_operator_with_an_out_variant_runs():
    library = _library(with_out=True)
    try:
        assert "what_lowers_test.scaled.out" in _operators(_check(Custom(), X))
    finally:
        library._destroy()


def test_a_custom_operator_without_one_is_refused_with_the_way_out():
    library = _library(with_out=False)
    try:
        with pytest.raises(MissingOutVariantError) as caught:
            _lowered(Custom(), X)
        message = str(caught.value)
        assert "what_lowers_test.scaled" in message and "what_lowers_values_test.py" in message
        assert "what_lowers_test::scaled.out" in message
    finally:
        library._destroy()


class Quantized(nn.Module):
    """What a quantizer leaves behind: quantize and dequantize around a linear layer with an int8 weight."""

    weight: torch.Tensor

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (40, 64), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(40) * 0.02 + 0.001)
        self.register_buffer("zeros", torch.zeros(40, dtype=torch.int64))

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        activation = (0.03, 5, -128, 127, torch.int8)
        x = ops.dequantize_per_tensor.default(ops.quantize_per_tensor.default(x, *activation), *activation)
        weight = ops.dequantize_per_channel.default(
            self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8
        )
        return nn.functional.linear(x, weight)


def test_quantized_graphs_lower_to_the_operators_of_the_quantized_kernels():
    import torch.ao.quantization.fx._decomposed

    module = Quantized()
    executable = _check(module, torch.randn(2, 64))
    operators = _operators(executable)
    assert "quantized_decomposed.quantize_per_tensor.out" in operators
    assert "quantized_decomposed.dequantize_per_tensor.out" in operators
    assert module.weight.numpy().tobytes() in executable.buffer  # not folded into four times as many bytes


@pytest.mark.parametrize("name", ["hypot", "copysign", "erfinv", "lgamma", "cumprod"])
def test_operators_that_torch_only_renames_stay_what_they_are(name):
    class Call(nn.Module):
        def forward(self, x):
            if name in ("hypot", "copysign"):
                return getattr(torch, name)(x, x)
            return x.cumprod(0) if name == "cumprod" else getattr(torch, name)(x)

    assert any(name in operator for operator in _operators(_check(Call(), X.sigmoid())))


@pytest.mark.parametrize("name, inputs", [("special_hermite_polynomial_h", 2), ("special_airy_ai", 1)])
def test_operators_without_a_kernel_are_refused_at_once_by_their_name(name, inputs):
    class Call(nn.Module):
        def forward(self, x):
            return getattr(torch.ops.aten, name)(*[x] * inputs)

    with pytest.raises(SpecViolationError, match=rf"aten\.{name}"):
        to_edge(torch.export.export(Call(), (X,)))


def test_images_are_resized_with_antialiasing():
    class Resize(nn.Module):
        def forward(self, x):
            return nn.functional.interpolate(x, (3, 5), mode="bilinear", antialias=True)

    assert "aten._upsample_bilinear2d_aa.out" in _operators(_check(Resize(), torch.randn(1, 2, 8, 8)))


class Spectrum(nn.Module):
    def forward(self, x):
        bins = torch.fft.rfft(x)
        return bins, bins.abs(), torch.fft.irfft(bins * 2, n=x.shape[-1])


def test_complex_tensors_lower_and_leave_the_program():
    executable = _check(Spectrum(), torch.randn(2, 8))
    (plan,) = executable.executorch_program.execution_plan
    types = [plan.values[index].val.scalar_type.name for index in plan.outputs]
    assert types == ["COMPLEX64", "FLOAT", "FLOAT"]


class FilteredSpectrum(nn.Module):
    """As in Fourier neural operators: some of the bins, turned, in a spectrum of zeros."""

    def forward(self, x):
        bins = torch.fft.rfft(x)
        kept = torch.zeros(bins.shape, dtype=torch.cfloat)
        turn = torch.exp(1j * torch.arange(3))
        kept[..., :3] = bins[..., :3] * turn + torch.nn.functional.pad(bins[..., :2], (1, 0), value=0.5)
        return torch.fft.irfft(kept, n=x.shape[-1])


def test_spectra_are_made_of_parts_that_kernels_have():
    executable = _check(FilteredSpectrum(), torch.randn(2, 8))
    kinds = {
        (str(node.target), node.meta["val"].dtype)
        for node in executable.exported_program().graph.nodes
        if isinstance(node.meta.get("val"), torch.Tensor)
    }
    for name in ("exp", "full", "constant_pad_nd"):
        assert (f"aten.{name}.out", torch.float32) in kinds
        assert (f"aten.{name}.out", torch.complex64) not in kinds


#: What kernels do with complex numbers by themselves; memory is moved by all of them.
_COMPLEX_KERNELS = {
    *("abs.out", "add.out", "bmm.out", "complex.out", "div.out", "mul.out", "view_as_real_copy.out")
}


class OfComplexNumbers(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


@pytest.mark.parametrize(
    "function",
    [
        *(torch.log, torch.log2, torch.log10, torch.log1p, torch.expm1, torch.sqrt),
        *(torch.sin, torch.cos, torch.tan, torch.sinh, torch.cosh, torch.tanh),
        *(torch.sigmoid, torch.sgn, torch.square, torch.mean, torch.var, torch.isnan, torch.isinf),
        *(torch.any, torch.all, torch.logical_not, torch.count_nonzero),
        *(lambda z: z**3, lambda z: z**0.5, lambda z: z ** (1 + 2j), lambda z: 2**z, lambda z: z ** (z + 1)),
        *(lambda z: z @ z, lambda z: nn.functional.linear(z, z, z[0]), lambda z: z.cumsum(1)),
        *(lambda z: torch.where(z.real > 0, z, 0), lambda z: z.masked_fill(z.real > 0, 1j), torch.tril),
        *(lambda z: z == z.flip(0), lambda z: z != z.real, lambda z: z.mean(0, keepdim=True)),
        lambda z: torch.reciprocal(z + 1),
        lambda z: torch.rsqrt(z + 1),
        lambda z: z.index_add(0, torch.tensor([0, 2]), z[:2]),
        lambda z: nn.functional.conv1d(z[None], z[:, :, None]),
    ],
)
def test_complex_numbers_are_calculated_by_their_parts(function):
    z = torch.tensor([[0, 1 + 2j, -3], [1e-4j, -2 - 1j, 0.5], [1j, -1j, complex(-0.3, -4)]])
    operators = _operators_of_complex(_check(OfComplexNumbers(function), z))
    assert {name.removeprefix("aten.") for name in operators} <= _COMPLEX_KERNELS


def _operators_of_complex(executable):
    def is_complex(node):
        value = node.meta.get("val")
        return isinstance(value, torch.Tensor) and value.is_complex()

    moving = (
        "expand",
        "flip",
        "permute",
        "select",
        "slice",
        "squeeze",
        "unsqueeze",
        "view_copy",
        "_to_dim_order",
    )
    return {
        str(node.target)
        for node in executable.exported_program().graph.nodes
        if isinstance(node.target, torch._ops.OpOverload) and any(map(is_complex, node.all_input_nodes))
        if not any(word in str(node.target) for word in moving)
    }


@pytest.mark.parametrize("function", [torch.asin, torch.prod, torch.linalg.inv])
def test_kernels_of_real_numbers_alone_are_named(function):
    with pytest.warns(MissingKernelWarning, match="has no kernel for complex numbers"):
        _lowered(OfComplexNumbers(function), torch.eye(3) * (1 + 2j))


class WithoutOneGradient(nn.Module):
    def forward(self, grad, x, weight):
        sizes = ([4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, False, True])
        grad_x, _, grad_bias = torch.ops.aten.convolution_backward.default(grad, x, weight, *sizes)
        return grad_x, grad_bias


def test_a_result_that_nobody_wants_takes_no_memory():
    executable = _lowered(
        WithoutOneGradient(), torch.ones(1, 4, 6, 6), torch.ones(1, 3, 8, 8), torch.ones(4, 3, 3, 3)
    )
    (plan,) = executable.executorch_program.execution_plan
    sizes = [value.val.sizes for value in plan.values if hasattr(value.val, "sizes")]
    assert sizes.count([0]) == 1 and len(plan.outputs) == 2


@pytest.mark.parametrize(
    "shift",
    [
        lambda x, y: x << 2,
        lambda x, y: x >> 1,
        lambda x, y: (x << y, x >> y),
        lambda x, y: (torch.bitwise_left_shift(3, y), torch.bitwise_right_shift(100, y)),
    ],
)
def test_integers_are_shifted(shift):
    class Shift(nn.Module):
        def forward(self, x, y):
            return shift(x, y)

    numbers = torch.tensor([1, 2, 70, -3], dtype=torch.int32)
    executable = _check(Shift(), numbers, torch.tensor([0, 1, 5, 2], dtype=torch.int32))
    assert all("shift" in name or "alloc" in name or "full" in name for name in _operators(executable))


class ComplexRotation(nn.Module):
    def forward(self, x, angle):
        turn = torch.polar(torch.ones_like(angle), angle)
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turn).flatten(-2)


def test_rotations_as_complex_numbers():
    executable = _check(ComplexRotation(), torch.randn(2, 3, 8), torch.randn(3, 4))
    assert "aten.view_as_complex_copy.out" in _operators(executable)


def test_products_of_floats_and_integers_stay_one_operator():
    torch.manual_seed(0)
    quantized = torch.ops.quantized_decomposed

    class Mixed(nn.Module):
        def forward(self, x, weight, scales, grouped):
            product = quantized.mixed_mm(x, weight, scales, None)
            rows = quantized.mixed_linear(x[None], weight.t().contiguous(), grouped, torch.ones_like(grouped))
            table = quantized.embedding_byte(weight, scales, None, -128, 127, torch.tensor([2, 0]))
            return product, rows.half(), table

    weight = torch.randint(-128, 128, (8, 6), dtype=torch.int8)
    inputs = (torch.randn(3, 8), weight, torch.rand(8), torch.rand(6, 2))
    operators = _operators(_check(Mixed(), *inputs))
    for name in ("mixed_mm", "mixed_linear", "embedding_byte"):
        assert f"quantized_decomposed.{name}.out" in operators
    out = torch.empty(0)
    _close_to_product(
        quantized.mixed_mm.out(*inputs[:3], None, out=out), inputs[0], weight * inputs[2][:, None]
    )
    of_rows = quantized.mixed_linear.out(
        inputs[0], weight.t().contiguous(), inputs[3][:, 0], None, torch.float64, out=out.double()
    )
    assert of_rows.dtype == torch.float64
    _close_to_product(of_rows, inputs[0], weight * inputs[3][:, 0])


def _close_to_product(found, x, weight):
    """Against the product in double precision, with what sums of float32 in any order may be off."""
    most = torch.finfo(torch.float32).eps * x.shape[1] * (x.abs() @ weight.abs()).max().item()
    torch.testing.assert_close(found.double(), x.double() @ weight.double(), rtol=0, atol=most)


class Layers(nn.Module):
    """Fully connected layers of one row, of several, without a bias, and one that shares its weight with a table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 8)
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 8, bias=False)

    def forward(self, indices):
        x = self.second(self.first(self.table(indices)).relu())
        return nn.functional.linear(x, self.table.weight)


@pytest.mark.parametrize("rows", [1, 3, 60])
def test_layers_need_no_kernel_that_released_runtimes_have_as_optimized_only(rows):
    module, indices = Layers().eval(), torch.arange(rows) % 40
    portable = {
        "aten.embedding.out",
        "aten.addmm.out",
        "aten.mm.out",
        "aten.relu.out",
        "aten.permute_copy.out",
    }
    operators = {name for name in _operators(_check(module, indices)) if name.startswith("aten.")}
    assert "aten.linear.out" not in operators and operators <= portable | {"aten.view_copy.out"}
    fused = to_edge(torch.export.export(module, (indices,))).to_executorch(
        ExecutorchBackendConfig(fuse_linear=True)
    )
    assert "aten.linear.out" in _operators(fused)
