"""Finds out which element types an operator takes, by calling it with each combination of them.

Documented import paths: ``executorch.exir.dialects.edge.dtype.runner`` and ``executorch.exir.dialects.edge.dtype.utils``.
"""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from executorch.dialects.dtype_samples import SAMPLES
from executorch.dialects.sample_args import ArgMode, ArgType, BaseArg, BaseKwarg, InArg, InKwarg, Return
from executorch.dialects.sample_call import Sample

#: ``args`` and ``returns`` of an operator.
Inputs = Mapping[str, Sequence[BaseArg]]
#: Whether the call went through, the operator, the types (those of the results behind them), and the arguments.
RunResult = tuple[bool, str, tuple["torch.dtype | None", ...], list[Any], dict[str, Any]]

_TENSOR_DTYPES = (
    torch.float32,
    torch.float64,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.bool,
    torch.float16,
    torch.uint16,
)
_SCALAR_DTYPES = (torch.bool, torch.int32, torch.float32)
_KINDS = {
    "Tensor": ArgType.Tensor,
    "Optional[Tensor]": ArgType.TensorOpt,
    "List[Tensor]": ArgType.TensorList,
    "List[Optional[Tensor]]": ArgType.TensorOptList,
    "number": ArgType.Scalar,
    "Optional[number]": ArgType.ScalarOpt,
}


class DtypeRunner:
    """Calls operators of ``aten`` in all combinations of element types.

    Attributes:
        tensor_dtypes: types that tensors are given.
        scalar_dtypes: types that numbers are given.
    """

    def __init__(self) -> None:
        self.tensor_dtypes = list(_TENSOR_DTYPES)
        self.scalar_dtypes = list(_SCALAR_DTYPES)

    @staticmethod
    def _get_types(inputs: Inputs) -> list[ArgType]:
        return [arg.type for arg in inputs["args"] if arg.type.has_dtype()]

    @staticmethod
    def _get_args_kwargs(
        inputs: Inputs, dtypes: "tuple[torch.dtype | None, ...]", mode: ArgMode
    ) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        remaining = iter(dtypes)
        for arg in inputs["args"]:
            arg.mode = mode
            value = arg.get_val_with_dtype(next(remaining)) if arg.type.has_dtype() else arg.get_val()
            if isinstance(arg, BaseKwarg):
                kwargs[arg.argname] = value
            else:
                args.append(value)
        return args, kwargs

    def _get_type_tuples(self, inputs: Inputs) -> "list[list[torch.dtype | None]]":
        """The types of each argument that has one; None where it may be left out."""
        found: list[list[torch.dtype | None]] = []
        for kind in self._get_types(inputs):
            types: list[torch.dtype | None] = list(
                self.scalar_dtypes if kind.is_scalar() else self.tensor_dtypes
            )
            found.append([*types, None] if kind.is_optional() else types)
        return found

    def run_dtypes(
        self,
        name: str,
        inputs: Inputs,
        dtypes: "tuple[torch.dtype | None, ...]",
        argmode: ArgMode = ArgMode.RANDOM,
    ) -> RunResult:
        """Calls an operator once.

        Args:
            name: ``add.Tensor`` of ``aten``; ``default`` stands for the default overload.
            inputs: describes the arguments, and the results under ``returns``.
            dtypes: of the arguments that have one, in order.
            argmode: what fills tensors without a value.
        """
        base, _, overload = name.partition(".")
        op = getattr(getattr(torch.ops.aten, base), overload or "default")
        args, kwargs = self._get_args_kwargs(inputs, dtypes, argmode)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = op(*args, **kwargs)
        except (RuntimeError, NotImplementedError, IndexError, TypeError, ValueError):
            return False, name, tuple(dtypes), args, kwargs
        types = (*dtypes, *extract_return_dtype(result, inputs["returns"]))
        return True, name, types, args, kwargs

    def run(self, name: str, inputs: Inputs, argmode: ArgMode = ArgMode.ONES) -> list[RunResult]:
        """Calls an operator with every combination of types."""
        tuples = self._get_type_tuples(inputs)
        return [self.run_dtypes(name, inputs, dtypes, argmode) for dtypes in itertools.product(*tuples)]


def extract_return_dtype(returns: Any, sample_returns: Sequence[BaseArg]) -> list[torch.dtype]:
    """Element types of results; a list of tensors has the type of its first.

    Args:
        returns: what an operator returned.
        sample_returns: one description for each result.
    """
    results = returns if isinstance(returns, tuple) and len(sample_returns) > 1 else (returns,)
    found = []
    for result, described in zip(results, sample_returns, strict=False):
        several = described.type.is_tensor_list() or isinstance(result, (list, tuple))
        found.append(result[0].dtype if several else result.dtype)
    return found


def sample_input(sample: Sample) -> dict[str, list[BaseArg]]:
    """The arguments and results of one example call."""
    op = sample.overload()
    args: list[BaseArg] = []
    for arg in op._schema.arguments:
        described = _described(sample, arg)
        if described is None:
            continue
        kind, options = described
        by_name = arg.kwarg_only or len(args) < op._schema.arguments.index(arg)
        args.append(InKwarg(kind, arg.name, **options) if by_name else InArg(kind, **options))
    names = [f"{Return.RETURN_NAME_PREFIX}{index}" for index in range(len(op._schema.returns))]
    returns: list[BaseArg] = [
        Return(_KINDS.get(str(ret.type), ArgType.Tensor), argname=name)
        for ret, name in zip(op._schema.returns, names, strict=True)
    ]
    return {"args": args, "returns": returns}


def _described(sample: Sample, arg: torch.Argument) -> "tuple[ArgType, dict[str, Any]] | None":
    """Kind and options of an argument of the call; None for one that is left at its default."""
    kind = _KINDS.get(str(arg.type), ArgType.Param)
    if arg.name in ("dtype",) and str(arg.type) == "Optional[int]":
        return ArgType.ScalarTypeOpt, {}
    if arg.name in sample.shapes:
        shape = sample.shapes[arg.name]
        if kind.is_tensor_list():
            return kind, {"value": [InArg(ArgType.Tensor, size=size) for size in shape]}
        index = sample.fixed.get(arg.name)
        return kind, {"size": shape, **({"fill": 0} if index and torch.int64 in index else {})}
    if arg.name in sample.values:
        return kind, {"value": sample.values[arg.name]}
    if kind.is_scalar() and arg.has_default_value() and arg.default_value is not None:
        return kind, {"value": arg.default_value}
    return None if arg.has_default_value() else (ArgType.Param, {"value": None})


def _by_name() -> dict[str, dict[str, list[BaseArg]]]:
    found: dict[str, dict[str, list[BaseArg]]] = {}
    for sample in SAMPLES:
        name = sample.op.partition("::")[2]
        found.setdefault(name if "." in name else f"{name}.default", sample_input(sample))
    return found


#: Operator (``add.Tensor``) to the arguments and results of one example call.
SAMPLE_INPUT: dict[str, dict[str, list[BaseArg]]] = _by_name()

__all__ = ["SAMPLE_INPUT", "DtypeRunner", "extract_return_dtype", "sample_input"]
