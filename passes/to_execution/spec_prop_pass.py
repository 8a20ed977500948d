"""Spec propagation: describes every value of a graph by what the run time will know of it."""

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node
from torch.utils._pytree import tree_map

from executorch.dialects import meta_keys
from executorch.dialects.control_flow import loop_of
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.errors import Problems, SpecViolationError
from executorch.dialects.execution import flatten_specs, is_out_variant
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.dialects.verifiers import graph_modules
from executorch.ir.mutations import trained_parameters, variable_placeholders
from executorch.ir.signature import state_value
from executorch.passes.infrastructure.pass_base import PassBase, PassResult


class SpecPropPass(PassBase):
    """Puts ``meta["spec"]`` on every node that has a value (see :mod:`executorch.dialects.execution`).

    Specs follow the example values, sizes stay symbolic. A ``getitem`` shares its element's spec, and an operator
    that writes its argument shares the argument's. Nodes that carry a spec keep it.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                if node.op in ("placeholder", "call_function") and meta_keys.SPEC not in node.meta:
                    modified |= _propagate(node)
            describe_output(module)
        return PassResult(graph_module, modified)

    def ensures(self, graph_module: GraphModule) -> None:
        problems = Problems("Values without a spec")
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                has_value = node.op in ("placeholder", "call_function") and meta_keys.VAL in node.meta
                if has_value and meta_keys.SPEC not in node.meta:
                    problems.add(node, "has an example value but no spec")
        problems.raise_if_any()

    def update_placeholder_tensor_specs(
        self, exported_program: ExportedProgram, graph_module: GraphModule
    ) -> None:
        """Says of the placeholders of ``graph_module`` which are constant, and where their bytes are (in place)."""
        update_placeholder_specs(exported_program, graph_module)


def describe_output(graph_module: GraphModule) -> None:
    """Gives the output node the specs and example values of what it returns (in place), in the same nesting.

    Call it again after specs have been exchanged for others.
    """
    output = graph_module.graph.output_node()
    for key in (meta_keys.SPEC, meta_keys.VAL):
        output.meta[key] = tree_map(
            lambda item, key=key: item.meta.get(key) if isinstance(item, Node) else item, output.args[0]
        )


def _propagate(node: Node) -> bool:
    if node.target is operator.getitem:
        source, index = node.args
        spec = source.meta.get(meta_keys.SPEC) if isinstance(source, Node) else None
        if isinstance(spec, (tuple, list)) and isinstance(index, int):
            node.meta[meta_keys.SPEC] = spec[index]
            return True
    written = _written_argument(node)
    if written is not None:
        node.meta[meta_keys.SPEC] = written.meta[meta_keys.SPEC]
        return True
    if meta_keys.VAL not in node.meta:
        return False
    try:
        node.meta[meta_keys.SPEC] = make_spec(node.meta[meta_keys.VAL])
        _let_stacked_results_grow(node)
    except ValueError as error:
        problems = Problems("A value cannot be part of a program")
        problems.add(node, str(error))
        problems.raise_if_any(error=SpecViolationError)
    return True


def _let_stacked_results_grow(node: Node) -> None:
    """The results that a loop puts together row by row have one row more after each round."""
    loop = loop_of(node)
    if loop is not None:
        for spec in flatten_specs(node.meta[meta_keys.SPEC][len(loop.carried) :]):
            if spec.shape_dynamism is TensorShapeDynamism.STATIC:
                spec.shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND


def _written_argument(node: Node) -> "Node | None":
    """The argument that an in-place operator writes and returns; None for other nodes."""
    target = aten_op(node.target) if node.op == "call_function" else None
    if target is None or not target._schema.is_mutable or is_out_variant(target):
        return None
    if not any(result.alias_info is not None for result in target._schema.returns):
        return None  # it writes an argument, but returns something else or nothing
    for position, arg in enumerate(target._schema.arguments):
        if (
            arg.alias_info is not None
            and arg.alias_info.is_write
            and not arg.is_out
            and position < len(node.args)
        ):
            value = node.args[position]
            return value if isinstance(value, Node) and meta_keys.SPEC in value.meta else None
    return None


def make_spec(x: Any) -> Any:
    """The spec of an example value: a ``TensorSpec`` for a tensor, the value itself for anything else, in the same
    nesting of tuples and lists."""
    if isinstance(x, torch.Tensor):
        return TensorSpec.from_tensor(x)
    if isinstance(x, tuple):
        return tuple(make_spec(item) for item in x)
    if isinstance(x, list):
        return [make_spec(item) for item in x]
    return x


def update_placeholder_specs(exported_program: ExportedProgram, graph_module: GraphModule) -> None:
    """Completes the specs of parameters, buffers and constants (in place): ``const``, ``data``, names, tags."""
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    specs = exported_program.graph_signature.input_specs
    variable_names = {node.name for node in variable_placeholders(exported_program)}
    trained = trained_parameters(exported_program.graph_signature)
    for node, input_spec in zip(placeholders, specs, strict=True):
        spec = node.meta.get(meta_keys.SPEC)
        if input_spec.kind in (InputKind.USER_INPUT, InputKind.TOKEN) or not isinstance(spec, TensorSpec):
            continue
        value = state_value(exported_program, input_spec)
        spec.fully_qualified_name = input_spec.target
        spec.data = value if isinstance(value, torch.Tensor) else None
        spec.const = node.name not in variable_names and spec.data is not None
        # The first value of what is trained may stand in a file of its own, as a constant may.
        is_trained = input_spec.kind is InputKind.PARAMETER and input_spec.target in trained
        spec.external_tag = node.meta.get(meta_keys.CONSTANT_TAG) if spec.const or is_trained else None
