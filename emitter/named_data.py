"""Bytes with names, for delegates and for weights outside the program; equal bytes are kept once.

The classes have the attributes of the named data store that backends write to, and either is accepted.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from executorch.dialects.named_data import DataEntry
from executorch.emitter.cord import Cord
from executorch.emitter.file_data import FileBackedData
from executorch.emitter.segments import Segment
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.wire import BytesLike


class EntryLike(Protocol):
    """`DataEntry`, or what has its attributes."""

    buffer_index: int
    alignment: int
    tensor_layout: Any


class NamedDataLike(Protocol):
    """What a backend's named data store gives out."""

    @property
    def buffers(self) -> Sequence[BytesLike]: ...

    @property
    def pte_data(self) -> Mapping[str, EntryLike]: ...

    @property
    def external_data(self) -> Mapping[str, Mapping[str, EntryLike]]: ...


@dataclass
class DataPayload:
    """The content of one `.ptd` file, or the named data of a `.pte` file."""

    buffers: list[BytesLike] = field(default_factory=list)
    named_data: dict[str, DataEntry] = field(default_factory=dict)

    @property
    def pte_data(self) -> dict[str, DataEntry]:
        """The same entries under the name that a named data store's output has for them."""
        return self.named_data

    @property
    def external_data(self) -> dict[str, dict[str, DataEntry]]:
        """Empty: a payload is the content of one file."""
        return {}


def as_payload(data: DataPayload | NamedDataLike) -> DataPayload:
    """A payload as it is, or that part of a named data store's output that goes into the `.pte` file."""
    if isinstance(data, DataPayload):
        return data
    entries = {
        key: DataEntry(entry.buffer_index, entry.alignment or 1, entry.tensor_layout)
        for key, entry in data.pte_data.items()
    }
    return DataPayload(list(data.buffers), entries)


def digest(data: BytesLike | FileBackedData) -> bytes:
    """Identifies content; equal for equal bytes only."""
    if isinstance(data, FileBackedData):
        return data.sha256()
    return hashlib.sha256(memoryview(data).cast("B")).digest()


class DataCollector:
    """Collects one payload; a buffer that was seen before is not stored again."""

    def __init__(self) -> None:
        self.payload = DataPayload()
        self._index: dict[bytes, int] = {}

    def add(
        self, key: str, data: BytesLike, alignment: int = 1, tensor_layout: TensorLayout | None = None
    ) -> None:
        """Adds `data` under `key`; the same content may be added again.

        Raises:
            ValueError: other content already has this name.
        """
        index = self._index.setdefault(digest(data), len(self.payload.buffers))
        if index == len(self.payload.buffers):
            self.payload.buffers.append(data)
        known = self.payload.named_data.get(key)
        if known is None:
            self.payload.named_data[key] = DataEntry(index, alignment, tensor_layout)
        elif known.buffer_index != index:
            raise ValueError(
                f"two different data have the name {key!r}: choose names that depend on the content"
            )
        else:
            known.alignment = math.lcm(known.alignment, alignment)
            known.tensor_layout = known.tensor_layout or tensor_layout

    def merge(self, buffers: Sequence[BytesLike], entries: Mapping[str, EntryLike]) -> None:
        """Adds all `entries` over `buffers`."""
        for key, entry in entries.items():
            self.add(key, buffers[entry.buffer_index], entry.alignment, entry.tensor_layout)


def payload_segments(payload: DataPayload) -> tuple[list[Segment], dict[str, int]]:
    """One segment for each buffer that has a name, in order of first use; and the segment number of each name."""
    segments: list[Segment] = []
    number_of: dict[int, int] = {}
    numbers: dict[str, int] = {}
    for key, entry in payload.named_data.items():
        number = number_of.setdefault(entry.buffer_index, len(segments))
        if number == len(segments):
            segments.append(Segment(Cord(payload.buffers[entry.buffer_index])))
        segments[number].alignment = math.lcm(segments[number].alignment, entry.alignment or 1)
        numbers[key] = number
    return segments, numbers
