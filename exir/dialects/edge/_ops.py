"""Documented path of the edge dialect's operators, their schemas and constraints."""

from executorch.dialects.dtype_constraints import DTYPE_NAMES
from executorch.dialects.dtype_sets import AllowedDtypeSet, FunctionDtypeConstraint
from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket
from executorch.dialects.edge_schema import EdgeArgument, EdgeFunctionSchema

EdgeDialectArgument = EdgeArgument
EdgeDialectFunctionSchema = EdgeFunctionSchema
regular_tensor_str_to_dtypes = DTYPE_NAMES

__all__ = [
    "AllowedDtypeSet",
    "EdgeDialectArgument",
    "EdgeDialectFunctionSchema",
    "EdgeOpOverload",
    "EdgeOpOverloadPacket",
    "FunctionDtypeConstraint",
    "regular_tensor_str_to_dtypes",
]
