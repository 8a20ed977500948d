"""What the compiler knows about a tensor value at run time: type, shape, layout, place in memory, lifetime.

A :class:`TensorSpec` is put on every tensor value of a graph by spec propagation (``node.meta["spec"]``), completed
by memory planning and written out by the emitter. Shapes are in elements, sizes of memory in bytes.
"""

import enum
import math
from collections.abc import Sequence
from typing import Any

import torch

from executorch.dialects.dim_order import (
    contiguous_dim_order,
    contiguous_stride_from_shape,
    dim_order_from_stride,
    dim_order_of,
    stride_from_dim_order,
)

#: Default alignment in bytes of tensors in planned memory and in constant segments.
ALIGNMENT = 16


class TensorShapeDynamism(enum.IntEnum):
    """How a tensor's shape may differ between calls. Numbers are those of the program file."""

    STATIC = 0
    #: Any shape of at most the stored number of elements in each dimension.
    DYNAMIC_BOUND = 1
    #: No bound is known ahead of time.
    DYNAMIC_UNBOUND = 2


class DeviceType(enum.IntEnum):
    """Kind of device whose memory holds a tensor. Numbers are those of the program file."""

    CPU = 0
    CUDA = 1


def num_bytes_from_shape_and_dtype(shape: Sequence[int], dtype: torch.dtype) -> int:
    """Bytes of a dense tensor: elements times the size of one, without padding. A rank-0 tensor has 1 element."""
    return math.prod(shape) * dtype.itemsize


def calculate_aligned_num_bytes(num: int, alignment: int = ALIGNMENT) -> int:
    """``num`` rounded up to a multiple of ``alignment``, which must be a power of two."""
    if alignment <= 0 or alignment & (alignment - 1):
        raise ValueError(f"alignment must be a power of two, got {alignment}")
    return (num + alignment - 1) // alignment * alignment


def determine_tensor_dynanism(shape: Sequence[Any]) -> TensorShapeDynamism:
    """STATIC when every size is a plain int, otherwise DYNAMIC_BOUND: memory is always planned for a bound.

    Which dimensions have none of their own is known when shapes are evaluated (``TensorSpec.unbounded_dims``).
    """
    if all(isinstance(size, int) for size in shape):
        return TensorShapeDynamism.STATIC
    return TensorShapeDynamism.DYNAMIC_BOUND


class TensorSpec:
    """The run-time description of one tensor value.

    Several nodes share one object when they denote the same memory: an ``out=`` operator and its
    ``memory.alloc``, a ``getitem`` and the element it picks, a ``copy_`` and the buffer it writes. Object identity
    is therefore meaningful; compare with ``is``.

    Attributes:
        scalar_type: element type. ``dtype`` is the same.
        shape: sizes; symbolic until shape evaluation, then upper bounds.
        layout: always ``torch.strided`` for tensors of a program.
        is_sparse: always False for tensors of a program.
        const: True when the bytes never change (parameters, constants, buffers nobody mutates).
        requires_grad: carried over from the tensor.
        dim_order: dimensions in memory, outermost first.
        stride: strides in elements that follow from ``shape`` and ``dim_order``.
        shape_dynamism: see :class:`TensorShapeDynamism`.
        unbounded_dims: the dimensions that nothing bounds, after shape evaluation: their sizes in ``shape`` are those of
            the example inputs, which memory is planned for. A larger value takes its memory while running.
        alignment: bytes; planned offsets are multiples of it.
        mem_id: 1-based id of the memory that holds it; None while unplanned, and for values that are supplied by
            the caller or live in a constant segment.
        mem_obj_id: id of the planned object, shared by specs that reuse one location.
        mem_offset: offset in bytes within memory ``mem_id``.
        storage_base: the spec whose bytes it shares, for a value that is computed in place or as a part of another one;
            None for a value with bytes of its own. The two get one place, ``storage_base_offset`` bytes apart.
        lifetime: ``[first, last]`` index of the nodes between which the bytes must be kept; None while unknown.
        data: tensor with the bytes it starts with: the value of a constant, the initial state of a mutable
            buffer; None for everything computed.
        fully_qualified_name: name in the model (``conv1.weight``), the key of external data; None for others.
        external_tag: name of the external data file that holds ``data``; None when it stays in the program.
        device: kind of device whose memory holds it, and ``device_index`` which of them; the CPU but for inputs and
            results of delegates that run elsewhere.
        extra_tensor_info: what the program's schema says of the tensor beyond this (``schema.ExtraTensorInfo``);
            None for most.
    """

    def __init__(
        self,
        dtype: torch.dtype,
        shape: "Sequence[Any] | torch.Size",
        layout: torch.layout = torch.strided,
        is_sparse: bool = False,
        const: bool = False,
        requires_grad: bool = False,
        extra_tensor_info: Any = None,
        *,
        dim_order: "Sequence[int] | None" = None,
    ) -> None:
        self.scalar_type = dtype
        self.shape: list[Any] = list(shape)
        self.layout = layout
        self.is_sparse = is_sparse
        self.const = const
        self.requires_grad = requires_grad
        self.dim_order: tuple[int, ...] = tuple(
            contiguous_dim_order(len(self.shape)) if dim_order is None else dim_order
        )
        self.stride: tuple[Any, ...] = tuple(stride_from_dim_order(self.shape, self.dim_order))
        self.shape_dynamism = determine_tensor_dynanism(self.shape)
        self.unbounded_dims: frozenset[int] = frozenset()
        self.alignment = ALIGNMENT
        self.data: torch.Tensor | None = None
        self.fully_qualified_name: str | None = None
        self.external_tag: str | None = None
        self.extra_tensor_info = extra_tensor_info
        self.storage_base: TensorSpec | None = None
        self.storage_base_offset = 0
        self.device: int = DeviceType.CPU
        self.device_index = 0
        self.init_mem_planning_fields()

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor, const: bool = False) -> "TensorSpec":
        """Describes ``tensor`` (real or fake). With ``const=True`` it also remembers its bytes in ``data``."""
        if tensor.layout is not torch.strided:
            raise ValueError(f"only strided tensors can be part of a program, got layout {tensor.layout}")
        spec = cls(
            dtype=tensor.dtype,
            shape=tensor.shape,
            const=const,
            requires_grad=tensor.requires_grad,
            dim_order=dim_order_of(tensor.shape, tensor.stride()),
        )
        if const:
            spec.data = tensor
        return spec

    @property
    def dtype(self) -> torch.dtype:
        return self.scalar_type

    @property
    def storage(self) -> "torch.UntypedStorage | None":
        """Storage behind ``data``; None for computed values."""
        return None if self.data is None else self.data.untyped_storage()

    @property
    def inplace_base(self) -> "TensorSpec | None":
        """The spec whose bytes it overwrites: :attr:`storage_base`, which begins where it does.

        Raises:
            ValueError: it begins elsewhere; ask for ``storage_base`` and ``storage_base_offset``.
        """
        if self.storage_base_offset:
            raise ValueError(
                f"what overwrites a base begins at offset 0 of it, this one at {self.storage_base_offset}"
            )
        return self.storage_base

    @inplace_base.setter
    def inplace_base(self, base: "TensorSpec | None") -> None:
        if self.storage_base_offset:
            raise ValueError(
                f"a base is overwritten only where storage_base_offset is 0, it is {self.storage_base_offset}"
            )
        self.storage_base = base

    @property
    def is_view(self) -> bool:
        """True when the value owns no bytes but reads those of another spec (see :class:`ViewSpec`)."""
        return False

    @property
    def root(self) -> "TensorSpec":
        """The spec that owns the bytes: itself, or for a view the spec at the end of the chain."""
        return self

    @property
    def is_static_shape_tensor(self) -> bool:
        return self.shape_dynamism == TensorShapeDynamism.STATIC

    @property
    def is_upper_bound_tensor(self) -> bool:
        return self.shape_dynamism == TensorShapeDynamism.DYNAMIC_BOUND

    @property
    def is_dynamic_unbound_tensor(self) -> bool:
        return self.shape_dynamism == TensorShapeDynamism.DYNAMIC_UNBOUND

    @property
    def is_dynamic_shape_tensor(self) -> bool:
        return self.shape_dynamism != TensorShapeDynamism.STATIC

    def numel(self) -> int:
        """Number of elements (upper bound for dynamic shapes). Needs concrete sizes."""
        return math.prod(self._concrete_shape())

    def nbytes(self) -> int:
        """Bytes without padding (upper bound for dynamic shapes). Needs concrete sizes."""
        return num_bytes_from_shape_and_dtype(self._concrete_shape(), self.scalar_type)

    @property
    def allocated_memory(self) -> int:
        """Bytes to reserve: :meth:`nbytes` rounded up to ``alignment``."""
        return calculate_aligned_num_bytes(self.nbytes(), self.alignment)

    def realign(self, new_alignment: int) -> int:
        """Sets the alignment in bytes and returns the new :attr:`allocated_memory`."""
        calculate_aligned_num_bytes(0, new_alignment)
        self.alignment = new_alignment
        return self.allocated_memory

    def on_device(self, device: int, device_index: int = 0) -> "TensorSpec":
        """The spec of a copy of the tensor in the memory of a device: unplanned, and a constant no more."""
        spec = TensorSpec(
            self.scalar_type,
            self.shape,
            self.layout,
            self.is_sparse,
            requires_grad=self.requires_grad,
            dim_order=self.dim_order,
        )
        spec.shape_dynamism, spec.alignment = self.shape_dynamism, self.alignment
        spec.unbounded_dims = self.unbounded_dims
        spec.device, spec.device_index = device, device_index
        return spec

    def set_upper_bound(self, shape: Sequence[int]) -> None:
        """Replaces symbolic sizes by the upper bounds ``shape``; a static spec stays static."""
        if len(shape) != len(self.shape):
            raise ValueError(f"upper bound {list(shape)} has another rank than {self.shape}")
        if self.shape_dynamism != TensorShapeDynamism.STATIC:
            self.shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND
        self.shape = list(shape)
        self.stride = tuple(stride_from_dim_order(self.shape, self.dim_order))

    def init_mem_planning_fields(self) -> None:
        """Forgets place and lifetime, so that the graph can be planned (again)."""
        self.lifetime: list[int | None] = [None, None]
        self.mem_id: int | None = None
        self.mem_obj_id: int | None = None
        self.mem_offset: int | None = None

    def debug(self) -> str:
        """A readable dump of all fields, one a line."""
        fields = (
            ("dtype", self.scalar_type),
            ("shape", tuple(self.shape)),
            ("dim_order", self.dim_order),
            ("stride", self.stride),
            ("shape_dynamism", self.shape_dynamism.name),
            ("unbounded_dims", sorted(self.unbounded_dims)),
            ("device", _device_text(self)),
            ("const", self.const),
            ("fully_qualified_name", self.fully_qualified_name),
            ("alignment", self.alignment),
            ("mem_id", self.mem_id),
            ("mem_obj_id", self.mem_obj_id),
            ("mem_offset", self.mem_offset),
            ("lifetime", self.lifetime),
        )
        return f"{type(self).__name__}(\n" + "".join(f"  {name}={value}\n" for name, value in fields) + ")"

    def __repr__(self) -> str:
        kind = "const " if self.const else ""
        place = f" @{self.mem_id}+{self.mem_offset}" if self.mem_offset is not None else ""
        where = f"dim_order={self.dim_order}, device={_device_text(self)}{place}"
        return f"{type(self).__name__}({kind}{self.scalar_type}, {tuple(self.shape)}, {where})"

    def _concrete_shape(self) -> list[int]:
        if not all(isinstance(size, int) for size in self.shape):
            raise ValueError(f"shape {self.shape} is symbolic; evaluate upper bounds before asking for bytes")
        return self.shape


def _device_text(spec: TensorSpec) -> str:
    return f"{DeviceType(spec.device).name}:{spec.device_index}"


class ViewSpec(TensorSpec):
    """A tensor that shares all bytes of another one: same memory, other shape.

    Everything about memory (``const``, ``data``, ``mem_*``, ``lifetime``, ``alignment``, names) is read from and
    written to :attr:`base`; type, shape and layout are its own. A planner plans ``spec.root`` only and lets the
    uses of every view count as uses of its root.

    Attributes:
        base: spec of the value that was viewed (may itself be a view).
    """

    _FORWARDED = frozenset(
        {
            "const",
            "data",
            "alignment",
            "device",
            "device_index",
            "fully_qualified_name",
            "external_tag",
            "lifetime",
            "mem_id",
            "mem_obj_id",
            "mem_offset",
        }
    )

    base: TensorSpec

    def __init__(self, base: TensorSpec, shape: Sequence[Any], dtype: "torch.dtype | None" = None) -> None:
        object.__setattr__(self, "base", base)
        state = (base.const, base.lifetime, base.mem_id, base.mem_obj_id, base.mem_offset)
        names = (base.data, base.fully_qualified_name, base.external_tag, base.alignment)
        device = (base.device, base.device_index)
        super().__init__(
            dtype or base.scalar_type, shape, base.layout, base.is_sparse, base.const, base.requires_grad
        )
        base.const, base.lifetime, base.mem_id, base.mem_obj_id, base.mem_offset = state
        base.data, base.fully_qualified_name, base.external_tag, base.alignment = names
        base.device, base.device_index = device

    @property
    def is_view(self) -> bool:
        return True

    @property
    def root(self) -> TensorSpec:
        return self.base.root

    def __getattr__(self, name: str) -> Any:
        # Only reached for names that the instance itself does not have.
        if name in ViewSpec._FORWARDED and "base" in self.__dict__:
            return getattr(self.__dict__["base"], name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ViewSpec._FORWARDED:
            setattr(self.base, name, value)
        else:
            object.__setattr__(self, name, value)


__all__ = [
    "ALIGNMENT",
    "DeviceType",
    "TensorShapeDynamism",
    "TensorSpec",
    "ViewSpec",
    "calculate_aligned_num_bytes",
    "contiguous_stride_from_shape",
    "determine_tensor_dynanism",
    "dim_order_from_stride",
    "num_bytes_from_shape_and_dtype",
    "stride_from_dim_order",
]
