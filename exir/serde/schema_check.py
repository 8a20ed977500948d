"""Documented path of torch's check that the tables of :mod:`executorch.exir.serde.schema` stay compatible."""

from torch._export.serde.schema_check import SchemaUpdateError, check

__all__ = ["SchemaUpdateError", "check"]
