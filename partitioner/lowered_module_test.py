"""A lowered module emits through the hook that the front door installs."""

import pytest
import torch
from torch.export import export

from executorch.partitioner import lowered_module, to_backend
from executorch.partitioner.demo_for_tests import TextBackend
from executorch.partitioner.errors import DelegationError


@pytest.fixture
def lowered():
    program = export(torch.nn.ReLU(), (torch.rand(2),))
    return to_backend(TextBackend.__name__, program, [])


def test_without_a_hook_the_way_out_is_named(lowered, monkeypatch):
    monkeypatch.setattr(lowered_module, "_emission_hook", None)
    with pytest.raises(DelegationError, match=r"import executorch\.exir"):
        lowered.buffer()


def test_the_hook_receives_a_program_of_one_call_and_the_options(lowered, monkeypatch):
    seen = {}

    class Emitted:
        buffer = b"pte"
        program = "the program"

    def hook(program, **options):
        seen.update(options, targets=[str(n.target) for n in program.graph.nodes])
        return Emitted()

    monkeypatch.setattr(lowered_module, "_emission_hook", None)
    lowered_module.set_emission_hook(hook)
    assert lowered.buffer(segment_alignment=64) == b"pte"
    assert lowered.program() == "the program"
    assert seen["segment_alignment"] == 64
    assert "executorch_call_delegate" in seen["targets"]
