"""The test driver's operators against TOSA's reference model, bit for bit: the cases of each operator, and whole models."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
import torch

from executorch.backends.arm.quantizer import get_symmetric_a16w8_quantization_config
from executorch.backends.arm.test.cases import CASES
from executorch.backends.arm.test.lowered import as_model, lowered, quantized
from executorch.backends.arm.test.runner import run_program, run_tosa
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.operators.tables import TABLES
from executorch.backends.test.models_for_tests import SMALL, trained

_RUN = pathlib.Path(os.environ["TOSA_RUN"]).resolve()


class _Compared:
    """Runs a delegate twice."""

    def __init__(self, folder):
        self.folder = folder
        self.refused = ""

    def __call__(self, binary, inputs):
        arrays = [np.ascontiguousarray(one.detach().numpy()) for one in inputs]
        expected = run_tosa(binary, arrays)
        paths = [self.folder / name for name in ("graph", *(f"in{i}" for i in range(len(arrays))))]
        for path, data in zip(paths, (binary, *(one.tobytes() for one in arrays)), strict=True):
            path.write_bytes(data)
        outs = [self.folder / f"out{i}" for i in range(len(expected))]
        for path, one in zip(outs, expected, strict=True):
            path.write_bytes(bytes(one.nbytes))
        ran = subprocess.run([_RUN, *paths, "--", *outs], capture_output=True, text=True)
        if ran.returncode == 1 and "TOSA: no " in ran.stderr:
            self.refused = ran.stderr
        else:
            assert ran.returncode == 0, ran.stderr
            for path, one in zip(outs, expected, strict=True):
                assert path.read_bytes() == np.ascontiguousarray(one).tobytes()
        return [torch.from_numpy(np.ascontiguousarray(one).reshape(one.shape)) for one in expected]


def _compare(model, inputs, folder, spec="TOSA-1.0+INT", config=None):
    """How many delegates were compared, and what the driver has not."""
    program = lowered(quantized(model, inputs, spec, config), inputs, spec)
    compared = _Compared(folder)
    _, calls = run_program(program, inputs, compared)
    return calls, compared.refused


def _real(name):
    """All convolutions but those of three dimensions, the last call of everything else; of what is a table, sigmoid."""
    found = [
        i
        for i, (_, inputs) in enumerate(CASES[name])
        if all(
            x.dtype is torch.float32 and (name != "aten.convolution.default" or x.dim() < 5) for x in inputs
        )
    ]
    if name.split(".")[1] in TABLES and "sigmoid" not in name:
        return []
    return found if name == "aten.convolution.default" else found[-1:]


_CASES = [
    (name, number)
    for name, row in sorted(OPERATORS.items())
    if row.integer is not None and name in CASES
    for number in _real(name)
]


@pytest.mark.parametrize(("name", "number"), _CASES)
def test_an_operator_is_the_reference_models(name, number, tmp_path):
    function, inputs = CASES[name][number]
    _, refused = _compare(as_model(function), inputs, tmp_path)
    assert not refused


@pytest.mark.parametrize(
    "name", ["aten.add.Tensor", "aten.mul.Tensor", "aten.sigmoid.default", "aten.mean.dim"]
)
def test_values_of_sixteen_bits(name, tmp_path):
    function, inputs = CASES[name][0]
    config = get_symmetric_a16w8_quantization_config()
    calls, refused = _compare(as_model(function), inputs, tmp_path, "TOSA-1.0+INT+int16", config)
    assert calls == 1 and not refused


@pytest.mark.parametrize("name", ["encoder", "keyword_net", "mobilenet_v2", "resnet18", "unet"])
def test_a_model_is_the_reference_models(name, tmp_path):
    model, inputs = trained(SMALL[name])
    calls, refused = _compare(model, inputs, tmp_path)
    assert calls == 1 and not refused


def test_what_is_no_graph_is_refused(tmp_path):
    path = tmp_path / "graph"
    for data in (b"", b"no TOSA at all, " * 4):
        path.write_bytes(data)
        ran = subprocess.run([_RUN, path, "--"], capture_output=True, text=True)
        assert ran.returncode == 1 and "is none" in ran.stderr
