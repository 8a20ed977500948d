"""C++ that turns the values of a stack into the arguments of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchgen.model import Argument, BaseTy, BaseType, ListType, NativeFunction, OptionalType, Type

if TYPE_CHECKING:
    from torchgen.api.types import Binding, CType, NamedCType

#: Between two lines of the body of a generated function.
connector = "\n\t"

# How a value gives a list of these; the rest has to be taken element by element.
_LISTS = {
    BaseTy.float: "toDoubleList",
    BaseTy.int: "toIntList",
    BaseTy.SymInt: "toIntList",
    BaseTy.Tensor: "toTensorList",
}
_CLOSE_LIST = " " * 16
_CLOSE_OPTIONAL = " " * 12


def name(f: NativeFunction) -> str:
    """A C++ name for an operator with its overload."""
    return f.func.name.unambiguous_name()


@dataclass(frozen=True)
class Unboxing:
    """Writes conversions.

    Attributes:
        argument_type_gen: the C++ type of a parameter, the runtime's or PyTorch's.
    """

    argument_type_gen: Callable[..., NamedCType]

    def convert_arguments(self, args: Sequence[Binding]) -> tuple[list[Binding], list[str]]:
        """What a function begins with that finds its arguments on `stack`.

        Returns:
            The arguments under the names of the converted values, and the lines of C++.
        """
        values = [f"EValue& {arg.name} = *stack[{i}];" for i, arg in enumerate(args)]
        bindings = []
        conversions: list[str] = []
        for arg in args:
            argument = arg.argument
            if not isinstance(argument, Argument):
                raise Exception(f"argument {arg.name} has tensor options, which no kernel takes")
            converted, _, lines, declarations = self.argumenttype_evalue_convert(
                argument.type, argument.name, mutable=argument.is_write
            )
            conversions += declarations + lines
            bindings.append(arg.with_name(converted))
        return bindings, values + conversions

    def argumenttype_evalue_convert(
        self, t: Type, arg_name: str, *, mutable: bool = False
    ) -> tuple[str, CType, list[str], list[str]]:
        """Converts one value.

        Returns:
            The name of the converted value, its C++ type, the lines that convert, and those that declare
            what the first ones need.
        """
        ctype = self.argument_type_gen(t, mutable=mutable, binds=arg_name).type
        if isinstance(t, BaseType):
            converted = f"{arg_name}_base"
            lines, declarations = self._gen_code_base_type(arg_name, converted, ctype)
        elif isinstance(t, OptionalType):
            converted = f"{arg_name}_opt_out"
            lines, declarations = self._gen_code_optional_type(arg_name, converted, t, ctype)
        elif isinstance(t, ListType):
            converted = f"{arg_name}_list_out"
            lines, declarations = self._gen_code_list_type(arg_name, converted, t, ctype)
        else:
            raise Exception(f"no conversion for {t} of {arg_name}")
        return converted, ctype, lines, declarations

    def _gen_code_base_type(self, arg_name: str, out_name: str, ctype: CType) -> tuple[list[str], list[str]]:
        value = ctype.cpp_type(strip_ref=True)
        return [f"{ctype.cpp_type()} {out_name} = {arg_name}.to<{value}>();"], []

    def _gen_code_optional_type(
        self, arg_name: str, out_name: str, t: OptionalType, ctype: CType
    ) -> tuple[list[str], list[str]]:
        _, element, _, declarations = self.argumenttype_evalue_convert(t.elem, f"{arg_name}_opt_in")
        value = element.cpp_type(strip_ref=True)
        line = f"    auto {out_name} = {arg_name}.toOptional<{value}>();"
        return ["", line, _CLOSE_OPTIONAL], declarations

    def _gen_code_list_type(
        self, arg_name: str, out_name: str, t: ListType, ctype: CType
    ) -> tuple[list[str], list[str]]:
        elem = t.elem
        if isinstance(elem, BaseType) and elem.name in _LISTS:
            return ["", f"    auto {out_name} = {arg_name}.{_LISTS[elem.name]}();", _CLOSE_LIST], []
        if elem == BaseType(BaseTy.bool):
            return self._bool_list(arg_name, out_name, t), []
        if elem == OptionalType(BaseType(BaseTy.Tensor)):
            return self._optional_tensor_list(arg_name, out_name), []
        return self._other_list(arg_name, out_name, elem, ctype)

    def _bool_list(self, arg_name: str, out_name: str, t: ListType) -> list[str]:
        return [
            "",
            "#ifdef USE_ATEN_LIB",
            f"std::array<bool, {t.size}> {out_name};",
            f"auto {arg_name}_list_in = {arg_name}.toBoolList();",
            "size_t _i = 0;",
            f"for (auto {arg_name}_elem: {arg_name}_list_in) {{",
            f"    {out_name}[_i++] = {arg_name}_elem;",
            "}",
            "#else",
            f"auto {out_name} = {arg_name}.toBoolList();",
            "#endif",
            _CLOSE_LIST,
        ]

    def _optional_tensor_list(self, arg_name: str, out_name: str) -> list[str]:
        return [
            "",
            "#ifdef USE_ATEN_LIB",
            f"auto {arg_name}_list_in = {arg_name}.toListOptionalTensor();",
            f"c10::List<::std::optional<at::Tensor>> {out_name};",
            f"for (auto {arg_name}_elem: {arg_name}_list_in) {{",
            f"    {out_name}.push_back({arg_name}_elem);",
            "}",
            "#else",
            f"auto {out_name} = {arg_name}.toListOptionalTensor();",
            "#endif",
            _CLOSE_LIST,
        ]

    def _other_list(
        self, arg_name: str, out_name: str, elem: Type, ctype: CType
    ) -> tuple[list[str], list[str]]:
        item = f"{arg_name}_elem"
        converted, element, lines, declarations = self.argumenttype_evalue_convert(elem, item)
        value = element.cpp_type(strip_ref=True)
        body = connector.join(lines).split("\n")
        return [
            "",
            f"    for (EValue {item}: {arg_name}_list_in) {{",
            f"        {body[0]}",
            *body[1:],
            f"        {arg_name}_vec.push_back({converted});",
            "    }",
            f"    {ctype.cpp_type(strip_ref=True)} {out_name}({arg_name}_vec);",
            _CLOSE_LIST,
        ], [*declarations, f"std::vector<{value}> {arg_name}_vec;"]
