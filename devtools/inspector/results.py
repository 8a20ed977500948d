"""``compare_results``: how far the outputs of a run are from those of a reference."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from executorch.devtools.inspector.numerical_comparator import MSEComparator, SNRComparator
from executorch.devtools.inspector.numerical_comparator.operands import to_float_tensor


def _cosine_similarity(reference: Any, value: Any) -> float:
    a, b = to_float_tensor(reference).reshape(-1), to_float_tensor(value).reshape(-1)
    return float(torch.nn.functional.cosine_similarity(a, b, dim=0))


METRICS: dict[str, Callable[[Any, Any], float]] = {
    "snr": SNRComparator().element_compare,
    "mse": MSEComparator().element_compare,
    "cosine_similarity": _cosine_similarity,
}


#: Places after the point that results have.
_PLACES = 2


def compare_results(
    reference_output: Sequence[Any],
    run_output: Sequence[Any],
    metrics: Sequence[str] | None = None,
    plot: bool = False,
) -> dict[str, list[float]]:
    """Compares the outputs of a run with those of a reference, pair by pair.

    Args:
        reference_output: What is right.
        run_output: What came out.
        metrics: Names out of ``snr``, ``mse``, ``cosine_similarity``; all of them by default.
        plot: Also draws each metric into ``<metric>.svg`` in the working directory.

    Returns:
        Metric to a value for each pair, to two places after the point;
        :mod:`~executorch.devtools.inspector.numerical_comparator` has them in full.

    Raises:
        ValueError: Different numbers of outputs, or an unknown metric.
    """
    if len(reference_output) != len(run_output):
        raise ValueError(f"{len(reference_output)} outputs cannot be compared with {len(run_output)}")
    chosen = list(METRICS) if metrics is None else list(metrics)
    unknown = [name for name in chosen if name not in METRICS]
    if unknown:
        raise ValueError(f"unknown metrics {unknown}: there are {sorted(METRICS)}")
    results = {
        name: [round(METRICS[name](a, b), _PLACES) for a, b in zip(reference_output, run_output, strict=True)]
        for name in chosen
    }
    if plot:
        for name, values in results.items():
            plot_metric(values, name)
    return results


def calculate_mse(ref_values: Sequence[Any], values: Sequence[Any]) -> list[float]:
    """The mean of squared differences of each pair; values are tensors or numbers."""
    return compare_results(ref_values, values, ["mse"])["mse"]


def calculate_snr(ref_values: Sequence[Any], values: Sequence[Any]) -> list[float]:
    """The ratio of signal to noise of each pair in decibels; infinite where they are equal."""
    return compare_results(ref_values, values, ["snr"])["snr"]


def calculate_cosine_similarity(ref_values: Sequence[Any], values: Sequence[Any]) -> list[float]:
    """The cosine of the angle between the values of each pair, flat."""
    return compare_results(ref_values, values, ["cosine_similarity"])["cosine_similarity"]


def plot_metric(result: Sequence[float], metric_name: str) -> None:
    """Draws values of a metric into ``<metric_name>.svg`` in the working directory; infinite ones are left out."""
    name, values = metric_name, result
    width, height, margin = 480, 320, 48
    finite = [(index, value) for index, value in enumerate(values) if math.isfinite(value)]
    low = min((value for _, value in finite), default=0.0)
    high = max((value for _, value in finite), default=0.0)

    def position(index: int, value: float) -> tuple[float, float]:
        x = margin + (width - 2 * margin) * (index + 0.5) / len(values)
        y = height - margin - (height - 2 * margin) * ((value - low) / (high - low) if high > low else 0.5)
        return x, y

    points = [position(index, value) for index, value in finite]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in points)
    axes = (
        f'<path d="M{margin} {margin}V{height - margin}H{width - margin}" fill="none" stroke="black"/>'
        f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">output 0 to {len(values) - 1}</text>'
        f'<text x="4" y="{margin - 8}">{high:.6g}</text><text x="4" y="{height - margin + 16}">{low:.6g}</text>'
    )
    pathlib.Path(f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="white"/><text x="{width / 2}" y="20" '
        f'text-anchor="middle">{name}</text>{axes}<polyline points="{line}" fill="none" stroke="steelblue"/>'
        f"{marks}</svg>\n",
        encoding="utf-8",
    )


__all__ = [
    "METRICS",
    "calculate_cosine_similarity",
    "calculate_mse",
    "calculate_snr",
    "compare_results",
    "plot_metric",
]
