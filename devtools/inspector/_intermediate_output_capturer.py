"""Values of a graph in eager mode, by debug handle."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from executorch.devtools.inspector.debug_handles import handles_of
from executorch.devtools.inspector.numerical_comparator.numerical_comparator_base import DebugHandle


class NodeFilter:
    """Chooses nodes by their kind, a key of their metadata, and their names."""

    def __init__(self, metadata_key: str, op_type: str, exclude_ops: Sequence[str] | None = None) -> None:
        """Args:
        metadata_key: What must be in ``node.meta``, and not None.
        op_type: What ``node.op`` must be.
        exclude_ops: Texts that the node's name must not contain.
        """
        self.metadata_key = metadata_key
        self.op_type = op_type
        self.exclude_ops = list(exclude_ops or ())

    def matches(self, node: torch.fx.Node) -> bool:
        """Whether the node is one of them."""
        return (
            node.meta.get(self.metadata_key) is not None
            and node.op == self.op_type
            and not any(excluded in node.name for excluded in self.exclude_ops)
        )


#: Calls with a debug handle, without those that only take an element of another's result.
OPERATORS = NodeFilter("debug_handle", "call_function", exclude_ops=["getitem"])


def _flat(inputs: Sequence[Any], expected: int) -> list[Any]:
    flat = tree_leaves(list(inputs))
    if len(flat) != expected and isinstance(inputs[0] if inputs else None, (list, tuple)):
        flat = tree_leaves(inputs[0])
    if len(flat) != expected:
        raise ValueError(
            f"the model takes {expected} inputs, the ETRecord has {len(flat)}\nWay out: "
            "update_representative_inputs((x, y)) with a value for each input, before the record is saved"
        )
    return flat


class IntermediateOutputCapturer(torch.fx.Interpreter):
    """Runs a graph and keeps what its operators give.

    Attributes:
        node_filters: A node's value is kept if all of them match; :data:`OPERATORS` at first.
    """

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__(module)
        self.node_filters = [OPERATORS]
        self._captured: dict[DebugHandle, Any] = {}

    def run_and_capture(self, *args: Any, **kwargs: Any) -> dict[DebugHandle, Any]:
        """Runs the graph.

        Args:
            args: A value for each input, in whatever nesting, or sets of them, of which the first is taken. Buffers that
                the graph changes have their old values afterwards.

        Returns:
            Debug handle to a copy of the value, in the order of execution; of several nodes with one handle, the
            last one's.

        Raises:
            ValueError: There is another number of inputs.
        """
        self._captured = {}
        with torch.no_grad():
            if kwargs:
                args = (*args, *(kwargs[str(node.target)] for node in self._placeholders()[len(args) :]))
            module: torch.nn.Module = self.module  # type: ignore[assignment]
            before = {name: buffer.clone() for name, buffer in module.named_buffers()}
            try:
                self.run(*_flat(args, len(self._placeholders())))
            finally:
                for name, buffer in module.named_buffers():
                    buffer.copy_(before[name])
        return self._captured

    def _placeholders(self) -> list[torch.fx.Node]:
        return [node for node in self.module.graph.nodes if node.op == "placeholder"]  # type: ignore[union-attr]

    def run_node(self, n: torch.fx.Node) -> Any:
        """The result of a node, which is kept if the filters match."""
        result = super().run_node(n)
        handle = handles_of(n.meta.get("debug_handle"))
        if handle and all(chosen.matches(n) for chosen in self.node_filters):
            # Later operators may work in place.
            self._captured[handle] = copy.deepcopy(result)
        return result


__all__ = ["OPERATORS", "IntermediateOutputCapturer", "NodeFilter"]
