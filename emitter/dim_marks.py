"""Facts about dimensions that a tensor in the file has no field for, as a value of the method.

A string that no instruction refers to marks some of the dimensions of the method's tensors: bit by bit, dimension after
dimension and tensor after tensor in the order of values, six in a character, counted from "0", the lowest bit first.
Readers that do not know it skip it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from executorch.schema.program import EValue, String, Tensor, TensorShapeDynamism

STATIC_DIMS: Final = "executorch.static_dims:"
"""The marked dimensions of inputs have exactly the size that the file says, in tensors whose others may be smaller."""
UNBOUNDED_DIMS: Final = "executorch.unbounded_dims:"
"""The marked dimensions may exceed the size that the file says, which is that of the example inputs. Released runtimes
refuse tensors that are `DYNAMIC_UNBOUND`, so the file has them as `DYNAMIC_BOUND`, which every runtime runs."""
_BITS: Final = 6


def encode(prefix: str, values: Sequence[EValue], marks: Mapping[int, Collection[int]]) -> EValue | None:
    """The value that says `marks`, number of a tensor value -> its marked dimensions; None without any."""
    bits = [
        dim in marks.get(number, ())
        for number, value in enumerate(values)
        if isinstance(value.val, Tensor)
        for dim in range(len(value.val.sizes))
    ]
    groups = [bits[start : start + _BITS] for start in range(0, len(bits), _BITS)]
    text = "".join(chr(ord("0") + sum(bit << place for place, bit in enumerate(group))) for group in groups)
    text = text.rstrip("0")
    return EValue(String(prefix + text)) if text else None


def decode(prefix: str, values: Sequence[EValue]) -> dict[int, frozenset[int]]:
    """Number of a tensor value -> its marked dimensions; tensors that have none are left out."""
    text = ""
    for value in values:
        if isinstance(value.val, String) and value.val.string_val.startswith(prefix):
            text = value.val.string_val.removeprefix(prefix)
    found: dict[int, frozenset[int]] = {}
    first = 0
    for number, value in enumerate(values):
        if isinstance(value.val, Tensor):
            rank = len(value.val.sizes)
            dims = frozenset(dim for dim in range(rank) if _bit(text, first + dim))
            if dims:
                found[number] = dims
            first += rank
    return found


def _bit(text: str, index: int) -> bool:
    place = index // _BITS
    return place < len(text) and bool((ord(text[place]) - ord("0")) >> (index % _BITS) & 1)


def unbounded_dims(values: Sequence[EValue]) -> dict[int, frozenset[int]]:
    """Number of a tensor value -> its dimensions without a bound; tensors that have none are left out."""
    found = decode(UNBOUNDED_DIMS, values)
    for number, value in enumerate(values):
        if isinstance(value.val, Tensor) and value.val.shape_dynamism == TensorShapeDynamism.DYNAMIC_UNBOUND:
            found[number] = frozenset(range(len(value.val.sizes)))
    return found
