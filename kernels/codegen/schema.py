"""Operator schemas: parsing, and the C++ signature that a kernel for a schema has.

The text form is PyTorch's, for instance
`aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

DEFAULT_NAMESPACE = "aten"

_TENSOR = "executorch::aten::Tensor"

# Schema type -> C++ parameter type. Lists, with their optional sizes, are reduced to `[]` first.
_PARAMETER_TYPES = {
    "Tensor": f"const {_TENSOR}&",
    "Tensor?": f"const std::optional<{_TENSOR}>&",
    "Tensor[]": "executorch::aten::ArrayRef<executorch::aten::Tensor>",
    "Tensor?[]": f"executorch::aten::ArrayRef<std::optional<{_TENSOR}>>",
    "Scalar": "const executorch::aten::Scalar&",
    "Scalar?": "const std::optional<executorch::aten::Scalar>&",
    "Scalar[]": "executorch::aten::ArrayRef<executorch::aten::Scalar>",
    "int": "int64_t",
    "int?": "std::optional<int64_t>",
    "int[]": "executorch::aten::ArrayRef<int64_t>",
    "int[]?": "executorch::aten::OptionalArrayRef<int64_t>",
    "float": "double",
    "float?": "std::optional<double>",
    "float[]": "executorch::aten::ArrayRef<double>",
    "float[]?": "executorch::aten::OptionalArrayRef<double>",
    "bool": "bool",
    "bool?": "std::optional<bool>",
    "bool[]": "executorch::aten::ArrayRef<bool>",
    "bool[]?": "executorch::aten::OptionalArrayRef<bool>",
    "str": "std::string_view",
    "str?": "std::optional<std::string_view>",
    "ScalarType": "executorch::aten::ScalarType",
    "ScalarType?": "std::optional<executorch::aten::ScalarType>",
    "MemoryFormat": "executorch::aten::MemoryFormat",
    "MemoryFormat?": "std::optional<executorch::aten::MemoryFormat>",
    "Layout": "executorch::aten::Layout",
    "Layout?": "std::optional<executorch::aten::Layout>",
    "Device": "executorch::aten::Device",
    "Device?": "std::optional<executorch::aten::Device>",
}


class SchemaError(ValueError):
    """A schema that cannot be parsed, or that no kernel can have. The message quotes it."""


@dataclass(frozen=True)
class Argument:
    """One argument: `type` without alias annotation and list sizes, SymInt as int."""

    name: str
    type: str
    written: bool

    @property
    def is_tensor(self) -> bool:
        """Whether the argument counts in kernel keys: a tensor by itself, not a list of them."""
        return self.type in ("Tensor", "Tensor?")

    @property
    def cpp_type(self) -> str:
        """The type of the kernel's parameter."""
        if self.written and self.type == "Tensor":
            return f"{_TENSOR}&"
        try:
            return _PARAMETER_TYPES[self.type]
        except KeyError:
            raise SchemaError(f"argument {self.name!r} has the unsupported type {self.type!r}") from None


@dataclass(frozen=True)
class Schema:
    """An operator: `namespace::name.overload(arguments)`."""

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: int

    @property
    def full_name(self) -> str:
        """The registry's key: with namespace, and with overload if there is one."""
        suffix = f".{self.overload}" if self.overload else ""
        return f"{self.namespace}::{self.name}{suffix}"

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """The arguments that the kernel writes."""
        return tuple(a for a in self.arguments if a.written)

    @property
    def is_functional(self) -> bool:
        """True for an operator that returns a new tensor instead of writing an argument."""
        return self.returns == 1 and not self.outputs

    @property
    def cpp_return_type(self) -> str:
        """`Tensor&`, a tuple of them, or void for lists and for operators that return nothing."""
        if self.returns == 0 or any(a.type == "Tensor[]" for a in self.outputs):
            return "void"
        if self.returns == 1:
            return f"{_TENSOR}&"
        return f"std::tuple<{', '.join([f'{_TENSOR}&'] * self.returns)}>"

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """The kernel's parameters after the context: the arguments and, if functional, the result to write."""
        return self.arguments + ((Argument("out", "Tensor", True),) if self.is_functional else ())

    @property
    def cpp_parameters(self) -> list[str]:
        """Types of the kernel's parameters after the context."""
        return [a.cpp_type for a in self.parameters]


def split_name(text: str) -> tuple[str, str, str]:
    """Splits `ns::name.overload` into its three parts; namespace `aten` and no overload by default."""
    namespace, separator, rest = text.partition("::")
    if not separator:
        namespace, rest = DEFAULT_NAMESPACE, text
    name, _, overload = rest.partition(".")
    if not name.isidentifier() or not namespace.isidentifier():
        raise SchemaError(f"{text!r} is not an operator name; expected [namespace::]name[.overload]")
    return namespace, name, overload


def canonical_name(text: str) -> str:
    """The operator name with its namespace, as in the registry."""
    namespace, name, overload = split_name(text.strip())
    return f"{namespace}::{name}" + (f".{overload}" if overload else "")


def _split_arguments(text: str) -> Iterator[str]:
    """Splits at commas that are outside of brackets and quotes."""
    depth = 0
    quoted = False
    start = 0
    for i, c in enumerate(text):
        if c == "'":
            quoted = not quoted
        elif not quoted and c in "([":
            depth += 1
        elif not quoted and c in ")]":
            depth -= 1
        elif c == "," and depth == 0 and not quoted:
            yield text[start:i].strip()
            start = i + 1
    if text[start:].strip():
        yield text[start:].strip()


def _parse_argument(text: str) -> Argument:
    declaration = text.split("=", 1)[0].strip()
    type_text, _, name = declaration.rpartition(" ")
    if not type_text or not name.isidentifier():
        raise SchemaError(f"{text!r} is not an argument; expected `Type name`")
    written = "!" in type_text
    type_text = re.sub(r"\([a-z0-9|!\->* ]*\)", "", type_text)
    type_text = re.sub(r"\[\d+\]", "[]", type_text).replace("SymInt", "int")
    return Argument(name, type_text, written)


def _count_returns(text: str) -> int:
    text = text.strip()
    if text == "()":
        return 0
    if text.startswith("("):
        return len(list(_split_arguments(text[1:-1])))
    return 1


def parse_schema(text: str) -> Schema:
    """Parses one schema.

    Raises:
        SchemaError: with the text and what was expected.
    """
    match = re.fullmatch(r"\s*([\w:.]+)\s*\((.*)\)\s*->\s*(.+?)\s*", text, re.DOTALL)
    if match is None:
        raise SchemaError(f"cannot parse {text!r}; expected `name.overload(arguments) -> returns`")
    namespace, name, overload = split_name(match[1])
    try:
        arguments = tuple(_parse_argument(a) for a in _split_arguments(match[2]) if a != "*")
        schema = Schema(namespace, name, overload, arguments, _count_returns(match[3]))
        _ = schema.cpp_parameters
    except SchemaError as error:
        raise SchemaError(f"in the schema of {match[1]}: {error}") from None
    return schema
