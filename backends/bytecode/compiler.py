"""Turns one subgraph into bytecode."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable

import torch
from torch.export import ExportedProgram

from executorch.backends.bytecode.instructions import Bytecode, Instruction, Op
from executorch.backends.bytecode.operators import BINARY, UNARY
from executorch.dialects import meta_keys
from executorch.ir.signature import state_inputs
from executorch.partitioner.interface.named_data_store import NamedDataStore
from executorch.partitioner.selection.partition_proposals import operator_name


class Compiler:
    """Walks a subgraph once; registers are given to values and taken back after their last use."""

    def __init__(self, program: ExportedProgram) -> None:
        self._program = program
        self.code = Bytecode()
        #: Constants with more than one element, shared by all delegates that use equal ones.
        self.data = NamedDataStore()
        self._register_of: dict[torch.fx.Node, int] = {}
        self._free: list[int] = []
        self._numbers: dict[float, int] = {}
        self._users_left = {node: len(node.users) for node in program.graph.nodes}

    def compile(self) -> Bytecode:
        """The code of the subgraph: inputs and outputs in the order in which the delegate is called."""
        state = state_inputs(self._program.graph_signature)
        for node in self._program.graph.nodes:
            if node.op == "placeholder" and node.name not in state:
                self._input(node)
            elif node.op == "placeholder":
                self._constant(node, state[node.name].target or "")
            elif node.op == "call_function":
                self._operation(node)
            elif node.op == "output":
                self._outputs(node)
        return self.code

    def _emit(self, op: Op, target: int, first: int, second: int = 0) -> None:
        self.code.instructions.append(Instruction(op, target, first, second))

    def _take(self) -> int:
        if self._free:
            return self._free.pop()
        self.code.registers += 1
        return self.code.registers - 1

    def _define(self, node: torch.fx.Node, write: Callable[[int], None]) -> None:
        register = self._take()
        self._register_of[node] = register
        write(register)
        if not node.users:
            self._free.append(register)

    def _input(self, node: torch.fx.Node) -> None:
        index = self.code.inputs
        self.code.inputs += 1
        self._define(node, lambda target: self._emit(Op.INPUT, target, index))

    def _number(self, value: float) -> int:
        """A register with the number; give it back with ``_free``."""
        index = self._numbers.setdefault(value, len(self._numbers))
        if index == len(self.code.numbers):
            self.code.numbers.append(value)
        register = self._take()
        self._emit(Op.NUMBER, register, index)
        return register

    def _constant(self, node: torch.fx.Node, target: str) -> None:
        tensor = self._program.state_dict.get(target, self._program.constants.get(target))
        assert isinstance(tensor, torch.Tensor)
        if tensor.numel() == 1:
            self._register_of[node] = self._number(float(tensor.item()))
            return
        content = tensor.detach().cpu().to(torch.float32).contiguous().numpy().tobytes()
        key = f"bytecode/{hashlib.sha256(content).hexdigest()[:32]}"
        self.data.add_named_data(key, content, alignment=4)
        if key not in self.code.data_keys:
            self.code.data_keys.append(key)
        index = self.code.data_keys.index(key)
        self._define(node, lambda register: self._emit(Op.DATA, register, index))

    def _operation(self, node: torch.fx.Node) -> None:
        name = operator_name(node.target)
        operands = [self._register_of[arg] for arg in node.all_input_nodes]
        if name in UNARY:
            self._define(node, lambda target: self._emit(UNARY[name], target, operands[0]))
        elif name in BINARY:
            self._binary(node, BINARY[name])
        else:
            low, high = _bounds(name, node)
            self._define(node, lambda target: self._clamp(target, operands[0], low, high))
        self._release(node)

    def _binary(self, node: torch.fx.Node, op: Op) -> None:
        extra: list[int] = []
        registers = []
        for arg in node.args[:2]:
            if isinstance(arg, torch.fx.Node):
                registers.append(self._register_of[arg])
            else:
                extra.append(self._number(float(arg)))  # type: ignore[arg-type]
                registers.append(extra[-1])
        alpha = float(node.kwargs.get("alpha", 1))  # type: ignore[arg-type]
        if alpha != 1:
            scaled = self._number(alpha)
            self._emit(Op.MUL, scaled, scaled, registers[1])
            extra.append(scaled)
            registers[1] = scaled
        self._define(node, lambda target: self._emit(op, target, registers[0], registers[1]))
        self._free += extra

    def _clamp(self, target: int, source: int, low: float | None, high: float | None) -> None:
        for op, bound in ((Op.MAXIMUM, low), (Op.MINIMUM, high)):
            if bound is not None:
                register = self._number(bound)
                self._emit(op, target, source, register)
                self._free.append(register)
                source = target

    def _release(self, node: torch.fx.Node) -> None:
        for arg in node.all_input_nodes:
            self._users_left[arg] -= 1
            if self._users_left[arg] == 0:
                self._free.append(self._register_of[arg])

    def _outputs(self, node: torch.fx.Node) -> None:
        for index, arg in enumerate(node.args[0]):  # type: ignore[arg-type]
            assert isinstance(arg, torch.fx.Node)
            self._emit(Op.OUTPUT, index, self._register_of[arg])
            self.code.outputs += 1


def _bounds(name: str, node: torch.fx.Node) -> tuple[float | None, float | None]:
    if name == "aten.relu.default":
        return 0.0, None
    default = (-1.0, 1.0) if name == "aten.hardtanh.default" else (None, None)
    given = (*node.args[1:], *(None,) * 2)
    names = ("min_val", "max_val") if name == "aten.hardtanh.default" else ("min", "max")
    bounds = []
    for position in range(2):
        bound = given[position]
        bound = node.kwargs.get(names[position], default[position]) if bound is None else bound
        bounds.append(None if bound is None else float(bound))  # type: ignore[arg-type]
    return bounds[0], bounds[1]


def debug_handles(program: ExportedProgram) -> list[torch.fx.Node]:
    """The operators of the subgraph that have a debug handle."""
    return [
        node
        for node in program.graph.nodes
        if node.op == "call_function"
        and node.target is not operator.getitem
        and node.meta.get(meta_keys.DEBUG_HANDLE) is not None
    ]
