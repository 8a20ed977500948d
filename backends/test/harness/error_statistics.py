"""How far a result is from what was expected, in figures."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass
class TensorStatistics:
    """What can be said of the elements of one tensor."""

    shape: torch.Size
    numel: int
    median: float
    mean: float
    max: int | float | bool
    min: int | float | bool

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor) -> TensorStatistics:
        """The figures of a tensor; one without elements has not-a-number everywhere."""
        if tensor.numel() == 0:
            nan = float("nan")
            return cls(tensor.shape, 0, nan, nan, nan, nan)
        flat = tensor.detach().flatten()
        numbers = flat.to(torch.float64)
        return cls(
            shape=tensor.shape,
            numel=tensor.numel(),
            median=float(numbers.median()),
            mean=float(numbers.mean()),
            max=(numbers if flat.is_floating_point() else flat).max().item(),
            min=(numbers if flat.is_floating_point() else flat).min().item(),
        )


@dataclass
class ErrorStatistics:
    """Two tensors beside each other.

    Attributes:
        reference_stats, actual_stats: of what was expected and of what came.
        error_l2_norm: length of the difference.
        error_mae, error_max: mean and largest of its absolute values.
        error_msd: mean of its values with their signs.
        sqnr: the result's signal to error in decibels, infinite where nothing differs.

    The errors are None where the shapes differ.
    """

    reference_stats: TensorStatistics
    actual_stats: TensorStatistics
    error_l2_norm: float | None
    error_mae: float | None
    error_max: float | None
    error_msd: float | None
    sqnr: float | None

    @classmethod
    def from_tensors(cls, actual: torch.Tensor, reference: torch.Tensor) -> ErrorStatistics:
        """The figures of a result beside what was expected."""
        both = TensorStatistics.from_tensor(reference), TensorStatistics.from_tensor(actual)
        if actual.shape != reference.shape or actual.numel() == 0:
            return cls(*both, None, None, None, None, None)
        result = actual.detach().to(torch.float64)
        error = result - reference.detach().to(torch.float64)
        noise = error.norm()
        # Of the result, as torchao's `compute_error` has it when the result is its first argument.
        sqnr = float(20 * torch.log10(result.norm() / noise)) if noise != 0 else float("inf")
        absolute = error.abs()
        return cls(
            *both,
            error_l2_norm=float(noise),
            error_mae=float(absolute.mean()),
            error_max=float(absolute.max()),
            error_msd=float(error.mean()),
            sqnr=sqnr,
        )
