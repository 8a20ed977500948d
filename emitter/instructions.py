"""The instruction list of a method under construction, and the graph whose nodes are being turned into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.emitter.stack_trace import frames
from executorch.emitter.values import ValueTable
from executorch.schema.program import (
    FrameList,
    Instruction,
    InstructionArguments,
    Int,
    JumpFalseCall,
    KernelCall,
    MoveCall,
)


@dataclass(frozen=True)
class Scope:
    """A graph and the values of its nodes so far: a value number, a list of them, or a submodule."""

    module: GraphModule
    numbers: dict[Node, Any] = field(default_factory=dict)

    def __getitem__(self, node: Node) -> Any:
        return self.numbers[node]


class InstructionList:
    """Instructions in order, with what tools want to know about each.

    Attributes:
        instructions: as the file has them.
        frames: the user's source lines of each.
        operators: (name, overload) -> number in the method's operator table.
        debug_handles: number of an instruction -> debug handle of the node that it comes from.
        num_outputs: number of an instruction -> how many results it has.
    """

    def __init__(self, values: ValueTable) -> None:
        self.values = values
        self.instructions: list[Instruction] = []
        self.frames: list[FrameList] = []
        self.operators: dict[tuple[str, str], int] = {}
        self.debug_handles: dict[int, int | tuple[int, ...]] = {}
        self.num_outputs: dict[int, int] = {}

    def __len__(self) -> int:
        """The number that the next instruction gets: where a jump to "here" goes."""
        return len(self.instructions)

    def add(self, node: Node, arguments: InstructionArguments, num_outputs: int) -> None:
        """Adds an instruction that comes from `node`."""
        number = len(self)
        self.instructions.append(Instruction(arguments))
        self.frames.append(frames(node))
        handle = node.meta.get(meta_keys.DEBUG_HANDLE)
        if handle is not None:
            self.debug_handles[number] = handle
        self.num_outputs[number] = num_outputs

    def kernel(
        self, node: Node, operator: tuple[str, str], arguments: Sequence[int], num_outputs: int = 1
    ) -> None:
        """Adds the call of an operator; `arguments` are value numbers, the place of the result included."""
        index = self.operators.setdefault(operator, len(self.operators))
        self.add(node, KernelCall(index, list(arguments)), num_outputs)

    def move(self, node: Node, source: int, target: int) -> None:
        """Lets the value `target` be what `source` is: a number is copied, a tensor becomes a second name."""
        self.add(node, MoveCall(source, target), 1)

    def jump_if_false(self, node: Node, condition: int, destination: int = 0) -> JumpFalseCall:
        """Adds a jump; its destination may be set later."""
        jump = JumpFalseCall(condition, destination)
        self.add(node, jump, 0)
        return jump

    def jump(self, node: Node, destination: int = 0) -> JumpFalseCall:
        """Adds a jump that is always taken: one on a constant False."""
        return self.jump_if_false(node, self.values.constant(False), destination)

    def argument(self, scope: Scope, value: Any) -> int:
        """The value number of an argument: of a node, or of a constant."""
        return scope[value] if isinstance(value, Node) else self.values.constant(value)

    def counter(self, node: Node, start: int = 0) -> int:
        """A number that instructions change; set to `start` whenever the program comes by."""
        number = self.values.new(Int(start))
        self.move(node, self.values.constant(start), number)
        return number


def operator_key(op: OpOverload) -> tuple[str, str]:
    """Name and overload as the operator table has them."""
    return op._schema.name, op._schema.overload_name
