"""Documented path of :mod:`executorch.passes.on_request.const_prop_pass`."""

from executorch.passes.on_request.const_prop_pass import ConstPropPass

__all__ = ["ConstPropPass"]
