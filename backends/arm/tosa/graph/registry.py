"""What is lowered: one row an operator. Partitioner, lowering, quantizer, table and tests all read these rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
NUMBERS = (*FLOATS, torch.int32)
#: Floating point of 8 bits, which is moved and converted.
BYTES = (torch.float8_e4m3fn, torch.float8_e5m2)
#: What movers of data take.
ANY = (*NUMBERS, torch.int16, torch.int8, torch.bool, *BYTES)

#: Called with the lowering (``graph.lowering``) and the node, or the call on integers (``graph.quantized``).
FloatLowering = Callable[[Any, Node], None]
IntegerLowering = Callable[[Any, Any], None]
Refusal = Callable[[Node], "str | None"]
#: Told which nodes are constant.
IsConstant = Callable[[Node], bool]
ConstantRefusal = Callable[[Node, IsConstant], "str | None"]


@dataclass
class Operator:
    """One operator.

    Attributes:
        name: ``aten.add.Tensor``.
        plain: lowers a call on tensors as they are; None if there is no such form.
        integer: lowers a call between dequantizations and a quantization.
        dtypes: of the tensors that a plain call reads.
        refusals: say what a call may not have, in words that name the way out; None where there is nothing.
        constant_refusals: those that ask which operands are constant.
        conditions: the same in short for the operator table.
        keeps_whole: the operator is taken apart on the way to edge unless the partitioner asks for it.
        shares_parameters: the integers are moved or chosen, so that input and result should share scales.
        needs_int: on integers, other than booleans, it is of the profile INT alone.
    """

    name: str
    plain: FloatLowering | None = None
    integer: IntegerLowering | None = None
    dtypes: tuple[torch.dtype, ...] = FLOATS
    refusals: tuple[Refusal, ...] = ()
    constant_refusals: tuple[ConstantRefusal, ...] = ()
    conditions: str = ""
    keeps_whole: bool = False
    shares_parameters: bool = False
    needs_int: bool = False

    def refusal(self, node: Node, is_constant: IsConstant | None = None) -> str | None:
        """Why this call is not taken, whatever its types; None if it is. Without ``is_constant`` only inputs may be."""
        known = is_constant or (lambda one: one.op == "placeholder")
        reasons = itertools.chain(
            (check(node) for check in self.refusals),
            (check(node, known) for check in self.constant_refusals),
        )
        return next((why for why in reasons if why is not None), None)


OPERATORS: dict[str, Operator] = {}


def _row(name: str) -> Operator:
    return OPERATORS.setdefault(name, Operator(name))


def plain(
    *names: str,
    dtypes: tuple[torch.dtype, ...] = FLOATS,
    refusals: tuple[Refusal, ...] = (),
    constant_refusals: tuple[ConstantRefusal, ...] = (),
    conditions: str = "",
    keeps_whole: bool = False,
    shares_parameters: bool = False,
    needs_int: bool = False,
) -> Callable[[FloatLowering], FloatLowering]:
    """Declares a function as the lowering of these operators on tensors as they are."""

    def declare(function: FloatLowering) -> FloatLowering:
        for name in names:
            row = _row(name)
            row.plain, row.dtypes = function, dtypes
            row.refusals, row.constant_refusals = refusals, constant_refusals
            row.conditions = conditions
            row.keeps_whole, row.shares_parameters = keeps_whole, shares_parameters
            row.needs_int = needs_int
        return function

    return declare


def integer(*names: str, keeps_whole: bool = False) -> Callable[[IntegerLowering], IntegerLowering]:
    """Declares a function as the lowering of these operators on quantized values."""

    def declare(function: IntegerLowering) -> IntegerLowering:
        for name in names:
            row = _row(name)
            row.integer, row.keeps_whole = function, row.keeps_whole or keeps_whole
        return function

    return declare
