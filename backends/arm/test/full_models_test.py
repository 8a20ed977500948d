"""Models of the published sizes: int8 through the reference model, and compiled for Ethos-U, with the seconds of our part."""

import time

import pytest
import torch

from executorch.backends.arm.ethosu import EthosUCompileSpec
from executorch.backends.arm.ethosu.vela import unpack, vela_compile
from executorch.backends.arm.test.lowered import lowered, quantized
from executorch.backends.arm.test.runner import run_program
from executorch.backends.test.models_for_tests import FULL, trained
from executorch.partitioner import get_lowered_submodules


@pytest.mark.parametrize("name", FULL)
def test_int8(name):
    model, inputs = trained(FULL[name])
    converted = quantized(model, inputs)
    start = time.process_time()
    program = lowered(converted, inputs, "TOSA-1.0+INT")
    seconds = time.process_time() - start
    (mine,), calls = run_program(program, inputs)
    theirs = converted(*inputs)
    assert calls == 1 and mine.argmax() == theirs.argmax()
    difference = float((mine - theirs).square().sum() / theirs.square().sum())
    ((_, one, _),) = get_lowered_submodules(program.graph_module)
    blob = unpack(
        vela_compile(one.processed_bytes, EthosUCompileSpec("ethos-u85-256").compiler_flags).processed_bytes
    )
    print(
        f"{name}: exported and lowered in {seconds:.2f} s CPU, noise {difference:.1e}, {len(blob.commands)} bytes of commands"
    )
    assert difference < 2e-3
    torch.testing.assert_close(mine.mean(), theirs.mean(), rtol=0.05, atol=0.05)
