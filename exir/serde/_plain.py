"""Programs of the compiler's dialects in the form that torch's serializer takes, and back.

What torch writes: operators with a schema, values, and ``custom`` metadata. What it does not know is brought into that
form on a copy: delegates become numbers, the memory operators objects with a schema, and the keys of ``meta`` that
belong to this project one entry of ``custom``.
"""

import operator
from typing import Any, cast

import torch
from torch._export.verifier import load_verifier
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.dialects import memory, meta_keys
from executorch.dialects.torch_types import OpOverload, Verifier
from executorch.dialects.verifiers import UncheckedEdgeVerifier, graph_modules
from executorch.exir.serde._operators import ALLOC, ALLOC_LIST, FREE, VIEW, ListOutOp, MemoryOp
from executorch.ir.clone import clone_program, replace_parts
from executorch.partitioner import LoweredBackendModule, executorch_call_delegate

_CUSTOM = "executorch"
_KEYS = (meta_keys.DEBUG_HANDLE, meta_keys.DELEGATION_TAG, meta_keys.CONSTANT_TAG)
_MEMORY = {memory.view: VIEW, memory.free: FREE}


class SerializedVerifier(UncheckedEdgeVerifier):
    """Programs on their way to and from bytes; they were verified when they were made."""

    dialect = "EXECUTORCH_SERDE"

    def __init__(self) -> None:
        # Of all other dialects torch demands functional operators, which the execution form does not have.
        self.dialect = "TRAINING"

    def allowed_op_types(self) -> tuple[type, ...]:
        return (*super().allowed_op_types(), ListOutOp, MemoryOp)


def to_plain(program: ExportedProgram) -> tuple[ExportedProgram, list[LoweredBackendModule]]:
    """A copy that torch can write (tensors are shared), and the delegates that it has numbers for.

    Raises:
        ValueError: a ``memory.alloc`` of symbolic sizes.
    """
    program = clone_program(program)
    delegates: list[LoweredBackendModule] = []
    for module in graph_modules(program.graph_module):
        for node in module.graph.nodes:
            _node_to_plain(node)
            if node.target is executorch_call_delegate:
                _number_delegate(module, node, delegates)
    return replace_parts(program, verifiers=[SerializedVerifier]), delegates


def from_plain(
    program: ExportedProgram, delegates: list[LoweredBackendModule], dialect: str
) -> ExportedProgram:
    """Undoes :func:`to_plain` (in place) on a program that torch has read."""
    for module in graph_modules(program.graph_module):
        elements: dict[str, dict[str, Any]] = {}
        for node in list(module.graph.nodes):
            _node_from_plain(node, elements)
            if node.target is executorch_call_delegate:
                _restore_delegate(module, node, delegates)
        module.recompile()
    # Programs in the edge dialect were verified with rules that are not written.
    verifier = UncheckedEdgeVerifier if dialect == UncheckedEdgeVerifier.dialect else load_verifier(dialect)
    return replace_parts(program, verifiers=[verifier or Verifier])


def _node_to_plain(node: Node) -> None:
    if node.target is operator.getitem:
        return  # torch writes these with the operator whose results they pick
    kept = _own_meta(node)
    elements = {user.name: _own_meta(user) for user in node.users if user.target is operator.getitem}
    if elements:
        kept["elements"] = elements
    if node.target is memory.alloc:
        several = isinstance(node.args[0], list)
        kept["alloc"] = [_alloc_spec(spec) for spec in (node.args[0] if several else [node.args[0]])]  # type: ignore[union-attr]
        node.target, node.args = ALLOC_LIST if several else ALLOC, ()
    elif node.op == "call_function" and node.target in _MEMORY:
        node.target = _MEMORY[node.target]  # type: ignore[index]
    elif _fills_list(node):
        node.target = ListOutOp(cast(OpOverload, node.target))
    if kept:
        node.meta["custom"] = {**(node.meta.get("custom") or {}), _CUSTOM: kept}


def _fills_list(node: Node) -> bool:
    written = node.kwargs.get("out")
    return (
        isinstance(node.target, OpOverload) and not node.target._schema.returns and isinstance(written, list)
    )


def _own_meta(node: Node) -> dict[str, Any]:
    return {key: node.meta[key] for key in _KEYS if node.meta.get(key) is not None}


def _alloc_spec(spec: Any) -> list[Any]:
    shape, dtype = spec
    if not all(isinstance(size, int) for size in shape):
        raise ValueError(f"memory.alloc of the symbolic sizes {list(shape)} cannot be written")
    return [list(shape), str(dtype).removeprefix("torch.")]


def _node_from_plain(node: Node, elements: dict[str, dict[str, Any]]) -> None:
    custom = dict(node.meta.pop("custom", None) or {})
    kept = custom.pop(_CUSTOM, {})
    elements.update(kept.get("elements", {}))
    if node.target is operator.getitem:
        kept = elements.get(node.name, {})
    if custom:
        node.meta["custom"] = custom
    if isinstance(node.target, MemoryOp):
        if "alloc" in kept:
            specs = [(tuple(shape), getattr(torch, dtype)) for shape, dtype in kept["alloc"]]
            node.args = (specs if node.target is ALLOC_LIST else specs[0],)
        node.target = node.target.function
    elif isinstance(node.target, ListOutOp):
        node.target = node.target.op
    for key in _KEYS:
        if key in kept:
            value = kept[key]
            node.meta[key] = tuple(value) if isinstance(value, list) else value


def _number_delegate(module: GraphModule, node: Node, delegates: list[LoweredBackendModule]) -> None:
    """Writes the delegate's number where torch reads what to write for it."""
    attribute: Any = node.args[0]
    lowered = getattr(module, str(attribute.target))
    if isinstance(lowered, LoweredBackendModule):
        known = next((index for index, other in enumerate(delegates) if other is lowered), len(delegates))
        if known == len(delegates):
            delegates.append(lowered)
        setattr(module, str(attribute.target), _numbered(lowered, known))
    value = node.meta.get(meta_keys.VAL)
    if isinstance(value, list):
        node.meta[meta_keys.VAL] = tuple(value)


def _numbered(lowered: LoweredBackendModule, number: int) -> torch.nn.Module:
    # torch recognises delegates by the name of their class and writes "<module_name>-<backend_id>".
    stand_in = type(LoweredBackendModule.__name__, (torch.nn.Module,), {})()
    stand_in.module_name = str(number)
    stand_in.backend_id = lowered.backend_id
    stand_in.processed_bytes, stand_in.compile_specs, stand_in.original_module = b"", [], None
    return stand_in


def _restore_delegate(module: GraphModule, node: Node, delegates: list[LoweredBackendModule]) -> None:
    number = int(str(node.args[0]).partition("-")[0])
    name = f"lowered_module_{number}"
    setattr(module, name, delegates[number])
    with module.graph.inserting_before(node):
        attribute = module.graph.get_attr(name)
    node.args = (attribute, *node.args[1:])
