"""Ranges of bytes behind a flatbuffer: laying them out, and finding them again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from executorch.emitter.alignment import align_up
from executorch.emitter.cord import Cord
from executorch.schema.wire import BytesLike, FormatError


class SegmentRange(Protocol):
    """A `DataSegment` of any of the schemas."""

    offset: int
    size: int


S = TypeVar("S", bound=SegmentRange)


@dataclass
class Segment:
    """Bytes to be written.

    Attributes:
        data: the bytes.
        alignment: what their offset must be a multiple of, in bytes.
        inside: (number of an earlier segment, offset in it) where these bytes stand already; they are not written again.
    """

    data: Cord
    alignment: int = 1
    inside: tuple[int, int] | None = None


@dataclass(frozen=True)
class Layout:
    """Segments with their places.

    Attributes:
        ranges: (offset from the segment base, size) of each segment.
        alignment: what the segment base must be a multiple of.
        data: all segments with the padding between them.
    """

    ranges: list[tuple[int, int]]
    alignment: int
    data: Cord


def lay_out(segments: Sequence[Segment], segment_alignment: int) -> Layout:
    """Places segments one after the other, each at a multiple of `segment_alignment` and of its own alignment."""
    data = Cord()
    ranges: list[tuple[int, int]] = []
    for segment in segments:
        if segment.inside is not None:
            number, offset = segment.inside
            ranges.append((ranges[number][0] + offset, len(segment.data)))
            continue
        if len(segment.data):
            data.pad_to(align_up(len(data), math.lcm(segment_alignment, segment.alignment)))
        ranges.append((len(data), len(segment.data)))
        data.append(segment.data)
    alignment = math.lcm(segment_alignment, *(segment.alignment for segment in segments))
    return Layout(ranges, alignment, data)


def cut(data: BytesLike, base: int, segments: Sequence[SegmentRange]) -> list[memoryview]:
    """The bytes of each segment of a file, without a copy.

    Raises:
        FormatError: a segment reaches beyond the end of the file.
    """
    view = memoryview(data).cast("B")
    pieces = []
    for index, segment in enumerate(segments):
        begin, end = base + segment.offset, base + segment.offset + segment.size
        if segment.size and end > len(view):
            raise FormatError(
                f"segment {index} is bytes {begin} to {end}, but the file has {len(view)}: it is cut off or corrupt"
            )
        pieces.append(view[begin:end] if segment.size else view[:0])
    return pieces


def join_parts(
    parts: Sequence[BytesLike], alignment: int, larger: Mapping[int, int] | None = None
) -> tuple[Cord, list[int]]:
    """Puts parts into one segment, each at a multiple of `alignment`; returns it with the offsets.

    Those that `larger` names by their numbers lie at multiples of what it gives. There is no padding behind the last part. An empty part begins where the next one does, or at the end.
    """
    data = Cord()
    offsets: list[int] = []
    for number, part in enumerate(parts):
        if not len(part):
            continue
        data.pad_to(align_up(len(data), (larger or {}).get(number, alignment)))
        offsets += [len(data)] * (number + 1 - len(offsets))
        data.append(part)
    return data, offsets + [len(data)] * (len(parts) - len(offsets))


def split_parts(segment: memoryview, offsets: Sequence[int], what: str) -> list[memoryview]:
    """The parts of a segment, from each offset to the next one; the last reaches to the segment's end.

    Raises:
        FormatError: offsets fall, or lie outside the segment.
    """
    ends = [*offsets[1:], len(segment)] if offsets else []
    for index, (begin, end) in enumerate(zip(offsets, ends, strict=True)):
        if not begin <= end <= len(segment):
            raise FormatError(
                f"{what} {index} would be bytes {begin} to {end} of a segment of {len(segment)} bytes"
            )
    return [segment[begin:end] for begin, end in zip(offsets, ends, strict=True)]
