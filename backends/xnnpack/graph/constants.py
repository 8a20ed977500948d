"""Constants of a graph: what is stored, and what calls make of that and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.mutations import changing_state
from executorch.ir.signature import state_inputs
from executorch.partitioner.selection.partition_proposals import operator_name

QUANTIZE = "quantized_decomposed.quantize_per_tensor.default"
DEQUANTIZE = "quantized_decomposed.dequantize_per_tensor.default"
DEQUANTIZE_CHANNELS = "quantized_decomposed.dequantize_per_channel.default"
DEQUANTIZE_GROUPS = "quantized_decomposed.dequantize_per_channel_group.default"
DEQUANTIZE_AFFINE = "torchao.dequantize_affine.default"
#: Numbers of four bits that lie two in a byte, the first in the low half.
UNPACK_PAIRS = "torchao.unpack_pairs.default"
_EXTERNAL = "delegate_constant_tag"
_INNER_TENSOR = "export.access_subclass_inner_tensor.default"

#: Operators that only prepare constants when all they read is constant.
_PREPARING = {
    QUANTIZE,
    DEQUANTIZE,
    DEQUANTIZE_CHANNELS,
    DEQUANTIZE_GROUPS,
    DEQUANTIZE_AFFINE,
    "quantized_decomposed.quantize_per_channel.default",
    "quantized_decomposed.quantize_per_channel_group.default",
    "torchao.quantize_affine.default",
    UNPACK_PAIRS,
    _INNER_TENSOR,
}

#: Pure operators that are done ahead of time where all that they read is constant and the result is small.
_FOLDED = {
    "aten._native_batch_norm_legit.no_stats",
    "aten._to_copy.default",
    "aten.abs.default",
    "aten.add.Scalar",
    "aten.add.Tensor",
    "aten.addmm.default",
    "aten.amax.default",
    "aten.amin.default",
    "aten.arange.default",
    "aten.arange.start",
    "aten.arange.start_step",
    "aten.bitwise_and.Tensor",
    "aten.bitwise_not.default",
    "aten.bitwise_or.Tensor",
    "aten.bitwise_xor.Tensor",
    "aten.cat.default",
    "aten.clamp.default",
    "aten.clone.default",
    "aten.constant_pad_nd.default",
    "aten.copy.default",
    "aten.cos.default",
    "aten.cumsum.default",
    "aten.div.Scalar",
    "aten.div.Tensor",
    "aten.div.Tensor_mode",
    "aten.embedding.default",
    "aten.eq.Scalar",
    "aten.eq.Tensor",
    "aten.exp.default",
    "aten.expand_copy.default",
    "aten.flip.default",
    "aten.floor.default",
    "aten.fmod.Scalar",
    "aten.full.default",
    "aten.full_like.default",
    "aten.ge.Scalar",
    "aten.ge.Tensor",
    "aten.gt.Scalar",
    "aten.gt.Tensor",
    "aten.index.Tensor",
    "aten.index_select.default",
    "aten.le.Scalar",
    "aten.le.Tensor",
    "aten.linalg_vector_norm.default",
    "aten.linear.default",
    "aten.log.default",
    "aten.logical_and.default",
    "aten.logical_not.default",
    "aten.logical_or.default",
    "aten.logical_xor.default",
    "aten.lt.Scalar",
    "aten.lt.Tensor",
    "aten.maximum.default",
    "aten.mean.default",
    "aten.mean.dim",
    "aten.minimum.default",
    "aten.mm.default",
    "aten.mul.Scalar",
    "aten.mul.Tensor",
    "aten.ne.Scalar",
    "aten.ne.Tensor",
    "aten.neg.default",
    "aten.permute_copy.default",
    "aten.pow.Tensor_Scalar",
    "aten.pow.Tensor_Tensor",
    "aten.reciprocal.default",
    "aten.relu.default",
    "aten.remainder.Scalar",
    "aten.repeat.default",
    "aten.rsqrt.default",
    "aten.scalar_tensor.default",
    "aten.select_copy.int",
    "aten.select_scatter.default",
    "aten.sigmoid.default",
    "aten.sin.default",
    "aten.slice_copy.Tensor",
    "aten.slice_scatter.default",
    "aten.sqrt.default",
    "aten.squeeze_copy.dims",
    "aten.sub.Scalar",
    "aten.sub.Tensor",
    "aten.sum.default",
    "aten.sum.dim_IntList",
    "aten.t_copy.default",
    "aten.tanh.default",
    "aten.tril.default",
    "aten.triu.default",
    "aten.unsqueeze_copy.default",
    "aten.var.correction",
    "aten.view_copy.default",
    "aten.where.self",
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
    "getitem",
}
#: Of these, those whose result may have wider elements.
_CASTS = {"aten._to_copy.default", "dim_order_ops._to_dim_order_copy.default"}
#: Products that XNNPACK does with calculated weights too.
_LINEAR = {"aten.addmm.default", "aten.bmm.default", "aten.linear.default", "aten.mm.default"}
#: Elements of a folded constant that what it is made of does not have.
_MOST_NEW_ELEMENTS = 1 << 14


def is_empty(value: Any) -> bool:
    """Whether this is a tensor without elements, whatever its symbolic sizes are."""
    return any(isinstance(size, int) and size == 0 for size in getattr(value, "shape", ()))


def name_of(node: Node) -> str:
    """``aten.add.Tensor`` of a call, the empty string for other nodes."""
    return operator_name(node.target) if node.op == "call_function" else ""


class Constants:
    """The tensors of a program's parameters, buffers and lifted constants, and of what is made of them.

    Buffers and parameters that the program writes are none, nor are parameters that are trained (it returns their
    gradients): a delegate would go on with their first values. Called with a node it gives its tensor, None for what the model
    calculates.
    """

    def __init__(self, program: ExportedProgram) -> None:
        self._program = program
        self._state = state_inputs(program.graph_signature)
        self._changing = changing_state(program.graph_signature)
        self._known: dict[Node, bool] = {}
        self._pure: dict[Node, bool] = {}

    def __call__(self, node: Node) -> torch.Tensor | None:
        if not self.has(node):
            return None
        if node.op == "placeholder":
            return self._stored(node)
        calls = preparation(node)
        last_reader = {source: call for call in calls for source in call.all_input_nodes}
        found: dict[Node, Any] = {}
        for call in calls:
            sources = call.all_input_nodes
            found.update((one, self._stored(one)) for one in sources if one.op == "placeholder")
            found[call] = _result(call, found)
            for one in sources:
                if last_reader[one] is call:
                    del found[one]  # memory of a whole weight
        made: torch.Tensor = found[node]
        return made

    def has(self, node: Node) -> bool:
        """Whether ``node`` is constant; calculates nothing."""
        if node not in self._known:
            is_known = self._is_made_of_constants(node) and all(map(self.has, node.all_input_nodes))
            self._known[node] = is_known and (node.op == "placeholder" or self._is_folded(node))
        return self._known[node]

    def changes(self, node: Node) -> bool:
        """Whether ``node`` is state that changes between runs: written by the program, or trained."""
        return node.op == "placeholder" and node.name in self._changing

    def _stored(self, node: Node) -> torch.Tensor | None:
        spec = self._state.get(node.name)
        if spec is None or spec.target is None or self.changes(node):
            return None
        found = self._program.state_dict.get(spec.target)
        return self._program.constants[spec.target] if found is None else found

    def _is_made_of_constants(self, node: Node) -> bool:
        """Whether ``node`` is stored, or calls make it of what is stored, however large it is."""
        if node not in self._pure:
            is_stored = node.op == "placeholder" and self._stored(node) is not None
            is_call = name_of(node) in _PREPARING or name_of(node) in _FOLDED
            self._pure[node] = is_stored or (
                is_call and all(map(self._is_made_of_constants, node.all_input_nodes))
            )
        return self._pure[node]

    def _is_folded(self, node: Node) -> bool:
        """Whether ``node``, which reads constants alone, is done ahead of time."""
        name, made = name_of(node), _tensors(node)
        if name in _PREPARING or not made:
            return name in _PREPARING
        read = [one for source in node.all_input_nodes for one in _tensors(source)]
        if not all(isinstance(one.numel(), int) for one in [*made, *read]):
            return False
        new, known = (sum(one.numel() for one in tensors) for tensors in (made, read))
        if new <= _MOST_NEW_ELEMENTS:
            return True
        is_wider = name in _CASTS and any(one.element_size() < made[0].element_size() for one in read)
        if is_wider and self._is_read_by_linear(node):
            return False  # a weight that is stored in eight bits stays so
        return new <= known + _MOST_NEW_ELEMENTS

    def _is_read_by_linear(self, node: Node) -> bool:
        """Whether a linear product reads ``node``, or what calls make of it and of other constants."""
        seen, waiting = {node}, [node]
        while waiting:
            for user in waiting.pop().users:
                if not self._is_made_of_constants(user):
                    if name_of(user) in _LINEAR:
                        return True
                elif user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return False


def program_constants(program: ExportedProgram) -> Constants:
    """Finds the tensors of a program's constants, and of what is made of them."""
    return Constants(program)


def _result(call: Node, found: dict[Node, Any]) -> Any:
    """What ``call`` makes of the values ``found``."""
    if name_of(call) == _INNER_TENSOR:
        return getattr(found[call.args[0]], str(call.args[1]))  # type: ignore[index]
    op: Any = aten_op(call.target) or call.target  # of several results one is picked by a function
    args = torch.fx.node.map_arg(call.args, lambda one: found[one])
    kwargs = torch.fx.node.map_arg(call.kwargs, lambda one: found[one])
    with torch.no_grad():
        return op(*args, **kwargs)


def _tensors(node: Node) -> list[torch.Tensor]:
    value = node.meta.get(meta_keys.VAL)
    values = value if isinstance(value, tuple | list) else [value]
    return [one for one in values if isinstance(one, torch.Tensor)]


def preparation(node: Node) -> list[Node]:
    """The calls that prepare a constant, each once, ``node`` last; nothing if it is stored as it is."""
    calls: dict[Node, None] = {}

    def visit(one: Node) -> None:
        if one.op == "call_function" and one not in calls:
            for source in one.all_input_nodes:
                visit(source)
            calls[one] = None

    visit(node)
    return list(calls)


def external_tag(nodes: Iterable[Node]) -> str | None:
    """The ``.ptd`` file that constants among ``nodes``, or what prepares them, are marked for; None for the program.

    ``delegate_external_constants_pass_unlifted`` marks them; one mark stands for all constants of an operator.
    """
    for node in nodes:
        stored = [one for call in preparation(node) for one in call.all_input_nodes] or [node]
        for one in (*preparation(node), *stored):
            custom = one.meta.get("custom") or {}
            marks = (
                custom.get(_EXTERNAL),
                custom.get(meta_keys.CONSTANT_TAG),
                one.meta.get(meta_keys.CONSTANT_TAG),
            )
            found = next((mark for mark in marks if mark is not None), None)
            if found is not None:
                return str(found)
    return None


def prepared_constants(node: Node, constants: Constants) -> list[Node]:
    """What prepares the constants that ``node`` reads."""
    sources = [one for one in node.all_input_nodes if one.op == "call_function" and constants.has(one)]
    return [call for source in sources for call in preparation(source)]
