"""Types of torch, and its call of delegates, that stand in private modules there: an upgrade of torch that moves one is a change of this module.

What is done with private names of its graphs is in :mod:`executorch.ir.torch_internals`.
"""

from torch._export.verifier import Verifier
from torch._higher_order_ops.auto_functionalize import can_auto_functionalize
from torch._higher_order_ops.executorch_call_delegate import (
    LOWERED_BACKEND_MODULE_TYPE,
    executorch_call_delegate,
    get_lowered_module_name,
    is_lowered_module,
)
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

__all__ = [
    "LOWERED_BACKEND_MODULE_TYPE",
    "FakeTensor",
    "FakeTensorMode",
    "HigherOrderOperator",
    "OpOverload",
    "OpOverloadPacket",
    "Verifier",
    "can_auto_functionalize",
    "executorch_call_delegate",
    "get_lowered_module_name",
    "is_lowered_module",
]
