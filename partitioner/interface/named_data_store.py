"""Data that stands beside delegate blobs under a key, stored once however many delegates name it."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch

from executorch.dialects.named_data import DataEntry
from executorch.schema.element_types import ELEMENT_TYPES
from executorch.schema.flat_tensor import TensorLayout


@dataclass
class NamedDataStoreOutput:
    """The contents of a store.

    Attributes:
        buffers: the distinct contents; bytes, or objects of the emitter that stand for the content of a file.
        pte_data: key -> entry, for data that goes into the ``.pte``.
        external_data: file tag -> key -> entry, for data that goes into ``<tag>.ptd``.
    """

    buffers: list[Any] = field(default_factory=list)
    pte_data: dict[str, DataEntry] = field(default_factory=dict)
    external_data: dict[str, dict[str, DataEntry]] = field(default_factory=dict)


@runtime_checkable
class FileContent(Protocol):
    """Content that stays in a file until it is written into another one (the emitter's ``FileBackedData``)."""

    def sha256(self) -> bytes: ...

    def __len__(self) -> int: ...


#: Element types of tensors that are kept with their layout: plain numbers.
_SCALAR_TYPES = {
    getattr(torch, known.name): kind
    for kind, known in ELEMENT_TYPES.items()
    if not known.name.startswith(("complex", "q", "bits", "float8"))
}


#: The memory formats of tensors that programs know, by rank.
_PLAIN = (torch.contiguous_format,)
_FORMATS = {
    4: (torch.contiguous_format, torch.channels_last),
    5: (torch.contiguous_format, torch.channels_last_3d),
}


def _dense_order(tensor: torch.Tensor) -> list[int]:
    """Dimensions by falling stride."""
    return sorted(range(tensor.dim()), key=lambda dim: tensor.stride(dim), reverse=True)


def _check_dense(tensor: torch.Tensor) -> None:
    if tensor.layout is not torch.strided:
        raise ValueError(f"a tensor of layout {tensor.layout} has no plain bytes: call to_dense() first")
    if not any(tensor.is_contiguous(memory_format=known) for known in _FORMATS.get(tensor.dim(), _PLAIN)):
        raise ValueError("Tensor is not contiguous. Way out: call .contiguous() on it")


def tensor_layout(tensor: torch.Tensor) -> TensorLayout:
    """How the elements of a tensor, taken in memory order, are to be read.

    Raises:
        ValueError: it is sparse, neither contiguous nor channels-last, or of a type that files have no number for.
    """
    _check_dense(tensor)
    layout = _tensor_layout(tensor)
    if layout is None:
        raise ValueError(f"data files have no number for {tensor.dtype}")
    return layout


def _tensor_bytes(tensor: torch.Tensor) -> bytes:
    """The tensor's elements in memory order.

    Raises:
        ValueError: it is sparse, or neither contiguous nor channels-last.
    """
    _check_dense(tensor)
    flat = tensor.detach().cpu()
    dense = flat.permute(_dense_order(flat)).reshape(-1)
    return dense.view(torch.uint8).numpy().tobytes() if dense.numel() else b""


def _tensor_layout(tensor: torch.Tensor) -> TensorLayout | None:
    """How :func:`_tensor_bytes` are to be read; None for element types that files have no number for."""
    scalar_type = _SCALAR_TYPES.get(tensor.dtype)
    if scalar_type is None:
        return None
    return TensorLayout(scalar_type, list(tensor.shape), _dense_order(tensor))


class NamedDataStore:
    """Collects named data; equal bytes are kept once, even under different keys.

    Attributes:
        buffers: the distinct contents.
        pte_data: key to entry, for data that goes into the ``.pte``.
        external_data: file tag to key to entry, for data that goes into ``<tag>.ptd``.
        key_to_buffer_idx: key to number of its content, wherever it goes.
    """

    def __init__(self) -> None:
        self.buffers: list[Any] = []
        self.pte_data: dict[str, DataEntry] = {}
        self.external_data: dict[str, dict[str, DataEntry]] = {}
        self.key_to_buffer_idx: dict[str, int] = {}
        self._index_by_digest: dict[bytes, int] = {}

    def add_named_data(
        self,
        key: str,
        data: bytes | memoryview | FileContent | torch.Tensor,
        alignment: int | None = 1,
        external_tag: str | None = None,
        tensor_layout: TensorLayout | None = None,
    ) -> None:
        """Adds ``data`` under ``key``; a store that refuses it stays as it is.

        Args:
            key: unique among all data of the program; adding the same bytes again under it changes nothing
                but may raise the alignment.
            data: bytes, the content of a file, or a tensor whose elements are taken in memory order. A read-only ``memoryview`` is not
                copied: nobody may change the memory that it is of before the program has been written.
            alignment: bytes, at least 1; None means 1.
            external_tag: name of the ``.ptd`` file (without suffix) that receives the data; None: the ``.pte``.
            tensor_layout: see ``DataEntry``; follows from ``data`` if that is a tensor.

        Raises:
            ValueError: the key is taken by other bytes or for another file, the alignment is not positive, or a
                tensor is sparse, or laid out otherwise than contiguous, channels-last, or ``tensor_layout``.
        """
        alignment = 1 if alignment is None else alignment
        if alignment < 1:
            raise ValueError(f"alignment of {key!r} is {alignment}; it must be at least 1 byte")
        content: Any = data
        if isinstance(data, torch.Tensor):
            content, found = _tensor_bytes(data), _tensor_layout(data)
            if tensor_layout is not None and tensor_layout != found:
                raise ValueError(f"the layout of {key!r} is {found}, not {tensor_layout}")
            tensor_layout = found
        elif isinstance(data, memoryview) and data.readonly:
            content = data.cast("B") if data.nbytes else b""
        elif not isinstance(data, FileContent):
            content = bytes(data)
        self._add(key, content, alignment, external_tag, tensor_layout)

    def _add(
        self, key: str, content: Any, alignment: int, tag: str | None, layout: TensorLayout | None
    ) -> None:
        digest = content.sha256() if isinstance(content, FileContent) else hashlib.sha256(content).digest()
        index = self._index_by_digest.get(digest, len(self.buffers))
        known = self._find(key)
        if known is not None:
            known_tag, entry = known
            if entry.buffer_index != index:
                raise ValueError(
                    f"Duplicate key {key} with different data: it already names other data; choose a key that "
                    "depends on the content"
                )
            if known_tag != tag:
                raise ValueError(f"key {key!r} is already stored in {known_tag or 'the .pte'}, not {tag}")
            entry.alignment = math.lcm(entry.alignment, alignment)
            entry.tensor_layout = entry.tensor_layout or layout
            return
        if index == len(self.buffers):
            self.buffers.append(content)
            self._index_by_digest[digest] = index
        entry = DataEntry(index, alignment, layout)
        (self.pte_data if tag is None else self.external_data.setdefault(tag, {}))[key] = entry
        self.key_to_buffer_idx[key] = index

    def externalize_pte_data(self, max_data_bytes: int, tag_prefix: str) -> None:
        """Moves everything that would go into the ``.pte`` into files of limited size.

        Names of one content stay together. The files are filled in the order of the keys, so they do not depend on
        the order of adding.

        Args:
            max_data_bytes: of the contents in one file, without padding.
            tag_prefix: the files are ``<tag_prefix>_<digits>``, where the digits follow from the keys in the file, as in
                ExecuTorch 1.x.

        Raises:
            ValueError: an argument makes no sense, one content alone is larger than the limit, or there is data for
                one of the files already; nothing has been moved then.
        """
        if isinstance(max_data_bytes, bool) or not isinstance(max_data_bytes, int) or max_data_bytes < 1:
            raise ValueError(f"max_data_bytes must be a positive integer, got {max_data_bytes!r}")
        if not isinstance(tag_prefix, str) or not tag_prefix:
            raise ValueError(f"tag_prefix must be nonempty text, got {tag_prefix!r}")
        files: list[list[str]] = []
        used = 0
        for index, keys in self._keys_by_content().items():
            size = len(self.buffers[index])
            if size > max_data_bytes:
                raise ValueError(
                    f"{keys[0]!r}: {size} bytes exceeds external data shard cap of {max_data_bytes} bytes. Way out: a larger limit"
                )
            if not files or used + size > max_data_bytes:
                files.append([])
                used = 0
            files[-1] += keys
            used += size
        tagged = {f"{tag_prefix}_{_identity(keys)}": keys for keys in files}
        taken = sorted(set(tagged) & set(self.external_data))
        if taken:
            raise ValueError(
                f"external data tag collision: there is data for {taken} already. Way out: another tag_prefix"
            )
        for tag, keys in tagged.items():
            self.external_data[tag] = {key: self.pte_data.pop(key) for key in keys}

    def _keys_by_content(self) -> dict[int, list[str]]:
        """Index of a content to the keys in ``pte_data`` that stand for it, in the order of the keys."""
        found: dict[int, list[str]] = {}
        for key in sorted(self.pte_data):
            found.setdefault(self.pte_data[key].buffer_index, []).append(key)
        return found

    def merge_named_data_store(self, other: NamedDataStoreOutput) -> None:
        """Adds everything of ``other``; raises ``ValueError`` as ``add_named_data`` does."""
        tagged = [(None, other.pte_data), *other.external_data.items()]
        for tag, entries in tagged:
            for key, entry in entries.items():
                content = other.buffers[entry.buffer_index]
                self.add_named_data(key, content, entry.alignment, tag, entry.tensor_layout)

    def get_named_data_store_output(self) -> NamedDataStoreOutput:
        """The contents; it stays connected to the store, so ask when everything has been added."""
        return NamedDataStoreOutput(self.buffers, self.pte_data, self.external_data)

    def _find(self, key: str) -> tuple[str | None, DataEntry] | None:
        if key in self.pte_data:
            return None, self.pte_data[key]
        for tag, entries in self.external_data.items():
            if key in entries:
                return tag, entries[key]
        return None


def _identity(keys: list[str]) -> str:
    """Hexadecimal digits that differ for other keys."""
    return hashlib.sha256("\0".join(keys).encode()).hexdigest()
