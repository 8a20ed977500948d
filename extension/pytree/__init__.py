"""Nested containers taken apart and put together, for code that asks the documented path for it.

The functions are those of :mod:`torch.utils._pytree`; both sides of an export therefore agree on the order of leaves.
"""

from torch.utils._pytree import (
    TreeSpec,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_unflatten,
    treespec_dumps,
    treespec_loads,
)
from torch.utils._pytree import _broadcast_to_and_flatten as broadcast_to_and_flatten
from torch.utils._pytree import register_pytree_node as register_custom

_broadcast_to_and_flatten = broadcast_to_and_flatten
_register_pytree_node = register_custom
from_str = treespec_loads

__all__ = [
    "TreeSpec",
    "broadcast_to_and_flatten",
    "from_str",
    "register_custom",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_unflatten",
    "treespec_dumps",
    "treespec_loads",
]
