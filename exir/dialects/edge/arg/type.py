"""Documented path of :class:`executorch.dialects.sample_args.ArgType`."""

from executorch.dialects.sample_args import ArgType

__all__ = ["ArgType"]
