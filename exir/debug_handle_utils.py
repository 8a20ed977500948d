"""Documented path of the names around debug handles: metadata keys, and where a node comes from."""

from executorch.dialects.meta_keys import DEBUG_HANDLE as DEBUG_HANDLE_KEY
from executorch.dialects.meta_keys import FROM_NODE as FROM_NODE_KEY
from executorch.dialects.meta_keys import UNSET_DEBUG_HANDLE
from executorch.passes.infrastructure.node_origins import get_greatest_ancestor_node_identifier

__all__ = [
    "DEBUG_HANDLE_KEY",
    "FROM_NODE_KEY",
    "UNSET_DEBUG_HANDLE",
    "get_greatest_ancestor_node_identifier",
]
