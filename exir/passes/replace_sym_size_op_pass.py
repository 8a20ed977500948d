"""Documented path of :class:`executorch.passes.on_request.replace_sym_size_op_pass.ReplaceSymSizeOpPass`."""

from executorch.passes.on_request.replace_sym_size_op_pass import ReplaceSymSizeOpPass

__all__ = ["ReplaceSymSizeOpPass"]
