"""ATen to core ATen."""

import logging
import threading
from collections.abc import Iterable

import torch
from torch.export import ExportedProgram

from executorch.dialects.torch_types import OpOverload
from executorch.ir.graph import fake_mode_of
from executorch.passes.decomposition.decomposition_table import DecompositionTable, default_table
from executorch.passes.decomposition.local_decomposition import Choice, decompose_locally
from executorch.passes.decomposition.op_recorder import NotLocalError

_logger = logging.getLogger(__name__)


class _WithoutMkldnn:
    """While any thread is inside, torch does not take recurrent layers apart into calls of one CPU library.

    The switch is the process's: the first one in notes what it was, the last one out restores it. (The public switch,
    ``torch.backends.mkldnn.flags``, also touches settings that warn on this build.)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = True

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = torch._C._get_mkldnn_enabled()
                torch._C._set_mkldnn_enabled(False)
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                torch._C._set_mkldnn_enabled(self._before)


_without_mkldnn = _WithoutMkldnn()


def _forget_unfinished_sizes(program: ExportedProgram) -> None:
    """Numbers that the data decide (``x.item()``), made by an attempt that was given up, belong to no node.

    The tracer takes them for results of the first value that it sees, and complains.
    """
    mode = fake_mode_of(program.graph.nodes)
    pending = getattr(mode.shape_env if mode is not None else None, "pending_fresh_unbacked_symbols", None)
    if pending:
        pending.clear()


def decompose(
    exported_program: ExportedProgram,
    preserve: Iterable[OpOverload] = (),
    choose: "Choice | None" = None,
) -> ExportedProgram:
    """A functional program of core ATen operators (and those in ``preserve``); the argument is left alone.

    Decomposes node by node where possible; a program that needs it is traced again by torch's
    ``run_decompositions``, which takes longer and gives the same operators.

    Args:
        exported_program: as ``torch.export.export`` gives it.
        preserve: operators that stay whole.
        choose: asked for each node that could be decomposed, preserved ones included, whether it should be.
    """
    preserved = list(preserve)
    table = DecompositionTable(preserved)
    with _without_mkldnn:
        try:
            return decompose_locally(exported_program, table, choose)
        except NotLocalError as reason:
            _logger.info("tracing the whole program again: %s", reason)
        _forget_unfinished_sizes(exported_program)
        traced = exported_program.run_decompositions(default_table(preserved))
        try:
            return decompose_locally(traced, table, choose)
        except NotLocalError:
            return traced
