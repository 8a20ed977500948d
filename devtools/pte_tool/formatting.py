"""Differences of two ``.pte`` files as text."""

from __future__ import annotations

from collections.abc import Iterator

from executorch.devtools.pte_tool.differences import (
    EValueDiff,
    ExecutionPlanDiff,
    PTEDiffResult,
    TensorDataDiff,
    TensorInfo,
)


def format_diff_result(result: PTEDiffResult, verbose: bool = False) -> str:
    """The differences as lines of text.

    Args:
        result: What ``diff_pte`` returned.
        verbose: Says the sizes of tensors in bytes as well.
    """
    return "\n".join(_lines(result, verbose))


def _lines(result: PTEDiffResult, verbose: bool) -> Iterator[str]:
    yield f"Comparing: {result.path_a} ({_size(result.size_a)}) vs {result.path_b} ({_size(result.size_b)})"
    yield f"Status: {'bitwise equal' if result.bitwise_equal else 'NOT bitwise equal'}"
    if result.error is not None:
        yield f"Error: {result.error}"
        return
    if result.version_a is not None or result.version_b is not None:
        yield f"Version: {result.version_a} vs {result.version_b}"
    for side, names in (("A", result.extra_plans_in_a), ("B", result.extra_plans_in_b)):
        if names:
            yield f"Plans only in {side}: {', '.join(names)}"
    for plan in result.plan_diffs:
        yield ""
        yield f"Plan {plan.plan_index}:"
        yield from _plan_lines(plan, verbose)
    if result.named_data_diffs:
        yield ""
        yield f"Named data ({len(result.named_data_diffs)}):"
        for data in result.named_data_diffs:
            yield f"  {data.key}: {'bytes differ' if data.bytes_differ else f'only in {data.only_in}'}"


def _plan_lines(plan: ExecutionPlanDiff, verbose: bool) -> Iterator[str]:
    if plan.name_a is not None or plan.name_b is not None:
        yield f"  Name: {plan.name_a} vs {plan.name_b}"
    for what, only in (
        ("Operators only in A", plan.operators_only_in_a),
        ("Operators only in B", plan.operators_only_in_b),
        ("Delegates only in A", plan.delegates_only_in_a),
        ("Delegates only in B", plan.delegates_only_in_b),
    ):
        if only:
            yield f"  {what}: {', '.join(only)}"
    for what, a, b in (
        ("Planned memory", plan.non_const_buffer_sizes_a, plan.non_const_buffer_sizes_b),
        ("Values", plan.value_count_a, plan.value_count_b),
        ("Instructions", plan.instruction_count_a, plan.instruction_count_b),
    ):
        if a is not None or b is not None:
            yield f"  {what}: {a} vs {b}"
    if plan.tensor_diffs:
        yield f"  Differing tensors ({len(plan.tensor_diffs)}):"
        for tensor in plan.tensor_diffs:
            yield from _tensor_lines(tensor, verbose)
    if plan.evalue_diffs:
        yield f"  Differing values ({len(plan.evalue_diffs)}):"
        for value in plan.evalue_diffs:
            yield from _value_lines(value)
    for side, infos in (("A", plan.tensors_only_in_a), ("B", plan.tensors_only_in_b)):
        if infos:
            yield f"  Tensors only in {side} ({len(infos)}):"
            for info in infos:
                yield f"    {_tensor(info)}"


def _tensor_lines(diff: TensorDataDiff, verbose: bool) -> Iterator[str]:
    yield f"    {_tensor(diff.tensor_a)}"
    if verbose:
        yield f"      byte sizes: {diff.byte_size_a} vs {diff.byte_size_b}"
    for usage in diff.tensor_a.operator_usages:
        yield f"      used as arg {usage.arg_index} of {usage.name}"
    for entry in diff.metadata_diffs:
        yield f"      {entry.field_name}: {entry.value_a} vs {entry.value_b}"
    if diff.num_elements:
        yield f"      {diff.num_differing} / {diff.num_elements} elements differ"
        yield f"      max_abs_diff={diff.max_abs_diff:g}  mean_abs_diff={diff.mean_abs_diff:g}"
    elif diff.bytes_differ:
        yield "      data differ"
    if diff.element_diffs:
        yield "      first differences:"
        for element in diff.element_diffs:
            place = ",".join(map(str, element.multi_index))
            gap = abs(element.value_a - element.value_b)
            yield f"        [{place}]: {element.value_a} vs {element.value_b} (diff={gap:g})"


def _value_lines(diff: EValueDiff) -> Iterator[str]:
    if diff.type_mismatch:
        yield f"    [idx={diff.evalue_index}]  {diff.type_a} vs {diff.type_b}"
    else:
        yield f"    [idx={diff.evalue_index}]  {diff.type_a}"
    for usage in diff.operator_usages_a:
        yield f"      used as arg {usage.arg_index} of {usage.name}"
    for entry in diff.field_diffs:
        yield f"      {entry.field_name}: {entry.value_a} vs {entry.value_b}"


def _tensor(info: TensorInfo) -> str:
    """CT is a tensor with data in the file."""
    kind = "CT" if info.data_buffer_idx else "T"
    sizes = ",".join(map(str, info.sizes))
    name = "" if info.fqn is None else f"  {info.fqn}"
    return f"[idx={info.evalue_index}]  {kind} {info.scalar_type.name.lower()}[{sizes}]{name}"


def _size(count: int) -> str:
    for unit, size in (("MB", 1 << 20), ("KB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


__all__ = ["format_diff_result"]
