"""Joint graphs: what is trained stays an argument of the delegates that read it, what is frozen does not."""

import pytest
import torch
from torch import nn
from torch.export.experimental import _export_forward_backward

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.partition.config.gemm_configs import ConvolutionConfig
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.extension.training import _load_for_executorch_for_training_from_buffer, get_sgd_optimizer


class Step(nn.Module):
    """The loss of a small network; ``scale`` is frozen."""

    def __init__(self, image):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3) if image else nn.Linear(16, 8)
        self.last = nn.Linear(4 * 36 if image else 8, 3)
        self.register_buffer("scale", torch.full((3,), 2.0))

    def forward(self, x, labels):
        scores = self.last(torch.relu(self.first(x)).flatten(1)) * self.scale
        return nn.functional.cross_entropy(scores, labels), scores.detach().argmax(dim=1)


def made(image):
    torch.manual_seed(0)
    x = torch.randn(4, 1, 8, 8) if image else torch.randn(4, 16)
    return Step(image), (x, torch.tensor([0, 1, 2, 0]))


def lowered(model, inputs):
    joint = _export_forward_backward(torch.export.export(model, inputs))
    return to_edge_transform_and_lower(joint, partitioner=[XnnpackPartitioner()])


@pytest.mark.parametrize("image", [False, True], ids=["layers", "image"])
def test_no_delegate_keeps_what_is_trained(image):
    model, inputs = made(image)
    edge = lowered(model, inputs)
    delegates = [one for _, one, _ in get_lowered_submodules(edge.exported_program().graph_module)]
    kept = {name for one in delegates for name in one.original_module.state_dict}
    assert kept == {"scale"}
    calls = [
        node for one in delegates for node in one.original_module.graph.nodes if node.op == "call_function"
    ]
    inside = " ".join(node.name for node in calls)
    # Layers take their weights as arguments; a convolution cannot, so that it stays outside.
    assert "addmm" in inside and "mm_default" in inside and "convolution" not in inside


@pytest.mark.parametrize("image", [False, True], ids=["layers", "image"])
def test_gradients_are_those_of_torch_after_each_step(image):
    model, inputs = made(image)
    buffer = lowered(model, inputs).to_executorch().buffer
    module = _load_for_executorch_for_training_from_buffer(buffer)
    reference = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer = None
    for _ in range(3):
        loss, classes = module.forward_backward("forward", inputs)
        expected, expected_classes = model(*inputs)
        torch.testing.assert_close(loss, expected.detach())
        torch.testing.assert_close(classes, expected_classes)
        reference.zero_grad()
        expected.backward()
        gradients = module.named_gradients()
        for name, parameter in model.named_parameters():
            torch.testing.assert_close(gradients[name], parameter.grad)
        optimizer = optimizer or get_sgd_optimizer(module.named_parameters(), 0.1)
        optimizer.step(gradients)
        reference.step()


def test_the_refusal_says_why():
    model, inputs = made(image=True)
    joint = _export_forward_backward(torch.export.export(model, inputs))
    config = ConvolutionConfig()
    edge = to_edge_transform_and_lower(joint).exported_program()
    (node,) = [one for one in edge.graph.nodes if one.name.endswith("convolution_default")]
    assert "changes between runs" in config.refusal(node, edge)
