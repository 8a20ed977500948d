"""The delegate against TOSA's reference model: int8 bit for bit, floating point to tolerance; what it refuses, and what fails."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

from executorch.backends.arm.test.runner import run_program, run_tosa
from executorch.backends.arm.vgf.runtime.testing.compared import NAMES, Compared, lowered, to_edge
from executorch.backends.arm.vgf.runtime.testing.delegate import DelegateError, environment, run


@pytest.mark.parametrize("profile", ["FP", "INT"])
@pytest.mark.parametrize("name", NAMES)
def test_models(name, profile, tmp_path):
    program, inputs = lowered(name, profile, tmp_path)
    compared = Compared(tmp_path)
    _, calls = run_program(program, inputs, compared)
    assert calls == 1 and compared.outputs > 0


@pytest.fixture(scope="module")
def linear(tmp_path_factory):
    folder = tmp_path_factory.mktemp("linear")
    lowered("linear", "FP", folder)
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


def test_each_call_that_fails_is_an_error_and_leaves_nothing_behind(linear, tmp_path):
    """Then the delegate runs again, except on a device that is lost: `vgf_faults.cc` says what is wrong."""
    (tmp_path / "linear.vgf").write_bytes(linear)
    done = subprocess.run(
        [pathlib.Path(os.environ["VGF_FAULTS"]).resolve(), tmp_path / "linear.vgf"],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    failed = {name: int(count) for name, count in map(str.split, done.stdout.splitlines())}
    assert {
        "vkCreateDevice",
        "vkAllocateMemory",
        "vkCreateTensorARM",
        "vkBindTensorMemoryARM",
        "vkCreateDataGraphPipelinesARM",
        "vkCreateDataGraphPipelineSessionARM",
        "vkQueueSubmit",
        "vkWaitForFences",
    } <= failed.keys()
    assert len(failed) >= 20


def test_the_runner_has_the_delegate(tmp_path):
    edge, _ = to_edge("linear", "FP", tmp_path)
    (tmp_path / "linear.pte").write_bytes(edge.to_executorch().buffer)
    runner = pathlib.Path(os.environ["EXECUTOR_RUNNER"]).resolve()
    subprocess.run(
        [runner, f"--model_path={tmp_path / 'linear.pte'}", f"--outputs={tmp_path / 'out'}"],
        check=True,
        env=environment(tmp_path),
    )
    # Without inputs of their own, each element is one.
    (wanted,) = run_tosa((tmp_path / "out.tosa").read_bytes(), _INPUTS)
    np.testing.assert_allclose(np.fromfile(tmp_path / "out", np.float32), wanted.flatten(), rtol=1e-5)
