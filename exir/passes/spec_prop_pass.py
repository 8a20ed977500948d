"""Documented path of :mod:`executorch.passes.to_execution.spec_prop_pass`."""

from executorch.memory_planning import is_mutable_buffer as _is_mutable_buffer  # noqa: F401
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass, make_spec

__all__ = [
    "SpecPropPass",
    "make_spec",
]
