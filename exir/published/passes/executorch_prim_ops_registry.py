"""Arithmetic on sizes: which operators of the executor stand for which functions of Python."""

from typing import Any

from executorch.dialects.prim_ops import ATEN_PRIM_OPS, SYM_OP_TO_PRIM

#: Under this name exporters of other projects take them.
_EXECUTORCH_SYM_OPS = {*SYM_OP_TO_PRIM.values(), *ATEN_PRIM_OPS}


def is_sym_op(target: Any) -> bool:
    """True for a function of Python or torch that computes with sizes and has an operator of the executor."""
    return target in SYM_OP_TO_PRIM
