"""Documented path of :mod:`executorch.passes.to_execution.sym_shape_eval_pass`."""

from executorch.exir.sym_util import eval_upper_bound
from executorch.passes.to_execution.sym_shape_eval_pass import (
    ConstraintBasedSymShapeEvalPass,
    HintBasedSymShapeEval,
    HintBasedSymShapeEvalPass,
    ValueRangeBasedSymShapeEval,
)

__all__ = [
    "ConstraintBasedSymShapeEvalPass",
    "HintBasedSymShapeEval",
    "HintBasedSymShapeEvalPass",
    "ValueRangeBasedSymShapeEval",
    "eval_upper_bound",
]
