"""Models that between them use what programs are made of; torch only, so that any implementation can compile them.

A specimen has methods, calls to make in order, and what eager PyTorch gives for them.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch._higher_order_ops.map import map as _map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim
from torch.nn import functional as F
from torch.utils import _pytree as pytree

#: Its annotations know nested inputs only.
torch_map: Any = _map


@dataclass(frozen=True)
class MethodSource:
    """What `torch.export.export` takes.

    Attributes:
        module, example_inputs, dynamic_shapes: its arguments.
    """

    module: nn.Module
    example_inputs: tuple[Any, ...]
    dynamic_shapes: Any = None


@dataclass(frozen=True)
class Specimen:
    """A program.

    Attributes:
        methods: name -> where it comes from. Modules may be shared.
        calls: (method, inputs) in the order in which to make them; state lasts from call to call.
        constant_methods: name -> what a method without inputs returns.
        is_external: weights stand in a `.ptd` file.
        needs: what a runtime must have besides the portable kernels ("quantized").
        rtol, atol: of the comparison with eager.
    """

    methods: Mapping[str, MethodSource]
    calls: Sequence[tuple[str, tuple[Any, ...]]]
    constant_methods: Mapping[str, Any] = field(default_factory=dict)
    is_external: bool = False
    needs: frozenset[str] = frozenset()
    rtol: float = 1e-4
    atol: float = 1e-5

    def expected(self) -> list[list[Any]]:
        """The flat outputs of each call, from eager PyTorch. The specimen's own modules keep their state."""
        modules = {name: copy.deepcopy(source.module) for name, source in self.methods.items()}
        results = []
        with torch.no_grad():
            for name, inputs in self.calls:
                if name in self.constant_methods:
                    results.append(pytree.tree_leaves(self.constant_methods[name]))
                else:
                    outputs = modules[name](*copy.deepcopy(inputs))
                    results.append([_detached(leaf) for leaf in pytree.tree_leaves(outputs)])
        return results

    def exported(self) -> dict[str, torch.export.ExportedProgram]:
        """What `torch.export` makes of the methods."""
        return {
            name: torch.export.export(
                source.module, copy.deepcopy(source.example_inputs), dynamic_shapes=source.dynamic_shapes
            )
            for name, source in self.methods.items()
        }


def _detached(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


class _Function(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def _of(
    model: Any, *inputs: tuple[Any, ...], dynamic_shapes: Any = None, example: Any = None, **options: Any
) -> Specimen:
    """A specimen with one method, called with each of `inputs`; the first is the example, unless there is one."""
    module = model if isinstance(model, nn.Module) else _Function(model)
    if dynamic_shapes is not None and not isinstance(model, nn.Module):
        dynamic_shapes = (dynamic_shapes,)
    source = MethodSource(module.eval(), example or inputs[0], dynamic_shapes)
    return Specimen({"forward": source}, [("forward", item) for item in inputs], **options)


# Kernels, shapes, types.


def add() -> Specimen:
    return _of(torch.add, *[(torch.rand(8, 8), torch.rand(8, 8)) for _ in range(2)])


def mlp() -> Specimen:
    layers = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3), nn.Softmax(-1))
    return _of(layers, (torch.randn(4, 6),), (torch.randn(4, 6),))


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
    return _of(layers, (torch.randn(1, 3, 8, 8),))


def channels_last() -> Specimen:
    layers: Any = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 1))
    layers = layers.to(memory_format=torch.channels_last)
    return _of(layers, (torch.randn(2, 3, 6, 6).to(memory_format=torch.channels_last),))


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
    return _of(_Dynamic(), *inputs, dynamic_shapes=shapes)


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

    return _of(function, tuple(torch.tensor([0, 1, 5]).to(dtype) for dtype in DTYPES), rtol=1e-2)


def constants_of_all_dtypes() -> Specimen:
    module = _Function(lambda x: [x * 2, *(getattr(module, f"b{i}").clone() for i in range(len(DTYPES)))])
    for index, dtype in enumerate(DTYPES):
        module.register_buffer(f"b{index}", torch.tensor([[1, 0], [3, 4]]).to(dtype))
    return _of(module, (torch.rand(3),))


def lists_of_tensors() -> Specimen:
    def function(x: torch.Tensor, index: torch.Tensor) -> Any:
        first, second, third = torch.split(x, [1, 2, 3], 1)
        values, indices = torch.topk(x, 2)
        return torch.cat([third, first], 1), x[:, index], x[index], second, values, indices

    return _of(function, (torch.randn(4, 6), torch.tensor([2, 0])))


def numbers() -> Specimen:
    """Numbers, truth values, text and None go in and out."""

    def function(x: torch.Tensor, n: int, is_on: bool, scale: float, nothing: None) -> Any:
        return x * n if is_on else x, n + 1, is_on, scale, nothing, "text"

    return _of(function, (torch.ones(3), 3, True, 0.5, None))


def containers() -> Specimen:
    def function(items: dict[str, Any], pair: tuple[torch.Tensor, list[torch.Tensor]]) -> Any:
        return {"sum": items["a"] + pair[0], "rest": [pair[1][0] * 2, (items["b"], pair[1][1])]}

    values = [torch.rand(2, 2) for _ in range(5)]
    return _of(function, ({"a": values[0], "b": values[1] + 1}, (values[2], [values[3], values[4].sin()])))


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
    return _of(_Counter(), *[(torch.rand(3),) for _ in range(4)])


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
    return _of(_Cache(), *[(torch.rand(3, 2, 4), torch.tensor([2 * i, 2 * i + 1])) for i in range(4)])


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

    return _of(Quantized(), (torch.randn(3, 6),), needs=frozenset({"quantized"}))


# Control flow.


def condition() -> Specimen:
    def function(p: torch.Tensor, x: torch.Tensor) -> Any:
        return torch.cond(p, lambda x: (x.sin() + 1, x * 2), lambda x: (x.cos(), x.clone()), (x,))

    x = torch.rand(3)
    return _of(function, (torch.tensor(True), x), (torch.tensor(False), x), (torch.tensor(True), x))


def nested_condition() -> Specimen:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 2, lambda x: x.exp(), lambda x: x.neg(), (x,))

    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, inner, lambda x: x.abs().sqrt(), (x,)) + 1

    return _of(function, *[(torch.full((4,), value),) for value in (1.0, 0.25, -1.0)])


def map_rows() -> Specimen:
    def function(rows: torch.Tensor, y: torch.Tensor) -> Any:
        return torch_map(lambda row, y: (row @ y + row, row.sum()), rows, y)

    shapes = ({0: Dim("rows", min=2, max=9)}, None)
    y = torch.rand(3, 3)
    return _of(function, *[(torch.rand(n, 3, 3), y) for n in (4, 9, 2)], dynamic_shapes=shapes)


class _RecurrentCell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell, self.out = nn.Linear(8, 4), nn.Linear(4, 2)

    def forward(self, state: torch.Tensor, rows: torch.Tensor) -> Any:
        def step(state: torch.Tensor, row: torch.Tensor) -> Any:
            new = torch.tanh(self.cell(torch.cat([state, row])))
            return new, self.out(new)

        return scan(step, state, rows)


def scan_rows() -> Specimen:
    return _of(_RecurrentCell(), (torch.rand(4), torch.rand(5, 4)), (torch.rand(4), torch.rand(5, 4)))


def scan_dynamic() -> Specimen:
    shapes = (None, {0: Dim("rows", min=2, max=9)})
    inputs = [(torch.rand(4), torch.rand(n, 4)) for n in (3, 9, 2)]
    return _of(_RecurrentCell(), *inputs, dynamic_shapes=shapes)


def scan_swaps_what_it_carries() -> Specimen:
    def step(carried: Any, row: torch.Tensor) -> Any:
        a, b = carried
        return (b.clone(), a + row), a * 1

    def function(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> Any:
        return scan(step, (a, b), rows)

    return _of(function, (torch.rand(3), torch.rand(3), torch.rand(4, 3)))


class _Repeat(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, n: torch.Tensor, x: torch.Tensor) -> Any:
        def holds(i: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return i < n

        def body(i: torch.Tensor, x: torch.Tensor) -> Any:
            return i + 1, torch.tanh(self.linear(x))

        return while_loop(holds, body, (torch.zeros((), dtype=torch.int64), x))


def while_tensor_condition() -> Specimen:
    return _of(_Repeat(), *[(torch.tensor(n), torch.rand(2, 4)) for n in (3, 0, 11)])


def while_numbers() -> Specimen:
    """Carries numbers and tensors, all of which change places."""

    def holds(i: Any, j: Any, a: torch.Tensor, b: torch.Tensor) -> Any:
        return i + j < 7

    def body(i: Any, j: Any, a: torch.Tensor, b: torch.Tensor) -> Any:
        return j + 1, i, b.clone(), a + b

    def function(a: torch.Tensor, b: torch.Tensor) -> Any:
        return while_loop(holds, body, (0, 1, a, b))

    return _of(function, (torch.rand(2, 3), torch.rand(2, 3)))


def while_dynamic_rows() -> Specimen:
    def body(i: torch.Tensor, x: torch.Tensor) -> Any:
        return i + 1, x * 0.5 + x.mean()

    def function(x: torch.Tensor, n: torch.Tensor) -> Any:
        def holds(i: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return i < n

        return while_loop(holds, body, (torch.zeros((), dtype=torch.int64), x))

    shapes = ({0: Dim("rows", min=2, max=7)}, None)
    return _of(
        function,
        *[(torch.rand(r, 3), torch.tensor(n)) for r, n in ((3, 2), (7, 5), (2, 0))],
        dynamic_shapes=shapes,
    )


def loops_in_loops() -> Specimen:
    def row(x: torch.Tensor, y: torch.Tensor) -> Any:
        def body(i: torch.Tensor, a: torch.Tensor) -> Any:
            choice = torch.cond(a.sum() > 0, lambda a, y: a * 0.5 + y, lambda a, y: a.sin(), (a, y))
            return i + 1, choice

        i, a = while_loop(lambda i, a: i < 3, body, (torch.zeros((), dtype=torch.int64), x))
        return a @ y, a.t() + i

    return _of(
        lambda xs, y: torch_map(row, xs, y), *[(torch.randn(3, 4, 4), torch.randn(4, 4)) for _ in range(2)]
    )


def loop_in_condition() -> Specimen:
    def repeat(x: torch.Tensor) -> torch.Tensor:
        zero = torch.zeros((), dtype=torch.int64)
        return while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 1.5), (zero, x))[1]

    def function(p: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(p, repeat, lambda x: x - 1, (x,)) + x

    return _of(function, (torch.tensor(True), torch.rand(3)), (torch.tensor(False), torch.rand(3)))


SPECIMENS: dict[str, Callable[[], Specimen]] = {
    make.__name__: make
    for make in (
        add,
        mlp,
        convolutional,
        channels_last,
        dynamic_shapes,
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
        condition,
        nested_condition,
        map_rows,
        scan_rows,
        scan_dynamic,
        scan_swaps_what_it_carries,
        while_tensor_condition,
        while_numbers,
        while_dynamic_rows,
        loops_in_loops,
        loop_in_condition,
    )
}


def make(name: str) -> Specimen:
    """A specimen by name; the same one, weights and inputs included, in every process."""
    torch.manual_seed(0)
    return SPECIMENS[name]()


def check(specimen: Specimen, call: int, found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Compares the outputs of one call.

    Raises:
        AssertionError: they differ.
    """
    name = specimen.calls[call][0]
    assert len(found) == len(expected), (
        f"call {call} ({name}): {len(found)} outputs, expected {len(expected)}"
    )
    for index, (one, other) in enumerate(zip(found, expected, strict=True)):
        what = f"call {call} ({name}), output {index}"
        if isinstance(other, torch.Tensor):
            try:
                torch.testing.assert_close(one, other, rtol=specimen.rtol, atol=specimen.atol)
            except AssertionError as error:
                raise AssertionError(f"{what}: {error}") from error
        else:
            assert type(one) is type(other) and one == other, f"{what}: {one!r}, expected {other!r}"
