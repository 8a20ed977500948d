"""Values of a graph in eager mode, by debug handle."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

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


class IntermediateOutputCapturer(torch.fx.Interpreter):
    """Runs a graph and keeps what its operators give.

    Attributes:
        node_filters: A node's value is kept if all of them match: calls with a debug handle, without those that only
            take an element of another's result.
    """

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__(module)
        self.node_filters = [NodeFilter("debug_handle", "call_function", exclude_ops=["getitem"])]
        self._captured: dict[DebugHandle, Any] = {}

    def run_and_capture(self, *args: Any, **kwargs: Any) -> dict[DebugHandle, Any]:
        """Runs the graph.

        Args:
            args: Its inputs.

        Returns:
            Debug handle to a copy of the value, in the order of execution; of several nodes with one handle, the
            last one's.
        """
        self._captured = {}
        with torch.no_grad():
            if kwargs:
                args = (*args, *(kwargs[str(node.target)] for node in self._placeholders()[len(args) :]))
            self.run(*args)
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


__all__ = ["IntermediateOutputCapturer", "NodeFilter"]
