"""Documented path of :mod:`executorch.passes.optimization.external_constants_pass`."""

from executorch.passes.optimization.external_constants_pass import (
    delegate_external_constants_pass_unlifted,
    external_constants_pass,
    external_mutable_weights_pass,
)

__all__ = [
    "delegate_external_constants_pass_unlifted",
    "external_constants_pass",
    "external_mutable_weights_pass",
]
