"""Training with fake quantization: a few steps, conversion, delegation, and the numbers of the trained graph."""

import copy

import pytest
import torch
import torchao.quantization.pt2e as pt2e
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e
from torchao.quantization.utils import compute_error

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

_ENOUGH_DECIBELS = 35
_BATCH = {"x": {0: torch.export.Dim.DYNAMIC}}


class Quadrants(nn.Module):
    """Says which quarter of an image is bright."""

    def __init__(self, norm):
        super().__init__()
        self.first = nn.Conv2d(1, 8, 3, padding=1, bias=not norm)
        self.norm = nn.BatchNorm2d(8) if norm else nn.Identity()
        self.head = nn.Linear(8 * 16, 4)

    def forward(self, x):
        return self.head(nn.functional.max_pool2d(torch.relu(self.norm(self.first(x))), 2).flatten(1))


def images(count):
    labels = torch.randint(0, 4, (count,))
    x = torch.randn(count, 1, 8, 8) * 0.3
    for image, label in zip(x, labels, strict=True):
        row, column = divmod(int(label), 2)
        image[0, row * 4 : row * 4 + 4, column * 4 : column * 4 + 4] += 1.5
    return x, labels


def trained(model, is_per_channel):
    config = get_symmetric_quantization_config(is_per_channel=is_per_channel, is_qat=True)
    captured = torch.export.export(model, (images(2)[0],), dynamic_shapes=_BATCH).module()
    prepared = prepare_qat_pt2e(captured, XNNPACKQuantizer().set_global(config))
    optimizer = torch.optim.Adam(prepared.parameters(), lr=0.02)
    losses = []
    for _ in range(25):
        x, labels = images(64)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(prepared(x), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return prepared, losses


@pytest.mark.parametrize(("norm", "is_per_channel"), [(False, False), (False, True), (True, True)])
def test_what_was_trained_is_what_runs(norm, is_per_channel):
    torch.manual_seed(0)
    prepared, losses = trained(Quadrants(norm), is_per_channel)
    assert losses[-1] < losses[0] / 2
    pt2e.move_exported_model_to_eval(prepared)
    imitation = copy.deepcopy(prepared)
    imitation.apply(pt2e.disable_observer)
    x, labels = images(100)
    expected = imitation(x).detach()

    converted = convert_pt2e(prepared)
    program = torch.export.export(converted, (x,))
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    names = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert all("delegate" in name or "getitem" in name for name in names)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    (got,) = method.execute([x])
    assert compute_error(expected, got) > _ENOUGH_DECIBELS
    assert (got.argmax(1) == labels).float().mean() > 0.95
    assert (got.argmax(1) == expected.argmax(1)).float().mean() > 0.98
