"""Documented path of :class:`executorch.passes.to_execution.legalize_portable_dim_order_pass.LegalizePortableDimOrderPass`."""

from executorch.passes.to_execution.legalize_portable_dim_order_pass import LegalizePortableDimOrderPass

__all__ = ["LegalizePortableDimOrderPass"]
