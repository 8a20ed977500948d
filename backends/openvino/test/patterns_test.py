"""What OpenVINO makes one operator of, and what it must not: tables of patterns against eager PyTorch, each as one program."""

import pytest
import torch
from torch.export import export

from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.backends.test.patterns import attention, images, norms, rotations
from executorch.backends.test.patterns.pattern import Patterns
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

TABLES = {
    "rotations": rotations.TABLE,
    "attention": attention.TABLE,
    "norms": norms.NORMS,
    "gates": norms.GATES,
    "recurrent": norms.RECURRENT,
    "layers": images.LAYERS,
    "pools": images.POOLS,
    "sizes": images.SIZES,
    "orders": images.ORDERS,
}


def others(inputs):
    """Inputs of the same shapes; masks and indices stay."""
    made = torch.Generator().manual_seed(5)
    return [
        torch.randn(one.shape, generator=made) if one.is_floating_point() and one.isfinite().all() else one
        for one in inputs
    ]


@pytest.mark.parametrize("name", TABLES)
def test_patterns_are_what_they_are(name):
    model = Patterns(TABLES[name]).eval()
    edge = to_edge_transform_and_lower(export(model, model.inputs()), partitioner=[OpenvinoPartitioner()])
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for inputs in (list(model.inputs()), others(model.inputs())):
        with torch.no_grad():
            wrong = model.wrong(method.execute(inputs), model(*inputs), 1e-4)
        assert not wrong, "\n".join(wrong)
