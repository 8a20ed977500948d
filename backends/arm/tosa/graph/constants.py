"""Constants of a subgraph: what is stored, and what calls make of that and of nothing else."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.mutations import changing_state
from executorch.ir.signature import state_inputs
from executorch.partitioner.selection.partition_proposals import operator_name

#: Elements of a constant that is calculated from nothing but numbers.
_MOST_FROM_NOTHING = 1 << 20
#: What these make depends on the shape of what they read, not on its numbers.
_OF_A_SHAPE = ("aten.full_like.default", "aten.zeros_like.default", "aten.ones_like.default")
#: Several tensors of one, as where a layer has the weights of three.
_SPLITS = ("aten.split_copy.Tensor", "aten.split_with_sizes_copy.default", "aten.unbind_copy.int")
_RANDOM = ("rand", "bernoulli", "dropout", "multinomial", "normal.")


def name_of(node: Node) -> str:
    """``aten.add.Tensor`` of a call, the empty string for other nodes."""
    return operator_name(node.target) if node.op == "call_function" else ""


class Constants:
    """Called with a node it gives its tensor, None for what the model calculates."""

    def __init__(self, program: ExportedProgram) -> None:
        self._program = program
        # A branch names what it is given as the program does, and is given anything.
        self._graph = program.graph
        self._state = state_inputs(program.graph_signature)
        self._changing = changing_state(program.graph_signature)
        self._known: dict[Node, bool] = {}
        # Of a call with several results they are a tuple, of which ``getitem`` takes one.
        self._made: dict[Node, Any] = {}

    def has(self, node: Node) -> bool:
        """Whether ``node`` is constant; calculates nothing."""
        if node not in self._known:
            self._known[node] = self._is_constant(node)
        return self._known[node]

    def __call__(self, node: Node) -> torch.Tensor | None:
        if not self.has(node):
            return None
        found = self._result(node)
        return found if isinstance(found, torch.Tensor) else None

    def _result(self, node: Node) -> Any:
        if node not in self._made:
            self._made[node] = self._stored(node) if node.op == "placeholder" else self._calculated(node)
        return self._made[node]

    def is_state(self, node: Node) -> bool:
        """Whether ``node`` is a parameter or buffer that changes between runs."""
        return node.op == "placeholder" and node.name in self._changing

    def _is_constant(self, node: Node) -> bool:
        if node.op == "placeholder":
            in_program = node.graph is self._graph
            return in_program and node.name in self._state and node.name not in self._changing
        if node.op != "call_function":
            return False
        if node.target is operator.getitem:
            return self.has(node.args[0])  # type: ignore[arg-type]
        value = node.meta.get(meta_keys.VAL)
        name = name_of(node)
        values: list[Any] = list(value) if name in _SPLITS and value is not None else [value]
        if not all(isinstance(one, torch.Tensor) and _is_fixed(one) for one in values):
            return False
        if any(word in name for word in _RANDOM) or not name.startswith(
            ("aten.", "quantized", "dim_order_ops.")
        ):
            return False
        from_nothing = name in _OF_A_SHAPE or not node.all_input_nodes
        if from_nothing and values[0].numel() > _MOST_FROM_NOTHING:
            return False
        if name in _OF_A_SHAPE:
            read: torch.Tensor = node.all_input_nodes[0].meta[meta_keys.VAL]
            return read.dtype in DTYPES
        return all(map(self.has, node.all_input_nodes))

    def _stored(self, node: Node) -> torch.Tensor:
        target = self._state[node.name].target
        assert target is not None
        found = self._program.state_dict.get(target)
        stored: torch.Tensor = self._program.constants[target] if found is None else found
        return stored.detach()

    def _calculated(self, node: Node) -> Any:
        if node.target is operator.getitem:
            return self._result(node.args[0])[node.args[1]]  # type: ignore[arg-type]

        def known(one: Node) -> torch.Tensor | None:
            found = self(one)
            # Elements that nobody looks at.
            return (
                torch.empty(one.meta[meta_keys.VAL].shape, dtype=one.meta[meta_keys.VAL].dtype)
                if found is None
                else found
            )

        if "empty" in name_of(node):
            # What stands there is anybody's guess, and files are to be the same each time.
            return torch.zeros(node.meta[meta_keys.VAL].shape, dtype=node.meta[meta_keys.VAL].dtype)
        args = torch.fx.node.map_arg(node.args, known)
        kwargs = torch.fx.node.map_arg(node.kwargs, known)
        with torch.no_grad():
            return aten_op(node.target)(*args, **kwargs)  # type: ignore[misc]


def _is_fixed(value: torch.Tensor) -> bool:
    return all(isinstance(size, int) for size in value.shape)
