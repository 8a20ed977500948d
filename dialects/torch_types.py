"""Types of torch that stand in private modules there: an upgrade of torch that moves one is a change of this module.

What is done with private names of its graphs is in :mod:`executorch.ir.torch_internals`.
"""

from torch._export.verifier import Verifier
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
    "HigherOrderOperator",
    "OpOverload",
    "OpOverloadPacket",
    "Verifier",
]
