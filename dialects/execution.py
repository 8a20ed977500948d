"""The execution form: the graph that memory planning and the emitter consume.

An :class:`torch.export.ExportedProgram` is in execution form after the to-out-variant pass. It then looks exactly
like this; :class:`~executorch.dialects.verifiers.ExecutionVerifier` checks it.

*Every node* that has a value carries ``meta["spec"]`` (see :mod:`~executorch.dialects.meta_keys`): a
:class:`~executorch.dialects.tensor_spec.TensorSpec` with concrete (upper bound) sizes for a tensor; the number, bool,
string, ``None`` or symbolic number itself for anything else; a tuple or list of these for several results.
Specs are shared by identity wherever two nodes denote the same memory.

``placeholder``
    One per ``graph_signature.input_specs`` entry, in that order: parameters, buffers, lifted tensor constants
    (``spec.const`` is True; ``spec.data`` the bytes; ``spec.fully_qualified_name`` the name in the model),
    mutable buffers (``const`` False, ``data`` the initial state), then the user's inputs. There are no
    ``get_attr`` nodes for data.

``call_function memory.alloc``
    ``args = ((shape, dtype),)``. Stands directly before the one node that uses it as an ``out`` argument and
    shares its spec.

``call_function`` of an out-variant ``torch._ops.OpOverload`` (``aten.add.out``)
    Arguments as in the operator's schema, plus one keyword per out argument (``out=``, or
    ``out0=, out1=`` / ``values=, indices=`` ... as the schema names them), each a ``memory.alloc`` node; for a
    ``Tensor[] out`` a list of ``memory.alloc`` nodes. :func:`out_arguments` returns them in schema order.
    Those named ``_scratch_...`` are work space, no results; :func:`out_arguments` leaves them out.
    One result: ``spec`` is the out argument's spec. Several: ``spec`` is the tuple of them, and users read them
    through ``operator.getitem`` nodes, ``getitem``'s spec being the element.

``call_function`` of an in-place operator (``aten.copy_.default``)
    Writes its first argument and shares its spec. Mutated buffers and parameters are written back this way at the end of
    the graph; the mutation entries of ``graph_signature.output_specs`` then name the ``copy_`` node.

``call_function memory.view``
    ``args = (base, sizes)``; spec is a :class:`~executorch.dialects.tensor_spec.ViewSpec` over the base's spec.

``call_function`` of a primitive operator (``executorch_prim.*``, ``aten.sym_size.int``, ``aten._local_scalar_dense``)
    Computes numbers; has no out argument. :func:`is_primitive` recognises them.

``call_function executorch_call_delegate``
    ``args = (get_attr of the LoweredBackendModule, *inputs)``; ``spec`` is a tuple, results are read through
    ``getitem``. The delegate's outputs have no ``memory.alloc`` node; their specs are planned like any other.

``call_function`` of ``cond`` / ``while_loop`` / ``map_impl`` / ``scan``
    Higher-order operators whose bodies are ``get_attr`` nodes to ``GraphModule`` attributes, each body in
    execution form itself.

``get_attr``
    Only names submodules: control-flow bodies and ``LoweredBackendModule``.

``output``
    One tuple, entries as in ``graph_signature.output_specs``: nodes, or constants (int, float, bool, str, None).
"""

import operator
from typing import Any

from torch.fx import Node

from executorch.dialects import memory, meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.out_variants import is_scratch
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.torch_types import HigherOrderOperator, OpOverload

#: Namespaces and operators that compute numbers rather than tensors and are run by the executor itself.
PRIM_NAMESPACE = "executorch_prim"
_PRIM_ATEN_OPS = frozenset(
    {
        "aten::sym_size.int",
        "aten::sym_numel",
        "aten::_local_scalar_dense",
        "aten::sym_stride.int",
        "aten::item",
    }
)


_SIZE_OPS = frozenset({"aten::sym_size.int", "aten::sym_numel", "aten::sym_stride.int"})


def is_alloc(node: Any) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and node.target is memory.alloc


def is_view(node: Any) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and node.target is memory.view


def is_free(node: Any) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and node.target is memory.free


def is_getitem(node: Any) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and node.target is operator.getitem


def is_delegate_call(node: Any) -> bool:
    """True for a call of ``torch.ops.higher_order.executorch_call_delegate``."""
    return is_higher_order(node) and _higher_order_name(node) == "executorch_call_delegate"


def is_higher_order(node: Any) -> bool:
    """True for control flow and delegate calls."""
    return (
        isinstance(node, Node) and node.op == "call_function" and isinstance(node.target, HigherOrderOperator)
    )


def _higher_order_name(node: Node) -> str:
    target = node.target
    return target.name() if isinstance(target, HigherOrderOperator) else ""


def is_primitive(node: Any) -> bool:
    """True for operators of the executor that compute numbers and take no ``out`` argument."""
    target = getattr(node, "target", None)
    if not isinstance(target, OpOverload):
        return False
    return target.namespace == PRIM_NAMESPACE or target.name() in _PRIM_ATEN_OPS


def reads_sizes_only(node: Any) -> bool:
    """True for operators that look at a tensor's shape but not at its bytes, which need not be there any more."""
    target = getattr(node, "target", None)
    return isinstance(target, OpOverload) and target.name() in _SIZE_OPS


def out_argument_names(op: OpOverload) -> list[str]:
    """Names of the arguments an out variant writes its results to, in schema order; empty for other operators."""
    return [name for name in written_argument_names(op) if not is_scratch(name)]


def written_argument_names(op: OpOverload) -> list[str]:
    """The same and the names of a kernel's work space."""
    return [arg.name for arg in op._schema.arguments if arg.is_out]


def is_out_variant(op: Any) -> bool:
    return isinstance(op, OpOverload) and any(arg.is_out for arg in op._schema.arguments)


def out_arguments(node: Node) -> list[Any]:
    """The ``memory.alloc`` nodes (or lists of them) that ``node`` writes to, in schema order; empty if none."""
    target = node.target
    if not isinstance(target, OpOverload):
        return []
    return [node.kwargs[name] for name in out_argument_names(target) if name in node.kwargs]


def is_in_place(node: Any) -> bool:
    """True for an operator, edge or not, that writes an argument which is not an ``out`` argument (``aten.copy_``)."""
    target = aten_op(getattr(node, "target", None))
    if target is None:
        return False
    return any(
        arg.alias_info is not None and arg.alias_info.is_write and not arg.is_out
        for arg in target._schema.arguments
    )


def tensor_specs(node: Node) -> list[TensorSpec]:
    """All tensor specs of a node's value, flattened; empty for nodes without tensor results or without a spec."""
    return flatten_specs(node.meta.get(meta_keys.SPEC))


def flatten_specs(spec: Any) -> list[TensorSpec]:
    """The :class:`TensorSpec` objects within ``spec`` (one, or any nesting of tuples, lists and dicts)."""
    if isinstance(spec, TensorSpec):
        return [spec]
    if isinstance(spec, (tuple, list)):
        return [leaf for item in spec for leaf in flatten_specs(item)]
    if isinstance(spec, dict):
        return [leaf for item in spec.values() for leaf in flatten_specs(item)]
    return []
