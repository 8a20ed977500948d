"""Filters for partitioners: nodes that must not be taken, by operator, by node name or by module."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch
from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.dialects import meta_keys
from executorch.partitioner.selection.partition_proposals import operator_name


def _matches(wanted: str, name: str, exact: bool) -> bool:
    return wanted == name if exact else wanted in name


class DontSupportBase(OperatorSupportBase):
    """Takes every node but some; remembers those that it has refused. Combine it with ``chain``."""

    def __init__(self) -> None:
        self._rejected_nodes: list[torch.fx.Node] = []

    @abstractmethod
    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool: ...

    def reject_node(self, node: torch.fx.Node) -> None:
        """Notes that ``node`` was refused."""
        self._rejected_nodes.append(node)

    def rejected_nodes(self) -> list[torch.fx.Node]:
        return self._rejected_nodes

    def has_rejected_node(self) -> bool:
        return bool(self._rejected_nodes)

    def num_rejected(self) -> int:
        return len(self._rejected_nodes)

    def _answer(self, node: torch.fx.Node, refused: bool) -> bool:
        if refused:
            self.reject_node(node)
        return not refused


class DontPartition(DontSupportBase):
    """Refuses operators.

    Args:
        targets: overloads of ATen or of the edge dialect, or names such as ``aten.add.Tensor``.
        exact: whether names must be equal; otherwise a name that contains the text is refused too.
    """

    def __init__(self, *targets: Any, exact: bool = True) -> None:
        super().__init__()
        self._names = [operator_name(target) for target in targets]
        self._exact = exact

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        name = operator_name(node.target)
        return self._answer(node, any(_matches(wanted, name, self._exact) for wanted in self._names))


class DontPartitionName(DontSupportBase):
    """Refuses nodes by name, such as ``aten_add_tensor``; with ``exact=False`` by a part of it."""

    def __init__(self, *targets: str, exact: bool = True) -> None:
        super().__init__()
        self._names = targets
        self._exact = exact

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        return self._answer(node, any(_matches(wanted, node.name, self._exact) for wanted in self._names))


class DontPartitionModule(DontSupportBase):
    """Refuses nodes that come from some module.

    Args:
        module_name: the module's class, as ``Linear`` or in full.
        instance_name: where it hangs in the model, ``layers.0``.
        exact: whether the names must be equal; otherwise a part will do.
    """

    def __init__(
        self, *, module_name: str | None = None, instance_name: str | None = None, exact: bool = True
    ) -> None:
        super().__init__()
        self._module_name = module_name
        self._instance_name = instance_name
        self._exact = exact

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        stack = node.meta.get(meta_keys.NN_MODULE_STACK) or {}
        return self._answer(node, any(self._is_refused(path, kind) for path, kind in stack.values()))

    def _is_refused(self, path: str, kind: Any) -> bool:
        full = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
        by_class = self._module_name is not None and any(
            _matches(self._module_name, name, self._exact) for name in (full, full.rpartition(".")[2])
        )
        by_instance = self._instance_name is not None and _matches(self._instance_name, path, self._exact)
        return by_class or by_instance
