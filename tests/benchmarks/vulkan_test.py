"""What the benchmark counts, on a model whose figures are known."""

import torch

from executorch.backends.vulkan.serialization import schema
from executorch.tests.benchmarks import vulkan_benchmark


class Small(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.sigmoid(self.linear(x)) * 2


def test_what_is_counted():
    inputs = (torch.ones(2, 8),)
    buffer, graph = vulkan_benchmark.lowered(Small(), inputs)
    assert [call.name for call in graph.chain][:2] == ["aten.linear.default", "aten.sigmoid.default"]
    assert isinstance(graph, schema.VkGraph)
    dispatches = vulkan_benchmark.dispatches_of(buffer, inputs)
    assert [name.split("_")[0] for name, _ in dispatches] == ["matmul4", "unary", "binary"]
    # Each reads what the one before it writes.
    assert [is_behind_barrier for _, is_behind_barrier in dispatches] == [False, True, True]
    moved, least = vulkan_benchmark.traffic(graph)
    # The input, a weight of 4 x 8 and its bias, the result; and two results between, each written and read.
    assert least == 4 * (16 + 32 + 4 + 8)
    assert moved == least + 4 * (4 * 8)
    assert vulkan_benchmark.operations(Small(), inputs) == 2 * (2 * 8 * 4)
    assert vulkan_benchmark.validation_messages(buffer, inputs) == 0
