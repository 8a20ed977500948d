"""Documented path of the edge dialect's operators, their schemas and constraints."""

from typing import Any

from executorch.dialects.dtype_constraints import DTYPE_NAMES, TABLE_PATH, read_entries
from executorch.dialects.dtype_sets import AllowedDtypeSet, FunctionDtypeConstraint
from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket
from executorch.dialects.edge_schema import EdgeArgument, EdgeFunctionSchema

EdgeDialectArgument = EdgeArgument
EdgeDialectFunctionSchema = EdgeFunctionSchema
regular_tensor_str_to_dtypes = DTYPE_NAMES


def __getattr__(name: str) -> Any:
    """``_edge_dialect_info``, the entries of the table of element types by operator, read when somebody asks."""
    if name != "_edge_dialect_info":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    entries = read_entries(TABLE_PATH.read_text(encoding="utf-8"))
    return {entry["inherits"]: entry for entry in entries}


__all__ = [
    "AllowedDtypeSet",
    "EdgeDialectArgument",
    "EdgeDialectFunctionSchema",
    "EdgeOpOverload",
    "EdgeOpOverloadPacket",
    "FunctionDtypeConstraint",
    "regular_tensor_str_to_dtypes",
]
