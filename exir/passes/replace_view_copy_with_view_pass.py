"""Documented path of :mod:`executorch.passes.replace_view_copy_with_view_pass`."""

from executorch.passes.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass

__all__ = [
    "ReplaceViewCopyWithViewPass",
]
