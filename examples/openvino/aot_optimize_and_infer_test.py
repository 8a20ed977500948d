"""The documented command, with a suite that stands for those that are not installed here."""

import sys
import types

import pytest
import torch

from executorch.examples.openvino.aot_optimize_and_infer import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A torchvision of one model, and a folder to write to."""

    def get_model(name, weights):
        if (name, weights) != ("resnet50", "DEFAULT"):
            raise ValueError(f"Unknown model {name}")
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1))

    suite = types.SimpleNamespace(models=types.SimpleNamespace(get_model=get_model))
    monkeypatch.setitem(sys.modules, "torchvision", suite)
    monkeypatch.setitem(sys.modules, "timm", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_documented_command(here, capsys):
    line = ["--suite", "torchvision", "--model", "resnet50", "--input_shape", "(1, 3, 256, 256)"]
    assert main(["--export", *line, "--device", "CPU"]) == 0
    assert b"OpenvinoBackend" in (here / "resnet50.pte").read_bytes()
    assert main(["--infer", *line, "--num_iter", "3"]) == 0
    said = capsys.readouterr().out
    assert "wrote resnet50.pte" in said and "ms (median of 3)" in said


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--export", "--model", "nothing"], "Unknown model nothing"),
        (["--export", "--suite", "timm", "--model", "vit"], "package timm, which cannot be imported"),
        (["--infer", "--model", "nothing"], "no nothing.pte. Way out: --export makes it"),
    ],
)
def test_what_cannot_be_done_is_said(here, line, message, capsys):
    assert main(line) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--model", "resnet50"], "nothing to do. Way out: --export"),
        (["--export", "--model", "resnet50", "--input_shape", "big"], "are no sizes. Way out:"),
        (["--export", "--model", "resnet50", "--input_shape", "(1, 0)"], "sizes are positive"),
    ],
)
def test_other_lines_are_refused(line, message, capsys):
    with pytest.raises(SystemExit):
        main(line)
    assert message in capsys.readouterr().err
