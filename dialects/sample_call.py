"""A small example call of an operator, in the terms of its schema."""

from dataclasses import dataclass, field
from typing import Any

import torch

from executorch.dialects.torch_types import OpOverload


@dataclass(frozen=True)
class Sample:
    """How to call one operator with small tensors.

    Attributes:
        op: ``aten::name`` or ``aten::name.overload``.
        shapes: shape of each tensor argument that is passed; a list of shapes for a ``Tensor[]``.
        values: the other arguments.
        fixed: types of arguments that do not follow the others (indices, conditions).
    """

    op: str
    shapes: dict[str, Any]
    values: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, tuple[torch.dtype, ...]] = field(default_factory=dict)

    def overload(self) -> OpOverload:
        namespace, rest = self.op.split("::")
        name, _, overload = rest.partition(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")
