"""What a node of PyTorch's graph is in TOSA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from executorch.backends.arm.tosa.graph.builder import DTYPES, serializer_member
from executorch.dialects import meta_keys

#: Signed integers are what TOSA has; bytes without sign travel as int8.
_ALIASES = {torch.uint8: torch.int8, torch.int64: torch.int32}


def extract_tensor_meta(meta: Mapping[str, Any]) -> tuple[Any, tuple[int, ...]]:
    """The serializer's type and the sizes of a value, by a node's ``meta``; of the first one if it is several.

    Raises:
        ValueError: the value is no tensor, or TOSA lacks its type.
    """
    value = meta[meta_keys.VAL]
    first = value[0] if isinstance(value, list | tuple) else value
    if not isinstance(first, torch.Tensor):
        raise ValueError(f"a {type(first).__name__} is no tensor")
    dtype = DTYPES.get(_ALIASES.get(first.dtype, first.dtype))
    if dtype is None:
        raise ValueError(f"TOSA has no {first.dtype} here; there are {', '.join(map(str, DTYPES))}")
    return serializer_member(dtype), tuple(first.shape)
