"""Documented path of the tables that torch writes exported programs with."""

from torch._export.serde.schema import *  # noqa: F403
from torch._export.serde.schema import SCHEMA_VERSION, TREESPEC_VERSION

__all__ = ["SCHEMA_VERSION", "TREESPEC_VERSION"]
