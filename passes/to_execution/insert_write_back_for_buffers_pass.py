"""Writes the new values of mutated buffers, parameters and inputs back into them at the end of a method.

``torch.export`` makes programs functional: a buffer goes in as a placeholder, its new value comes out as an extra
output. The runtime keeps one tensor per buffer or parameter, so the new value has to be copied into it, after everything
that reads the old one. Where an operator can update the buffer in place (``index_put`` into a key-value cache)
it does, and nothing is copied.
"""

from typing import Final

import torch
from torch.export import ExportedProgram, ExportGraphSignature
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op, edge_op
from executorch.ir.graph import output_arguments
from executorch.ir.mutations import written_back
from executorch.ir.signature import sync_signature
from executorch.ir.values import value_of
from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.to_execution.in_place_index_put import prepare_in_place

_COPY: Final = torch.ops.aten.copy_.default
_CLONE: Final = torch.ops.dim_order_ops._clone_dim_order.default

_INDEX_PUT: Final = torch.ops.aten.index_put.default
_INDEX_PUT_IN_PLACE: Final = torch.ops.aten.index_put_.default


class InsertWriteBackForBuffersPass(ExportedProgramPassBase):
    """See the module's description. Changes the program in place; the signature's mutation entries then name the
    node that wrote the buffer."""

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        pairs = written_back(exported_program)
        if not pairs:
            return ExportedProgramPassResult(exported_program, False)
        graph = exported_program.graph
        output = graph.output_node()
        results = list(output_arguments(graph))
        _keep_old_values(exported_program, results, dict(pairs))
        written = {}
        for index, placeholder in pairs:
            if results[index] is not placeholder:
                written[index] = _update_in_place(results[index], placeholder, output)
        for index, placeholder in pairs:
            if index in written and written[index] is None:
                with graph.inserting_before(output):
                    written[index] = _copy_into(placeholder, results[index])
        for index, node in written.items():
            results[index] = node
        output.args = (tuple(results),)
        sync_signature(exported_program)
        exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, True)


def _keep_old_values(program: ExportedProgram, results: list, written: dict[int, Node]) -> None:
    """Copies old buffer values that leave the method, before they are overwritten: a buffer returned as it was, or
    two buffers that change places."""
    graph = program.graph
    mutated = set(written.values())
    copies: dict[Node, Node] = {}
    for index, value in enumerate(list(results)):
        if not isinstance(value, Node) or value not in mutated or written.get(index) is value:
            continue
        if value not in copies:
            with graph.inserting_before(graph.output_node()):
                copies[value] = graph.call_function(edge_op(_CLONE), (value,))
            copies[value].meta = {meta_keys.VAL: value_of(value)}
        results[index] = copies[value]


def _copy_into(placeholder: Node, value: Node) -> Node:
    node = placeholder.graph.call_function(_COPY, (placeholder, value))
    node.meta = {key: item for key, item in value.meta.items() if key != meta_keys.SPEC}
    node.meta[meta_keys.VAL] = value_of(placeholder)
    return node


def _update_in_place(value: Node, placeholder: Node, output: Node) -> "Node | None":
    """Makes ``value`` update the buffer itself if it can; None when it has to be copied."""
    if _writes(value, placeholder):
        return value
    if not isinstance(value, Node) or value.op != "call_function":
        return None
    if aten_op(value.target) is not _INDEX_PUT or value.args[0] is not placeholder:
        return None
    if any(value < user and user is not output for user in placeholder.users):
        return None  # somebody still reads the old value
    if not prepare_in_place(value):
        return None
    value.target = _INDEX_PUT_IN_PLACE
    value.meta.pop(meta_keys.SPEC, None)
    return value


def _writes(value: object, placeholder: Node) -> bool:
    """Whether ``value`` is what in-place operators, one after another, made of the buffer."""
    while isinstance(value, Node) and value.op == "call_function":
        op = aten_op(value.target)
        first = op._schema.arguments[0].alias_info if op is not None and op._schema.arguments else None
        if first is None or not first.is_write:
            return False
        value = value.args[0]
        if value is placeholder:
            return True
    return False


def insert_write_back_for_buffers_pass(ep: ExportedProgram) -> "tuple[GraphModule, ExportGraphSignature]":
    """Function form of :class:`InsertWriteBackForBuffersPass`; returns the graph and the signature that goes with it."""
    program = InsertWriteBackForBuffersPass()(ep).exported_program
    return program.graph_module, program.graph_signature


__all__ = ["InsertWriteBackForBuffersPass", "insert_write_back_for_buffers_pass"]
