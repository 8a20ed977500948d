"""Arrays of C++ source, for programs and tensors that firmware has in flash."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def array(kind: str, name: str, values: Sequence[str], align: str = "") -> str:
    """A constant array; ``align`` stands before its type."""
    lines = (", ".join(values[at : at + 24]) for at in range(0, len(values), 24))
    body = ",\n".join("    " + line for line in lines)
    return f"{align}static const {kind} {name}[] = {{\n{body}\n}};\n"


def byte_array(name: str, data: bytes) -> str:
    """Bytes at a multiple of 16, as programs have to lie."""
    return array("uint8_t", name, [str(byte) for byte in data], "alignas(16) ")


def float_array(name: str, tensor: torch.Tensor) -> str:
    """All elements, as floats that read back as they are."""
    return array("float", name, [f"{value.hex()}f" for value in tensor.flatten().tolist()])
