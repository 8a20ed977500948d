"""Questions about schemas, and combinations of element types in short."""

from collections.abc import Iterable
from typing import Any

import torch
from torch._ops import OpOverload

from executorch.dialects.dtype_rows import Combination, aliases_of, gathered
from executorch.dialects.dtype_runner import SAMPLE_INPUT
from executorch.dialects.sample_args import BaseArg

_TENSORS = ("Tensor", "List[Tensor]")
_OPTIONAL_TENSORS = ("Optional[Tensor]",)


def is_essential_tensor_arg(arg: torch.Argument) -> bool:
    """Whether an argument is a tensor, or a list of tensors, that every call has."""
    return str(arg.type) in _TENSORS


def is_optional_tensor_arg(arg: torch.Argument) -> bool:
    """Whether an argument is a tensor that a call may leave out."""
    return str(arg.type) in _OPTIONAL_TENSORS


def is_tensor_arg(arg: torch.Argument) -> bool:
    """Whether an argument is a tensor, optional or not, or a list of tensors."""
    return is_essential_tensor_arg(arg) or is_optional_tensor_arg(arg)


def is_tensor_val(arg: Any) -> bool:
    """Whether a value is a tensor, or a list of tensors with at least one."""
    if isinstance(arg, (list, tuple)):
        return bool(arg) and all(isinstance(item, torch.Tensor) for item in arg)
    return isinstance(arg, torch.Tensor)


def get_tensor_variable_names(
    func_schema: torch._C.FunctionSchema,
) -> tuple[list[str], list[str], list[str]]:
    """Names of an operator's tensors, results as ``__ret_<i>``: those of every call, the optional ones, and all."""
    results = [f"__ret_{index}" for index, ret in enumerate(func_schema.returns) if is_tensor_arg(ret)]
    essential = [arg.name for arg in func_schema.arguments if is_essential_tensor_arg(arg)]
    optional = [arg.name for arg in func_schema.arguments if is_optional_tensor_arg(arg)]
    every = [arg.name for arg in func_schema.arguments if is_tensor_arg(arg)]
    return [*essential, *results], optional, [*every, *results]


def get_args_rets(op_name: str) -> list[BaseArg]:
    """The arguments and results of the example call of ``add.Tensor``.

    Raises:
        KeyError: there is none.
    """
    sample = SAMPLE_INPUT[op_name]
    return [*sample["args"], *sample["returns"]]


def get_names_for_args_with_dtype(op_name: str, func_schema: torch._C.FunctionSchema) -> list[str]:
    """Names of what has an element type in the example call: tensors, numbers, types; results as ``__ret_<i>``."""
    sample = SAMPLE_INPUT[op_name]
    positional = [arg.name for arg in func_schema.arguments]
    names = []
    for index, arg in enumerate(sample["args"]):
        if arg.type.has_dtype():
            names.append(getattr(arg, "argname", positional[index]))
    return [*names, *(f"__ret_{index}" for index in range(len(sample["returns"])))]


def get_torch_op_overload(namespace: str, opname: str, overload: "str | None") -> OpOverload:
    """The registered overload; the default one without a name."""
    found: OpOverload = getattr(getattr(getattr(torch.ops, namespace), opname), overload or "default")
    return found


def type_aggregrate(
    allow_types: "Iterable[Combination]",
) -> "tuple[list[tuple[str, ...]], list[tuple[int, ...]]]":
    """Combinations of types as sets of types, and rows of numbers of sets.

    Tensors of a row with the same set have the same type.

    Args:
        allow_types: the name of one type for each tensor.
    """
    rows = gathered(allow_types)
    aliases = aliases_of(rows)
    number = {types: index for index, types in enumerate(aliases)}
    return aliases, sorted(tuple(number[types] for types in row) for row in rows)
