"""Tables of what taps gave, ahead of time and at run time."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.utils._pytree as pytree

from executorch.devtools.intermediate_output_tap._spec import TapSpec
from executorch.devtools.intermediate_output_tap._strip_pass import strip_taps_
from executorch.devtools.intermediate_output_tap._tap_pass import TapRule, tap_intermediate_outputs_
from executorch.exir import to_edge_transform_and_lower

if TYPE_CHECKING:
    import pandas as pd


def compare_aot_runtime_dataframe(
    specs: Sequence[TapSpec], aot_flat: Sequence[Any], rt_flat: Sequence[Any]
) -> pd.DataFrame:
    """The values of taps ahead of time beside those at run time, a row for each tap.

    Args:
        specs: What :func:`tap_intermediate_outputs_` returned.
        aot_flat: The flat outputs of the tapped program.
        rt_flat: The flat outputs of the lowered program.

    Returns:
        The columns of the spec; for reduced values ``aot_<field>`` and ``rt_<field>`` of each field; for whole tensors
        ``sqnr_db`` (signal to noise in decibels, infinite where they are equal, NaN where they have different numbers
        of elements), ``aot_numel`` and ``rt_numel``.

    Raises:
        IndexError: There are fewer outputs than the specs say.
    """
    import pandas as pd

    rows = []
    for spec in specs:
        row: dict[str, Any] = {
            "node_name": spec.node_name,
            "module_path": spec.module_path,
            "module_class": spec.module_class,
            "op_target": spec.op_target,
            "reducer_name": spec.reducer_name,
            "output_index": spec.output_index,
        }
        aot, rt = _flat_floats(aot_flat[spec.output_index]), _flat_floats(rt_flat[spec.output_index])
        if spec.fields:
            for field, one, other in zip(spec.fields, aot, rt, strict=False):
                row[f"aot_{field}"], row[f"rt_{field}"] = one, other
        else:
            row.update(sqnr_db=_sqnr_db(aot, rt), aot_numel=len(aot), rt_numel=len(rt))
        rows.append(row)
    return pd.DataFrame(rows)


def tap_compare(
    model: torch.nn.Module,
    example_inputs: tuple[Any, ...],
    partitioner: list[Any] | None = None,
    *,
    rules: Sequence[TapRule] | TapRule | None = None,
    error_on_empty: bool = True,
) -> tuple[pd.DataFrame, list[TapSpec]]:
    """Exports, taps, lowers and runs a model, and compares what its operators give with eager mode.

    Args:
        model: The model.
        example_inputs: What it is exported and run with.
        partitioner: The partitioners to lower with; none by default.
        rules: As for :func:`tap_intermediate_outputs_`.
        error_on_empty: As for :func:`tap_intermediate_outputs_`.

    Returns:
        The table of :func:`compare_aot_runtime_dataframe`, and the taps.

    Raises:
        ImportError: The Python runtime is not installed.
    """
    program = torch.export.export(model, example_inputs)
    tapped, specs = tap_intermediate_outputs_(program, rules, error_on_empty=error_on_empty)
    with torch.no_grad():
        reference, _ = pytree.tree_flatten(tapped.module()(*copy.deepcopy(example_inputs)))
    edge = to_edge_transform_and_lower(tapped, partitioner=list(partitioner or ()))
    strip_taps_(edge)
    outputs = _run_pte(edge.to_executorch(), example_inputs)
    return compare_aot_runtime_dataframe(specs, reference, outputs), specs


def _run_pte(et_program: Any, example_inputs: tuple[Any, ...]) -> Sequence[Any]:
    """The flat outputs of a program that is run in this process."""
    try:
        # The devtools do not require the runtime: most programs run elsewhere.
        from executorch.runtime import Runtime
    except ImportError as error:
        raise ImportError(
            f"running the program needs executorch.runtime: {error}\nWay out: install executorch-runtime, or run the "
            "program elsewhere and call compare_aot_runtime_dataframe()"
        ) from error
    inputs, _ = pytree.tree_flatten(copy.deepcopy(example_inputs))
    method = Runtime.get().load_program(et_program.buffer).load_method("forward")
    return list(method.execute(inputs))


def _flat_floats(v: Any) -> list[float]:
    """The elements of a tensor, a list or a number, flat."""
    if v is None:
        return []
    tensor = v if isinstance(v, torch.Tensor) else torch.as_tensor(v)
    return [float(value) for value in tensor.detach().reshape(-1).tolist()]


def _sqnr_db(aot_vals: list[float], rt_vals: list[float]) -> float:
    """``20 * log10(|aot| / |aot - rt|)``."""
    if len(aot_vals) != len(rt_vals):
        return math.nan
    signal = math.sqrt(sum(value * value for value in aot_vals))
    noise = math.sqrt(sum((one - other) ** 2 for one, other in zip(aot_vals, rt_vals, strict=True)))
    if math.isnan(signal) or math.isnan(noise):
        return math.nan
    if noise == 0:
        return math.inf if signal > 0 else math.nan
    return 20 * math.log10(signal / noise) if signal > 0 else -math.inf


__all__ = ["compare_aot_runtime_dataframe", "tap_compare"]
