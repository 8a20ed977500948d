"""What comes out of writing a flatbuffer."""

from dataclasses import dataclass


@dataclass
class _FlatbufferResult:
    """A flatbuffer.

    Attributes:
        data: its bytes.
        max_alignment: what the address of its first byte must be a multiple of.
    """

    data: bytes
    max_alignment: int


__all__ = ["_FlatbufferResult"]
