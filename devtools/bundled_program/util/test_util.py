"""Random test cases and a sample model with two methods, for tests of bundled programs."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from typing import Any

import torch

from executorch.devtools.bundled_program.config import ConfigValue, MethodTestCase, MethodTestSuite
from executorch.exir import ExecutorchProgramManager, to_edge

DEFAULT_INT_INPUT = 2


class SampleModel(torch.nn.Module):
    """A model with the methods ``encode`` and ``decode``, each of two tensors and an int."""

    def __init__(self) -> None:
        super().__init__()
        self.a: torch.Tensor = 3 * torch.ones(2, 2, dtype=torch.int32)
        self.b: torch.Tensor = 2 * torch.ones(2, 2, dtype=torch.int32)
        self.method_names = ["encode", "decode"]

    def encode(self, x: torch.Tensor, q: torch.Tensor, a: int = DEFAULT_INT_INPUT) -> torch.Tensor:
        """``3 x + a + q``."""
        return self.a * x + a + q

    def decode(self, x: torch.Tensor, q: torch.Tensor, a: int = DEFAULT_INT_INPUT) -> torch.Tensor:
        """``2 x - a + q``."""
        return self.b * x - a + q


class StatefulWrapperModule(torch.nn.Module):
    """Makes a method of a module what ``forward`` runs, so that it can be exported."""

    def __init__(self, base_mod: torch.nn.Module, method: Callable[..., Any]) -> None:
        super().__init__()
        self.base_mod = base_mod
        self._method = method

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the method."""
        return self._method(*args, **kwargs)


def get_rand_input_values(
    n_tensors: int,
    sizes: list[list[int]],
    n_int: int,
    dtype: torch.dtype,
    n_sets_per_plan_test: int,
    n_method_test_suites: int,
) -> list[list[list[ConfigValue]]]:
    """Random inputs by suite and test case: tensors first, then ints."""

    def one() -> list[ConfigValue]:
        tensors = [_random(sizes[i], dtype) for i in range(n_tensors)]
        return [*tensors, *[DEFAULT_INT_INPUT] * n_int]

    return [[one() for _ in range(n_sets_per_plan_test)] for _ in range(n_method_test_suites)]


def get_rand_output_values(
    n_tensors: int,
    sizes: list[list[int]],
    dtype: torch.dtype,
    n_sets_per_plan_test: int,
    n_method_test_suites: int,
) -> list[list[list[torch.Tensor]]]:
    """Random outputs by suite and test case."""
    return [
        [[_random(sizes[i], dtype) for i in range(n_tensors)] for _ in range(n_sets_per_plan_test)]
        for _ in range(n_method_test_suites)
    ]


def _random(sizes: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return ((torch.rand(*sizes) - 0.5) * 10).to(dtype)


def get_rand_method_names(n_method_test_suites: int) -> list[str]:
    """That many different names."""
    names: set[str] = set()
    while len(names) < n_method_test_suites:
        names.add("".join(random.choices(string.ascii_letters, k=10)))
    return list(names)


def get_random_test_suites(
    n_model_inputs: int,
    model_input_sizes: list[list[int]],
    n_model_outputs: int,
    model_output_sizes: list[list[int]],
    dtype: torch.dtype,
    n_sets_per_plan_test: int,
    n_method_test_suites: int,
) -> tuple[list[str], list[list[list[ConfigValue]]], list[list[list[torch.Tensor]]], list[MethodTestSuite]]:
    """Suites of random inputs and outputs: their names, their inputs, their outputs, and themselves."""
    inputs = get_rand_input_values(
        n_model_inputs, model_input_sizes, 1, dtype, n_sets_per_plan_test, n_method_test_suites
    )
    outputs = get_rand_output_values(
        n_model_outputs, model_output_sizes, dtype, n_sets_per_plan_test, n_method_test_suites
    )
    names = get_rand_method_names(n_method_test_suites)
    suites = [
        MethodTestSuite(name, [MethodTestCase(given, wanted) for given, wanted in zip(*columns, strict=True)])
        for name, *columns in zip(names, inputs, outputs, strict=True)
    ]
    return names, inputs, outputs, suites


def get_random_test_suites_with_eager_model(
    eager_model: torch.nn.Module,
    method_names: list[str],
    n_model_inputs: int,
    model_input_sizes: list[list[int]],
    dtype: torch.dtype,
    n_sets_per_plan_test: int,
) -> tuple[list[list[list[ConfigValue]]], list[MethodTestSuite]]:
    """Suites of random inputs with the outputs of an eager model: their inputs, and themselves."""
    inputs = get_rand_input_values(
        n_model_inputs, model_input_sizes, 1, dtype, n_sets_per_plan_test, len(method_names)
    )
    suites = []
    for name, cases in zip(method_names, inputs, strict=True):
        method = getattr(eager_model, name)
        suites.append(MethodTestSuite(name, [MethodTestCase(case, method(*case)) for case in cases]))
    return inputs, suites


def get_common_executorch_program() -> tuple[ExecutorchProgramManager, list[MethodTestSuite]]:
    """The program of :class:`SampleModel` with test cases that fit it."""
    model = SampleModel()
    inputs, suites = get_random_test_suites_with_eager_model(
        eager_model=model,
        method_names=model.method_names,
        n_model_inputs=2,
        model_input_sizes=[[2, 2], [2, 2]],
        dtype=torch.int32,
        n_sets_per_plan_test=10,
    )
    programs = {
        name: torch.export.export(
            StatefulWrapperModule(model, getattr(model, name)), tuple(cases[0]), strict=False
        )
        for name, cases in zip(model.method_names, inputs, strict=True)
    }
    return to_edge(programs).to_executorch(), suites
