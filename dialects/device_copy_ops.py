"""``et_copy``: copies between the memory of the host and that of a device.

Both take a tensor and give one of the same type, shape and layout; which devices it goes between says the
:class:`~executorch.dialects.tensor_spec.TensorSpec` of argument and result. Here, ahead of time, all tensors are the
host's, so both are plain copies.
"""

from typing import Final

import torch
from torch.library import Library

LIBRARY: Final = Library("et_copy", "DEF")


def _copy(self: torch.Tensor) -> torch.Tensor:
    return self.clone()


def _copy_out(self: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    if out.shape != self.shape:
        out.resize_(self.shape)
    return out.copy_(self)


for _name in ("_h2d_copy", "_d2h_copy"):
    LIBRARY.define(f"{_name}(Tensor self) -> Tensor")
    LIBRARY.define(f"{_name}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)")
    for _key in ("CompositeExplicitAutograd", "Meta"):
        LIBRARY.impl(_name, _copy, _key)
        LIBRARY.impl(f"{_name}.out", _copy_out, _key)
del _key, _name

#: From the host to a device, and back.
HOST_TO_DEVICE: Final = torch.ops.et_copy._h2d_copy.default
DEVICE_TO_HOST: Final = torch.ops.et_copy._d2h_copy.default

__all__ = ["DEVICE_TO_HOST", "HOST_TO_DEVICE", "LIBRARY"]
