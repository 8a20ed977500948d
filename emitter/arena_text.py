"""The functions that say where values lie for other sizes than the largest, as a value of the method.

A string that no instruction refers to; readers that do not know it skip it. Behind the prefix stand numbers in decimal digits:

    FIXED SLACK ALIGNMENT SIZES BLOCKS size... block...
    size:  INPUT.DIM.BOUND          what the functions depend on; bound 0 where nothing bounds it
    block: STEPS@BELOW:TENSORS;     bytes as steps on a stack, blocks that it lies behind, tensors that lie there

Steps are `memory_planning.size_expressions`; of two numbers in a row a comma stands between. Tensors count in the order of the
method's values. Tensors of memory 1 in no block lie at the front, in the first FIXED bytes, or are inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from executorch.memory_planning import ArenaFunctions
from executorch.memory_planning.size_expressions import Step
from executorch.schema.program import EValue, String, Tensor

PREFIX: Final = "executorch.arena:"


def encode(functions: ArenaFunctions, values: Sequence[EValue], block_of: Mapping[int, int]) -> EValue:
    """The value that says `functions`; `block_of`: number of a tensor value -> number of its block."""
    tensors: list[list[int]] = [[] for _ in functions.blocks]
    ordinal = 0
    for number, value in enumerate(values):
        if isinstance(value.val, Tensor):
            if number in block_of:
                tensors[block_of[number]].append(ordinal)
            ordinal += 1
    numbers = (
        functions.fixed,
        functions.slack,
        functions.alignment,
        len(functions.sizes),
        len(functions.blocks),
    )
    parts = [str(number) for number in numbers]
    parts += [f"{size.input}.{size.dim}.{size.bound or 0}" for size in functions.sizes]
    parts += [
        f"{_steps(block.size)}@{_list(block.below)}:{_list(held)};"
        for block, held in zip(functions.blocks, tensors, strict=True)
    ]
    return EValue(String(PREFIX + " ".join(parts)))


def _steps(steps: Sequence[Step]) -> str:
    text = ""
    for step in steps:
        between = "," if isinstance(step, int) and text[-1:].isdigit() else ""
        text += f"{between}{step}"
    return text


def _list(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
