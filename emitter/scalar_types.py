"""PyTorch's element types as numbers of the file format."""

from __future__ import annotations

import torch

from executorch.emitter.errors import EmissionError, MemoryFormatError
from executorch.schema.element_types import ELEMENT_TYPES
from executorch.schema.scalar_type import ScalarType

SCALAR_TYPES: dict[torch.dtype, ScalarType] = {
    getattr(torch, known.name): kind for kind, known in ELEMENT_TYPES.items()
}
"""Element types that a tensor in a file can have."""
DTYPES: dict[ScalarType, torch.dtype] = {kind: dtype for dtype, kind in SCALAR_TYPES.items()}
# Kernels know no others, see MemoryFormat in runtime/core/portable_type/tensor_options.h.
_MEMORY_FORMATS = {torch.contiguous_format: 0, torch.preserve_format: 1}


def scalar_type(dtype: torch.dtype) -> ScalarType:
    """The number under which a file stores tensors of `dtype`.

    Raises:
        EmissionError: the file format has no such type.
    """
    found = SCALAR_TYPES.get(dtype)
    if found is None:
        raise EmissionError(f"a program cannot hold tensors of {dtype}. Way out: convert them in the model.")
    return found


def argument_number(value: torch.dtype | torch.layout | torch.memory_format) -> int:
    """The number that an operator receives for an element type, a layout or a memory format.

    Raises:
        EmissionError: there is no number for it.
        MemoryFormatError: no kernel knows the memory format (also an ``InternalError``).
    """
    if isinstance(value, torch.dtype):
        return int(scalar_type(value))
    if value is torch.strided:
        return 0
    if isinstance(value, torch.memory_format):
        if value not in _MEMORY_FORMATS:
            raise MemoryFormatError(
                f"the memory format {value} is unsupported: kernels make contiguous results or keep an order\nWay out: "
                "EdgeCompileConfig(_skip_dim_order=False), which says orders of dimensions in place of memory formats"
            )
        return _MEMORY_FORMATS[value]
    raise EmissionError(f"no operator of a program can take {value}")
