"""The documented command, whole, for models that need no other package."""

import sys

import pytest
import torch

from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory
from executorch.examples.xnnpack import MODEL_NAME_TO_OPTIONS
from executorch.examples.xnnpack.aot_compiler import main
from executorch.runtime import Runtime


def outputs_of(path, inputs):
    return Runtime.get().load_program(path).load_method("forward").execute(list(inputs))


@pytest.mark.parametrize("delegate", [False, True])
@pytest.mark.parametrize("name", ["add", "add_mul"])
def test_fp32_equals_eager(name, delegate, tmp_path):
    arguments = ["-m", name, "-o", str(tmp_path), *(["-d"] if delegate else [])]
    assert main(arguments) == 0
    path = tmp_path / f"{name}_xnnpack_fp32.pte"
    model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])
    torch.testing.assert_close(outputs_of(path, inputs)[0], model(*inputs))


@pytest.mark.parametrize("delegate", [False, True])
def test_quantized_is_close_to_eager(delegate, tmp_path, monkeypatch):
    torch.manual_seed(0)
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["linear"])
    monkeypatch.setattr(EagerModelFactory, "create_model", lambda *_: (model, inputs, kwargs, shapes))
    arguments = [
        "--model_name=linear",
        "--quantize",
        "-o",
        str(tmp_path),
        *(["--delegate"] if delegate else []),
    ]
    assert main(arguments) == 0
    path = tmp_path / "linear_xnnpack_q8.pte"
    wanted = model(*inputs)
    # 8 bits over the range of these outputs.
    torch.testing.assert_close(outputs_of(path, inputs)[0], wanted, atol=0.02, rtol=0)
    assert (b"XnnpackBackend" in path.read_bytes()) == delegate


def test_runs_what_it_wrote_and_keeps_a_record(tmp_path, capsys):
    record = tmp_path / "linear.etrecord"
    assert main(["-m", "linear", "-d", "-t", "-r", str(record), "-o", str(tmp_path)]) == 0
    assert record.stat().st_size
    assert "linear_xnnpack_fp32.pte: [(3, 3)]" in capsys.readouterr().out


def test_a_package_that_is_missing_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchvision", None)
    assert main(["-m", "mv2", "-d", "-o", str(tmp_path)]) == 1
    text = capsys.readouterr().err
    assert "cannot make model mv2" in text
    assert "install the torchvision that goes with your torch" in text
    assert not list(tmp_path.iterdir())


def test_a_model_that_nobody_knows_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["-m", "nonsense"])
    assert "mv2" in capsys.readouterr().err


def test_every_option_has_its_model():
    assert set(MODEL_NAME_TO_OPTIONS) <= set(MODEL_NAME_TO_MODEL)
