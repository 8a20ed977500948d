"""Readable forms of programs and graphs."""

import dataclasses
import enum
import io
import re
import sys
from typing import Any, TextIO

from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.schema.program import (
    DelegateCall,
    FrameList,
    FreeCall,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Program,
    TensorShapeDynamism,
)

_SHORT = 16


def pretty_print(obj: Any, indent: int = 0, out: "TextIO | None" = None, *, verbose: bool = False) -> None:
    """Prints the nested dataclasses of a program, one field a line.

    Args:
        obj: a ``Program`` or any part of one.
        indent: spaces in front of every line.
        out: a text stream; standard output by default.
        verbose: print all bytes; otherwise only how many there are.
    """
    stream = sys.stdout if out is None else out
    for line in _lines(obj, verbose):
        stream.write(" " * indent + line + "\n")


def _lines(obj: Any, verbose: bool) -> list[str]:
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        lines = [f"{type(obj).__name__}("]
        for field in dataclasses.fields(obj):
            lines += _entry(f"{field.name}=", _lines(getattr(obj, field.name), verbose))
        return [*lines, ")"]
    if isinstance(obj, (bytes, bytearray, memoryview)):
        data = bytes(obj)
        return [repr(data) if verbose or len(data) <= _SHORT else f"<{len(data)} bytes>"]
    if isinstance(obj, (list, tuple)) and any(
        not isinstance(item, (int, float, str, type(None))) for item in obj
    ):
        lines = ["["]
        for index, item in enumerate(obj):
            lines += _entry(f"(index={index}) ", _lines(item, verbose))
        return [*lines, "]"]
    if isinstance(obj, enum.Enum):
        return [obj.name]
    return [repr(obj)]


def _entry(name: str, lines: list[str]) -> list[str]:
    indented = [f"  {name}{lines[0]}", *(f"  {line}" for line in lines[1:])]
    indented[-1] += ","
    return indented


def print_program(
    program: Program,
    show_meminfo: bool = True,
    mark_dynamic_shape_tensor: bool = False,
    out: "TextIO | None" = None,
) -> None:
    """Prints what each method of a program does: inputs, instructions in order, outputs.

    Args:
        program: as :attr:`ExecutorchProgramManager.executorch_program`.
        show_meminfo: add the place of every planned tensor.
        mark_dynamic_shape_tensor: add which tensors have a dynamic shape.
        out: a text stream; standard output by default.
    """
    stream = sys.stdout if out is None else out
    for plan in program.execution_plan:
        stream.write(f"method {plan.name}: inputs {list(plan.inputs)}, outputs {list(plan.outputs)}\n")
        count = sum(len(chain.instructions or ()) for chain in plan.chains)
        stream.write(f"The program contains the following {count} instructions\n")
        for chain in plan.chains:
            for number, instruction in enumerate(chain.instructions or ()):
                stream.write(f"  {number}: {_instruction(instruction.instr_args, plan)}\n")
        for number, value in enumerate(plan.values):
            text = _tensor_notes(value.val, show_meminfo, mark_dynamic_shape_tensor)
            if text:
                stream.write(f"  value {number}: sizes {list(value.val.sizes)}{text}\n")


def _tensor_notes(value: Any, show_meminfo: bool, mark_dynamic_shape_tensor: bool) -> str:
    notes = ""
    place = getattr(value, "allocation_info", None)
    if show_meminfo and place is not None:
        notes += f" at {place.memory_id}:{place.memory_offset_low + (place.memory_offset_high << 32)}"
    dynamism = getattr(value, "shape_dynamism", None)
    if mark_dynamic_shape_tensor and dynamism is not None and dynamism != TensorShapeDynamism.STATIC:
        notes += f" ({dynamism.name.lower()})"
    return notes


def pretty_print_stacktraces(obj: FrameList) -> str:
    """The source lines of one instruction, as Python prints them in a traceback."""
    lines = ["Traceback (most recent call last): "]
    for frame in obj.items:
        lines.append(f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}')
        lines.append(f"    {frame.context}")
    return "\n".join(lines) + "\n"


def _instruction(call: Any, plan: Any) -> str:
    if isinstance(call, KernelCall):
        op = plan.operators[call.op_index]
        name = f"{op.name}.{op.overload}" if op.overload else op.name
        return f"call {name}({', '.join(map(str, call.args))})"
    if isinstance(call, DelegateCall):
        return f"delegate {plan.delegates[call.delegate_index].id}({', '.join(map(str, call.args))})"
    if isinstance(call, JumpFalseCall):
        return f"if not {call.cond_value_index} go to {call.destination_instruction}"
    if isinstance(call, MoveCall):
        return f"{call.move_to} = {call.move_from}"
    if isinstance(call, FreeCall):
        return f"free {call.value_index}"
    return repr(call)


def add_cursor_to_graph(graph: Graph, finding_node: Node) -> str:
    """The graph as text, with ``-->`` in front of ``finding_node``."""
    marked = re.compile(rf"^(\s*)%{re.escape(finding_node.name)} :")
    lines = []
    for line in str(graph).splitlines():
        is_output = finding_node.op == "output" and line.lstrip().startswith("return ")
        hit = marked.match(line) or is_output
        lines.append(("--> " if hit else "    ") + line.lstrip() if line.startswith("    ") else line)
    return "\n".join(lines)


def inspect_node(graph: Graph, node: Node) -> str:
    """The graph with a marker at ``node``, the node's metadata, and the source line that made it.

    >>> print(inspect_node(graph, node))  # doctest: +SKIP
    """
    text = io.StringIO()
    text.write("Here is the node in the graph module:\n")
    text.write(add_cursor_to_graph(graph, node))
    text.write(f"\nThis node {node} has metadata of:\n")
    for key, value in node.meta.items():
        if key != meta_keys.STACK_TRACE:
            text.write(f"{key}: {value}\n")
    text.write("\nThe node stacktrace:\n")
    trace = node.meta.get(meta_keys.STACK_TRACE)
    text.write(f"Traceback (most recent call last):\n{trace}" if trace else "(none was recorded)\n")
    return text.getvalue()


__all__ = ["add_cursor_to_graph", "inspect_node", "pretty_print", "pretty_print_stacktraces", "print_program"]
