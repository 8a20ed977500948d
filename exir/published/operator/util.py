"""Schemas of out variants."""

import re
import string

import torch


def gen_out_variant_schema(func_op_schema: str) -> str:
    """Schema of the out variant that belongs to a functional schema.

    ``foo::bar(Tensor x) -> Tensor`` gives ``foo::bar.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)``; the overload
    ``baz`` gives ``baz_out``; several results give ``out0``, ``out1`` ... An in-place schema (``foo::bar_(Tensor(a!) x)
    -> Tensor(a!)``) gives what the functional one would.

    Raises:
        ValueError: a result is not a tensor.
    """
    schema = torch._C.parse_schema(func_op_schema)
    if schema.name.endswith("_") and _writes(schema.returns):
        func_op_schema = re.sub(r"^([^(.]*)_([.(])", r"\1\2", func_op_schema.strip(), count=1)
        func_op_schema = re.sub(r"Tensor\(\w+!\)", "Tensor", func_op_schema)
        schema = torch._C.parse_schema(func_op_schema)
    not_tensors = [str(ret.type) for ret in schema.returns if str(ret.type) != "Tensor"]
    if not_tensors or not schema.returns:
        raise ValueError(
            f"only tensors can be written to out arguments; {func_op_schema} returns {not_tensors}"
        )
    name, _, rest = func_op_schema.partition("(")
    arguments = (
        rest.rpartition(")")[0] if "->" not in rest else rest.rpartition("->")[0].strip().removesuffix(")")
    )
    overload = f"{schema.overload_name}_out" if schema.overload_name else "out"
    names = ["out"] if len(schema.returns) == 1 else [f"out{index}" for index in range(len(schema.returns))]
    taken = set(re.findall(r"\((\w)!?[ |)]", arguments))
    letters = [letter for letter in string.ascii_lowercase if letter not in taken]
    types = [f"Tensor({letter}!)" for letter in letters[: len(names)]]
    outs = [f"{kind} {out}" for kind, out in zip(types, names, strict=True)]
    star = [] if any(arg.kwarg_only for arg in schema.arguments) else ["*"]
    parts = [arguments.strip()] if arguments.strip() else []
    returned = types[0] if len(types) == 1 else f"({', '.join(types)})"
    return f"{name.split('.')[0].strip()}.{overload}({', '.join([*parts, *star, *outs])}) -> {returned}"


def _writes(values: "list[torch.Argument]") -> bool:
    return any(value.alias_info is not None and value.alias_info.is_write for value in values)
