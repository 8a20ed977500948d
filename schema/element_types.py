"""What each element type of the files is called elsewhere, and how much room an element takes.

`scalar_type.fbs` has the numbers; whoever needs names or sizes to them asks here.
"""

from __future__ import annotations

from typing import NamedTuple

from executorch.schema.scalar_type import ScalarType


class ElementType(NamedTuple):
    """One type.

    Attributes:
        name: PyTorch's (`torch.NAME`).
        cpp: of the member of C++'s `ScalarType`, which kernel keys and `functions.yaml` use too.
        itemsize: bytes of an element.
    """

    name: str
    cpp: str
    itemsize: int


ELEMENT_TYPES: dict[ScalarType, ElementType] = {
    ScalarType.BYTE: ElementType("uint8", "Byte", 1),
    ScalarType.CHAR: ElementType("int8", "Char", 1),
    ScalarType.SHORT: ElementType("int16", "Short", 2),
    ScalarType.INT: ElementType("int32", "Int", 4),
    ScalarType.LONG: ElementType("int64", "Long", 8),
    ScalarType.HALF: ElementType("float16", "Half", 2),
    ScalarType.FLOAT: ElementType("float32", "Float", 4),
    ScalarType.DOUBLE: ElementType("float64", "Double", 8),
    ScalarType.COMPLEX32: ElementType("complex32", "ComplexHalf", 4),
    ScalarType.COMPLEX64: ElementType("complex64", "ComplexFloat", 8),
    ScalarType.COMPLEX128: ElementType("complex128", "ComplexDouble", 16),
    ScalarType.BOOL: ElementType("bool", "Bool", 1),
    ScalarType.QINT8: ElementType("qint8", "QInt8", 1),
    ScalarType.QUINT8: ElementType("quint8", "QUInt8", 1),
    ScalarType.QINT32: ElementType("qint32", "QInt32", 4),
    ScalarType.BFLOAT16: ElementType("bfloat16", "BFloat16", 2),
    ScalarType.QUINT4X2: ElementType("quint4x2", "QUInt4x2", 1),
    ScalarType.QUINT2X4: ElementType("quint2x4", "QUInt2x4", 1),
    ScalarType.BITS16: ElementType("bits16", "Bits16", 2),
    ScalarType.FLOAT8E5M2: ElementType("float8_e5m2", "Float8_e5m2", 1),
    ScalarType.FLOAT8E4M3FN: ElementType("float8_e4m3fn", "Float8_e4m3fn", 1),
    ScalarType.FLOAT8E5M2FNUZ: ElementType("float8_e5m2fnuz", "Float8_e5m2fnuz", 1),
    ScalarType.FLOAT8E4M3FNUZ: ElementType("float8_e4m3fnuz", "Float8_e4m3fnuz", 1),
    ScalarType.UINT16: ElementType("uint16", "UInt16", 2),
    ScalarType.UINT32: ElementType("uint32", "UInt32", 4),
    ScalarType.UINT64: ElementType("uint64", "UInt64", 8),
}

#: Numbers that C++ has names for and that no file carries, which is why the schema leaves them out.
_BITS = {18: "Bits1x8", 19: "Bits2x4", 20: "Bits4x2", 21: "Bits8"}

#: Number -> name in C++'s `ScalarType`.
CPP_NAMES: dict[int, str] = dict(
    sorted({**{int(kind): known.cpp for kind, known in ELEMENT_TYPES.items()}, **_BITS}.items())
)
