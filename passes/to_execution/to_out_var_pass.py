"""The step into the execution form: every operator writes into memory that somebody else provides."""

from typing import Any

from torch.fx import GraphModule, Node

from executorch.dialects import memory, meta_keys
from executorch.dialects.backend_ops import BackendOpOverload
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.errors import MissingOutVariantError, Problems
from executorch.dialects.execution import (
    PRIM_NAMESPACE,
    is_in_place,
    is_out_variant,
    is_primitive,
    out_argument_names,
)
from executorch.dialects.out_variants import find_out_variant, kept_argument_names, way_out, why_not
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules, returns_tensor
from executorch.passes.infrastructure.pass_base import PassBase, PassResult
from executorch.passes.to_execution.spec_prop_pass import make_spec


class ToOutVarPass(PassBase):
    """Replaces functional operators by their out variants, with a ``memory.alloc`` node per out argument.

    Operators of the edge and backend dialects become out variants of the operators behind them. Needs specs or example
    values on all nodes. Primitive and in-place operators, control flow and delegates stay as they are.

    Args:
        ignore_to_out_var_failure: leave operators without an out variant in the graph instead of failing. Such a
            program cannot be run; it can be looked at.

    Raises:
        MissingOutVariantError: operators without an out variant; the message lists all.
    """

    def __init__(self, ignore_to_out_var_failure: bool = False) -> None:
        self.ignore_to_out_var_failure = ignore_to_out_var_failure

    def call(self, graph_module: GraphModule) -> PassResult:
        problems = Problems("Operators that cannot write into memory planned ahead")
        way_outs: list[str] = []
        modified = False
        for module in graph_modules(graph_module):
            changed = False
            for node in list(module.graph.nodes):
                if not _needs_out_variant(node):
                    continue
                target = aten_op(node.target)
                out_variant = find_out_variant(target)
                if out_variant is None:
                    problems.add(node, f"has no out variant: {why_not(target)}")
                    way_outs.append(way_out(target))
                else:
                    replace_by_out_variant(node, out_variant)
                    changed = True
            if changed:
                module.recompile()
            modified |= changed
        if not self.ignore_to_out_var_failure:
            problems.raise_if_any("; ".join(dict.fromkeys(way_outs)), MissingOutVariantError)
        return PassResult(graph_module, modified)


def _needs_out_variant(node: Node) -> bool:
    target = aten_op(node.target)
    if node.op != "call_function" or not isinstance(target, OpOverload):
        return False
    primitive = is_primitive(node) or target.namespace == PRIM_NAMESPACE
    in_place = is_in_place(node) and not _returns_new_tensors(target)
    return returns_tensor(target) and not (is_out_variant(target) or in_place or primitive)


def _returns_new_tensors(op: OpOverload) -> bool:
    """True for an operator none of whose results is an argument, whatever else it writes."""
    return all(result.alias_info is None for result in op._schema.returns)


def aten_op(target: Any) -> Any:
    """The operator behind one of the edge or a backend dialect; other targets as they are."""
    return target._op if isinstance(target, (EdgeOpOverload, BackendOpOverload)) else target


def replace_by_out_variant(node: Node, out_variant: OpOverload) -> None:
    """Turns ``node`` into a call of ``out_variant`` with ``memory.alloc`` nodes right before it (in place)."""
    names = out_argument_names(out_variant)
    kept = kept_argument_names(out_variant)
    value = node.meta.get(meta_keys.VAL)
    spec = node.meta[meta_keys.SPEC] if meta_keys.SPEC in node.meta else make_spec(value)
    specs, values = ((spec,), (value,)) if len(names) == 1 else (spec, value or (None,) * len(names))
    if any(item is None for item in specs):
        # A result that the caller does not want (`output_mask`) still has an out argument, which stays empty.
        dtype = next(item.scalar_type for item in specs if isinstance(item, TensorSpec))
        specs = tuple(TensorSpec(dtype, (0,)) if item is None else item for item in specs)
        node.meta[meta_keys.SPEC] = specs
    kwargs = {name: value for name, value in node.kwargs.items() if name in kept}
    with node.graph.inserting_before(node):
        for name, out_spec, out_value in zip(names, specs, values, strict=True):
            kwargs[name] = allocate(node, out_spec, out_value)
    node.target = out_variant
    node.kwargs = kwargs


def allocate(node: Node, spec: Any, value: Any) -> Any:
    """The ``memory.alloc`` of a tensor, or of each of a list, at the graph's insertion point.

    Args:
        node: named when the specs are not those of tensors.
        spec: of the memory; a list of them for a list of tensors.
        value: example values of the same structure, or None.
    """
    if isinstance(spec, (list, tuple)):
        values = value if isinstance(value, (list, tuple)) else (None,) * len(spec)
        return [allocate(node, item, item_value) for item, item_value in zip(spec, values, strict=True)]
    assert isinstance(spec, TensorSpec), f"{node.name}: results of an out variant are tensors, not {spec}"
    alloc = node.graph.call_function(memory.alloc, ((tuple(spec.shape), spec.scalar_type),))
    alloc.meta[meta_keys.SPEC] = spec
    if value is not None:
        alloc.meta[meta_keys.VAL] = value
    return alloc
