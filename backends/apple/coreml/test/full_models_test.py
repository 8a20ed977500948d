"""Models of the published sizes, lowered whole; prints the largest differences."""

import pytest
import torch
from torch.export import export

from executorch.backends.apple.coreml.test.lowered import LoweredProgram, lowered, specs
from executorch.backends.test.models_for_tests import FULL, trained


@pytest.mark.parametrize("half", [False, True], ids=["single", "half"])
@pytest.mark.parametrize("name", FULL)
def test_models_of_the_published_sizes(name, half):
    model, inputs = trained(FULL[name])
    edge = lowered(export(model, inputs), specs(half=half), lower_full_graph=True)
    (got,) = LoweredProgram(edge.exported_program())(*inputs)
    want = model(*inputs).detach()
    difference = float((got - want).abs().max() / want.abs().max())
    print(f"{name} half={half}: largest difference {difference:.1e} of the largest result")
    assert torch.isfinite(got).all() and difference < (3e-2 if half else 1e-5)
