"""`.pte` files: from typed objects to bytes and back.

A file is a flatbuffer, an optional header that says where the segments are, and the segments: constants, initial
states of mutable buffers, delegates' blobs, named data. See `schema/program.fbs` and `headers.py`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from executorch.emitter.alignment import align_up, checked_alignment
from executorch.emitter.cord import Cord
from executorch.emitter.headers import ExtendedHeader
from executorch.emitter.named_data import (
    DataEntry,
    DataPayload,
    NamedDataLike,
    as_payload,
    digest,
    payload_segments,
)
from executorch.emitter.segments import Segment, cut, join_parts, lay_out, split_parts
from executorch.schema import program as schema
from executorch.schema.program import (
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    Buffer,
    DataLocation,
    DataSegment,
    NamedData,
    Program,
    SubsegmentOffsets,
)
from executorch.schema.wire import BytesLike, FormatError, NewerFormatError

SCHEMA_VERSION = 0
"""Of the programs that are written; newer ones are neither written nor read."""
SEGMENT_ALIGNMENT = 128
"""Default alignment of segments in bytes."""
TENSOR_KEY, DELEGATE_KEY = "Buffer.storage", "BackendDelegateInlineData.data"


@dataclass
class PTEFile:
    """A program with everything that its file carries.

    Attributes:
        program: `constant_buffer` holds the constants (entry 0 is a placeholder, empty), and
            `backend_delegate_data` all delegates' blobs; `segments` and what refers to it are left to the writer.
        mutable_data: initial states of mutable buffers (entry 0 is a placeholder), None without any.
        named_data: data by name (a payload, or the output of a named data store), None without any.
    """

    program: Program
    mutable_data: list[Buffer] | None = None
    named_data: DataPayload | NamedDataLike | None = None


def serialize_pte_binary(
    pte_file: PTEFile,
    *,
    extract_delegate_segments: bool = False,
    segment_alignment: int = SEGMENT_ALIGNMENT,
    constant_tensor_alignment: int | None = None,
    delegate_alignment: int | None = None,
) -> Cord:
    """Writes a `.pte` file. The result depends on the content only, byte for byte.

    Args:
        pte_file: not changed; weights and blobs are referred to, not copied.
        extract_delegate_segments: put delegates' blobs into segments of their own, which a runtime can load,
            map and free one by one, instead of into the flatbuffer.
        segment_alignment: of each segment, any number of bytes. Page size lets a runtime map segments one by one.
        constant_tensor_alignment: of each constant; default 16.
        delegate_alignment: of each delegate's blob; default 16.

    Raises:
        FormatError: a value does not fit its field in the file; or, with segments for delegates, a blob belongs to no
            delegate.
        NewerFormatError: the program's version is newer than this release, so that no runtime of it would read the file.
        ValueError: an alignment is not positive, or that of constants or blobs no power of two.
    """
    _check_version(pte_file.program)
    if segment_alignment < 1:
        raise ValueError(f"segment_alignment must be at least 1 byte, got {segment_alignment}")
    tensor_alignment = checked_alignment(
        constant_tensor_alignment or schema.FORCE_ALIGN[TENSOR_KEY], "constant_tensor_alignment"
    )
    blob_alignment = checked_alignment(
        delegate_alignment or schema.FORCE_ALIGN[DELEGATE_KEY], "delegate_alignment"
    )
    program = dataclasses.replace(pte_file.program, constant_buffer=[], segments=[], named_data=None)
    segments: list[Segment] = []
    named, numbers = payload_segments(as_payload(pte_file.named_data or DataPayload()))
    constants = [buffer.storage for buffer in pte_file.program.constant_buffer]
    shared = _shared_with_constants(named, constants, segment_alignment)
    if constants:
        larger: dict[int, int] = {}
        for part, alignment in shared.values():
            larger[part] = math.lcm(larger.get(part, tensor_alignment), alignment)
        data, offsets = join_parts(constants, tensor_alignment, larger)
        program.constant_segment = SubsegmentOffsets(len(segments), offsets)
        segments.append(Segment(data, math.lcm(tensor_alignment, *larger.values())))
        for number, (part, _) in shared.items():
            named[number].inside = (0, offsets[part])
    if pte_file.mutable_data:
        data, offsets = join_parts([buffer.storage for buffer in pte_file.mutable_data], 1)
        program.mutable_data_segments = [SubsegmentOffsets(len(segments), offsets)]
        segments.append(Segment(data))
    if extract_delegate_segments:
        _extract_delegates(program, segments, blob_alignment)
    if numbers:
        program.named_data = [NamedData(key, len(segments) + number) for key, number in numbers.items()]
        segments += named
    return _write(
        program, segments, segment_alignment, {TENSOR_KEY: tensor_alignment, DELEGATE_KEY: blob_alignment}
    )


def _shared_with_constants(
    named: Sequence[Segment], constants: Sequence[BytesLike], segment_alignment: int
) -> dict[int, tuple[int, int]]:
    """Named data that constants have too: number of its segment -> number of the constant, and their alignment.

    A tensor that a delegate and an operator outside it read (tied weights) is so stored once: a segment is a range of
    the file, and may lie within another one. What is smaller than the gap before it would be is not worth it.
    """
    by_size: dict[int, list[int]] = {}
    for part, content in enumerate(constants):
        by_size.setdefault(len(content), []).append(part)
    found: dict[int, tuple[int, int]] = {}
    for number, segment in enumerate(named):
        alignment = math.lcm(segment_alignment, segment.alignment)
        parts = by_size.get(len(segment.data), []) if len(segment.data) >= alignment else []
        name = segment.data.digest() if parts else b""
        twin = next((one for one in parts if digest(constants[one]) == name), None)
        if twin is not None:
            found[number] = (twin, alignment)
    return found


def _check_version(program: Program) -> None:
    if program.version > SCHEMA_VERSION:
        raise NewerFormatError(program.version, SCHEMA_VERSION)


def _extract_delegates(program: Program, segments: list[Segment], alignment: int) -> None:
    """Moves the delegates' blobs into segments; equal blobs share one, empty ones stay in the flatbuffer."""
    inline: list[BackendDelegateInlineData] = []
    places: dict[bytes, BackendDelegateDataReference] = {}

    def move(delegate: BackendDelegate) -> BackendDelegate:
        if delegate.processed.location != DataLocation.INLINE:
            raise FormatError(f"delegate {delegate.id!r}: its blob is not in backend_delegate_data")
        if not 0 <= delegate.processed.index < len(program.backend_delegate_data):
            raise FormatError(
                f"delegate {delegate.id!r}: blob {delegate.processed.index} of {len(program.backend_delegate_data)}"
            )
        blob = program.backend_delegate_data[delegate.processed.index]
        name = digest(blob.data)
        if name not in places and len(blob.data):
            places[name] = BackendDelegateDataReference(DataLocation.SEGMENT, len(segments))
            segments.append(Segment(Cord(blob.data), alignment))
        elif name not in places:
            places[name] = BackendDelegateDataReference(DataLocation.INLINE, len(inline))
            inline.append(blob)
        return dataclasses.replace(delegate, processed=dataclasses.replace(places[name]))

    named = {item.processed.index for plan in program.execution_plan for item in plan.delegates}
    program.execution_plan = [
        dataclasses.replace(plan, delegates=[move(delegate) for delegate in plan.delegates])
        for plan in program.execution_plan
    ]
    unused = sorted(set(range(len(program.backend_delegate_data))) - named)
    if unused:
        raise FormatError(f"no delegate has the blobs {unused} of backend_delegate_data: take them out")
    program.backend_delegate_data = inline


def _write(
    program: Program, segments: Sequence[Segment], alignment: int, force_align: dict[str, int]
) -> Cord:
    layout = lay_out(segments, alignment)
    program.segments = [DataSegment(offset, size) for offset, size in layout.ranges]
    message = schema.write_program(program, force_align)
    file = Cord()
    if not len(layout.data):
        for chunk in message.chunks():
            file.append(chunk)
        return file
    # The header must not shift the flatbuffer's content out of its alignment.
    header_size = align_up(ExtendedHeader.LENGTH, math.lcm(message.alignment, *force_align.values()))
    program_size = message.nbytes + header_size
    base = align_up(program_size, layout.alignment)
    header = ExtendedHeader(program_size, base, len(layout.data)).to_bytes()
    for chunk in message.chunks(header.ljust(header_size, b"\0")):
        file.append(chunk)
    file.pad_to(base)
    file.append(layout.data)
    return file


def deserialize_pte_binary(program_data: BytesLike, *, copy: bool = True) -> PTEFile:
    """Reads a `.pte` file of this project or of any ExecuTorch 1.x release into typed objects.

    What the file keeps in segments is put back where `PTEFile` wants it, so that writing the result gives an
    equivalent file. Constants include the padding up to the next one, because the file does not say where a
    constant ends.

    Args:
        program_data: a file.
        copy: give constants, blobs and named data as bytes of their own; else as views of `program_data`, which are valid as
            long as it is and cost nothing, for whoever only looks at them.

    Raises:
        FormatError: the file is cut off or corrupt, or no `.pte` file; the message says where.
        NewerFormatError: its format is newer than this release.
    """
    view = memoryview(program_data).cast("B")
    header = ExtendedHeader.from_file(view)
    size = len(view) if header is None else header.program_size
    if size > len(view):
        raise FormatError(f"the program has {size} bytes, but the file only {len(view)}: it is cut off")
    program = schema.read_program(view[:size])
    _check_version(program)
    pieces = cut(view, header.segment_base_offset if header is not None else 0, program.segments)
    result = PTEFile(program)
    take: Callable[[memoryview], bytes] = bytes if copy else lambda part: part  # type: ignore[assignment,return-value]
    if program.constant_segment.offsets:
        parts = _subsegments(pieces, program.constant_segment, "constant")
        program.constant_buffer = [Buffer(take(part)) for part in parts]
    for mutable in program.mutable_data_segments or []:
        parts = _subsegments(pieces, mutable, "mutable state")
        result.mutable_data = [*(result.mutable_data or []), *(Buffer(take(part)) for part in parts)]
    _restore_delegates(program, pieces, take)
    result.named_data = _restore_named_data(program, pieces, take)
    program.segments, program.constant_segment = [], SubsegmentOffsets()
    program.mutable_data_segments, program.named_data = None, []
    return result


def _piece(pieces: Sequence[memoryview], index: int, what: str) -> memoryview:
    if not 0 <= index < len(pieces):
        raise FormatError(f"{what} is in segment {index}, but the file has {len(pieces)} segments")
    return pieces[index]


def _subsegments(pieces: Sequence[memoryview], where: SubsegmentOffsets, what: str) -> list[memoryview]:
    return split_parts(_piece(pieces, where.segment_index, what), where.offsets, what)


def _restore_delegates(
    program: Program, pieces: Sequence[memoryview], take: Callable[[memoryview], bytes]
) -> None:
    numbers: dict[int, int] = {}
    for plan in program.execution_plan:
        for delegate in plan.delegates:
            place = delegate.processed
            if place.location != DataLocation.SEGMENT:
                continue
            blob = _piece(pieces, place.index, f"the blob of delegate {delegate.id!r}")
            number = numbers.setdefault(place.index, len(program.backend_delegate_data))
            if number == len(program.backend_delegate_data):
                program.backend_delegate_data.append(BackendDelegateInlineData(take(blob)))
            delegate.processed = BackendDelegateDataReference(DataLocation.INLINE, number)


def _restore_named_data(
    program: Program, pieces: Sequence[memoryview], take: Callable[[memoryview], bytes]
) -> DataPayload | None:
    if not program.named_data:
        return None
    payload = DataPayload()
    numbers: dict[int, int] = {}
    for item in program.named_data:
        blob = _piece(pieces, item.segment_index, f"the data named {item.key!r}")
        number = numbers.setdefault(item.segment_index, len(payload.buffers))
        if number == len(payload.buffers):
            payload.buffers.append(take(blob))
        if item.key in payload.named_data:
            raise FormatError(f"two data have the name {item.key!r}")
        payload.named_data[item.key] = DataEntry(number)
    return payload
