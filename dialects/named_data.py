"""One name of data beside programs and delegate blobs: what stores of backends and writers of files share."""

from dataclasses import dataclass
from typing import Any


@dataclass
class DataEntry:
    """Where one key's bytes are.

    Attributes:
        buffer_index: index into the buffers of the store or payload that the entry belongs to.
        alignment: bytes; in a file the data begins at a multiple of this.
        tensor_layout: element type, sizes and dim order (the schema's ``TensorLayout``) when the bytes are a tensor;
            None for an opaque blob.
    """

    buffer_index: int
    alignment: int = 1
    tensor_layout: Any = None


__all__ = ["DataEntry"]
