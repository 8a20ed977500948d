"""Test cases of a bundled program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.utils._pytree import tree_flatten

ConfigValue: TypeAlias = torch.Tensor | int | bool | float
"""What a test case may hold."""

# Without parameters, so that isinstance() takes it.
DataContainer: TypeAlias = list | tuple | dict  # type: ignore[type-arg]
"""What inputs and outputs may be nested in."""

MethodInputType: TypeAlias = Sequence[Any]
"""What a method takes: a sequence of arguments, nested containers allowed."""

MethodOutputType: TypeAlias = Sequence[Any]
"""What a method gives: a sequence of results, nested containers allowed."""


class MethodTestCase:
    """One run of a method.

    Attributes:
        inputs: The inputs as a flat list.
        expected_outputs: The expected outputs as a flat list; empty if only the run itself is of interest.
    """

    def __init__(
        self, inputs: Sequence[Any], expected_outputs: Sequence[Any] | torch.Tensor | None = None
    ) -> None:
        """Takes inputs and outputs as the eager model takes and gives them; nested containers are flattened.

        Raises:
            AssertionError: Something in them is neither a tensor nor an int, bool or float.
        """
        self.inputs: list[ConfigValue] = self._flatten_and_sanity_check(inputs)
        if isinstance(expected_outputs, torch.Tensor):
            expected_outputs = [expected_outputs]
        self.expected_outputs: list[ConfigValue] = (
            [] if expected_outputs is None else self._flatten_and_sanity_check(expected_outputs)
        )

    def _flatten_and_sanity_check(self, unflatten_data: Any) -> list[ConfigValue]:
        flat, _ = tree_flatten(unflatten_data)
        for value in flat:
            if not isinstance(value, (torch.Tensor, int, bool, float)):
                raise AssertionError(
                    f"The type of input {value} with type {type(value)} is not supported: a test case holds "
                    "tensors, ints, bools and floats"
                )
        return flat


@dataclass
class MethodTestSuite:
    """All test cases of one method."""

    method_name: str
    test_cases: Sequence[MethodTestCase]


__all__ = [
    "ConfigValue",
    "DataContainer",
    "MethodInputType",
    "MethodOutputType",
    "MethodTestCase",
    "MethodTestSuite",
]
