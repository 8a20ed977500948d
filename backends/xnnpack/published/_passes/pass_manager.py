"""Runs passes over the program that the backend is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.export import ExportedProgram

from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.ir.clone import clone_program, replace_parts
from executorch.ir.signature import sync_signature
from executorch.passes.infrastructure.pass_base import run_pass


class XNNPACKPassManager:
    """Runs passes over a program, in order.

    The backend itself needs none: its lowering reads edge programs as they come (``graph/lowering.py``). This is for
    passes of one's own, run before it or by themselves.

    Args:
        exported_program: is not changed.
        passes: pass classes; one that derives from ``XNNPACKPass`` is made with the program, others without
            arguments. None means no pass.
    """

    def __init__(self, exported_program: ExportedProgram, passes: Sequence[type[Any]] | None = None) -> None:
        self._exported_program = clone_program(exported_program)
        self.passes = list(passes or ())

    @property
    def exported_program(self) -> ExportedProgram:
        return self._exported_program

    def transform(self) -> ExportedProgram:
        """The program after all passes.

        Raises:
            TypeError: something in ``passes`` is no class.
            ValueError: a pass changed the number of inputs or outputs.
        """
        program = self._exported_program
        for pass_ in self.passes:
            if not isinstance(pass_, type):
                raise TypeError(
                    f"expecting every pass to be a class, but {pass_!r} is a {type(pass_).__name__}"
                )
            made = pass_(program) if issubclass(pass_, XNNPACKPass) else pass_()
            result = run_pass(made, program.graph_module)
            program = replace_parts(program, graph_module=result.graph_module)
            sync_signature(program)
        self._exported_program = program
        return program
