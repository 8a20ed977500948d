"""`.ptd` files: tensors and blobs by name, outside the program."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass

from executorch.emitter.alignment import align_up, checked_alignment
from executorch.emitter.cord import Cord
from executorch.emitter.headers import FlatTensorHeader
from executorch.emitter.named_data import DataEntry, DataPayload, payload_segments
from executorch.emitter.segments import cut, lay_out
from executorch.schema import flat_tensor as schema
from executorch.schema.flat_tensor import DataSegment, FlatTensor, NamedData
from executorch.schema.wire import BytesLike, FormatError, NewerFormatError

FORMAT_VERSION = 0
"""Of the files that are written; newer ones are not read."""


@dataclass(frozen=True)
class FlatTensorConfig:
    """How to write: alignment of segments and, at least, of tensors, in bytes."""

    segment_alignment: int = 128
    tensor_alignment: int = 16


class DataSerializer(abc.ABC):
    """Writes and reads data by name in some format."""

    @abc.abstractmethod
    def serialize(self, data: DataPayload) -> Cord:
        """The file for `data`."""

    @abc.abstractmethod
    def deserialize(self, blob: BytesLike | Cord) -> DataPayload:
        """The content of a file."""


class FlatTensorSerializer(DataSerializer):
    """Writes and reads `.ptd` files."""

    def __init__(self, config: FlatTensorConfig | None = None) -> None:
        self.config = config or FlatTensorConfig()
        checked_alignment(self.config.tensor_alignment, "tensor_alignment")
        checked_alignment(self.config.segment_alignment, "segment_alignment")

    def _format_version(self) -> int:
        """The version that files say they have."""
        return FORMAT_VERSION

    def serialize(self, data: DataPayload) -> Cord:
        """The file for `data`: one segment for each buffer that has a name. Buffers are referred to, not copied."""
        segments, numbers = payload_segments(data)
        for segment in segments:
            segment.alignment = math.lcm(segment.alignment, self.config.tensor_alignment)
        layout = lay_out(segments, self.config.segment_alignment)
        root = FlatTensor(
            version=self._format_version(),
            segments=[DataSegment(offset, size) for offset, size in layout.ranges],
            named_data=[
                NamedData(key, number, data.named_data[key].tensor_layout) for key, number in numbers.items()
            ],
        )
        message = schema.write_flat_tensor(root)
        header_size = FlatTensorHeader.PADDED_LENGTH
        base = align_up(header_size + message.nbytes, layout.alignment)
        header = FlatTensorHeader(header_size, message.nbytes, base, len(layout.data)).to_bytes()
        file = Cord()
        for chunk in message.chunks(header.ljust(header_size, b"\0")):
            file.append(chunk)
        file.pad_to(base)
        file.append(layout.data)
        return file

    def deserialize(self, blob: BytesLike | Cord) -> DataPayload:
        """The content of a file; buffers refer to `blob`.

        Raises:
            FormatError: the file is cut off or corrupt, or no `.ptd` file; the message says which.
            NewerFormatError: its format is newer than this release.
        """
        view = memoryview(blob.tobytes() if isinstance(blob, Cord) else blob).cast("B")
        header = FlatTensorHeader.from_file(view)
        size = header.flatbuffer_offset + header.flatbuffer_size
        if size > len(view):
            raise FormatError(
                f"the flatbuffer has {size} bytes, but the file only {len(view)}: it is cut off"
            )
        root = schema.read_flat_tensor(view[:size])
        if root.version > FORMAT_VERSION:
            raise NewerFormatError(root.version, FORMAT_VERSION)
        pieces = cut(view, header.segment_base_offset, root.segments)
        payload = DataPayload(buffers=list(pieces))
        for item in root.named_data:
            if not item.segment_index < len(pieces):
                raise FormatError(f"{item.key!r} is in segment {item.segment_index} of {len(pieces)}")
            if item.key in payload.named_data:
                raise FormatError(f"two data have the name {item.key!r}")
            payload.named_data[item.key] = DataEntry(item.segment_index, 1, item.tensor_layout)
        return payload
