"""Tensors without data among a program's parameters and constants: what a program looks like, without its weights.

torch writes a fake tensor as its description, and refuses to read it back: the function that does it is not among those
that it calls when it reads weights, and cannot make parameters of integers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._export.serde import serialize as torch_serde

#: Under this name torch writes the function that makes a fake tensor of its description.
_NAME = "torch._export.serde.serialize._reconstruct_fake_tensor"
#: Who reads an artifact outside of ``deserialize`` puts a ``GraphModuleDeserializer`` with a fake mode on top.
_CURRENT_DESERIALIZER: list[Any] = []


def _reconstruct_fake_tensor(description: bytes, is_parameter: bool) -> torch.Tensor:
    """A fake tensor of the deserializer at work.

    Args:
        description: torch's, JSON.
        is_parameter: make a ``torch.nn.Parameter``; one of floats requires gradients, whatever it did before.
    """
    fake = torch_serde._reconstruct_fake_tensor(description, False)
    if not is_parameter:
        return fake
    return torch.nn.Parameter(fake, requires_grad=fake.is_floating_point() or fake.is_complex())


@contextmanager
def fake_tensors_are_read() -> Iterator[None]:
    """Lets torch read fake tensors; what the caller allows besides stays allowed."""
    before = torch.serialization.get_safe_globals()
    torch.serialization.add_safe_globals([(_reconstruct_fake_tensor, _NAME)])
    try:
        yield
    finally:
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(before)


def deserialize_torch_artifact(serialized: "dict[str, Any] | tuple[Any, ...] | bytes") -> Any:
    """What ``serialize_torch_artifact`` wrote, fake tensors included."""
    before = torch_serde._CURRENT_DESERIALIZER
    if _CURRENT_DESERIALIZER:
        torch_serde._CURRENT_DESERIALIZER = _CURRENT_DESERIALIZER[-1]
    try:
        with fake_tensors_are_read():
            return torch_serde.deserialize_torch_artifact(serialized)
    finally:
        torch_serde._CURRENT_DESERIALIZER = before
