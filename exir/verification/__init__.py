"""Documented paths of the verifiers."""

from executorch.dialects.verifiers import EdgeVerifier

__all__ = [
    "EdgeVerifier",
]
