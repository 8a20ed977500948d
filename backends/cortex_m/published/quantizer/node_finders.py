"""Which nodes of a captured graph a quantizer is for, under their published names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import get_module_name_filter

from executorch.backends.arm.quantizer.arm_quantizer import module_type_filter
from executorch.dialects.torch_types import OpOverload


class NodeFinder(ABC):
    """Finds nodes; ``str`` of it says which, for reports."""

    @abstractmethod
    def find_nodes(self, model: GraphModule) -> Iterator[Node]:
        """The nodes, in the graph's order."""


class _Chosen(NodeFinder):
    """What a test of each node finds."""

    def __init__(self, accepts: Callable[[Node], bool], what: str) -> None:
        self._accepts, self._what = accepts, what

    def find_nodes(self, model: GraphModule) -> Iterator[Node]:
        return (node for node in model.graph.nodes if self._accepts(node))

    def __str__(self) -> str:
        return f"{type(self).__name__} targeting {self._what}"


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple | set) else [given]


class GlobalNodeFinder(_Chosen):
    """All nodes."""

    def __init__(self) -> None:
        super().__init__(lambda node: True, "all nodes")


class InputNodeFinder(_Chosen):
    """All placeholders, those of weights among them."""

    def __init__(self) -> None:
        super().__init__(lambda node: node.op == "placeholder", "all placeholder nodes")


class OutputNodeFinder(_Chosen):
    """The output."""

    def __init__(self) -> None:
        super().__init__(lambda node: node.op == "output", "the output node")


class NodeNameNodeFinder(_Chosen):
    """Nodes by name.

    Args:
        names: one, or several.
    """

    def __init__(self, names: str | list[str]) -> None:
        wanted = _several(names)
        super().__init__(lambda node: node.name in wanted, f"names: {', '.join(wanted)}")


class NodeTargetNodeFinder(_Chosen):
    """Calls of operators.

    Args:
        targets: one, or several.
    """

    def __init__(self, targets: OpOverload | list[OpOverload]) -> None:
        wanted = _several(targets)
        names = ", ".join(one.name() if hasattr(one, "name") else str(one) for one in wanted)
        super().__init__(lambda node: node.target in wanted, f"node targets: {names}")


class ModuleNameNodeFinder(_Chosen):
    """What is called within submodules.

    Args:
        names: the path of one, as ``blocks.0``, or of several.
    """

    def __init__(self, names: str | list[str]) -> None:
        wanted = _several(names)
        filters = [get_module_name_filter(name) for name in wanted]
        super().__init__(
            lambda node: any(accepts(node) for accepts in filters), f"module names: {', '.join(wanted)}"
        )


class ModuleTypeNodeFinder(_Chosen):
    """What is called within submodules of a class.

    Args:
        types: one, or several.
    """

    def __init__(self, types: Callable[..., Any] | list[Callable[..., Any]]) -> None:
        wanted = _several(types)
        filters = [module_type_filter(kind) for kind in wanted]
        super().__init__(
            lambda node: any(accepts(node) for accepts in filters),
            f"module types: {', '.join(kind.__name__ for kind in wanted)}",
        )
