"""``executorch_prim``: arithmetic on sizes, done by the executor itself.

A program computes with sizes where the model does (``x.shape[0] * 2``). In the edge form such nodes call Python
operators and ``torch.sym_*`` functions; for execution they become these operators, for which every runtime
registers kernels of the same names.
"""

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.library import Library

from executorch.dialects.torch_types import OpOverload

LIBRARY: Final = Library("executorch_prim", "DEF")

_SYM2 = "(SymInt a, SymInt b) -> SymInt"
_SCALAR2 = "(Scalar a, Scalar b) -> Scalar"
_COMPARE = "(Scalar a, Scalar b) -> bool"
_SCALAR1 = "(Scalar a) -> Scalar"


def _trunc(a: Any) -> Any:
    return math.trunc(a)


def _define(name: str, schema: str, function: Callable[..., Any]) -> OpOverload:
    LIBRARY.define(f"{name}.Scalar{schema}")
    LIBRARY.impl(f"{name}.Scalar", function, "CompositeExplicitAutograd")
    return getattr(torch.ops.executorch_prim, name).Scalar


#: What a call target of the edge form becomes in the execution form.
SYM_OP_TO_PRIM: Final[dict[Any, OpOverload]] = {
    operator.add: _define("add", _SCALAR2, operator.add),
    operator.sub: _define("sub", _SCALAR2, operator.sub),
    operator.mul: _define("mul", _SCALAR2, operator.mul),
    operator.floordiv: _define("floordiv", _SCALAR2, operator.floordiv),
    operator.truediv: _define("truediv", _SCALAR2, operator.truediv),
    operator.mod: _define("mod", _SYM2, operator.mod),
    operator.eq: _define("eq", _COMPARE, operator.eq),
    operator.gt: _define("gt", _COMPARE, operator.gt),
    operator.lt: _define("lt", _COMPARE, operator.lt),
    operator.ge: _define("ge", _COMPARE, operator.ge),
    operator.le: _define("le", _COMPARE, operator.le),
    operator.neg: _define("neg", _SCALAR1, operator.neg),
    torch.sym_max: _define("sym_max", _SCALAR2, builtins.max),
    torch.sym_min: _define("sym_min", _SCALAR2, builtins.min),
    torch.sym_float: _define("sym_float", _SCALAR1, builtins.float),
    torch.sym_int: _define("sym_int", _SCALAR1, builtins.int),
    math.ceil: _define("ceil", _SCALAR1, math.ceil),
    round: _define("round", _SCALAR1, builtins.round),
    math.trunc: _define("trunc", _SCALAR1, _trunc),
    torch.sym_not: _define("sym_not", "(bool a) -> bool", operator.not_),
    torch.sym_ite: _define(
        "sym_ite", "(Scalar b, Scalar t, Scalar f) -> Scalar", lambda b, t, f: t if b else f
    ),
}

#: Names of all operators of this namespace as programs spell them.
PRIM_OP_NAMES: Final = frozenset(op.name() for op in SYM_OP_TO_PRIM.values())

#: Prim operators that keep their ATen name.
ATEN_PRIM_OPS: Final = (
    torch.ops.aten.sym_size.int,
    torch.ops.aten.sym_numel.default,
    torch.ops.aten._local_scalar_dense.default,
)
