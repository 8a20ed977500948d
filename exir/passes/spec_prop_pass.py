"""Documented path of :mod:`executorch.passes.spec_prop_pass`."""

from executorch.passes.spec_prop_pass import SpecPropPass, make_spec

__all__ = [
    "SpecPropPass",
    "make_spec",
]
