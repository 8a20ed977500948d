"""Whole models through TOSA's reference model: floating point against PyTorch, int8 against the quantized model."""

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.quantizer import TOSAQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.test.lowered import lowered, quantized
from executorch.backends.arm.test.runner import run_program, with_reference_model
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.backend.utils import format_reasons, get_reasons


def noise_ratio(mine, theirs):
    """Energy of the difference over that of the values."""
    return float((mine - theirs).square().sum() / theirs.square().sum())


@pytest.mark.parametrize("name", SMALL)
def test_floating_point(name):
    model, inputs = trained(SMALL[name])
    program = lowered(model, inputs)
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    assert not get_reasons(program.graph_module)
    torch.testing.assert_close(mine, model(*inputs).detach(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", SMALL)
def test_int8(name):
    model, inputs = trained(SMALL[name])
    samples = [(torch.randn_like(inputs[0]),) for _ in range(2)]
    converted = quantized(model, inputs, samples=samples)
    program = lowered(converted, inputs, "TOSA-1.0+INT")
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    assert {one.op.split(".")[0] for one in get_reasons(program.graph_module)} == {"quantized_decomposed"}
    theirs = converted(*inputs)
    # Rounding differs by a step here and there, which later layers carry on.
    assert noise_ratio(mine, theirs) < 2e-3
    assert noise_ratio(mine, model(*inputs).detach()) < 0.1


def test_int8_beside_floating_point():
    model, inputs = trained(SMALL["encoder"])
    spec = TosaCompileSpec("TOSA-1.0+INT+FP")
    quantizer = TOSAQuantizer(spec).set_global(get_symmetric_quantization_config())
    quantizer.set_module_type(torch.nn.LayerNorm, None)
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    converted = convert_pt2e(prepared)
    program = lowered(converted, inputs, str(spec.tosa_spec))
    (mine,), calls = run_program(program, inputs)
    assert calls == 1, format_reasons(program.graph_module)
    assert noise_ratio(mine, converted(*inputs)) < 2e-3


def test_what_is_left_has_a_reason():
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.sort(torch.relu(x)).values + x

    program = lowered(Model(), (torch.randn(3, 3),))
    reasons = {one.op: one.reason for one in get_reasons(program.graph_module)}
    assert "has no lowering to TOSA" in reasons["aten.sort.default"]
    assert all(len(one.reason) > 10 for one in get_reasons(program.graph_module))


class _Branches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.thin = torch.nn.Conv1d(2, 4, 3, padding=1), torch.nn.Conv1d(2, 4, 3, padding=1)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.wide(x.relu()), lambda x: self.thin(x), [x])


def test_filters_that_a_branch_is_given_are_no_constants_there():
    model, inputs = _Branches().eval(), (torch.randn(1, 2, 8),)
    program = lowered(model, inputs)
    reasons = [
        one.reason for one in get_reasons(program.graph_module) if one.op == "aten.convolution.default"
    ]
    assert len(reasons) == 2 and all("filters that are calculated or given" in one for one in reasons)


def test_sizes_that_change_are_refused():
    inputs = (torch.randn(4, 3),)
    rows = torch.export.Dim("rows", min=2, max=8)
    exported = torch.export.export(torch.nn.ReLU(), inputs, dynamic_shapes=({0: rows},))
    partitioner = TOSAPartitioner(TosaCompileSpec("TOSA-1.0+FP"))
    program = to_edge_transform_and_lower(exported, partitioner=[partitioner]).exported_program()
    (reason,) = get_reasons(program.graph_module)
    assert "dynamic shape" in reason.reason and "without dynamic_shapes" in reason.reason


class _Turned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 1)

    def forward(self, x, y):
        found = self.conv(x) * 2
        return found, found.clone(memory_format=torch.contiguous_format), self.conv(y)


@pytest.mark.parametrize("sizes", [(1, 3, 3, 3), (2, 3, 4, 5), (1, 3, 1, 2)])
@pytest.mark.parametrize("spec", ["TOSA-1.0+FP", "TOSA-1.0+INT"])
def test_inputs_and_outputs_lie_in_the_file_as_in_memory(sizes, spec):
    x, y = torch.randn(sizes).to(memory_format=torch.channels_last), torch.randn(sizes)
    model = _Turned().eval()
    converted = model if "FP" in spec else quantized(model, (x, y), spec)
    program = lowered(converted, (x, y), spec)
    shapes = []

    def run(binary, tensors):
        shapes.extend(tuple(one.shape) for one in tensors)
        return with_reference_model(binary, tensors)

    outputs, _ = run_program(program, (x, y), run)
    assert sorted(shapes) == sorted([(sizes[0], *sizes[2:], sizes[1]), sizes])
    for mine, theirs in zip(outputs, converted(x, y), strict=True):
        torch.testing.assert_close(mine, theirs.detach(), rtol=1e-3, atol=1e-4 if "FP" in spec else 0.05)
