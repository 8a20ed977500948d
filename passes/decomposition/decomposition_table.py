"""Which operators decompose into core ATen, and how."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch

from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import is_core
from executorch.passes.decomposition.linear_algebra import LINEAR_ALGEBRA
from executorch.passes.decomposition.own_decompositions import own_decomposition

Decomposition = Callable[..., Any]

#: Composite operators that torch's default table keeps.
_KEPT_COMPOSITES = ("upsample_bilinear2d.vec", "upsample_nearest2d.vec", "_fused_rms_norm.default")


@functools.cache
def _python_decompositions() -> dict[Any, Decomposition]:
    from torch._decomp import _core_aten_decompositions_post_autograd

    return dict(_core_aten_decompositions_post_autograd())


def default_table(preserve: Iterable[OpOverload] = ()) -> dict[Any, Decomposition]:
    """torch's own table into core ATen, without ``preserve``, as ``run_decompositions`` takes it.

    Operators of linear algebra that fail are taken apart by this project's ways: torch's leave a check that writes an effect,
    and no program can hold that.
    """
    table = torch.export.default_decompositions()
    for name, decomposition in LINEAR_ALGEBRA.items():
        packet, _, overload = name.removeprefix("aten::").partition(".")
        table[getattr(getattr(torch.ops.aten, packet), overload or "default")] = decomposition
    for op in preserve:
        table.pop(op, None)
    return table


class DecompositionTable:
    """Answers, operator by operator, what torch's default table would say.

    The default table is built by walking all operators of the process; asking for the hundred operators of one
    program is much cheaper.

    Args:
        preserve: operators that stay as they are.
    """

    def __init__(self, preserve: Iterable[OpOverload] = ()) -> None:
        self.preserve = frozenset(preserve)
        self._known: dict[OpOverload, Decomposition | None] = {}
        self._optional: set[OpOverload] = set()

    def find(self, op: OpOverload) -> "Decomposition | None":
        """The function that computes ``op`` with simpler operators; None when ``op`` stays."""
        return None if op in self.preserve else self.find_any(op)

    def find_any(self, op: OpOverload) -> "Decomposition | None":
        """Like :meth:`find`, for preserved operators too."""
        if op not in self._known:
            self._known[op] = _find(op)
            if self._known[op] is None and not _stays(op):
                self._known[op] = torch._decomp.decomposition_table.get(op)
                self._optional.add(op)
        return self._known[op]

    def is_optional(self, op: OpOverload) -> bool:
        """Whether torch's default table leaves ``op`` alone although there is a way to take it apart."""
        return self.find_any(op) is not None and op in self._optional


def _stays(op: OpOverload) -> bool:
    """Whether ``op`` is not taken apart, whatever torch knows."""
    if op.namespace == "prim":
        return True  # questions about a tensor (prim.device), which the dispatcher answers itself
    return is_core(op) or (op.namespace == "aten" and op.__name__ in _KEPT_COMPOSITES)


def _find(op: OpOverload) -> "Decomposition | None":
    """What torch's default table has, and this project's own ways."""
    decomposition = _python_decompositions().get(op)
    if decomposition is not None:
        return decomposition
    own = own_decomposition(op)
    if own is not None:
        return own
    if op.namespace == "prim" or (op.namespace == "aten" and op.__name__ in _KEPT_COMPOSITES):
        return None
    key = torch._C.DispatchKey.CompositeImplicitAutograd
    if key in op.py_kernels and callable(op.py_kernels[key]):
        return op.py_kernels[key]
    if torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), key):
        return functools.partial(op._op_dk, key)
    return None
