import pytest
import torch

from executorch.backends.apple.test.lowered_models import BACKENDS, row
from executorch.backends.test.models_for_tests import SMALL, trained


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_row_of_the_table(backend, half, tmp_path):
    made = row("encoder", "small", backend, half, tmp_path)
    assert (made.delegates, made.outside) == (1, 0) and made.operators > 5
    assert made.difference < (2e-2 if half else 1e-5)
    assert str(made).count("|") == 7
    kind = f"{backend.replace(' ', '').lower()}_{'half' if half else 'single'}"
    program = tmp_path / f"encoder_small_{kind}.pte"
    assert {"Core ML": b"CoreMLBackend", "MPS": b"MPSBackend"}[backend] in program.read_bytes()
    model, inputs = trained(SMALL["encoder"])
    expected = (tmp_path / f"{program.name}.expected").read_bytes()
    want = model(*map(torch.ones_like, inputs)).detach().flatten()
    torch.testing.assert_close(torch.frombuffer(bytearray(expected), dtype=torch.float32), want)
