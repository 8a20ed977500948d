"""Documented path of :mod:`executorch.passes.constant_prop_pass`."""

from executorch.passes.constant_prop_pass import ConstantPropPass, constant_prop_pass

__all__ = [
    "ConstantPropPass",
    "constant_prop_pass",
]
