"""From a schema's types and defaults to the C++ of the runtime's kernels.

A kernel takes tensors and scalars by reference, lists as views and everything else by value, and gives back what it
writes by reference.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchgen import local
from torchgen.api.types import (
    ArgName,
    BaseCType,
    Binding,
    ConstRefCType,
    CType,
    MutRefCType,
    NamedCType,
    SpecialArgName,
    TupleCType,
    VectorCType,
    voidT,
)
from torchgen.model import (
    Argument,
    Arguments,
    BaseTy,
    BaseType,
    ListType,
    NativeFunction,
    OptionalType,
    Return,
    SelfArgument,
    TensorOptionsArguments,
    Type,
)

from executorch.codegen.api.cpp_types import (
    ArrayRefCType,
    BaseTypeToCppMapping,
    OptionalCType,
    boolT,
    longT,
    scalarT,
    tensorListT,
    tensorT,
)

_TENSOR = BaseType(BaseTy.Tensor)
_SCALAR = BaseType(BaseTy.Scalar)

#: Defaults that are spelled differently in schemas and in C++.
JIT_TO_CPP_DEFAULT = {
    "False": "false",
    "True": "true",
    "None": "torch::execustd::nullopt",
    "[]": "{}",
    "contiguous_format": "torch::executorch::MemoryFormat::Contiguous",
    "long": "torch::executorch::kLong",
}


def valuetype_type(t: Type, *, binds: ArgName) -> NamedCType | None:
    """The C++ type of what is passed by value wherever it stands; None for tensors, scalars and lists."""
    if isinstance(t, BaseType):
        if t in (_TENSOR, _SCALAR):
            return None
        # Symbolic sizes are numbers by the time a program runs.
        cpp = longT if t.name is BaseTy.SymInt else BaseTypeToCppMapping[t.name]
        return NamedCType(binds, BaseCType(cpp))
    if isinstance(t, OptionalType):
        elem = valuetype_type(t.elem, binds=binds)
        return None if elem is None else NamedCType(binds, OptionalCType(elem.type))
    if isinstance(t, ListType):
        if t.elem != BaseType(BaseTy.bool):
            return None
        assert t.size is not None, f"a list of truth values needs a size, such as bool[2]; got {t}"
        return NamedCType(binds, ArrayRefCType(BaseCType(boolT)))
    raise AssertionError(f"no C++ type for {t!r}")


def _tensor(mutable: bool) -> CType:
    tensor = BaseCType(tensorT)
    const = not mutable or local.use_const_ref_for_mutable_tensors()
    return ConstRefCType(tensor) if const else MutRefCType(tensor)


def _optional_type(elem: Type, *, mutable: bool, binds: ArgName) -> NamedCType:
    if elem == _TENSOR:
        if mutable and not local.use_const_ref_for_mutable_tensors():
            return NamedCType(binds, MutRefCType(BaseCType(tensorT)))
        return NamedCType(binds, ConstRefCType(OptionalCType(BaseCType(tensorT))))
    if elem == _SCALAR:
        return NamedCType(binds, ConstRefCType(OptionalCType(BaseCType(scalarT))))
    return NamedCType(binds, OptionalCType(argumenttype_type(elem, mutable=mutable, binds=binds).type))


def _list_type(t: ListType, *, mutable: bool, binds: ArgName) -> NamedCType:
    elem = t.elem
    if elem == _TENSOR:
        return NamedCType(binds, BaseCType(tensorListT))
    if elem == OptionalType(_TENSOR):
        return NamedCType(binds, ArrayRefCType(OptionalCType(BaseCType(tensorT))))
    return NamedCType(binds, ArrayRefCType(argumenttype_type(elem, mutable=mutable, binds=binds).type))


def argumenttype_type(
    t: Type, *, mutable: bool, binds: ArgName, remove_non_owning_ref_types: bool = False
) -> NamedCType:
    """The C++ type of a parameter.

    Args:
        t: the schema's type.
        mutable: the kernel writes it.
        binds: the parameter's name.
        remove_non_owning_ref_types: without meaning here; PyTorch's generator has it.
    """
    by_value = valuetype_type(t, binds=binds)
    if by_value is not None:
        return by_value
    if isinstance(t, BaseType):
        if t == _TENSOR:
            return NamedCType(binds, _tensor(mutable))
        return NamedCType(binds, ConstRefCType(BaseCType(scalarT)))
    if isinstance(t, OptionalType):
        return _optional_type(t.elem, mutable=mutable, binds=binds)
    if isinstance(t, ListType):
        return _list_type(t, mutable=mutable, binds=binds)
    raise AssertionError(f"no C++ type for {t!r}")


def argument_type(a: Argument, *, binds: ArgName) -> NamedCType:
    """The C++ type of a schema's argument."""
    return argumenttype_type(a.type, mutable=a.is_write, binds=binds)


def returntype_type(t: Type, *, mutable: bool) -> CType:
    """The C++ type of a result; what the kernel wrote is given back by reference."""
    by_value = valuetype_type(t, binds="__placeholder__")
    if by_value is not None:
        return by_value.type
    if t == _TENSOR:
        return _tensor(mutable) if mutable else BaseCType(tensorT)
    if t == _SCALAR:
        return BaseCType(scalarT)
    if isinstance(t, ListType):
        assert not mutable, f"an operator that writes {t} returns nothing: give it () as its result"
        assert t.size is None, f"a result of fixed size has no C++ type: {t}"
        return VectorCType(returntype_type(t.elem, mutable=False))
    raise AssertionError(f"unrecognized return type {t}")


def return_type(r: Return) -> CType:
    return returntype_type(r.type, mutable=r.is_write)


def returns_type(rs: Sequence[Return]) -> CType:
    """The C++ type of a function's results together: nothing, one, or a tuple."""
    if not rs:
        return BaseCType(voidT)
    types = [return_type(r) for r in rs]
    return types[0] if len(types) == 1 else TupleCType(types)


def return_names(f: NativeFunction, *, fallback_name: str = "result") -> Sequence[str]:
    """Names of the results: `self` in place, the output's name, the schema's own, or the fallback with numbers."""
    outputs = f.func.arguments.out
    returns = f.func.returns
    names = []
    for i, r in enumerate(returns):
        if f.func.name.name.inplace:
            assert i == 0, "an operator in place has one result"
            name = "self"
        elif f.func.is_out_fn():
            name = outputs[i].name
        elif r.name:
            clashes = any(r.name == argument.name for argument in f.func.schema_order_arguments())
            name = f"{r.name}_return" if clashes and not f.func.is_out_fn() else r.name
        else:
            name = fallback_name if len(returns) == 1 else f"{fallback_name}{i}"
        names.append(name)
    return names


def default_expr(d: str, t: Type) -> str:
    """A default of a schema as C++.

    Raises:
        ValueError: a list's default has not the list's size.
    """
    if d == "None" and str(t) == "Tensor?":
        return "{}"
    if isinstance(t, BaseType) and t.name is BaseTy.str:
        return _string(d)
    if isinstance(t, OptionalType):
        return "std::nullopt" if d == "None" else default_expr(d, t.elem)
    if isinstance(t, ListType):
        return _list_default(d, t)
    return JIT_TO_CPP_DEFAULT.get(d, d)


def _string(d: str) -> str:
    """A schema's text, in one or two quotes, as a C++ literal."""
    if len(d) < 2 or d[0] != "'" or d[-1] != "'":
        return d
    body = d[1:-1].replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'


def _list_default(d: str, t: ListType) -> str:
    if d.startswith("[") and d.endswith("]"):
        return "{" + ",".join(JIT_TO_CPP_DEFAULT.get(e, e) for e in d[1:-1].replace(" ", "").split(",")) + "}"
    if t.size is None and d.isdigit():
        # A single number for a list of no fixed size would be ambiguous.
        raise ValueError(f"Expected a list default such as [{d}] of {t}, got {d}")
    return JIT_TO_CPP_DEFAULT.get(d, d)


def argument(
    a: Argument | TensorOptionsArguments | SelfArgument,
    *,
    cpp_no_default_args: set[str],
    method: bool,
    faithful: bool,
    has_tensor_options: bool,
) -> list[Binding]:
    """The parameters that an argument becomes.

    Args:
        a: the argument.
        cpp_no_default_args: names of arguments without defaults.
        method: `self` is the object, no parameter.
        faithful: outputs stand last and have no defaults.
        has_tensor_options: the operator has dtype, layout, device and pin memory as one.
    """
    if isinstance(a, Argument):
        binds: ArgName = a.name
        if a.name == "memory_format" and has_tensor_options:
            binds = SpecialArgName.possibly_redundant_memory_format
        default = None
        if a.name not in cpp_no_default_args and a.default is not None:
            default = default_expr(a.default, a.type)
        return [Binding(nctype=argument_type(a, binds=binds), name=a.name, default=default, argument=a)]
    if isinstance(a, SelfArgument):
        if method:
            return []
        return argument(
            a.argument,
            cpp_no_default_args=cpp_no_default_args,
            method=method,
            faithful=faithful,
            has_tensor_options=has_tensor_options,
        )
    if isinstance(a, TensorOptionsArguments):
        raise NotImplementedError("the runtime has no tensor options; name the out variant of the operator")
    raise AssertionError(f"no argument: {a!r}")


def arguments(
    arguments: Arguments, *, faithful: bool, method: bool, cpp_no_default_args: set[str]
) -> list[Binding]:
    """The parameters of a schema's arguments, outputs last (`faithful`) or first."""
    ordered: list[Argument | TensorOptionsArguments | SelfArgument] = []
    if faithful:
        ordered += [*arguments.non_out, *arguments.out]
    else:
        ordered += [*arguments.out, *arguments.non_out]
    return [
        binding.no_default() if faithful else binding
        for a in ordered
        for binding in argument(
            a,
            faithful=faithful,
            method=method,
            has_tensor_options=arguments.tensor_options is not None,
            cpp_no_default_args=cpp_no_default_args,
        )
    ]
