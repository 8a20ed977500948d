"""What passes over a graph for these targets ask nodes, under its published name."""

from __future__ import annotations

from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import FakeTensor


def get_first_fake_tensor(node: Node) -> FakeTensor:
    """The tensor that a node is in tracing, the first if it is several.

    Raises:
        TypeError: it is none.
    """
    value = node.meta[meta_keys.VAL]
    first = value[0] if isinstance(value, list | tuple) else value
    if not isinstance(first, FakeTensor):
        raise TypeError(f"{node.name} is {type(first).__name__} in tracing, no tensor")
    return first
