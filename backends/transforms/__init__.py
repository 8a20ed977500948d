"""Graph passes that backends share, ahead of time."""

from executorch.backends.transforms.duplicate_dynamic_quant_chain import DuplicateDynamicQuantChainPass
from executorch.backends.transforms.remove_getitem_op import RemoveGetItemPass

__all__ = ["DuplicateDynamicQuantChainPass", "RemoveGetItemPass"]
