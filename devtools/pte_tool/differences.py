"""What two ``.pte`` files may differ in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from executorch.schema.scalar_type import ScalarType


@dataclass
class FieldDiff:
    """A field with another value."""

    field_name: str
    value_a: Any
    value_b: Any


@dataclass
class OperatorUsage:
    """A call that has a value as an argument; ``arg_index`` counts its inputs and outputs."""

    name: str
    arg_index: int


@dataclass
class ElementDiff:
    """An element with another value."""

    flat_index: int
    multi_index: tuple[int, ...]
    value_a: float
    value_b: float


@dataclass
class TensorInfo:
    """A tensor of a method; ``fqn`` is its name in the model, ``data_buffer_idx`` 0 for one without data in the file."""

    evalue_index: int
    scalar_type: ScalarType
    sizes: list[int]
    fqn: str | None
    data_buffer_idx: int
    operator_usages: list[OperatorUsage] = field(default_factory=list)


@dataclass
class TensorDataDiff:
    """Two tensors at one place that differ in their description or data.

    ``num_elements``, ``num_differing`` and the differences are 0 if the data cannot be compared element by element: there
    are none, or the types differ. ``element_diffs`` are the first that differ.
    """

    tensor_a: TensorInfo
    tensor_b: TensorInfo
    byte_size_a: int
    byte_size_b: int
    bytes_differ: bool
    metadata_diffs: list[FieldDiff] = field(default_factory=list)
    num_elements: int = 0
    num_differing: int = 0
    max_abs_diff: float = 0.0
    mean_abs_diff: float = 0.0
    element_diffs: list[ElementDiff] = field(default_factory=list)


@dataclass
class EValueDiff:
    """Two other values at one place that differ."""

    evalue_index: int
    type_a: str
    type_b: str
    type_mismatch: bool = False
    field_diffs: list[FieldDiff] = field(default_factory=list)
    operator_usages_a: list[OperatorUsage] = field(default_factory=list)
    operator_usages_b: list[OperatorUsage] = field(default_factory=list)


@dataclass
class NamedDataDiff:
    """Data under a name that only one file has (``only_in`` is A or B), or both with other bytes."""

    key: str
    only_in: str
    bytes_differ: bool = False


@dataclass
class ExecutionPlanDiff:
    """What differs in a method; fields that are None are equal in both."""

    plan_index: int
    name_a: str | None = None
    name_b: str | None = None
    operators_only_in_a: list[str] = field(default_factory=list)
    operators_only_in_b: list[str] = field(default_factory=list)
    delegates_only_in_a: list[str] = field(default_factory=list)
    delegates_only_in_b: list[str] = field(default_factory=list)
    non_const_buffer_sizes_a: list[int] | None = None
    non_const_buffer_sizes_b: list[int] | None = None
    value_count_a: int | None = None
    value_count_b: int | None = None
    instruction_count_a: int | None = None
    instruction_count_b: int | None = None
    tensor_diffs: list[TensorDataDiff] = field(default_factory=list)
    evalue_diffs: list[EValueDiff] = field(default_factory=list)
    tensors_only_in_a: list[TensorInfo] = field(default_factory=list)
    tensors_only_in_b: list[TensorInfo] = field(default_factory=list)

    def has_differences(self) -> bool:
        """Whether there are any."""
        return self != ExecutionPlanDiff(self.plan_index)


@dataclass
class PTEDiffResult:
    """What differs in two files; ``error`` says why one of them could not be read."""

    path_a: str
    path_b: str
    size_a: int
    size_b: int
    bitwise_equal: bool
    version_a: int | None = None
    version_b: int | None = None
    plan_diffs: list[ExecutionPlanDiff] = field(default_factory=list)
    extra_plans_in_a: list[str] = field(default_factory=list)
    extra_plans_in_b: list[str] = field(default_factory=list)
    named_data_diffs: list[NamedDataDiff] = field(default_factory=list)
    error: str | None = None


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
]
