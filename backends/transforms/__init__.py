"""Graph passes that backends share, ahead of time."""

from executorch.backends.transforms.addmm_mm_to_linear import apply_addmm_mm_to_linear_transform, get_shape
from executorch.backends.transforms.duplicate_dynamic_quant_chain import DuplicateDynamicQuantChainPass
from executorch.backends.transforms.remove_getitem_op import RemoveGetItemPass

__all__ = [
    "DuplicateDynamicQuantChainPass",
    "RemoveGetItemPass",
    "apply_addmm_mm_to_linear_transform",
    "get_shape",
]
