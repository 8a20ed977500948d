"""Rounding sizes and offsets of files."""

from executorch.emitter.alignment import align_up


def aligned_size(input_size: int, alignment: int) -> int:
    """``input_size`` rounded up to a multiple of ``alignment``."""
    return align_up(input_size, alignment)


def padding_required(offset: int, alignment: int) -> int:
    """How many bytes are missing from ``offset`` to the next multiple of ``alignment``."""
    return align_up(offset, alignment) - offset


def pad_to(data: bytes, length: int) -> bytes:
    """``data`` with zeros behind it, ``length`` bytes together.

    Raises:
        ValueError: there is more data than that.
    """
    if len(data) > length:
        raise ValueError(f"Data length {len(data)} > padded length {length}")
    return data + bytes(length - len(data))
