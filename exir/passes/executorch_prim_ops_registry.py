"""Arithmetic on sizes: which operators of the executor stand for which functions of Python."""

import builtins
import math
import operator
from typing import Any

import torch

from executorch.dialects.prim_ops import ATEN_PRIM_OPS, SYM_OP_TO_PRIM
from executorch.dialects.prim_ops import LIBRARY as executorch_prims_lib

add, sub, mul, floordiv, truediv, mod = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.truediv,
    operator.mod,
)
eq, ge, gt, le, lt, neg = operator.eq, operator.ge, operator.gt, operator.le, operator.lt, operator.neg
sym_float, sym_int, sym_ite, sym_max, sym_min, sym_not = (
    torch.sym_float,
    torch.sym_int,
    torch.sym_ite,
    torch.sym_max,
    torch.sym_min,
    torch.sym_not,
)
ceil, trunc, builtin_round = math.ceil, math.trunc, builtins.round

# Under these names exporters of other projects take them.
_PYTHON_SYM_OPS_TO_EXECUTORCH_SYM_OPS = SYM_OP_TO_PRIM
_EXECUTORCH_SYM_OPS = {*SYM_OP_TO_PRIM.values(), *ATEN_PRIM_OPS}


def is_sym_op(target: Any) -> bool:
    """True for a function of Python or torch that computes with sizes and has an operator of the executor."""
    return target in SYM_OP_TO_PRIM


__all__ = [
    "add",
    "builtin_round",
    "ceil",
    "eq",
    "executorch_prims_lib",
    "floordiv",
    "ge",
    "gt",
    "is_sym_op",
    "le",
    "lt",
    "mod",
    "mul",
    "neg",
    "sub",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "truediv",
    "trunc",
]
