"""Questions about nodes and specs that published code asks where the pass for memory planning is."""

from torch.export.graph_signature import ExportGraphSignature, InputKind
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.errors import describe_node
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning import MemoryPlanningError, is_mutable_buffer


def _is_buffer(node: Node, graph_signature: ExportGraphSignature) -> "tuple[bool, str | None]":
    """Whether ``node`` is the placeholder of a buffer, and the buffer's name."""
    for spec in graph_signature.input_specs:
        if spec.kind is InputKind.BUFFER and getattr(spec.arg, "name", None) == node.name:
            return True, spec.target
    return False, None


def _is_mutable_buffer(node: Node, graph_signature: ExportGraphSignature) -> "tuple[bool, str | None]":
    """Whether ``node`` is the placeholder of a buffer that the method changes, and the buffer's name."""
    if not is_mutable_buffer(node, graph_signature):
        return False, None
    return _is_buffer(node, graph_signature)


def _get_spec_from_node(node: Node) -> TensorSpec:
    """The spec of a node with one tensor as its result.

    Raises:
        MemoryPlanningError: it has no spec, or several.
    """
    spec = node.meta.get(meta_keys.SPEC)
    if not isinstance(spec, TensorSpec):
        raise MemoryPlanningError(f"{describe_node(node)} has the spec {spec!r}, not that of one tensor")
    return spec
