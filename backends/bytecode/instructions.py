"""The bytecode: its instructions, and how a program of them becomes bytes.

``runtime/bytecode.h`` is the reader. Everything is little-endian:

==================  =====================================================================
``4s``              magic ``EBC1``
``6 * u16``         inputs, outputs, registers, numbers, named tensors, instructions
``f32`` each        the numbers
per named tensor    ``u16`` length, then the key in the named data of the program
``4 * u8`` each     an instruction: operation, target, first operand, second operand
==================  =====================================================================

A register holds the values of one block of elements. ``INPUT``, ``NUMBER`` and ``DATA`` fill the register
``target`` with input, number or named tensor ``first``; ``OUTPUT`` writes register ``first`` to output ``target``.
All others compute register ``target`` from registers ``first`` and ``second``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import IntEnum

MAGIC = b"EBC1"
#: Registers, inputs, outputs, numbers and named tensors are numbered by one byte.
LIMIT = 256


class Op(IntEnum):
    """What an instruction does; the numbers are part of the format."""

    INPUT = 0
    NUMBER = 1
    DATA = 2
    OUTPUT = 3
    ADD = 16
    SUB = 17
    MUL = 18
    DIV = 19
    MINIMUM = 20
    MAXIMUM = 21
    NEG = 32
    ABS = 33
    EXP = 34
    LOG = 35
    SQRT = 36
    RSQRT = 37
    RECIPROCAL = 38
    SIGMOID = 39
    TANH = 40
    SIN = 41
    COS = 42
    ERF = 43


@dataclass(frozen=True)
class Instruction:
    """One step; see the module for what the fields mean for which operation."""

    op: Op
    target: int
    first: int
    second: int = 0


@dataclass
class Bytecode:
    """A program for one subgraph."""

    inputs: int = 0
    outputs: int = 0
    registers: int = 0
    numbers: list[float] = field(default_factory=list)
    data_keys: list[str] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)

    def encode(self) -> bytes:
        """The bytes that the runtime reads.

        Raises:
            ValueError: more than ``LIMIT`` of something that one byte numbers.
        """
        counts = {
            "inputs": self.inputs,
            "outputs": self.outputs,
            "registers": self.registers,
            "numbers": len(self.numbers),
            "named tensors": len(self.data_keys),
        }
        for what, count in counts.items():
            if count > LIMIT:
                raise ValueError(f"the subgraph needs {count} {what}, the bytecode has room for {LIMIT}")
        parts = [struct.pack("<4s6H", MAGIC, *counts.values(), len(self.instructions))]
        parts.append(struct.pack(f"<{len(self.numbers)}f", *self.numbers))
        for key in self.data_keys:
            text = key.encode()
            parts.append(struct.pack("<H", len(text)) + text)
        parts += [struct.pack("4B", i.op, i.target, i.first, i.second) for i in self.instructions]
        return b"".join(parts)
