"""Whether a call can be lowered, and why not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES
from executorch.backends.arm.tosa.graph.constants import Constants, name_of
from executorch.backends.arm.tosa.graph.narrow import EXTENSIONS
from executorch.backends.arm.tosa.graph.quantized import (
    DEQUANTIZE,
    QUANTIZE,
    match,
    parameters_of,
    requantized,
)
from executorch.backends.arm.tosa.graph.registry import OPERATORS, Operator
from executorch.backends.arm.tosa.operators.refusals import integer_refusal, target_refusal
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.dialects import meta_keys

#: Of TOSA's level 8K.
MOST_DIMENSIONS = 6


@dataclass
class Verdict:
    """``nodes`` are taken together; or ``why`` says why the node is not."""

    nodes: list[Node] = field(default_factory=list)
    why: str | None = None


def result_tensors(nodes: Iterable[Node]) -> list[torch.Tensor]:
    """The tensors that these nodes make."""
    values: list[Any] = [one.meta.get(meta_keys.VAL) for one in nodes]
    flat = [part for value in values for part in (value if isinstance(value, tuple | list) else [value])]
    return [one for one in flat if isinstance(one, torch.Tensor)]


def judge(node: Node, constants: Constants, spec: TosaSpecification) -> Verdict:
    """Whether this specification has ``node``; one whose result is int64 is taken with what converts it."""
    verdict = _judged(node, constants, spec)
    if verdict.why is not None or not any(one.dtype is torch.int64 for one in result_tensors(_results(node))):
        return verdict
    readers = [*node.users]
    if all(_narrows(one, spec) for one in readers):
        return Verdict([*verdict.nodes, *readers])
    return Verdict(why="a result of type int64, which TOSA 1.0 has not; convert it (.int())")


def _narrows(node: Node, spec: TosaSpecification) -> bool:
    """Whether a node converts to a type that this specification has."""
    if name_of(node) != "dim_order_ops._to_dim_order_copy.default":
        return False
    dtype = node.meta[meta_keys.VAL].dtype
    return (
        dtype in DTYPES
        and (spec.support_float() or not dtype.is_floating_point)
        and extension_that_lacks([dtype], spec) is None
    )


def _judged(node: Node, constants: Constants, spec: TosaSpecification) -> Verdict:
    name = name_of(node)
    read = [one for one in node.all_input_nodes if not constants.has(one)]
    why = _general(node, read, constants)
    if why is not None:
        return Verdict(why=why)
    again = None if spec.support_float() else requantized(node)
    if again is not None and all(
        map(_has_integers(spec), result_tensors([*again, *again[0].all_input_nodes]))
    ):
        return Verdict(again)
    if name in (QUANTIZE, DEQUANTIZE):
        return _conversion(node, spec)
    row = OPERATORS.get(name)
    if row is None:
        return Verdict(why=f"{name} has no lowering to TOSA")
    why = row.refusal(node, constants.has) or target_refusal(node, spec)
    if why is not None:
        return Verdict(why=why)
    call = match(node, constants) if spec.support_integer() else None
    if call is not None:
        refused = integer_refusal(call, constants, spec)
        if refused is None:
            return Verdict(nodes=call.nodes)
        if not spec.support_float():
            return Verdict(why=refused)
    why = _plain_refusal(row, node, read, spec)
    return Verdict(why=why) if why else Verdict(nodes=[node])


def extension_that_lacks(
    kinds: Iterable[torch.dtype], spec: TosaSpecification
) -> tuple[torch.dtype, str] | None:
    """A type among these with the extension that it needs and the specification has not."""
    needed = ((one, EXTENSIONS[one]) for one in kinds if one in EXTENSIONS)
    return next(((one, name) for one, name in needed if not spec.support_extension(name)), None)


def _general(node: Node, read: list[Node], constants: Constants) -> str | None:
    if any(constants.is_state(one) for one in read):
        return "it reads state that the program writes; such state stays outside"
    operands = node.all_input_nodes
    if name_of(node) == "aten.cat.default":
        operands = [one for one in operands if not _is_nothing(one, constants)]
    for value in result_tensors([*_results(node), *operands]):
        if not all(isinstance(size, int) for size in value.shape):
            return (
                f"dynamic shape {tuple(value.shape)}; TOSA 1.0 has fixed sizes, export without dynamic_shapes"
            )
        if value.numel() == 0:
            return "an empty tensor, which TOSA has not"
        if value.dim() > MOST_DIMENSIONS:
            return f"{value.dim()} dimensions; TOSA has {MOST_DIMENSIONS} at most"
    return None


def _is_nothing(node: Node, constants: Constants) -> bool:
    """Whether a node is a constant without elements."""
    return constants.has(node) and all(one.numel() == 0 for one in result_tensors([node]))


def _results(node: Node) -> list[Node]:
    """What is read of a node: itself, or those of its several results that are taken."""
    several = isinstance(node.meta.get(meta_keys.VAL), tuple | list)
    return [user for user in node.users if user.users] if several else [node]


def _has_integers(spec: TosaSpecification) -> Callable[[torch.Tensor], bool]:
    return lambda one: one.dtype is not torch.int16 or spec.support_extension("int16")


def _conversion(node: Node, spec: TosaSpecification) -> Verdict:
    if parameters_of(node) is None:
        return Verdict(
            why="a conversion other than of whole tensors to int8 or symmetric int16 with known scales"
        )
    if not spec.support_float() or not spec.support_integer():
        return Verdict(why=f"a conversion at the border of what is quantized; {spec} has not both INT and FP")
    return Verdict(nodes=[node])


def _plain_refusal(row: Operator, node: Node, read: list[Node], spec: TosaSpecification) -> str | None:
    values = result_tensors([*read, *_results(node)])
    kinds = {one.dtype for one in values}
    if torch.int64 not in {one.dtype for one in result_tensors([*read])}:
        kinds.discard(torch.int64)
    if any(one.is_floating_point() for one in values) and not spec.support_float():
        if row.integer is None:
            return f"no form on integers: {spec} has not floating point, and {row.name} is not quantized"
        return f"not quantized between int8 or int16 values, and {spec} has not floating point"
    integers = {one for one in kinds if not one.is_floating_point} - {torch.bool}
    if row.needs_int and integers and not spec.support_integer():
        return f"{row.name} of integers is of the profile INT, which {spec} has not"
    if row.plain is None:
        return "it stands between no quantized values"
    unknown = sorted(str(one) for one in kinds if one not in DTYPES)
    if unknown:
        return f"tensors of type {', '.join(unknown)}, which TOSA 1.0 has not; convert them"
    lacks = extension_that_lacks(kinds, spec)
    if lacks is not None:
        return f"{lacks[0]} needs the extension {lacks[1]}, which {spec} has not; name it in the compile spec"
    made = {one.dtype for one in result_tensors(read)}
    other = torch.bool not in row.dtypes and made == {torch.bool}
    if other or (made and not made <= {*row.dtypes, torch.bool}):
        return f"operands of type {', '.join(sorted(map(str, made)))}; it takes {', '.join(map(str, row.dtypes))}"
    return None
