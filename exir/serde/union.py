"""Documented path of torch's tagged unions, of which the tables of :mod:`executorch.exir.serde.schema` are made."""

from torch._export.serde.union import _Union, _UnionTag

__all__ = ["_Union", "_UnionTag"]
