"""Documented path of :mod:`executorch.passes.to_execution.to_out_var_pass`."""

from executorch.passes.to_execution.to_out_var_pass import ToOutVarPass

__all__ = [
    "ToOutVarPass",
]
