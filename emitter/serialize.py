"""From an emitted program to its files."""

from __future__ import annotations

from dataclasses import dataclass, field

from executorch.emitter.cord import Cord
from executorch.emitter.emit import EmitterOutput
from executorch.emitter.flat_tensor import FlatTensorConfig, FlatTensorSerializer
from executorch.emitter.pte_file import SEGMENT_ALIGNMENT, serialize_pte_binary


@dataclass
class SerializedProgram:
    """The files of a program.

    Attributes:
        pte: the program.
        ptd: name without suffix -> data outside the program.
    """

    pte: Cord
    ptd: dict[str, Cord] = field(default_factory=dict)


def serialize_pte(
    output: EmitterOutput,
    *,
    extract_delegate_segments: bool = True,
    segment_alignment: int = SEGMENT_ALIGNMENT,
    constant_tensor_alignment: int | None = None,
    delegate_alignment: int | None = None,
) -> SerializedProgram:
    """Writes the `.pte` file of an emitted program and its `.ptd` files.

    Nothing is copied: weights stay in the tensors that they come from until the cords are written, so the model
    must not change before. Arguments and errors are those of `serialize_pte_binary`.
    """
    pte = serialize_pte_binary(
        output.pte_file,
        extract_delegate_segments=extract_delegate_segments,
        segment_alignment=segment_alignment,
        constant_tensor_alignment=constant_tensor_alignment,
        delegate_alignment=delegate_alignment,
    )
    writer = FlatTensorSerializer(
        FlatTensorConfig(
            tensor_alignment=constant_tensor_alignment or 16, segment_alignment=segment_alignment
        )
    )
    return SerializedProgram(
        pte, {tag: writer.serialize(payload) for tag, payload in output.external_data.items()}
    )
