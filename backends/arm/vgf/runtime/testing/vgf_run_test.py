"""The delegate against TOSA's reference model: int8 bit for bit, floating point to tolerance; and what it refuses."""

import os

import numpy as np
import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.quantizer import VgfQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.test.runner import run_program, run_tosa
from executorch.backends.arm.vgf import VgfCompileSpec, VgfPartitioner
from executorch.backends.arm.vgf.runtime.testing.delegate import DelegateError, run
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.exir import to_edge_transform_and_lower


class _TwoInputs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 5)

    def forward(self, x, y):
        return self.linear(x) + y


def _model(name):
    torch.manual_seed(0)
    if name == "conv":
        return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU()), (
            torch.randn(1, 3, 8, 8),
        )
    if name == "linear":
        return _TwoInputs(), (torch.randn(2, 3), torch.randn(2, 5))
    return trained(SMALL[name])


def _lowered(name, profile, folder):
    model, inputs = _model(name)
    spec = VgfCompileSpec(f"TOSA-1.0+{profile}")
    exported = torch.export.export(model.eval(), inputs)
    if profile == "INT":
        quantizer = VgfQuantizer(spec).set_global(get_symmetric_quantization_config())
        prepared = prepare_pt2e(exported.module(), quantizer)
        prepared(*inputs)
        exported = torch.export.export(convert_pt2e(prepared), inputs)
    spec.dump_intermediate_artifacts_to(str(folder))
    edge = to_edge_transform_and_lower(exported, partitioner=[VgfPartitioner(spec)])
    return edge.exported_program(), inputs


class _Compared:
    """Runs a delegate on the reference model and on ours."""

    def __init__(self, folder):
        self.folder = folder
        self.largest = 0.0

    def __call__(self, vgf, inputs):
        arrays = [np.ascontiguousarray(one.detach().numpy()) for one in inputs]
        wanted = run_tosa((self.folder / "out.tosa").read_bytes(), arrays)
        for got, want in zip(run(vgf, arrays, wanted, self.folder), wanted, strict=True):
            if want.dtype == np.float32:
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(got, want)
        return [torch.from_numpy(one) for one in wanted]


@pytest.mark.parametrize("profile", ["FP", "INT"])
@pytest.mark.parametrize("name", ["conv", "linear", "keyword_net", "encoder", "unet"])
def test_models(name, profile, tmp_path):
    program, inputs = _lowered(name, profile, tmp_path)
    _, calls = run_program(program, inputs, _Compared(tmp_path))
    assert calls == 1


@pytest.fixture(scope="module")
def linear(tmp_path_factory):
    folder = tmp_path_factory.mktemp("linear")
    _lowered("linear", "FP", folder)
    return (folder / "out.vgf").read_bytes()


_INPUTS = [np.ones((2, 3), np.float32), np.ones((2, 5), np.float32)]
_OUTPUTS = [np.zeros((2, 5), np.float32)]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (_INPUTS[:1], "2 inputs and 1 outputs, not 2 values"),
        (
            [_INPUTS[1], _INPUTS[0]],
            "input 0 has 40 bytes in 2 dimensions; the program was lowered for 24 in 2",
        ),
    ],
)
def test_other_calls_are_refused(linear, inputs, message, tmp_path):
    with pytest.raises(DelegateError, match=message):
        run(linear, inputs, _OUTPUTS, tmp_path)


def test_without_the_extensions_there_is_a_way_out(linear, tmp_path):
    with pytest.raises(DelegateError, match=r"(?s)ends with 3: .*VK_ARM_data_graph; install a driver"):
        run(linear, _INPUTS, _OUTPUTS, tmp_path, env=dict(os.environ))


@pytest.mark.parametrize("cut", [0, 100, 1000, 2900])
def test_damaged_files_are_refused(linear, cut, tmp_path):
    with pytest.raises(DelegateError, match=r"(?s)ends with 4: .*VGF: "):
        run(linear[:cut], _INPUTS, _OUTPUTS, tmp_path)
