"""The value table of a method: every argument of every instruction has a number in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch

from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.emitter.constants import ProgramData
from executorch.emitter.errors import EmissionError, UnplannedBufferError
from executorch.emitter.scalar_types import argument_number, scalar_type
from executorch.schema import program as schema
from executorch.schema.program import (
    AllocationDetails,
    Bool,
    BoolList,
    DeviceType,
    Double,
    DoubleList,
    EValue,
    ExtraTensorInfo,
    Int,
    IntList,
    KernelTypes,
    Null,
    OptionalTensorList,
    String,
    TensorDataLocation,
    TensorList,
)

NO_TENSOR = -1
"""Stands for None in a list of optional tensors."""
_LOW_HALF = 0xFFFFFFFF


def dynamism(spec: TensorSpec) -> TensorShapeDynamism:
    """How the shape of a value may vary; a view of a value that varies varies with it."""
    return max(spec.shape_dynamism, spec.root.shape_dynamism)


class ValueTable:
    """Hands out value numbers. Constant numbers, texts and lists are shared: nothing ever writes to them.

    Attributes:
        values: by number.
        unbounded_dims: number of a tensor -> its dimensions without a bound.
    """

    def __init__(self, data: ProgramData) -> None:
        self.values: list[EValue] = []
        self.unbounded_dims: dict[int, Collection[int]] = {}
        self._data = data
        self._shared: dict[Any, int] = {}
        self._tensors: dict[TensorSpec, int] = {}

    def new(self, value: KernelTypes) -> int:
        """A value of its own, for results."""
        self.values.append(EValue(value))
        return len(self.values) - 1

    def is_tensor(self, number: int) -> bool:
        """Whether a value is a tensor."""
        return isinstance(self.values[number].val, schema.Tensor)

    def is_static(self, number: int) -> bool:
        """Whether a value is a tensor whose shape never changes."""
        held = self.values[number].val
        return isinstance(held, schema.Tensor) and held.shape_dynamism == schema.TensorShapeDynamism.STATIC

    def _share(self, key: Any, value: KernelTypes) -> int:
        if key not in self._shared:
            self._shared[key] = self.new(value)
        return self._shared[key]

    def constant(self, value: Any) -> int:
        """A number, text, None, element type, layout or memory format.

        Raises:
            EmissionError: programs have no values of this kind.
        """
        if value is None:
            return self._share(Null, Null())
        if isinstance(value, bool):
            return self._share((Bool, value), Bool(value))
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise EmissionError(f"{value} does not fit the 64-bit integers of a program")
            return self._share((Int, value), Int(int(value)))
        if isinstance(value, float):
            # repr tells 0.0 from -0.0 and makes nan equal to itself.
            return self._share((Double, repr(value)), Double(value))
        if isinstance(value, str):
            return self._share((String, value), String(value))
        if isinstance(value, torch.device):
            return self.constant(str(value))
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return self.constant(argument_number(value))
        raise EmissionError(f"a program cannot hold {value!r} ({type(value).__name__})")

    def result(self, value: Any) -> int:
        """A place for a number that an instruction computes; `value` tells which kind."""
        if isinstance(value, (bool, torch.SymBool)):
            return self.new(Bool(False))
        if isinstance(value, (int, torch.SymInt)):
            return self.new(Int(0))
        if isinstance(value, (float, torch.SymFloat)):
            return self.new(Double(0.0))
        raise EmissionError(f"an instruction cannot compute {value!r} ({type(value).__name__})")

    # Lists.

    def int_list(self, numbers: Sequence[int]) -> int:
        """A list of integers, given as value numbers."""
        return self._share((IntList, tuple(numbers)), IntList(list(numbers)))

    def double_list(self, values: Sequence[float]) -> int:
        """A list of floating-point numbers."""
        return self._share((DoubleList, *map(repr, values)), DoubleList([float(value) for value in values]))

    def bool_list(self, values: Sequence[bool]) -> int:
        """A list of truth values."""
        return self._share((BoolList, tuple(values)), BoolList(list(values)))

    def tensor_list(self, numbers: Sequence[int]) -> int:
        """A list of tensors, given as value numbers."""
        return self._share((TensorList, tuple(numbers)), TensorList(list(numbers)))

    def optional_tensor_list(self, numbers: Sequence[int | None]) -> int:
        """A list of tensors and None, tensors given as value numbers."""
        items = [NO_TENSOR if number is None else number for number in numbers]
        return self._share((OptionalTensorList, tuple(items)), OptionalTensorList(items))

    # Tensors.

    def tensor(self, spec: TensorSpec) -> int:
        """The value of a tensor spec; the same spec is the same value."""
        if spec not in self._tensors:
            self._tensors[spec] = self.new(self._tensor(spec))
            # What views a value without a bound has none either.
            dims = spec.unbounded_dims or (range(len(spec.shape)) if spec.root.unbounded_dims else ())
            self.unbounded_dims[self._tensors[spec]] = dims
        return self._tensors[spec]

    def numbers_of_tensors(self) -> Iterable[tuple[TensorSpec, int]]:
        """Each tensor spec that has a value, with its number."""
        return self._tensors.items()

    def _tensor(self, spec: TensorSpec) -> schema.Tensor:
        tensor = schema.Tensor(
            scalar_type=scalar_type(spec.dtype),
            sizes=self._sizes(spec),
            dim_order=list(spec.dim_order),
            requires_grad=spec.requires_grad,
            shape_dynamism=schema.TensorShapeDynamism(int(dynamism(spec))),
        )
        if spec.const and spec.external_tag is not None:
            tensor.extra_tensor_info = ExtraTensorInfo(
                fully_qualified_name=self._data.external_constant(spec), location=TensorDataLocation.EXTERNAL
            )
        elif spec.const:
            tensor.data_buffer_idx = self._data.constant(spec)
        elif spec.mem_id is not None and spec.mem_offset is not None:
            tensor.allocation_info = AllocationDetails(
                spec.mem_id, spec.mem_offset & _LOW_HALF, spec.mem_offset >> 32
            )
            # A view reads the same bytes as the buffer; only the buffer itself has the name and the initial state.
            if not spec.is_view:
                self._describe_buffer(tensor, spec)
        elif spec.fully_qualified_name is not None:
            tensor.extra_tensor_info = self._name_of_unplanned(spec)
        if spec.device != DeviceType.CPU:
            tensor.extra_tensor_info = tensor.extra_tensor_info or ExtraTensorInfo()
            tensor.extra_tensor_info.device_type = DeviceType(spec.device)
            tensor.extra_tensor_info.device_index = spec.device_index
        return tensor

    def _describe_buffer(self, tensor: schema.Tensor, spec: TensorSpec) -> None:
        if spec.data is not None and spec.external_tag is not None:
            tensor.extra_tensor_info = ExtraTensorInfo(
                fully_qualified_name=self._data.external_constant(spec), location=TensorDataLocation.EXTERNAL
            )
            return
        if spec.data is not None:
            tensor.data_buffer_idx = self._data.state(spec)
        if spec.data is not None or spec.fully_qualified_name:
            tensor.extra_tensor_info = ExtraTensorInfo(
                mutable_data_segments_idx=0, fully_qualified_name=spec.fully_qualified_name
            )

    def _name_of_unplanned(self, spec: TensorSpec) -> ExtraTensorInfo:
        # Without an initial state: the runtime copies states into planned memory only.
        if not self._data.names_unplanned_buffers:
            raise UnplannedBufferError(
                f"the method changes the buffer {spec.fully_qualified_name!r}, for which no memory is planned\nWay out: "
                "MemoryPlanningPass(alloc_mutable_buffers=True), or, where whoever runs the program gives the buffer "
                "its memory, ExecutorchBackendConfig(emit_mutable_buffer_names=True)"
            )
        return ExtraTensorInfo(fully_qualified_name=spec.fully_qualified_name)

    def _sizes(self, spec: TensorSpec) -> list[int]:
        if spec.shape_dynamism == TensorShapeDynamism.DYNAMIC_UNBOUND:  # a user's own choice
            return [size if isinstance(size, int) else 0 for size in spec.shape]
        for size in spec.shape:
            if not isinstance(size, int) or not 0 <= size < 2**31:
                raise EmissionError(f"size {size} of {spec!r} does not fit the 32-bit sizes of a program")
        return list(spec.shape)
