"""Data that stands beside delegate blobs under a key, stored once however many delegates name it."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field

import torch

from executorch.schema.flat_tensor import TensorLayout


@dataclass
class DataEntry:
    """Where one key's bytes are.

    Attributes:
        buffer_index: index into ``NamedDataStoreOutput.buffers``.
        alignment: bytes; the stored data begins at a multiple of this.
        tensor_layout: dtype, sizes and dim order when the bytes are a tensor; None for an opaque blob.
    """

    buffer_index: int
    alignment: int
    tensor_layout: TensorLayout | None = None


@dataclass
class NamedDataStoreOutput:
    """The contents of a store.

    Attributes:
        buffers: the distinct byte strings.
        pte_data: key -> entry, for data that goes into the ``.pte``.
        external_data: file tag -> key -> entry, for data that goes into ``<tag>.ptd``.
    """

    buffers: list[bytes] = field(default_factory=list)
    pte_data: dict[str, DataEntry] = field(default_factory=dict)
    external_data: dict[str, dict[str, DataEntry]] = field(default_factory=dict)


def _tensor_bytes(tensor: torch.Tensor) -> bytes:
    """The tensor's elements in memory order (dense tensors of any dim order)."""
    flat = tensor.detach().cpu()
    order = sorted(range(flat.dim()), key=lambda dim: flat.stride(dim), reverse=True)
    dense = flat.permute(order).contiguous().reshape(-1)
    return dense.view(torch.uint8).numpy().tobytes() if dense.numel() else b""


class NamedDataStore:
    """Collects named data; equal bytes are kept once, even under different keys."""

    def __init__(self) -> None:
        self._output = NamedDataStoreOutput()
        self._index_by_digest: dict[bytes, int] = {}

    def add_named_data(
        self,
        key: str,
        data: bytes | torch.Tensor,
        alignment: int | None = 1,
        external_tag: str | None = None,
        tensor_layout: TensorLayout | None = None,
    ) -> None:
        """Adds ``data`` under ``key``.

        Args:
            key: unique among all data of the program; adding the same bytes again under it changes nothing
                but may raise the alignment.
            data: bytes, or a tensor whose elements are taken in memory order.
            alignment: bytes, at least 1; None means 1.
            external_tag: name of the ``.ptd`` file (without suffix) that receives the data; None: the ``.pte``.
            tensor_layout: see ``DataEntry``.

        Raises:
            ValueError: the key is taken by other bytes or for another file, or the alignment is not positive.
        """
        alignment = 1 if alignment is None else alignment
        if alignment < 1:
            raise ValueError(f"alignment of {key!r} is {alignment}; it must be at least 1 byte")
        content = _tensor_bytes(data) if isinstance(data, torch.Tensor) else bytes(data)
        index = self._intern(content)
        known = self._find(key)
        if known is not None:
            tag, entry = known
            if entry.buffer_index != index:
                raise ValueError(
                    f"key {key!r} already names other data: choose a key that depends on the content"
                )
            if tag != external_tag:
                raise ValueError(f"key {key!r} is already stored in {tag or 'the .pte'}, not {external_tag}")
            entry.alignment = math.lcm(entry.alignment, alignment)
            entry.tensor_layout = entry.tensor_layout or tensor_layout
            return
        entry = DataEntry(index, alignment, tensor_layout)
        if external_tag is None:
            self._output.pte_data[key] = entry
        else:
            self._output.external_data.setdefault(external_tag, {})[key] = entry

    def merge_named_data_store(self, other: NamedDataStoreOutput) -> None:
        """Adds everything of ``other``; raises ``ValueError`` as ``add_named_data`` does."""
        tagged = [(None, other.pte_data), *other.external_data.items()]
        for tag, entries in tagged:
            for key, entry in entries.items():
                content = other.buffers[entry.buffer_index]
                self.add_named_data(key, content, entry.alignment, tag, entry.tensor_layout)

    def get_named_data_store_output(self) -> NamedDataStoreOutput:
        """The contents; it stays connected to the store, so ask when everything has been added."""
        return self._output

    def _find(self, key: str) -> tuple[str | None, DataEntry] | None:
        if key in self._output.pte_data:
            return None, self._output.pte_data[key]
        for tag, entries in self._output.external_data.items():
            if key in entries:
                return tag, entries[key]
        return None

    def _intern(self, content: bytes) -> int:
        digest = hashlib.sha256(content).digest()
        index = self._index_by_digest.get(digest)
        if index is None:
            index = len(self._output.buffers)
            self._output.buffers.append(content)
            self._index_by_digest[digest] = index
        return index
