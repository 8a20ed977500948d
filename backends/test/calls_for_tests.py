"""Groups of calls as one program, and what a backend made of them beside eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from executorch.partitioner import get_lowered_submodules


class Calls(torch.nn.Module):
    """Functions of the same inputs; each gives a tensor or a tuple of them.

    Args:
        functions: with or without names; those that are modules are among the model's.
        layers: modules that functions call, and their names.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]] | Sequence[Callable[..., Any]],
        **layers: torch.nn.Module,
    ) -> None:
        super().__init__()
        self.functions = list(functions.values() if isinstance(functions, Mapping) else functions)
        self.layers = torch.nn.ModuleList(one for one in self.functions if isinstance(one, torch.nn.Module))
        for name, layer in layers.items():
            self.add_module(name, layer)

    def forward(self, *inputs: Any) -> Any:
        return tuple(function(*inputs) for function in self.functions)


def flat(values: Sequence[Any]) -> list[Any]:
    """Tensors and tuples of them, one after the other."""
    return [one for value in values for one in (value if isinstance(value, tuple | list) else (value,))]


def unequal(
    functions: Mapping[str, Callable[..., Any]],
    inputs: Sequence[Any],
    results: Iterator[torch.Tensor],
    tolerance: float,
) -> list[str]:
    """Which of the functions gave something else than they do in eager PyTorch, in words; all results are used up."""
    wrong = [
        f"{name}: {want} became {got}"
        for name, function in functions.items()
        for want in flat([function(*inputs)])
        if not _is_close(got := next(results), want.detach(), tolerance)
    ]
    assert next(results, None) is None
    return wrong


def _is_close(got: torch.Tensor, want: torch.Tensor, tolerance: float) -> bool:
    same_form = got.shape == want.shape and got.dtype == want.dtype
    return same_form and torch.allclose(got, want, atol=tolerance, rtol=tolerance, equal_nan=True)


def delegated_operators(module: torch.fx.GraphModule) -> set[str]:
    """Names of the operators that stand in delegates."""
    graphs = [lowered.original_module.graph for _, lowered, _ in get_lowered_submodules(module)]
    return {str(node.target) for graph in graphs for node in graph.nodes if node.op == "call_function"}
