"""From a module to its results: programs of the real compiler, run through the bindings, against eager PyTorch."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import InvalidInputError, Method, Program, Runtime


def edge(module: torch.nn.Module, inputs: tuple[Any, ...], **arguments: Any) -> EdgeProgramManager:
    return to_edge(torch.export.export(module.eval(), inputs, **arguments))


def load(
    module: torch.nn.Module,
    inputs: tuple[Any, ...],
    config: ExecutorchBackendConfig | None = None,
    **arguments: Any,
) -> Program:
    program = edge(module, inputs, **arguments).to_executorch(config or ExecutorchBackendConfig())
    return Runtime.get().load_program(program.buffer)


def method_of(*arguments: Any, **keywords: Any) -> Method:
    return load(*arguments, **keywords).load_method("forward")


class Network(torch.nn.Module):
    """Convolution, pooling, fully connected."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.pool = torch.nn.MaxPool2d(2)
        self.linear = torch.nn.Linear(8 * 4 * 4, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        hidden = self.pool(torch.relu(self.convolution(image)))
        return self.linear(torch.flatten(hidden, 1))


@pytest.mark.parametrize("planned", [True, False])
def test_a_network(planned: bool) -> None:
    torch.manual_seed(0)
    network, image = Network(), torch.randn(1, 3, 8, 8)
    config = ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=planned, alloc_graph_output=planned)
    )
    method = method_of(network, (image,), config)
    assert method.metadata.input_tensor_meta(0).is_memory_planned() == planned
    for _ in range(3):
        image = torch.randn(1, 3, 8, 8)
        for layout in (image, image.to(memory_format=torch.channels_last), image.flip(3).flip(3)):
            torch.testing.assert_close(method.execute([layout])[0], network(image).detach())


def test_dynamic_batches() -> None:
    class Scale(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2 + 1

    batch = torch.export.Dim("batch", min=1, max=8)
    method = method_of(Scale(), (torch.randn(4, 3),), dynamic_shapes={"x": {0: batch}})
    for rows in (4, 1, 8):
        x = torch.randn(rows, 3)
        torch.testing.assert_close(method.execute([x])[0], x * 2 + 1)
    with pytest.raises(InvalidInputError, match=r"found float32\[9, 3\]"):
        method.execute([torch.randn(9, 3)])


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ((9, 3), "Dimension 0 is 9 in shape (9, 3), expected at most 8"),
        ((6, 4), "Dimension 1 is 4 in shape (6, 4), expected 3"),
        ((8, 2), "Dimension 1 is 2 in shape (8, 2), expected 3"),
        ((12, 2), "Dimension 0 is 12 in shape (12, 2), expected at most 8"),
        ((3, 8), "Dimension 1 is 8 in shape (3, 8), expected 3"),
    ],
)
def test_each_dimension_has_its_bound(planned: bool, shape: tuple[int, int], reason: str) -> None:
    class Negate(torch.nn.Module):
        def forward(self, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return x.neg() + y

    planner = MemoryPlanningPass(alloc_graph_input=planned, alloc_graph_output=planned)
    method = method_of(
        Negate(),
        (torch.ones(1), torch.randn(4, 3)),
        ExecutorchBackendConfig(memory_planning_pass=planner),
        dynamic_shapes={"y": None, "x": {0: torch.export.Dim("batch", min=1, max=8)}},
    )
    with pytest.raises(InvalidInputError) as caught:
        method.execute([torch.ones(1), torch.randn(shape)])
    assert caught.value.log[0] == reason
    assert "input 1" in str(caught.value)
    x = torch.randn(8, 3)
    torch.testing.assert_close(method.execute([torch.ones(1), x])[0], 1 - x)


def test_several_inputs_and_outputs() -> None:
    class Two(torch.nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return x + y, x * y, x

    x, y = torch.randn(2, 3), torch.randn(2, 3)
    method = method_of(Two(), (x, y))
    for clone in (True, False):
        for output, expected in zip(
            method.execute([x, y], clone_outputs=clone), (x + y, x * y, x), strict=True
        ):
            torch.testing.assert_close(output, expected)


def test_state_belongs_to_the_loaded_method() -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("total", torch.zeros(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.total.add_(x)
            return self.total * 1

    program = load(Counter(), (torch.ones(2),))
    first, second = program.load_method("forward"), program.load_method("forward")
    assert [first.execute([torch.ones(2)])[0].tolist() for _ in range(3)] == [[1, 1], [2, 2], [3, 3]]
    assert second.execute([torch.ones(2)])[0].tolist() == [1, 1]


def test_several_methods_and_constant_methods() -> None:
    network = Network()
    exported = torch.export.export(network.eval(), (torch.randn(1, 3, 8, 8),))
    program = to_edge(
        {"forward": exported, "again": exported}, constant_methods={"get_version": 3, "get_scale": 0.5}
    ).to_executorch()
    loaded = Runtime.get().load_program(program.buffer)
    assert loaded.method_names == {"forward", "again", "get_version", "get_scale"}
    assert loaded.load_method("get_version").execute() == [3]
    assert loaded.load_method("get_scale").execute() == [0.5]
    image = torch.randn(1, 3, 8, 8)
    assert torch.equal(
        loaded.load_method("forward").execute([image])[0], loaded.load_method("again").execute([image])[0]
    )
