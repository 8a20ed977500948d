"""What weights in few bits have in common that survive :func:`torch.export.export`: an operator makes their values.

In an exported graph, after ``run_decompositions``, such a weight is the tensors that it consists of, that operator, and a plain
linear layer or embedding, which a backend finds as a pattern. PyTorch executes it as it stands.
"""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torchao.utils import TorchAOBaseTensor

_Self = TypeVar("_Self", bound="ExportableTensor")


class ExportableTensor(TorchAOBaseTensor):
    """A weight whose values :meth:`dequantize` makes by one operator; ``orig_dtype`` is what it looks like from outside."""

    orig_dtype: torch.dtype

    def dequantize(self, output_dtype: torch.dtype | None = None) -> torch.Tensor:
        """The values, in ``orig_dtype`` by default."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its values are")

    def _as_dtype(self: _Self, dtype: torch.dtype) -> _Self:
        raise NotImplementedError(f"{type(self).__name__} has one dtype only")

    def to(self: _Self, *args: Any, **kwargs: Any) -> _Self:
        """Elsewhere, or with another dtype of the values; the bits stay as they are.

        Raises:
            AssertionError: the dtype is none of floats, which would drop the quantization.
        """
        device, dtype, _, _ = torch._C._nn._parse_to(*args, **kwargs)
        assert dtype is None or dtype.is_floating_point, (
            f"quantized weights have values in floats, not in {dtype}"
        )
        moved = self if device is None else self._apply_fn_to_data(lambda one: one.to(device))
        return moved if dtype in (None, moved.dtype) else moved._as_dtype(dtype)


# Read-only access by eager layers and by the decomposition of exported ones: values first, then what torch has.
_implements = ExportableTensor.implements
_implements_function = ExportableTensor.implements_torch_function


@_implements(torch.ops.aten.linear.default)
@_implements_function(torch.nn.functional.linear)
def _linear(func: Any, types: Any, args: Any, kwargs: Any) -> torch.Tensor:
    given = dict(zip(("input", "weight", "bias"), args, strict=False)) | (kwargs or {})
    inputs, weight = given["input"], given["weight"]
    return torch.nn.functional.linear(inputs, weight.dequantize(inputs.dtype), given.get("bias"))


@_implements(torch.ops.aten.embedding.default)
def _embedding(func: Any, types: Any, args: Any, kwargs: Any) -> torch.Tensor:
    weight, indices = args[0], args[1]
    return torch.nn.functional.embedding(indices, weight.dequantize())


@_implements_function(torch.nn.functional.embedding)
def _embedding_function(func: Any, types: Any, args: Any, kwargs: Any) -> torch.Tensor:
    given = dict(zip(("input", "weight"), args, strict=False)) | (kwargs or {})
    return torch.nn.functional.embedding(given["input"], given["weight"].dequantize())
