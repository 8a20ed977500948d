"""Numbers the operators of a method, so that events of a run can be traced back to the model."""

from collections.abc import Iterator

from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.verifiers import graph_modules
from executorch.ir.debug_handles import DebugHandles
from executorch.passes.infrastructure.node_origins import greatest_ancestor
from executorch.passes.infrastructure.pass_base import PassBase, PassResult


def _operator_nodes(graph_module: GraphModule) -> Iterator[Node]:
    for module in graph_modules(graph_module):
        for node in module.graph.nodes:
            if node.op == "call_function":
                yield node


def _attribute_nodes(graph_module: GraphModule) -> Iterator[Node]:
    for module in graph_modules(graph_module):
        yield from module.graph.find_nodes(op="get_attr")


def _number_attribute(node: Node) -> bool:
    """Gives a node the handle of its first user; False if it has one, or no user."""
    if node.meta.get(meta_keys.DEBUG_HANDLE) or not node.users:
        return False
    node.meta[meta_keys.DEBUG_HANDLE] = next(iter(node.users)).meta.get(meta_keys.DEBUG_HANDLE)
    return bool(node.meta[meta_keys.DEBUG_HANDLE])


def _origin(node: Node) -> "tuple[str, int] | None":
    ancestor = greatest_ancestor(node)
    return None if ancestor is None else (ancestor.name, ancestor.graph_id)


class DebugHandleGeneratorPass(PassBase):
    """Gives every operator (also inside control flow) the handle, above 0, of the exported operator behind it.

    Nodes that one operator of the exported program decomposed into share a handle; a node that comes from nowhere
    has one of its own. Numbers are in order of first appearance. Handles that are there already stay, so that
    numbers survive later passes, and new nodes of the same origin get them too. What an operator gets as an attribute
    (a delegate, the body of a loop) has its handle.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        nodes = list(_operator_nodes(graph_module))
        counter = DebugHandles(graph_module)
        missing = [node for node in nodes if not node.meta.get(meta_keys.DEBUG_HANDLE)]
        handles: dict[tuple[str, int], int] = {}
        if missing:
            for node in nodes:
                origin, handle = _origin(node), node.meta.get(meta_keys.DEBUG_HANDLE)
                if origin is not None and handle:
                    handles.setdefault(origin, handle)
        for node in missing:
            origin = _origin(node)
            handle = handles.get(origin) if origin is not None else None
            if handle is None:
                handle = counter.next()
                if origin is not None:
                    handles[origin] = handle
            node.meta[meta_keys.DEBUG_HANDLE] = handle
        # Delegates and bodies are got for one operator, whose handle backends look for there too.
        attributes = [_number_attribute(node) for node in _attribute_nodes(graph_module)]
        return PassResult(graph_module, bool(missing) or any(attributes))

    def ensures(self, graph_module: GraphModule) -> None:
        missing = [
            node.name for node in _operator_nodes(graph_module) if not node.meta.get(meta_keys.DEBUG_HANDLE)
        ]
        if missing:
            raise AssertionError(f"nodes without a debug handle: {', '.join(missing)}")


def generate_missing_debug_handles(exported_program: "object") -> None:
    """Numbers the operators that earlier passes added to a program without numbering them (in place)."""
    DebugHandleGeneratorPass()(exported_program.graph_module)  # type: ignore[attr-defined]
