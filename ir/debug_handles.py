"""Debug handles of a program: the numbers by which events of a run lead back to the operators of the model."""

from torch.fx import GraphModule

from executorch.dialects import meta_keys
from executorch.dialects.verifiers import graph_modules


class DebugHandles:
    """Gives out handles that nobody in a program has.

    Args:
        root: the graph of the method; its control-flow bodies have their share of the same numbers.

    Attributes:
        last: the highest handle so far; ``meta_keys.UNSET_DEBUG_HANDLE`` where no operator has one.
    """

    def __init__(self, root: GraphModule) -> None:
        handles = (
            node.meta.get(meta_keys.DEBUG_HANDLE)
            for module in graph_modules(root)
            for node in module.graph.nodes
        )
        known = (handle for handle in handles if isinstance(handle, int))
        self.last = max(known, default=meta_keys.UNSET_DEBUG_HANDLE)

    def next(self) -> int:
        """A new handle, above 0."""
        self.last += 1
        return self.last


__all__ = ["DebugHandles"]
