"""Exported programs as bytes, edge operators and debug handles included.

``torch.export.save`` knows neither: operators go as the ATen operators that they stand for, and what is lost is kept
as custom metadata of the nodes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._export.verifier import Verifier
from torch.export import ExportedProgram

from executorch.dialects.verifiers import UncheckedEdgeVerifier
from executorch.exir.dialects._ops import ops as edge_ops

_HANDLE = "executorch.debug_handle"
_IS_EDGE = "executorch.edge"


def save_program(program: ExportedProgram) -> bytes:
    """The program as bytes.

    Raises:
        RuntimeError: The program has parts that torch cannot save, such as delegate calls.
    """
    is_edge = program.dialect == UncheckedEdgeVerifier.dialect
    copy = _with_graph(program, _to_aten, [Verifier] if is_edge else program.verifiers)
    buffer = io.BytesIO()
    try:
        torch.export.save(copy, buffer)
    except Exception as error:  # torch raises what it comes across.
        raise RuntimeError(
            f"an exported program cannot be saved in an ETRecord: {error}\nWay out: record the edge program "
            "before it is delegated (generate_etrecord=True, or a deepcopy of what to_edge() returned)"
        ) from error
    return buffer.getvalue()


def load_program(data: bytes) -> ExportedProgram:
    """The program in the bytes of :func:`save_program`."""
    program = torch.export.load(io.BytesIO(data))
    is_edge = any(_IS_EDGE in (node.meta.get("custom") or {}) for node in program.graph.nodes)
    # It was verified when it was made.
    return _with_graph(program, _from_aten, [UncheckedEdgeVerifier] if is_edge else program.verifiers)


def _to_aten(node: torch.fx.Node) -> None:
    custom = dict(node.meta.get("custom") or {})
    if node.meta.get("debug_handle") is not None:
        custom[_HANDLE] = node.meta["debug_handle"]
    aten = getattr(node.target, "_op", None)
    if node.op == "call_function" and isinstance(aten, torch._ops.OpOverload):
        node.target = aten
        custom[_IS_EDGE] = True
    if custom:
        node.meta["custom"] = custom


def _from_aten(node: torch.fx.Node) -> None:
    custom = dict(node.meta.get("custom") or {})
    handle = custom.pop(_HANDLE, None)
    if handle is not None:
        node.meta["debug_handle"] = tuple(handle) if isinstance(handle, list) else handle
    # Reading gives what was kept with an operator to the nodes that take its results apart as well.
    if custom.pop(_IS_EDGE, False) and isinstance(node.target, torch._ops.OpOverload):
        node.target = _edge_op(node.target)
    if custom:
        node.meta["custom"] = custom
    else:
        node.meta.pop("custom", None)


def _edge_op(op: Any) -> Any:
    namespace, _, name = op._schema.name.partition("::")
    return getattr(getattr(getattr(edge_ops.edge, namespace), name), op._overloadname)


def _with_graph(
    program: ExportedProgram, change: Callable[[torch.fx.Node], None], verifiers: Sequence[type[Verifier]]
) -> ExportedProgram:
    """A program of which every node went through ``change``; the weights are shared with the given one."""
    module = torch.fx.GraphModule(program.graph_module, torch.fx.Graph())
    for name, child in program.graph_module.named_children():
        setattr(module, name, child)
    values: dict[torch.fx.Node, torch.fx.Node] = {}
    graph = module.graph
    for node in program.graph.nodes:
        copied = graph.node_copy(node, lambda arg: values[arg])
        copied.meta = dict(node.meta)
        # A placeholder may be called what a new node must not be, such as ``input``; the signature names it.
        copied.name = node.name
        values[node] = copied
        change(copied)
    module.recompile()
    module.meta.update(program.graph_module.meta)
    return ExportedProgram(
        root=module,
        graph=graph,
        graph_signature=program.graph_signature,
        state_dict=program.state_dict,
        range_constraints=program.range_constraints,
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        constants=program.constants,
        verifiers=list(verifiers),
    )


__all__ = ["load_program", "save_program"]
