"""Documented path of :class:`executorch.passes.replace_sym_size_op_pass.ReplaceSymSizeOpPass`."""

from executorch.passes.replace_sym_size_op_pass import ReplaceSymSizeOpPass

__all__ = ["ReplaceSymSizeOpPass"]
