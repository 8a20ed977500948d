"""The runtime's C++ types, in the terms of PyTorch's generator."""

from __future__ import annotations

from dataclasses import dataclass

from torchgen.api.types import (
    BaseCppType,
    BaseCType,
    Binding,
    CType,
    Expr,
    MutRefCType,
    NamedCType,
    boolT,
    doubleT,
    longT,
)
from torchgen.model import BaseTy

_RUNTIME = "torch::executor"

halfT = BaseCppType(_RUNTIME, "Half")
bfloat16T = BaseCppType(_RUNTIME, "BFloat16")
stringT = BaseCppType("std", "string_view")
scalarTypeT = BaseCppType(_RUNTIME, "ScalarType")
tensorT = BaseCppType(_RUNTIME, "Tensor")
tensorListT = BaseCppType(_RUNTIME, "TensorList")
scalarT = BaseCppType(_RUNTIME, "Scalar")
memoryFormatT = BaseCppType(_RUNTIME, "MemoryFormat")
intArrayRefT = BaseCppType(_RUNTIME, "IntArrayRef")
optionalT = BaseCppType("std", "optional")
contextT = BaseCppType(_RUNTIME, "KernelRuntimeContext")

_context = NamedCType(name="context", type=MutRefCType(BaseCType(contextT)))
#: The parameter that every kernel takes first, and the name that it is passed on by.
contextArg = Binding(name="context", nctype=_context, argument=None, default=None)  # type: ignore[arg-type]
contextExpr = Expr(expr="context", type=_context)

#: What a schema's plain types are in C++.
BaseTypeToCppMapping: dict[BaseTy, BaseCppType] = {
    BaseTy.int: longT,
    BaseTy.float: doubleT,
    BaseTy.bool: boolT,
    BaseTy.str: stringT,
    BaseTy.ScalarType: scalarTypeT,
    BaseTy.Tensor: tensorT,
    BaseTy.Scalar: scalarT,
    BaseTy.MemoryFormat: memoryFormatT,
}


@dataclass(frozen=True)
class _TemplateCType(CType):
    elem: CType

    def cpp_type(self, *, strip_ref: bool = False) -> str:
        """The type's C++ text; the element is written without its reference, which a container cannot hold."""
        return f"{self._template()}<{self.elem.cpp_type(strip_ref=True)}>"

    def _template(self) -> str:
        raise NotImplementedError

    def remove_const_ref(self) -> CType:
        return type(self)(self.elem.remove_const_ref())


@dataclass(frozen=True)
class OptionalCType(_TemplateCType):
    """`std::optional<elem>`."""

    def _template(self) -> str:
        return str(optionalT)


@dataclass(frozen=True)
class ArrayRefCType(_TemplateCType):
    """`torch::executor::ArrayRef<elem>`."""

    def _template(self) -> str:
        return f"{_RUNTIME}::ArrayRef"
