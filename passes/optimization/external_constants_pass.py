"""Marks constants whose bytes go to a ``.ptd`` file instead of the program.

A mark is ``meta["constant_tag"]``: the name of the file, without suffix. There are two places to set it: on the
placeholders of a lowered program (:func:`external_constants_pass`), or on the weights of an unlifted module
before it is exported again (:func:`delegate_external_constants_pass_unlifted`), from where the marks follow the weights into
delegates.
"""

from collections.abc import Callable
from typing import Final

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.ir.constants import is_written_inline
from executorch.ir.mutations import mutated_placeholders, trained_parameters
from executorch.ir.signature import STATE_KINDS
from executorch.passes.infrastructure.pass_base import PassResult

#: File name used when constants are external but no name was chosen.
DEFAULT_FILE: Final = "_default_external_constant"

TagFunction = Callable[[Node], str | None]


def external_constants_pass(
    gm: "ExportedProgram | GraphModule", gen_tag_fn: "TagFunction | None" = None
) -> PassResult:
    """Marks the constant placeholders of a program (in place).

    Numbers and tensors that stand in the model's code stay in the program: they have a name by their position only, which
    is no key for a file that several programs may share.

    Args:
        gm: a lifted program; or the graph of one whose specs say which placeholders are constant.
        gen_tag_fn: gives the file name for a placeholder, None to keep it in the program. Default: everything
            into one file, :data:`DEFAULT_FILE`.
    """
    choose = gen_tag_fn or (lambda node: DEFAULT_FILE)
    if isinstance(gm, GraphModule):
        constants = [node for node in gm.graph.find_nodes(op="placeholder") if _has_constant_spec(node)]
        return PassResult(gm, any([_tag(node, choose(node)) for node in constants]))
    exported_program = gm
    mutated = mutated_placeholders(exported_program)
    modified = False
    placeholders = exported_program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, exported_program.graph_signature.input_specs, strict=True):
        if spec.kind in STATE_KINDS and node not in mutated and not is_written_inline(spec):
            modified |= _tag(node, choose(node))
    return PassResult(exported_program.graph_module, modified)


def external_mutable_weights_pass(
    gm: "GraphModule | None", ep: ExportedProgram, gen_tag_fn: "TagFunction | None" = None
) -> PassResult:
    """Like :func:`external_constants_pass`, for what a trainer updates only: parameters whose gradients are returned.

    A program for inference has none, and keeps its weights; so do frozen parameters.

    Args:
        gm: the program's graph, or None.
        ep: the program.
        gen_tag_fn: as there.
    """
    exported_program = ep
    choose = gen_tag_fn or (lambda node: DEFAULT_FILE)
    trained = trained_parameters(exported_program.graph_signature)
    modified = False
    placeholders = exported_program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, exported_program.graph_signature.input_specs, strict=True):
        if spec.kind == InputKind.PARAMETER and spec.target in trained:
            modified |= _tag(node, choose(node))
    return PassResult(exported_program.graph_module if gm is None else gm, modified)


def delegate_external_constants_pass_unlifted(
    module: GraphModule, gen_tag_fn: "TagFunction | None" = None, ep: "ExportedProgram | None" = None
) -> PassResult:
    """Marks the weights of an unlifted module (``exported_program.module()``), which is then exported again.

    Args:
        module: graph whose ``get_attr`` nodes are its weights.
        gen_tag_fn: gives the file name for a ``get_attr`` node, None to leave it.
        ep: for a pass of the lowering, as some scripts use it: the program that is lowered, whose placeholders are the
            weights.
    """
    modified = False
    lifted = () if ep is None else {*ep.graph_signature.parameters, *ep.graph_signature.buffers}
    names = {} if ep is None else {spec.arg.name: spec.target for spec in ep.graph_signature.input_specs}
    for node in module.graph.nodes:
        is_weight = node.op == "placeholder" and names.get(node.name) in lifted
        if node.op == "get_attr":
            is_weight = isinstance(_attribute(module, str(node.target)), torch.Tensor)
        if is_weight:
            tag = gen_tag_fn(node) if gen_tag_fn is not None else DEFAULT_FILE
            if tag is not None:
                custom = node.meta.setdefault("custom", {})
                modified |= custom.get(meta_keys.CONSTANT_TAG) != tag
                custom[meta_keys.CONSTANT_TAG] = tag
                modified |= _tag(node, tag)
    return PassResult(module, modified)


def _has_constant_spec(node: Node) -> bool:
    spec = node.meta.get(meta_keys.SPEC)
    return spec is not None and bool(getattr(spec, "const", False))


def _attribute(root: object, path: str) -> object:
    for name in path.split("."):
        root = getattr(root, name, None)
    return root


def _tag(node: Node, tag: "str | None") -> bool:
    if tag is None or node.meta.get(meta_keys.CONSTANT_TAG) == tag:
        return False
    node.meta[meta_keys.CONSTANT_TAG] = tag
    return True
