"""What a tester compares, and inputs to compare with."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils._pytree import tree_flatten, tree_unflatten

from executorch.backends.test.harness.error_statistics import ErrorStatistics
from executorch.dialects.dim_order import dim_order_of, stride_from_dim_order

Callback = Callable[[ErrorStatistics], None]
#: Stands in for a dimension without upper limit.
_MOST = 16


def random_inputs(example: Sequence[Any], dynamic_shapes: Any) -> Iterator[tuple[Any, ...]]:
    """Inputs like the examples, without end.

    Floating-point tensors get normally distributed numbers. All lie in memory as the examples do. Other tensors keep the examples' elements, which may be
    indices, repeated or cut where a size is dynamic. What is no tensor stays.

    Args:
        example: of the model; each tensor, or tree of tensors.
        dynamic_shapes: as for ``torch.export.export``, by position; dimensions with one name get one size.
    """
    flat, tree = tree_flatten(tuple(example))
    while True:
        sizes: dict[str, int] = {}
        dims = list(_dims_of(example, dynamic_shapes))
        made = [_like(one, spec, sizes) for one, spec in zip(flat, dims, strict=True)]
        yield tree_unflatten(made, tree)


def _dims_of(example: Sequence[Any], dynamic_shapes: Any) -> Iterator[dict[int, Any]]:
    """What ``dynamic_shapes`` says of each tensor."""
    if isinstance(dynamic_shapes, dict):
        dynamic_shapes = tuple(dynamic_shapes.values())
    for number, one in enumerate(example):
        spec = dynamic_shapes[number] if dynamic_shapes is not None and number < len(dynamic_shapes) else None
        if not isinstance(one, torch.Tensor):
            yield from [{}] * len(tree_flatten(one)[0])
        elif isinstance(spec, dict):
            yield spec
        else:
            yield dict(enumerate(spec or ()))


def _like(example: Any, dims: dict[int, Any], sizes: dict[str, int]) -> Any:
    if not isinstance(example, torch.Tensor):
        return example
    shape = list(example.shape)
    for position, dim in dims.items():
        if hasattr(dim, "__name__") and hasattr(dim, "min"):
            if dim.__name__ not in sizes:
                most = dim.max if dim.max < 1 << 30 else max(_MOST, dim.min)
                # Operators that look for extremes have no result for nothing.
                sizes[dim.__name__] = random.randint(min(max(dim.min, 1), most), most)
            shape[position] = sizes[dim.__name__]
    if example.is_floating_point():
        return _laid_like(torch.randn(shape).to(example.dtype), example)
    if shape == list(example.shape):
        return example
    repeats = [-(-new // max(old, 1)) for new, old in zip(shape, example.shape, strict=True)]
    return _laid_like(example.repeat(repeats)[tuple(slice(size) for size in shape)], example)


def _laid_like(tensor: torch.Tensor, example: torch.Tensor) -> torch.Tensor:
    """The same numbers with dimensions in the example's order in memory, which a program insists on."""
    order = dim_order_of(example.shape, example.stride())
    laid = torch.empty_strided(tensor.shape, stride_from_dim_order(tensor.shape, order), dtype=tensor.dtype)
    return laid.copy_(tensor)


def reference_output(program: ExportedProgram, inputs: Any) -> tuple[Any, float | None]:
    """What eager PyTorch makes of a captured program, and the scale of its result if that was quantized.

    Args:
        program: as captured.
        inputs: a tuple.
    """
    output: Any = next(iter(program.graph_module.graph.find_nodes(op="output")))
    last = output.args[0][0] if isinstance(output.args[0], tuple | list) and output.args[0] else None
    scale = None
    if isinstance(last, torch.fx.Node) and "dequantize_per_tensor" in str(last.target):
        scale = last.args[1]
    return program.module()(*inputs), scale if isinstance(scale, float) else None


def assert_outputs_equal(
    model_output: Any,
    ref_output: Any,
    atol: float = 1e-3,
    rtol: float = 1e-3,
    statistics_callback: Callback | None = None,
) -> None:
    """Compares trees of tensors; not-a-number equals itself.

    Raises:
        AssertionError: with the figures of the output that differs.
    """
    got, wanted = tree_flatten(model_output)[0], tree_flatten(ref_output)[0]
    assert len(got) == len(wanted), f"{len(got)} outputs, {len(wanted)} were expected"
    for number, (model, reference) in enumerate(zip(got, wanted, strict=True)):
        if not isinstance(reference, torch.Tensor):
            assert model == reference, f"Output {number} is {model}, expected {reference}"
            continue
        statistics = ErrorStatistics.from_tensors(model, reference)
        if statistics_callback is not None:
            statistics_callback(statistics)
        message = f"Output {number} does not match reference output.\n{statistics}"
        assert model.shape == reference.shape, f"{message}\nThe shapes differ."
        assert model.dtype == reference.dtype, f"{message}\n{model.dtype} came, expected {reference.dtype}."
        if model.is_floating_point() and model.element_size() == 1:
            # Of 8 bits PyTorch compares nothing.
            model, reference = model.float(), reference.float()
        same = torch.allclose(model, reference, atol=atol, rtol=rtol, equal_nan=True)
        assert same, f"{message}\nTolerances: atol={atol}, rtol={rtol}."
