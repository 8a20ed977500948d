"""Documented path of :mod:`executorch.passes.const_prop_pass`."""

from executorch.passes.const_prop_pass import ConstPropPass

__all__ = ["ConstPropPass"]
