"""Writes a TOSA graph, operator by operator, with the shapes that follow."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch


class DType(enum.Enum):
    """Types of TOSA, by the serializer's names."""

    BOOL = "BOOL"
    INT4 = "INT4"
    INT8 = "INT8"
    INT16 = "INT16"
    INT32 = "INT32"
    INT48 = "INT48"
    FP8E4M3 = "FP8E4M3"
    FP8E5M2 = "FP8E5M2"
    BF16 = "BF16"
    FP16 = "FP16"
    FP32 = "FP32"
    SHAPE = "SHAPE"


class NanPropagationMode(enum.Enum):
    """What becomes of a NaN in a comparison."""

    PROPAGATE = "PROPAGATE"
    IGNORE = "IGNORE"


class ResizeMode(enum.Enum):
    """How RESIZE finds what lies between."""

    NEAREST = "NEAREST"
    BILINEAR = "BILINEAR"


class RoundingMode(enum.Enum):
    """How RESCALE rounds."""

    SINGLE_ROUND = "SINGLE_ROUND"


#: PyTorch's type -> TOSA's.
DTYPES = {
    torch.float32: DType.FP32,
    torch.float16: DType.FP16,
    torch.bfloat16: DType.BF16,
    torch.float8_e4m3fn: DType.FP8E4M3,
    torch.float8_e5m2: DType.FP8E5M2,
    torch.int8: DType.INT8,
    torch.int16: DType.INT16,
    torch.int32: DType.INT32,
    torch.bool: DType.BOOL,
}
_NUMPY: dict[DType, Any] = {
    DType.FP32: np.float32,
    DType.FP16: np.float16,
    DType.INT8: np.int8,
    DType.INT16: np.int16,
    DType.INT32: np.int32,
    DType.INT48: np.int64,
    DType.BOOL: np.bool_,
}
#: Those that numpy has from a package, which the serializer needs too.
_REALS_OF_PACKAGE = {DType.BF16: "bfloat16", DType.FP8E4M3: "float8_e4m3fn", DType.FP8E5M2: "float8_e5m2"}
_MORE_NUMPY = {**_REALS_OF_PACKAGE, DType.INT4: "int4"}
REALS = (DType.FP32, DType.FP16, *_REALS_OF_PACKAGE)
PROPAGATE, IGNORE = NanPropagationMode.PROPAGATE, NanPropagationMode.IGNORE


def serializer() -> Any:
    """The module that writes TOSA files.

    Raises:
        ImportError: it is not installed; it is no requirement of this library, since it asks for an older numpy.
    """
    try:
        return importlib.import_module("tosa_serializer")
    except ImportError as error:
        raise ImportError(
            f"lowering to TOSA needs its serializer: pip install tosa-tools ({error})"
        ) from error


@dataclass(frozen=True)
class Tensor:
    """A tensor of the graph."""

    name: str
    shape: tuple[int, ...]
    dtype: Any


def numpy_type(dtype: Any) -> Any:
    """numpy's type of a TOSA type."""
    if dtype in _MORE_NUMPY:
        return getattr(importlib.import_module("ml_dtypes"), _MORE_NUMPY[dtype])
    return _NUMPY[dtype]


def serializer_member(value: Any) -> Any:
    """The serializer's member for one of ours; other values are themselves."""
    if not isinstance(value, enum.Enum):
        return value
    return getattr(getattr(serializer(), type(value).__name__), value.value)


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that elementwise operators make of these, all of one rank."""
    return tuple(int(size) for size in np.broadcast_shapes(*[tuple(one) for one in shapes]))


class Builder:
    """A graph of one block."""

    def __init__(self) -> None:
        self._ts = serializer()
        self._serializer = self._ts.TosaSerializer("", self._ts.ConstMode.EMBED, 1, 0, 0, False)
        self._constants: dict[Any, Tensor] = {}
        self._shapes: dict[tuple[int, ...], str] = {}
        #: What the operators that follow come from, for messages.
        self.source = ""
        #: Written with each operator that follows, if there is one.
        self.location = ""
        #: Number of operators by name, for reports and tests.
        self.counts: dict[str, int] = {}

    @property
    def region(self) -> Any:
        return self._serializer.currRegion

    def input(self, name: str, shape: Sequence[int], dtype: Any) -> Tensor:
        """Declares the next input."""
        self.region.addInputTensor(self._ts.TosaSerializerTensor(name, list(shape), serializer_member(dtype)))
        return Tensor(name, tuple(shape), dtype)

    def output(self, tensor: Tensor) -> None:
        """Declares the next output; what is an input, a constant or an output already must be copied first."""
        block = self.region.currBasicBlock
        self.region.addOutputTensor(block.getTensorByName(tensor.name))

    def constant(self, values: Any, dtype: Any) -> Tensor:
        """A constant; equal ones are one."""
        array = np.ascontiguousarray(np.asarray(values, dtype=numpy_type(dtype))).reshape(np.shape(values))
        key = (dtype, array.shape, array.tobytes())
        if key not in self._constants:
            made = self.region.addConst(list(array.shape), serializer_member(dtype), array)
            self._constants[key] = Tensor(made.name, array.shape, dtype)
        return self._constants[key]

    def shape(self, sizes: Sequence[int]) -> str:
        """A constant of the type shape."""
        key = tuple(int(size) for size in sizes)
        if key not in self._shapes:
            self._shapes[key] = self.region.addConst(
                [len(key)], serializer_member(DType.SHAPE), list(key)
            ).name
        return self._shapes[key]

    def emit(
        self, op: str, inputs: Sequence[Tensor | str], shape: Sequence[int], dtype: Any, *attributes: Any
    ) -> Tensor:
        """Any operator. ``attributes`` stand in the serializer's order."""
        made = self.region.addIntermediate([int(size) for size in shape], serializer_member(dtype))
        attribute = self._ts.TosaSerializerAttribute()
        getattr(attribute, _ATTRIBUTES.get(op) or _camel(op))(*map(serializer_member, attributes))
        names = [one if isinstance(one, str) else one.name for one in inputs]
        location = (self._ts.TosaOpLocation(self.location),) if self.location else ()
        self.region.addOperator(getattr(self._ts.Op, op), names, [made.name], attribute, *location)
        self.counts[op] = self.counts.get(op, 0) + 1
        return Tensor(made.name, tuple(int(size) for size in shape), dtype)

    def serialize(self) -> bytes:
        """The file."""
        return bytes(self._serializer.serialize())

    # Elementwise. Operands have one rank.

    def scalar(self, value: Any, like: Tensor) -> Tensor:
        """A constant of one element, of the type and rank of another tensor."""
        return self.constant(np.full([1] * len(like.shape), value), like.dtype)

    def binary(self, op: str, a: Tensor, b: Tensor, *attributes: Any) -> Tensor:
        """An operator whose result has the type of its operands."""
        return self.emit(op, [a, b], broadcast(a.shape, b.shape), a.dtype, *attributes)

    def compare(self, op: str, a: Tensor, b: Tensor) -> Tensor:
        return self.emit(op, [a, b], broadcast(a.shape, b.shape), DType.BOOL)

    def unary(self, op: str, a: Tensor) -> Tensor:
        return self.emit(op, [a], a.shape, a.dtype)

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("ADD", a, b)

    def sub(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("SUB", a, b)

    def mul(self, a: Tensor, b: Tensor, shift: int = 0) -> Tensor:
        """The product; of integers an int32, shifted right with rounding."""
        dtype = DType.INT32 if a.dtype in (DType.INT8, DType.INT16) else a.dtype
        inputs = [a, b, self.constant([shift], DType.INT8)]
        return self.emit("MUL", inputs, broadcast(a.shape, b.shape), dtype)

    def maximum(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("MAXIMUM", a, b, PROPAGATE)

    def minimum(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("MINIMUM", a, b, PROPAGATE)

    def clamp(self, a: Tensor, low: float, high: float) -> Tensor:
        """Limits; infinite ones are those of the type. TOSA's CLAMP has no int32."""
        kind: Any = numpy_type(a.dtype)
        if a.dtype in REALS:
            limits = [np.asarray(one, kind) for one in (low, high)]
        else:
            info = np.iinfo(kind)
            limits = [kind(min(max(one, info.min), info.max)) for one in (low, high)]
        if a.dtype == DType.INT32:
            return self.minimum(self.maximum(a, self.scalar(limits[0], a)), self.scalar(limits[1], a))
        raw = [list(one.tobytes()) for one in limits]
        return self.emit("CLAMP", [a], a.shape, a.dtype, raw[0], raw[1], PROPAGATE)

    def negate(self, a: Tensor) -> Tensor:
        zero = self.constant([0], a.dtype)
        return self.emit("NEGATE", [a, zero, zero], a.shape, a.dtype)

    def select(self, condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
        shape = broadcast(condition.shape, a.shape, b.shape)
        return self.emit("SELECT", [condition, a, b], shape, a.dtype)

    def cast(self, a: Tensor, dtype: Any) -> Tensor:
        return a if a.dtype == dtype else self.emit("CAST", [a], a.shape, dtype)

    def shift_right(self, a: Tensor, b: Tensor, rounded: bool = False) -> Tensor:
        return self.binary("ARITHMETIC_RIGHT_SHIFT", a, b, rounded)

    def identity(self, a: Tensor) -> Tensor:
        return self.unary("IDENTITY", a)

    # Reductions and movers.

    def reduce(self, op: str, a: Tensor, axis: int) -> Tensor:
        """Along one axis, which stays with size 1."""
        more = (PROPAGATE,) if op in ("REDUCE_MAX", "REDUCE_MIN") else ()
        shape = [1 if i == axis else size for i, size in enumerate(a.shape)]
        return self.emit(op, [a], shape, a.dtype, axis, *more)

    def reshape(self, a: Tensor, shape: Sequence[int]) -> Tensor:
        if tuple(shape) == a.shape:
            return a
        return self.emit("RESHAPE", [a, self.shape(shape)], shape, a.dtype)

    def transpose(self, a: Tensor, order: Sequence[int]) -> Tensor:
        """No data moves where only dimensions of size 1 change places."""
        order = [int(one) for one in order]
        shape = [a.shape[one] for one in order]
        moved = [one for one in order if a.shape[one] != 1]
        if moved == sorted(moved):
            return self.reshape(a, shape)
        return self.emit("TRANSPOSE", [a], shape, a.dtype, order)

    def slice(self, a: Tensor, start: Sequence[int], size: Sequence[int]) -> Tensor:
        if tuple(size) == a.shape:
            return a
        return self.emit("SLICE", [a, self.shape(start), self.shape(size)], size, a.dtype)

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        if len(tensors) == 1:
            return tensors[0]
        shape = list(tensors[0].shape)
        shape[axis] = sum(one.shape[axis] for one in tensors)
        return self.emit("CONCAT", tensors, shape, tensors[0].dtype, axis)

    def tile(self, a: Tensor, multiples: Sequence[int]) -> Tensor:
        if all(one == 1 for one in multiples):
            return a
        shape = [size * times for size, times in zip(a.shape, multiples, strict=True)]
        return self.emit("TILE", [a, self.shape(multiples)], shape, a.dtype)

    def pad(self, a: Tensor, widths: Sequence[tuple[int, int]], value: float) -> Tensor:
        flat = [int(one) for width in widths for one in width]
        if not any(flat):
            return a
        shape = [size + low + high for size, (low, high) in zip(a.shape, widths, strict=True)]
        return self.emit("PAD", [a, self.shape(flat), self.constant([value], a.dtype)], shape, a.dtype)

    def gather(self, values: Tensor, indices: Tensor) -> Tensor:
        """Rows ``[N, W, C]`` of ``[N, K, C]``."""
        shape = [values.shape[0], indices.shape[1], values.shape[2]]
        return self.emit("GATHER", [values, indices], shape, values.dtype)

    def table(self, a: Tensor, values: Any) -> Tensor:
        """256 entries of int8 for int8; 513 of int16 for int16, whose result is an int32 with 7 bits of fraction."""
        wide = a.dtype == DType.INT16
        inputs = [a, self.constant(values, a.dtype)]
        return self.emit("TABLE", inputs, a.shape, DType.INT32 if wide else DType.INT8)


def _camel(op: str) -> str:
    return "".join(part.capitalize() for part in op.split("_")) + "Attribute"


#: Where the serializer's name of an operator's attributes does not follow from the operator's.
_ATTRIBUTES = {
    "ARGMAX": "ArgMaxAttribute",
    "INTDIV": "IntDivAttribute",
    "MATMUL": "MatMulAttribute",
    "AVG_POOL2D": "AvgPool2dAttribute",
    "MAX_POOL2D": "MaxPool2dAttribute",
    "CONV2D": "Conv2dAttribute",
    "CONV3D": "Conv3dAttribute",
    "DEPTHWISE_CONV2D": "DepthwiseConv2dAttribute",
    "TRANSPOSE_CONV2D": "TransposeConv2dAttribute",
}
