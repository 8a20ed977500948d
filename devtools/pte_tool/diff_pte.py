"""Compares two ``.pte`` files: methods, operators, delegates, values, and weights element by element.

::

    python -m executorch.devtools.pte_tool.diff_pte a.pte b.pte
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from executorch.devtools.pte_tool.differences import (
    ElementDiff,
    EValueDiff,
    ExecutionPlanDiff,
    FieldDiff,
    NamedDataDiff,
    OperatorUsage,
    PTEDiffResult,
    TensorDataDiff,
    TensorInfo,
)
from executorch.devtools.pte_tool.formatting import format_diff_result
from executorch.emitter import DataPayload, PTEFile, deserialize_pte_binary
from executorch.exir.tensor import get_scalar_type
from executorch.schema.program import Buffer, ExecutionPlan, KernelCall, Tensor
from executorch.schema.wire import FormatError


def diff_pte(
    data_a: bytes, data_b: bytes, path_a: str = "A", path_b: str = "B", max_samples: int = 10
) -> PTEDiffResult:
    """Compares two files.

    Args:
        data_a: The contents of one.
        data_b: The contents of the other.
        path_a: What the first is called in the result.
        path_b: What the second is called.
        max_samples: How many elements of a tensor the result names.

    Returns:
        The differences. Methods, and values in them, are compared by their place. A file that cannot be read is in
        ``error``.
    """
    result = PTEDiffResult(path_a, path_b, len(data_a), len(data_b), data_a == data_b)
    if result.bitwise_equal:
        return result
    files = []
    for path, data in ((path_a, data_a), (path_b, data_b)):
        try:
            files.append(deserialize_pte_binary(data))
        except FormatError as error:
            result.error = f"Deserialization failed for {path}: {error}"
            return result
    a, b = files
    if a.program.version != b.program.version:
        result.version_a, result.version_b = a.program.version, b.program.version
    plans_a, plans_b = a.program.execution_plan, b.program.execution_plan
    common = min(len(plans_a), len(plans_b))
    diffs = (_PlanPair(index, a, b, max_samples).diff() for index in range(common))
    result.plan_diffs = [diff for diff in diffs if diff.has_differences()]
    result.extra_plans_in_a = [plan.name for plan in plans_a[common:]]
    result.extra_plans_in_b = [plan.name for plan in plans_b[common:]]
    result.named_data_diffs = _named_data_diffs(_named_data(a), _named_data(b))
    return result


def _named_data(file: PTEFile) -> dict[str, bytes]:
    data = file.named_data
    if not isinstance(data, DataPayload):
        return {}
    return {key: bytes(data.buffers[entry.buffer_index]) for key, entry in data.named_data.items()}


def _named_data_diffs(a: Mapping[str, bytes], b: Mapping[str, bytes]) -> list[NamedDataDiff]:
    diffs = [NamedDataDiff(key, "A") for key in a if key not in b]
    diffs += [NamedDataDiff(key, "B") for key in b if key not in a]
    diffs += [NamedDataDiff(key, "", True) for key in a if key in b and a[key] != b[key]]
    return diffs


def _only_in(one: Iterable[str], other: Iterable[str]) -> list[str]:
    return sorted((Counter(one) - Counter(other)).elements())


def _usages(plan: ExecutionPlan) -> dict[int, list[OperatorUsage]]:
    """Value to the calls that have it as an argument."""
    found: dict[int, list[OperatorUsage]] = {}
    for chain in plan.chains:
        for instruction in chain.instructions:
            call = instruction.instr_args
            if isinstance(call, KernelCall):
                operator = plan.operators[call.op_index]
                name = f"{operator.name}.{operator.overload}" if operator.overload else operator.name
                for place, value in enumerate(call.args):
                    found.setdefault(value, []).append(OperatorUsage(name, place))
    return found


def _data_of(tensor: Tensor, file: PTEFile) -> bytes | None:
    """The data of a tensor in the file; None if it has none there."""
    if tensor.data_buffer_idx == 0:
        return None
    buffers: Sequence[Buffer] = (
        file.program.constant_buffer if tensor.allocation_info is None else file.mutable_data or []
    )
    if tensor.data_buffer_idx >= len(buffers):
        return None
    return bytes(buffers[tensor.data_buffer_idx].storage)


@dataclasses.dataclass(frozen=True)
class _PlanPair:
    """A method of both files."""

    index: int
    a: PTEFile
    b: PTEFile
    max_samples: int

    def diff(self) -> ExecutionPlanDiff:
        plan_a, plan_b = (file.program.execution_plan[self.index] for file in (self.a, self.b))
        diff = ExecutionPlanDiff(self.index)
        if plan_a.name != plan_b.name:
            diff.name_a, diff.name_b = plan_a.name, plan_b.name
        names = [
            [f"{op.name}.{op.overload}" if op.overload else op.name for op in plan.operators]
            for plan in (plan_a, plan_b)
        ]
        diff.operators_only_in_a, diff.operators_only_in_b = _only_in(*names), _only_in(*names[::-1])
        backends = [[delegate.id for delegate in plan.delegates] for plan in (plan_a, plan_b)]
        diff.delegates_only_in_a, diff.delegates_only_in_b = _only_in(*backends), _only_in(*backends[::-1])
        if plan_a.non_const_buffer_sizes != plan_b.non_const_buffer_sizes:
            diff.non_const_buffer_sizes_a = list(plan_a.non_const_buffer_sizes)
            diff.non_const_buffer_sizes_b = list(plan_b.non_const_buffer_sizes)
        if len(plan_a.values) != len(plan_b.values):
            diff.value_count_a, diff.value_count_b = len(plan_a.values), len(plan_b.values)
        counts = [sum(len(chain.instructions) for chain in plan.chains) for plan in (plan_a, plan_b)]
        if counts[0] != counts[1]:
            diff.instruction_count_a, diff.instruction_count_b = counts
        self._values(plan_a, plan_b, diff)
        return diff

    def _values(self, plan_a: ExecutionPlan, plan_b: ExecutionPlan, diff: ExecutionPlanDiff) -> None:
        usages_a, usages_b = _usages(plan_a), _usages(plan_b)
        common = min(len(plan_a.values), len(plan_b.values))
        for place in range(common):
            one, other = plan_a.values[place].val, plan_b.values[place].val
            used_a, used_b = usages_a.get(place, []), usages_b.get(place, [])
            if isinstance(one, Tensor) and isinstance(other, Tensor):
                found = self._tensors(_info(place, one, used_a), _info(place, other, used_b), one, other)
                if found is not None:
                    diff.tensor_diffs.append(found)
            elif one != other:
                type_a, type_b = type(one).__name__, type(other).__name__
                fields = [] if type_a != type_b else _field_diffs(one, other)
                diff.evalue_diffs.append(
                    EValueDiff(place, type_a, type_b, type_a != type_b, fields, used_a, used_b)
                )
        for plan, usages, only in (
            (plan_a, usages_a, diff.tensors_only_in_a),
            (plan_b, usages_b, diff.tensors_only_in_b),
        ):
            for place in range(common, len(plan.values)):
                value = plan.values[place].val
                if isinstance(value, Tensor):
                    only.append(_info(place, value, usages.get(place, [])))

    def _tensors(
        self, info_a: TensorInfo, info_b: TensorInfo, one: Tensor, other: Tensor
    ) -> TensorDataDiff | None:
        data_a, data_b = _data_of(one, self.a), _data_of(other, self.b)
        # Where a constant lies in the file says nothing about the tensor.
        metadata = [entry for entry in _field_diffs(one, other) if entry.field_name != "data_buffer_idx"]
        alike = one.scalar_type == other.scalar_type and data_a is not None and data_b is not None
        elements_a, elements_b = (_elements(data_a, one), _elements(data_b, other)) if alike else (None, None)
        if elements_a is not None and elements_b is not None:
            # The file does not say where a constant ends, so that padding may follow.
            width = elements_a.element_size()
            differ = (
                data_a[: elements_a.numel() * width] != data_b[: elements_b.numel() * width]  # type: ignore[index]
            )
        else:
            differ = data_a != data_b
        if not metadata and not differ:
            return None
        diff = TensorDataDiff(info_a, info_b, len(data_a or b""), len(data_b or b""), differ, metadata)
        if differ and elements_a is not None and elements_b is not None:
            self._statistics(diff, elements_a, elements_b)
        return diff

    def _statistics(self, diff: TensorDataDiff, a: torch.Tensor, b: torch.Tensor) -> None:
        """Compares the elements that both have."""
        count = min(a.numel(), b.numel())
        one, other = a[:count].to(torch.float64), b[:count].to(torch.float64)
        unequal = (one != other) & ~(one.isnan() & other.isnan())
        places = unequal.nonzero().reshape(-1)
        gaps = (one - other).abs()[places]
        diff.num_elements, diff.num_differing = count, len(places)
        if len(places):
            diff.max_abs_diff, diff.mean_abs_diff = float(gaps.max()), float(gaps.mean())
        for place in places[: self.max_samples].tolist():
            index = _unraveled(place, diff.tensor_a.sizes)
            diff.element_diffs.append(ElementDiff(place, index, float(one[place]), float(other[place])))


def _info(place: int, tensor: Tensor, usages: list[OperatorUsage]) -> TensorInfo:
    extra = tensor.extra_tensor_info
    name = None if extra is None else extra.fully_qualified_name
    return TensorInfo(place, tensor.scalar_type, list(tensor.sizes), name, tensor.data_buffer_idx, usages)


def _field_diffs(one: Any, other: Any) -> list[FieldDiff]:
    return [
        FieldDiff(entry.name, getattr(one, entry.name), getattr(other, entry.name))
        for entry in dataclasses.fields(one)
        if getattr(one, entry.name) != getattr(other, entry.name)
    ]


def _elements(data: bytes | None, tensor: Tensor) -> torch.Tensor | None:
    """The elements in the order of memory; None if the bytes do not suffice or the type has no plain numbers."""
    dtype = get_scalar_type(tensor.scalar_type)
    count = 1
    for size in tensor.sizes:
        count *= size
    if data is None or dtype.is_complex or count == 0:
        return None
    width = torch.empty(0, dtype=dtype).element_size()
    if len(data) < count * width:
        return None
    return torch.frombuffer(bytearray(data[: count * width]), dtype=dtype)


def _unraveled(place: int, sizes: Sequence[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(sizes):
        index.append(place % size)
        place //= size
    return tuple(reversed(index))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line.

    Raises:
        SystemExit: There are not two files.
    """
    parser = argparse.ArgumentParser(description="Compares two .pte files.")
    parser.add_argument("a", help="a .pte file")
    parser.add_argument("b", help="another")
    parser.add_argument("--verbose", action="store_true", help="also says sizes in bytes")
    parser.add_argument("--max_samples", type=int, default=10, help="how many elements of a tensor to show")
    options = parser.parse_args(arguments)
    one, other = (pathlib.Path(path).read_bytes() for path in (options.a, options.b))
    result = diff_pte(one, other, options.a, options.b, options.max_samples)
    print(format_diff_result(result, options.verbose))


__all__ = [
    "EValueDiff",
    "ElementDiff",
    "ExecutionPlanDiff",
    "FieldDiff",
    "NamedDataDiff",
    "OperatorUsage",
    "PTEDiffResult",
    "TensorDataDiff",
    "TensorInfo",
    "diff_pte",
    "format_diff_result",
    "main",
]

if __name__ == "__main__":
    main()
