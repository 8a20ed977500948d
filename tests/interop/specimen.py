"""What a specimen is: methods, calls to make in order, and what eager PyTorch gives for them.

Torch only, so that any implementation can compile the specimens.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree


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
        is_delegated: the whole of it goes to XNNPACK.
        rtol, atol: of the comparison with eager.
    """

    methods: Mapping[str, MethodSource]
    calls: Sequence[tuple[str, tuple[Any, ...]]]
    constant_methods: Mapping[str, Any] = field(default_factory=dict)
    is_external: bool = False
    needs: frozenset[str] = frozenset()
    is_delegated: bool = False
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


class FunctionModule(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def specimen_of(
    model: Any, *inputs: tuple[Any, ...], dynamic_shapes: Any = None, example: Any = None, **options: Any
) -> Specimen:
    """A specimen with one method, called with each of `inputs`; the first is the example, unless there is one."""
    module = model if isinstance(model, nn.Module) else FunctionModule(model)
    if dynamic_shapes is not None and not isinstance(model, nn.Module):
        dynamic_shapes = (dynamic_shapes,)
    source = MethodSource(module.eval(), example or inputs[0], dynamic_shapes)
    return Specimen({"forward": source}, [("forward", item) for item in inputs], **options)


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
