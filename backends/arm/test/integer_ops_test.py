"""Each operator that has a form on integers, through TOSA's reference model, against the quantized model in PyTorch."""

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.quantizer import (
    TOSAQuantizer,
    get_symmetric_a8w4_quantization_config,
    get_symmetric_a16w8_quantization_config,
    get_symmetric_quantization_config,
)
from executorch.backends.arm.test.cases import CASES
from executorch.backends.arm.test.lowered import as_model, lowered, names_inside, quantized
from executorch.backends.arm.test.runner import run_program, with_reference_model
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.operators.elementwise import COMPARISONS
from executorch.backends.arm.tosa.operators.shape import groups_of
from executorch.backends.arm.tosa.operators.tables import TABLES
from executorch.backends.transforms.shapes import runs_of
from executorch.exir.backend.utils import format_reasons

#: What no quantized program has: forms that only a decomposition makes, that a plain product stands for, or that lowering to edge takes out.
_NOT_CAPTURED = {
    "aten._adaptive_avg_pool2d.default",
    "aten.addmm.default",
    "aten.copy.default",
    "aten.mm.default",
    "dim_order_ops._clone_dim_order.default",
}
#: Cases that the quantizer leaves, by their numbers: weights that are calculated, groups of a transposed convolution, selu.
_LEFT = {("aten.convolution.default", i) for i in (9,)} | {
    ("aten.elu.default", 3),
    ("aten.linear.default", 2),
}


def _is_real(inputs):
    return any(one.dtype is torch.float32 for one in inputs) and all(
        one.dtype in (torch.float32, torch.bool) for one in inputs
    )


def _cases(names):
    """All convolutions, one call of what is a table, two of everything else."""
    chosen = []
    for name in names:
        found = [
            (name, i)
            for i, (_, inputs) in enumerate(CASES[name])
            # What an embedding is given is indices.
            if (_is_real(inputs) or name == "aten.embedding.default") and (name, i) not in _LEFT
        ]
        if name.split(".")[1] in TABLES:
            found = found[1:2]
        elif name != "aten.convolution.default":
            found = sorted({found[0], found[-1]})
        chosen += found
    return chosen


#: Of rows without a plain form, which have no cases: see below.
_ON_INTEGERS_ALONE = {"aten._safe_softmax.default"}
#: Indices and truths: exact, see below.
_EXACT = {"aten.argmax.default", "aten.argmin.default", *COMPARISONS}
_INTEGER = sorted(
    name
    for name, row in OPERATORS.items()
    if row.integer is not None and name not in _NOT_CAPTURED | _EXACT | _ON_INTEGERS_ALONE
)


def _run(name, number, spec, config=None):
    function, inputs = CASES[name][number]
    model = quantized(as_model(function), inputs, spec, config)
    program = lowered(model, inputs, spec)
    assert name in names_inside(program), format_reasons(program.graph_module)
    outputs, calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    scales = [node.args[1] for node in program.graph.nodes if "dequantize_per_tensor" in str(node.target)]
    (expected,) = (model(*inputs),)
    return outputs[0], expected, max(scales)


@pytest.mark.parametrize(("name", "number"), _cases(_INTEGER))
def test_an_operator_is_within_a_step_of_the_quantized_model(name, number):
    mine, theirs, step = _run(name, number, "TOSA-1.0+INT")
    assert mine.shape == theirs.shape
    assert float((mine - theirs).abs().max()) <= step * 1.001


_SIXTEEN = (
    "aten._softmax.default",
    "aten.add.Tensor",
    "aten.amax.default",
    "aten.avg_pool2d.default",
    "aten.bmm.default",
    "aten.convolution.default",
    "aten.embedding.default",
    "aten.linear.default",
    "aten.matmul.default",
    "aten.max_pool2d_with_indices.default",
    "aten.mean.dim",
    "aten.mul.Tensor",
    "aten.native_layer_norm.default",
    "aten.permute_copy.default",
    "aten.sigmoid.default",
    "aten.upsample_bilinear2d.vec",
    "aten.upsample_nearest2d.vec",
    "aten.where.self",
)


@pytest.mark.parametrize(("name", "number"), _cases(_SIXTEEN))
def test_values_of_sixteen_bits(name, number):
    config = get_symmetric_a16w8_quantization_config()
    mine, theirs, step = _run(name, number, "TOSA-1.0+INT+int16", config)
    # Entries of a table are rounded, and so is what TOSA makes between them.
    # Sums of 48 bits are rescaled by factors of 15 bits: an error of half of 2**-15 of 32767.
    wide = ("bmm", "convolution", "linear", "matmul", "bilinear", "sigmoid")
    steps = 2 if any(one in name for one in wide) else 1
    assert float((mine - theirs).abs().max()) <= step * steps * 1.001


@pytest.mark.parametrize("name", ["log_", "log1p_", "sqrt_", "rsqrt_", "sin_", "abs_"])
def test_functions_in_place_are_quantized(name):
    def function(x, y):
        return getattr(x + y, name)()

    inputs = (torch.rand(3, 4) + 0.5, torch.rand(3, 4) + 0.5)
    model = quantized(as_model(function), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    mine, theirs = run_program(program, inputs)[0][0], model(*inputs)
    assert f"aten.{name.removesuffix('_')}.default" in names_inside(program)
    assert float((mine - theirs).abs().max()) <= float(theirs.abs().max()) / 100


@pytest.mark.parametrize("config", [None, get_symmetric_a16w8_quantization_config()], ids=["int8", "int16"])
@pytest.mark.parametrize("name", sorted(_EXACT))
def test_indices_and_truths_are_those_of_the_quantized_model(name, config):
    kind = name.split(".")[1]
    if kind.startswith("arg"):
        inputs: tuple = (torch.randn(4, 9),)
        function = as_model(lambda x: getattr(torch, kind)(x + 0, 1).int())
    elif name.endswith("Scalar"):
        inputs = (torch.randint(-3, 3, (4, 9)).float(),)
        function = as_model(lambda x: getattr(torch, kind)(x, 1.0))
    else:
        inputs = (torch.randint(-3, 3, (4, 9)).float(), torch.randint(-3, 3, (1, 9)).float())
        function = as_model(getattr(torch, kind))
    spec = "TOSA-1.0+INT+int16"
    model = quantized(function, inputs, spec, config)
    program = lowered(model, inputs, spec)
    written = "aten.eq.Tensor" if kind == "ne" else name.replace("Scalar", "Tensor")
    assert written in names_inside(program), format_reasons(program.graph_module)
    (mine,), calls = run_program(program, inputs)
    assert calls == 1 and torch.equal(mine, model(*inputs))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, z: torch.mm(y, z),
        torch.addmm,
        lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=-2.0),
    ],
    ids=["mm", "addmm", "addmm with factors"],
)
def test_products_of_matrices_that_are_calculated(function):
    inputs = (torch.randn(3, 5), torch.randn(3, 4), torch.randn(4, 5))
    model = quantized(as_model(function), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    step = max(node.args[1] for node in program.graph.nodes if "dequantize_per_tensor" in str(node.target))
    assert float((mine - model(*inputs)).abs().max()) <= step * 1.001


@pytest.mark.parametrize(
    ("function", "inputs", "inside"),
    [
        (lambda x: torch.max(x, 1)[0], (torch.randn(2, 5),), {"aten.amax.default"}),
        (lambda x: torch.min(x, -1, True).values, (torch.randn(2, 5, 3),), {"aten.amin.default"}),
        (
            lambda x, low, high: torch.clamp(x, low, high),
            (torch.randn(3, 4), -torch.rand(4), torch.rand(4)),
            {"aten.maximum.default", "aten.minimum.default"},
        ),
        (
            lambda x: torch.nn.functional.glu(x, 1),
            (torch.randn(2, 6, 3),),
            {"aten.sigmoid.default", "aten.mul.Tensor", "aten.slice_copy.Tensor"},
        ),
        (
            lambda x: torch.bitwise_and(x, 5),
            (torch.randint(0, 9, (3, 4)).int(),),
            {"aten.bitwise_and.Tensor"},
        ),
        (
            lambda x: torch.bitwise_xor(x, 6),
            (torch.randint(0, 9, (3, 4)).int(),),
            {"aten.bitwise_xor.Tensor"},
        ),
    ],
)
def test_what_is_written_otherwise_before_annotation(function, inputs, inside):
    model = quantized(as_model(function), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    assert inside <= names_inside(program), format_reasons(program.graph_module)
    outputs, calls = run_program(program, inputs)
    assert calls == 1
    wanted = model(*inputs)
    step = 0 if not wanted.is_floating_point() else (wanted.max() - wanted.min()).item() / 200
    torch.testing.assert_close(outputs[0], wanted, rtol=0, atol=step)


_POSITIVE = (torch.rand(3, 4) + 0.5, torch.rand(3, 4) + 0.5)
_LINE = (torch.linspace(-2, 2, 24).reshape(4, 6),)


@pytest.mark.parametrize(
    ("function", "inputs", "inside"),
    [
        (torch.div, _POSITIVE, {"aten.reciprocal.default", "aten.mul.Tensor"}),
        (
            lambda x, y: torch.div(x, y, rounding_mode="floor"),
            _POSITIVE,
            {"aten.reciprocal.default", "aten.floor.default"},
        ),
        (lambda x: torch.remainder(x, 0.7), _LINE, {"aten.floor.default", "aten.sub.Tensor"}),
        (torch.nn.PReLU(6), _LINE, {"aten.relu.default", "aten.clamp.default"}),
        (lambda x: x.masked_fill(x > 1, -float("inf")).softmax(-1), _LINE, {"aten.where.self"}),
        (lambda x: x.tril(1), _LINE, {"aten.mul.Tensor"}),
        (lambda x, y: torch.stack([x, y], 1), _POSITIVE, {"aten.unsqueeze_copy.default", "aten.cat.default"}),
        (lambda x: x.split([2, 4], 1), _LINE, {"aten.slice_copy.Tensor"}),
        (lambda x: x.unbind(0), _LINE, {"aten.select_copy.int"}),
        (torch.t_copy, _LINE, {"aten.permute_copy.default"}),
        (
            lambda x: torch.linalg.vector_norm(x, dim=1),
            _LINE,
            {"aten.pow.Tensor_Scalar", "aten.sum.dim_IntList"},
        ),
        (lambda x: x != 2.0, _LINE, {"aten.eq.Tensor", "aten.logical_not.default"}),
        (lambda x: x > 9.0, _LINE, {"aten.gt.Tensor"}),
        (lambda x: x >> 1, (torch.arange(-4, 4, dtype=torch.int32),), {"aten.bitwise_right_shift.Tensor"}),
    ],
)
def test_what_has_scales_of_its_own_within(function, inputs, inside):
    model = quantized(as_model(function), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    assert inside <= names_inside(program), format_reasons(program.graph_module)
    outputs, calls = run_program(program, inputs)
    wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple | list) else [wanted]
    assert calls == 1 and len(outputs) == len(wanted)
    for mine, theirs in zip(outputs, wanted, strict=True):
        span = (theirs.max() - theirs.min()).item() if theirs.is_floating_point() else 0
        torch.testing.assert_close(mine, theirs, rtol=0, atol=span / 200 + 1e-6 * (span > 0))


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x, i: x[i], (torch.rand(4, 3), torch.tensor([1, 0], dtype=torch.int32))),
        (torch.nn.Conv3d(2, 4, 3), (torch.rand(1, 2, 5, 5, 5),)),
        (lambda x: x != 1.0, _LINE),
        (lambda x, y: torch.slice_scatter(x, y, 1, 0, 4, 2), (torch.rand(2, 4), torch.rand(2, 2))),
    ],
)
def test_what_the_smaller_processors_have_not_is_left(function, inputs):
    spec = "TOSA-1.0+INT+u55"
    program = lowered(quantized(as_model(function), inputs, spec), inputs, spec)
    assert not names_inside(program) and "Ethos-U85 does" in format_reasons(program.graph_module)


def test_a_number_beyond_does_not_widen_what_is_compared_with_it():
    model = quantized(as_model(lambda x: (x + 0) > 100.0), _LINE)
    scales = [node.args[1] for node in model.graph.nodes if "dequantize_per_tensor" in str(node.target)]
    assert max(scales) < 0.05


def test_samples_stay_as_they_are_though_the_model_writes_to_its_inputs():
    class Adds(torch.nn.Module):
        def forward(self, x):
            x += 3
            return x

    sample = torch.rand(5)
    before = sample.clone()
    spec = TosaCompileSpec("TOSA-1.0+INT")
    quantizer = TOSAQuantizer(spec).set_global(get_symmetric_quantization_config())
    captured = torch.export.export(Adds(), (sample.clone(),)).module()
    model = quantizer.quantize_with_submodules(captured, [(sample,), (sample,)])
    assert torch.equal(sample, before)
    torch.testing.assert_close(model(sample.clone()), before + 3, rtol=0, atol=4 / 255)


class _NextRow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(9, 4)

    def forward(self, numbers):
        return self.table(numbers + 1).relu()


def test_calculated_indices_of_sixty_four_bits_are_refused():
    inputs = (torch.tensor([[1, 2]]),)
    model = quantized(_NextRow().eval(), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    assert "aten.embedding.default" not in names_inside(program)
    assert "indices of type int64" in format_reasons(program.graph_module)


@pytest.mark.parametrize("size", [(3, 4), (7, 7), (11, 13), (16, 18)])
def test_adaptive_pools_whose_sizes_do_not_divide(size):
    inputs = (torch.randn(1, 2, 8, 9),)
    model = quantized(as_model(lambda x: torch.nn.functional.adaptive_avg_pool2d(x, size)), inputs)
    program = lowered(model, inputs, "TOSA-1.0+INT")
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    step = max(node.args[1] for node in program.graph.nodes if "dequantize_per_tensor" in str(node.target))
    assert float((mine - model(*inputs)).abs().max()) <= step * 1.001


def test_windows_of_an_adaptive_pool():
    for before in range(1, 20):
        for after in range(1, 24):
            windows = [
                (run.start + i * run.stride, run.size)
                for run in runs_of(before, after)
                for i in range(run.count)
            ]
            bounds = [(i * before // after, -(-(i + 1) * before // after)) for i in range(after)]
            assert windows == [(low, high - low) for low, high in bounds]
    assert len(runs_of(8, 2)) == len(runs_of(5, 2)) == 1
    # A stride of 0 is none of TOSA.
    assert len(runs_of(4, 8)) == 5 and all(run.stride > 0 for run in runs_of(1, 3))


class _Masked(torch.nn.Module):
    """Attention by a mask that it makes, whose first row hides everything."""

    def __init__(self, hidden):
        super().__init__()
        self.project = torch.nn.Linear(8, 8)
        self.hidden = hidden

    def forward(self, x):
        mask = torch.triu(torch.full((5, 5), float("-inf")), self.hidden)
        q = self.project(x).unflatten(-1, (2, 4)).transpose(1, 2)
        return torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask).transpose(1, 2)


@pytest.mark.parametrize("spec", ["TOSA-1.0+INT", "TOSA-1.0+INT+FP"])
@pytest.mark.parametrize("hidden", [1, 0])
def test_attention_with_a_mask_that_the_model_makes(spec, hidden):
    torch.manual_seed(0)
    inputs = (torch.randn(1, 5, 8),)
    model = quantized(_Masked(hidden).eval(), inputs, spec)
    program = lowered(model, inputs, spec)
    assert names_inside(program) >= _ON_INTEGERS_ALONE, format_reasons(program.graph_module)
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    steps = [node.args[1] for node in program.graph.nodes if "dequantize_per_tensor" in str(node.target)]
    # A step of the scores is one of many where they are masked by -255.
    assert float((mine - model(*inputs)).abs().max()) <= 4 * max(steps, default=0.02)


def test_a_safe_softmax_that_nothing_quantizes_is_taken_apart():
    inputs = (torch.randn(1, 5, 8),)
    quantizer = TOSAQuantizer(TosaCompileSpec("TOSA-1.0+INT")).set_global(None)
    quantizer.set_module_type(torch.nn.Linear, get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(_Masked(1).eval(), inputs).module(), quantizer)
    prepared(*inputs)
    program = lowered(convert_pt2e(prepared), inputs, "TOSA-1.0+INT")
    calls = {str(node.target) for node in program.graph.nodes}
    assert any("_softmax" in one for one in calls) and not any("_safe_softmax" in one for one in calls)


def test_dimensions_that_hold_the_same():
    assert groups_of([2, 3, 4], [6, 4]) == [([0, 1], [0]), ([2], [1])]
    # It did not end where one side has no elements before the other.
    assert groups_of([0, 4], [2, 0]) == [([0, 1], [0, 1])]


_FOUR_BITS = [
    (torch.nn.Conv2d(8, 16, 3, padding=1), (2, 8, 6, 6)),
    (torch.nn.Conv2d(64, 128, 3, groups=64), (1, 64, 4, 4)),
    (torch.nn.Conv3d(8, 12, 2), (1, 8, 3, 3, 3)),
    (torch.nn.ConvTranspose2d(16, 16, 2, 2), (1, 16, 4, 4)),
    (torch.nn.Linear(64, 32), (2, 64)),
]


@pytest.mark.parametrize("is_per_channel", [True, False])
@pytest.mark.parametrize(("model", "shape"), _FOUR_BITS)
def test_weights_of_four_bits_are_stored_so(model, shape, is_per_channel):
    spec, inputs = "TOSA-1.0+INT+int4", (torch.rand(shape) * 2 - 1,)
    model = quantized(
        model.eval(), inputs, spec, get_symmetric_a8w4_quantization_config(is_per_channel, is_qat=False)
    )
    files = []

    def run(binary, tensors):
        files.append(binary)
        return with_reference_model(binary, tensors)

    made = []
    for name in (spec, "TOSA-1.0+INT"):
        program = lowered(model, inputs, name)
        made.append(run_program(program, inputs, run)[0][0])
    # The same numbers in less.
    assert torch.equal(*made) and len(files[0]) < len(files[1])
    step = float((made[0] - model(*inputs)).abs().max()) / float(made[0].max() - made[0].min())
    assert step < 1.01 / 255


class _Again(torch.nn.Module):
    """Integers of one scale as those of another, on the way between two operators."""

    def forward(self, x):
        ops, byte = torch.ops.quantized_decomposed, (-128, 127, torch.int8)
        first, second = (0.1, 3, *byte), (0.023, -5, *byte)
        x = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *first), *first).relu()
        x = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *first), *first)
        x = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *second), *second).neg()
        return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *second), *second)


@pytest.mark.parametrize("spec", ["TOSA-1.0+INT", "TOSA-1.0+INT+FP"])
def test_integers_are_quantized_again_within_the_delegate(spec):
    inputs = (torch.linspace(-14, 14, 57),)
    (mine,), calls = run_program(lowered(_Again(), inputs, spec), inputs)
    assert calls == 1
    torch.testing.assert_close(mine, _Again()(*inputs), atol=0.0231, rtol=0)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
def test_integers_that_become_real_numbers_are_quantized_within_the_delegate(dtype):
    def model(x, y):
        return torch.cat([x.float(), y], 1) * 2

    spec = "TOSA-1.0+INT+int16"
    inputs = (torch.arange(-100, 100).to(dtype).reshape(2, 100), torch.randn(2, 3))
    converted = quantized(as_model(model), inputs, spec)
    program = lowered(converted, inputs, spec)
    (mine,), calls = run_program(program, inputs)
    assert calls == 1 and "dim_order_ops._to_dim_order_copy.default" in names_inside(program)
    torch.testing.assert_close(mine, converted(*inputs), atol=400 / 255 * 1.01, rtol=0)


def test_values_of_sixteen_bits_are_moved():
    def model(x):
        x = torch.cat([x[:, 1:], x[:, :1]], 1).reshape(6, 4)
        return x.permute(1, 0).select(0, 1).relu()

    spec, inputs = "TOSA-1.0+INT+int16", (torch.randn(2, 3, 4),)
    converted = quantized(as_model(model), inputs, spec, get_symmetric_a16w8_quantization_config())
    (mine,), calls = run_program(lowered(converted, inputs, spec), inputs)
    assert calls == 1
    torch.testing.assert_close(mine, converted(*inputs), atol=2e-4, rtol=0)
