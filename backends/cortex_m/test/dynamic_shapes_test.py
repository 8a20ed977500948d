"""Programs whose sizes a run tells: below, at and above the example's, up to the bound."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

from executorch.backends.cortex_m.passes.quantized_values import name_of
from executorch.backends.cortex_m.test.models import (
    Images,
    Layers,
    inputs,
    lowered,
    operators,
    quantized,
    steps_apart,
)

_IMAGES = Dim("images", min=1, max=8)
_ROWS, _LENGTH = Dim("rows", min=1, max=8), Dim("length", min=2, max=16)
_HEIGHT, _WIDTH = Dim("height", min=2, max=20), Dim("width", min=2, max=24)
_BATCHES = [(1,), (2,), (3,), (8,)]
_SEQUENCES = [(1, 2), (2, 5), (3, 16), (8, 3)]
_AREAS = [(2, 3), (8, 9), (20, 24)]


def _sequences(width: int):
    return {0: _ROWS, 1: _LENGTH}, lambda rows, length: (rows, length, width), _SEQUENCES


def _images(*shape: int):
    return {0: _IMAGES}, lambda images: (images, *shape), _BATCHES


def _areas(channels: int):
    return {2: _HEIGHT, 3: _WIDTH}, lambda height, width: (1, channels, height, width), _AREAS


class _Function(nn.Module):
    """A model of one input; dynamic sizes are given by position."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


class _Weighted(nn.Module):
    """A linear layer whose weight the model calculates, for which there is no kernel."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weight * x.amax().clamp(1, 1))


class _Heads(nn.Module):
    """Attention of two heads: products of four dimensions."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        heads = x.view(1, x.shape[1], 2, 4).transpose(1, 2)
        return torch.matmul(torch.matmul(heads, heads.transpose(2, 3)).softmax(-1), heads)


def _cases():
    torch.manual_seed(0)
    scores = _Function(lambda x: (x @ x.transpose(1, 2)).softmax(-1) @ x)
    return {
        "mean": (_Function(lambda x: x.mean((2, 3))), *_images(4, 8, 8)),
        "mean, kept": (_Function(lambda x: x.mean((2, 3), keepdim=True)), *_images(4, 8, 8)),
        "everything": (Images(), *_images(3, 12, 10)),
        "flattened": (Layers(), *_images(2, 4, 4)),
        "pool": (nn.Sequential(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)), *_images(4, 8, 8)),
        "padded pool": (nn.Sequential(nn.AvgPool2d(3, 2, 1), nn.Conv2d(4, 2, 1)), *_images(4, 8, 8)),
        "one channel": (nn.Sequential(nn.Conv2d(1, 1, 3), nn.ReLU(), nn.Flatten(1)), *_images(1, 6, 8)),
        "height and width": (nn.Sequential(nn.Conv2d(4, 6, 3, padding=1), nn.Conv2d(6, 2, 1)), *_areas(4)),
        "rows": (nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3)), *_sequences(8)),
        "remainder": (nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 3)), *_sequences(8)),
        "calculated weight": (nn.Sequential(_Weighted(), nn.Linear(3, 2)), *_sequences(8)),
        "scores": (scores, *_sequences(8)),
        "heads": (_Heads(), {1: _LENGTH}, lambda length: (1, length, 8), [(2,), (5,), (16,)]),
    }


#: With operators in floating point, whose kernels add up in an order of their own.
_REAL = {"remainder", "calculated weight"}


def _values(shape, last, seed=0):
    (one,) = inputs(shape, seed=seed)
    return (one.to(memory_format=torch.channels_last) if last else one,)


@functools.cache
def _lowered(name, last):
    """The program of the middle one of the sizes, before and after."""
    model, shapes, shape, runs = _cases()[name]
    program = quantized(model, _values(shape(*runs[1]), last), dynamic_shapes=(shapes,))
    return program, lowered(program)


_in_every_layout = pytest.mark.parametrize(
    ("name", "last"),
    [
        pytest.param(name, last, id=f"{name}, {'channels last' if last else 'contiguous'}")
        for name, (_, _, shape, runs) in _cases().items()
        for last in ((False, True) if len(shape(*runs[0])) == 4 else (False,))
    ],
)


@_in_every_layout
def test_sizes_that_a_run_tells(name, last):
    _, shapes, shape, runs = _cases()[name]
    program, edge = _lowered(name, last)
    found = edge.exported_program()
    for seed, sizes in enumerate(runs):
        example = _values(shape(*sizes), last, seed)
        made, wanted = found.module()(*example), program.module()(*example)
        assert steps_apart(made, wanted, found) <= 1.01
    # As a program for the last of these sizes alone.
    known = lowered(torch.export.export(program.module(), example)).exported_program()
    assert torch.equal(made, known.module()(*example))
    (given,) = found.graph_signature.user_inputs
    (sizes,) = (node.meta["val"].shape for node in found.graph.nodes if node.name == given)
    assert {dim for dim, size in enumerate(sizes) if isinstance(size, torch.SymInt)} == set(shapes)
    # Memory is planned for the bound.
    plan = edge.to_executorch().executorch_program.execution_plan[0]
    bounds = [shapes[dim].max if dim in shapes else size for dim, size in enumerate(sizes)]
    assert list(plan.values[plan.inputs[0]].val.sizes) == bounds


def _run(directory, program, example):
    """What kernels in C++ make of a program with one input and one output: numbers as they lie in memory, and the output's order."""
    plan = program.executorch_program.execution_plan[0]
    (given,), (made,) = ([plan.values[one].val for one in ends] for ends in (plan.inputs, plan.outputs))
    model, source, result = (directory / name for name in ("model.pte", "input", "output"))
    model.write_bytes(program.buffer)
    source.write_bytes(example.permute(list(given.dim_order)).numpy().tobytes())
    flags = {
        "model_path": model,
        "inputs": source,
        "input_shapes": "x".join(map(str, example.shape)),
        "outputs": result,
        "print_output": "none",
    }
    runner = os.environ.get("ET_RUNNER_CORTEX_M", pathlib.Path(__file__).with_name("runner_cortex_m"))
    subprocess.run([runner, *(f"--{name}={value}" for name, value in flags.items())], check=True)
    return torch.from_numpy(np.fromfile(result, np.float32)), list(made.dim_order)


@_in_every_layout
def test_kernels_take_the_sizes_that_a_run_tells(name, last, tmp_path):
    _, _, shape, runs = _cases()[name]
    _, edge = _lowered(name, last)
    found, program = edge.exported_program(), edge.to_executorch()
    for seed, sizes in enumerate(runs):
        example = _values(shape(*sizes), last, seed)
        wanted = found.module()(*example)
        made, order = _run(tmp_path, program, *example)
        wanted = wanted.permute(order)
        assert made.numel() == wanted.numel()
        if name in _REAL:
            assert steps_apart(made.view(wanted.shape), wanted, found) <= 1.01
        else:
            torch.testing.assert_close(made.view(wanted.shape), wanted, rtol=0, atol=0)


def _called(model, example, shapes):
    return operators(lowered(quantized(model, example, dynamic_shapes=(shapes,))).exported_program())


def test_a_mean_over_sizes_that_a_run_tells_stays_in_floating_point():
    model = nn.Sequential(nn.Conv2d(4, 6, 3, padding=1), _Function(lambda x: x.mean((2, 3))))
    called = _called(model, inputs((1, 4, 8, 9)), {2: _HEIGHT, 3: _WIDTH})
    assert "aten::mean" in called and "cortex_m::quantized_conv2d_nhwc" in called


@pytest.mark.parametrize(("bound", "on_integers"), [(4095, True), (4096, False), (None, False)])
def test_a_softmax_is_taken_as_long_as_its_bound_says(bound, on_integers):
    called = _called(nn.Softmax(-1), inputs((2, 5)), {1: Dim("inputs", min=2, max=bound)})
    assert ("cortex_m::softmax" in called, "aten::_softmax" in called) == (on_integers, not on_integers)


def test_a_padding_that_a_run_tells_stays_in_floating_point():
    model = _Function(lambda x: functional.pad(x, (0, 0, 0, 17 - x.shape[1])))
    called = _called(model, inputs((2, 5, 8)), {1: _LENGTH})
    assert "aten::constant_pad_nd" in called and "cortex_m::pad" not in called


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.pad(x.transpose(1, 2), (1, 1), mode="reflect"),
        lambda x: x.roll(1, 1),
        lambda x: x.transpose(1, 2).tril(),
        lambda x: torch.stack(x.unbind(2), 1),
        lambda x: torch.einsum("rli,rmi->rlm", x, x),
    ],
    ids=["reflected", "rolled", "triangle", "apart", "einsum"],
)
def test_what_sizes_decide_is_not_fixed(function):
    program = quantized(_Function(function), inputs((2, 5, 8)), dynamic_shapes=({0: _ROWS, 1: _LENGTH},))
    found = lowered(program).exported_program()
    (last,) = found.graph.output_node().args[0]
    step = last.args[1] if name_of(last) == "cortex_m::dequantize_per_tensor" else 0
    for sizes in _SEQUENCES:
        example = inputs((*sizes, 8))
        made, wanted = found.module()(*example), program.module()(*example)
        made, wanted = (one if isinstance(one, torch.Tensor) else one[0] for one in (made, wanted))
        torch.testing.assert_close(made, wanted, atol=step * 1.01, rtol=0)


def test_a_table_is_not_for_what_is_spread_out():
    model = _Function(lambda x: torch.sigmoid(x).unsqueeze(1) * x.unsqueeze(2))
    program = quantized(model, inputs((2, 8)), dynamic_shapes=({0: _ROWS},))
    found = lowered(program).exported_program()
    for rows in (1, 2, 8):
        example = inputs((rows, 8), seed=rows)
        assert steps_apart(found.module()(*example), program.module()(*example), found) <= 1.01
