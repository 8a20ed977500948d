"""The base of released passes, under its published name."""

from __future__ import annotations

from typing import Any, ClassVar

from executorch.passes.infrastructure.export_pass import ExportPass


class ArmPass(ExportPass):
    """An ``ExportPass`` that may say which passes have to run after it; ``ArmPassManager`` checks that.

    Args:
        tfa_pass: it runs before annotation.
    """

    #: Classes of passes of which one has to follow.
    _passes_required_after: ClassVar[set[type]] = set()

    def __init__(self, tfa_pass: bool = False) -> None:
        super().__init__()
        self.is_tfa_pass = tfa_pass

    def call_operator(self, op: Any, args: Any, kwargs: Any, meta: Any, updated: bool | None = False) -> Any:
        """As of ``ExportPass``; ``updated`` is taken as released passes give it, and changes nothing."""
        return super().call_operator(op, args, kwargs, meta)
