"""Documented path of :mod:`executorch.dialects.sample_args`."""

from executorch.dialects.sample_args import (
    ArgMode,
    ArgType,
    BaseArg,
    BaseKwarg,
    InArg,
    InKwarg,
    OutArg,
    Return,
)

__all__ = ["ArgMode", "ArgType", "BaseArg", "BaseKwarg", "InArg", "InKwarg", "OutArg", "Return"]
