"""Models that between them use what programs are made of; torch only, so that any implementation can compile them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.interop import control_flow, delegated
from executorch.tests.interop.specimen import MethodSource, Specimen, specimen_of

# Kernels, shapes, types.


def add() -> Specimen:
    return specimen_of(torch.add, *[(torch.rand(8, 8), torch.rand(8, 8)) for _ in range(2)])


def mlp() -> Specimen:
    layers = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3), nn.Softmax(-1))
    return specimen_of(layers, (torch.randn(4, 6),), (torch.randn(4, 6),))


def convolutional() -> Specimen:
    layers = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU6(),
        nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 5),
    )
    return specimen_of(layers, (torch.randn(1, 3, 8, 8),))


def channels_last() -> Specimen:
    layers: Any = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 1))
    layers = layers.to(memory_format=torch.channels_last)
    return specimen_of(layers, (torch.randn(2, 3, 6, 6).to(memory_format=torch.channels_last),))


class _Dynamic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        both = torch.cat([self.linear(x), y], 1)
        return both.reshape(-1, 2), x.view(x.shape[0] * x.shape[1], 8), F.softmax(both, -1).sum(0)


def dynamic_shapes() -> Specimen:
    rows, columns = Dim("rows", min=2, max=6), Dim("columns", min=2, max=9)
    inputs = [(torch.rand(n, m, 8), torch.rand(n, m, 4)) for n, m in ((3, 4), (2, 2), (6, 9), (5, 3))]
    shapes = ({0: rows, 1: columns}, {0: rows, 1: columns})
    return specimen_of(_Dynamic(), *inputs, dynamic_shapes=shapes)


def unbounded_shapes() -> Specimen:
    """Released runtimes run these up to the sizes of the example inputs."""
    example, *inputs = [
        (torch.rand(n, m, 8), torch.rand(n, m, 4)) for n, m in ((6, 9), (3, 4), (2, 2), (6, 9))
    ]
    shapes = ({0: Dim.DYNAMIC, 1: Dim("columns", min=2)},) * 2
    return specimen_of(_Dynamic(), *inputs, dynamic_shapes=shapes, example=example)


DTYPES = (
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.bool,
)


def dtypes() -> Specimen:
    def function(*tensors: torch.Tensor) -> Any:
        rows = [tensor.clone() if tensor.dtype is torch.bool else tensor + tensor for tensor in tensors]
        return [*rows, *(tensor.to(torch.float32) for tensor in tensors), *(tensor > 0 for tensor in tensors)]

    return specimen_of(function, tuple(torch.tensor([0, 1, 5]).to(dtype) for dtype in DTYPES), rtol=1e-2)


class _Constants(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for index, dtype in enumerate(DTYPES):
            self.register_buffer(f"b{index}", torch.tensor([[1, 0], [3, 4]]).to(dtype))

    def forward(self, x: torch.Tensor) -> Any:
        return [x * 2, *(buffer.clone() for buffer in self.buffers())]


def constants_of_all_dtypes() -> Specimen:
    return specimen_of(_Constants(), (torch.rand(3),))


def lists_of_tensors() -> Specimen:
    def function(x: torch.Tensor, index: torch.Tensor) -> Any:
        first, second, third = torch.split(x, [1, 2, 3], 1)
        values, indices = torch.topk(x, 2)
        return torch.cat([third, first], 1), x[:, index], x[index], second, values, indices

    return specimen_of(function, (torch.randn(4, 6), torch.tensor([2, 0])))


def numbers() -> Specimen:
    """Numbers, truth values, text and None go in and out."""

    def function(x: torch.Tensor, n: int, is_on: bool, scale: float, nothing: None) -> Any:
        return x * n if is_on else x, n + 1, is_on, scale, nothing, "text"

    return specimen_of(function, (torch.ones(3), 3, True, 0.5, None))


def containers() -> Specimen:
    def function(items: dict[str, Any], pair: tuple[torch.Tensor, list[torch.Tensor]]) -> Any:
        return {"sum": items["a"] + pair[0], "rest": [pair[1][0] * 2, (items["b"], pair[1][1])]}

    values = [torch.rand(2, 2) for _ in range(5)]
    return specimen_of(
        function, ({"a": values[0], "b": values[1] + 1}, (values[2], [values[3], values[4].sin()]))
    )


# State.


class _Counter(nn.Module):
    count: torch.Tensor
    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.full((3,), 5.0))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> Any:
        self.count.add_(x)
        self.calls.add_(1)
        return self.count * 2, self.calls.clone()


def mutable_buffers() -> Specimen:
    return specimen_of(_Counter(), *[(torch.rand(3),) for _ in range(4)])


class _Cache(nn.Module):
    cache: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        # Not one row: the published index_put_ kernel refuses a leading None over a dimension of size 1.
        self.register_buffer("cache", torch.zeros(3, 8, 4))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.cache[:, position] = x
        return self.cache.sum(1)


def key_value_cache() -> Specimen:
    return specimen_of(_Cache(), *[(torch.rand(3, 2, 4), torch.tensor([2 * i, 2 * i + 1])) for i in range(4)])


# Several methods, data outside.


class _Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 3), nn.Linear(3, 6)


class _Part(nn.Module):
    def __init__(self, whole: _Autoencoder, name: str) -> None:
        super().__init__()
        self.whole, self.name = whole, name

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.name != "decode":
            x = torch.tanh(self.whole.encoder(x))
        return x if self.name == "encode" else self.whole.decoder(x)


def several_methods(is_external: bool = False) -> Specimen:
    whole = _Autoencoder().eval()
    inputs = {"encode": (torch.rand(2, 6),), "decode": (torch.rand(2, 3),), "forward": (torch.rand(2, 6),)}
    constants = {
        "get_size": 3,
        "get_scale": 0.5,
        "is_small": True,
        "get_name": "auto",
        "get_table": torch.arange(4.0),
    }
    return Specimen(
        {name: MethodSource(_Part(whole, name).eval(), value) for name, value in inputs.items()},
        [*inputs.items(), *((name, ()) for name in constants)],
        constants,
        is_external,
    )


def external_weights() -> Specimen:
    return several_methods(is_external=True)


# Quantized operators.


def quantized() -> Specimen:
    importlib.import_module("torch.ao.quantization.fx._decomposed")  # registers the operators

    ops = torch.ops.quantized_decomposed
    weight = torch.randint(-127, 127, (4, 6), dtype=torch.int8)
    scales, zeros = torch.rand(4) * 0.02 + 0.01, torch.zeros(4, dtype=torch.int64)

    class Quantized(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("weight", weight)
            self.register_buffer("scales", scales)
            self.register_buffer("zeros", zeros)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = ops.quantize_per_tensor(x, 0.02, 3, -128, 127, torch.int8)
            x = ops.dequantize_per_tensor(x, 0.02, 3, -128, 127, torch.int8)
            w = ops.dequantize_per_channel(self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8)
            return F.linear(x, w)

    return specimen_of(Quantized(), (torch.randn(3, 6),), needs=frozenset({"quantized"}))


SPECIMENS: dict[str, Callable[[], Specimen]] = {
    make.__name__: make
    for make in (
        add,
        mlp,
        convolutional,
        channels_last,
        dynamic_shapes,
        unbounded_shapes,
        dtypes,
        constants_of_all_dtypes,
        lists_of_tensors,
        numbers,
        containers,
        mutable_buffers,
        key_value_cache,
        several_methods,
        external_weights,
        quantized,
        control_flow.condition,
        control_flow.nested_condition,
        control_flow.map_rows,
        control_flow.scan_rows,
        control_flow.scan_dynamic,
        control_flow.scan_swaps_what_it_carries,
        control_flow.while_tensor_condition,
        control_flow.while_numbers,
        control_flow.while_dynamic_rows,
        control_flow.loops_in_loops,
        control_flow.loop_in_condition,
    )
}

#: What is for XNNPACK as a whole.
DELEGATED: dict[str, Callable[[], Specimen]] = {make.__name__: make for make in delegated.SPECIMENS}


def make(name: str) -> Specimen:
    """A specimen by name; the same one, weights and inputs included, in every process."""
    torch.manual_seed(0)
    return (SPECIMENS | DELEGATED)[name]()
