"""Documented path of :func:`executorch.passes.on_request.convert_constant_dim_order_pass.convert_constant_dim_order_pass`."""

from executorch.passes.on_request.convert_constant_dim_order_pass import convert_constant_dim_order_pass

__all__ = ["convert_constant_dim_order_pass"]
