"""``TapSpec``: what one tap is and where its value comes out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TapSpec:
    """One tap.

    Attributes:
        node_name: The tapped node of the exported program.
        op_target: What it calls, such as ``aten.linear.default``.
        output_index: The place of its value among the flat outputs, of the tapped program as of the lowered one.
        reducer_name: What became of the value.
        fields: The elements of the reduced value by name; empty where the value is kept as it is.
        stack_trace: The place in the model's source, if the node knows.
        module_path: The module that it is in, such as ``layers.1.attention``.
        module_class: The class of this module without its package.
    """

    node_name: str
    op_target: str
    output_index: int
    reducer_name: str
    fields: tuple[str, ...]
    stack_trace: str | None = None
    module_path: str | None = None
    module_class: str | None = None


__all__ = ["TapSpec"]
