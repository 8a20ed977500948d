"""Which operators decompose into core ATen, and how."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._ops import OpOverload

from executorch.dialects.verifiers import is_core

Decomposition = Callable[..., Any]

#: Composite operators that torch's default table keeps.
_KEPT_COMPOSITES = ("upsample_bilinear2d.vec", "upsample_nearest2d.vec", "_fused_rms_norm.default")


def _scalar_first(op: OpOverload) -> Decomposition:
    """``op.Scalar_Tensor`` by way of ``op.Tensor``, which is core ATen or has a kernel; torch's own way ends in ``prims``."""
    of_tensors = _aten(op.__name__.replace(".Scalar_Tensor", ".Tensor"))

    def decomposition(number: Any, other: torch.Tensor) -> torch.Tensor:
        dtype = torch.result_type(number, other)
        return of_tensors(torch.ops.aten.full.default([], number, dtype=dtype), other)

    return decomposition


_SCALAR_FIRST = frozenset(
    f"{name}.Scalar_Tensor"
    for name in (
        "bitwise_and",
        "bitwise_left_shift",
        "bitwise_or",
        "bitwise_right_shift",
        "bitwise_xor",
        "remainder",
    )
)


#: Other names of operators that have kernels: ``x & y``, ``x << y``, and conjugation that torch puts off.
_OTHER_NAMES = {
    **{
        f"__{name}__.{kind}": f"bitwise_{name}.{kind}"
        for name in ("and", "or", "xor")
        for kind in ("Scalar", "Tensor")
    },
    "__lshift__.Scalar": "bitwise_left_shift.Tensor_Scalar",
    "__lshift__.Tensor": "bitwise_left_shift.Tensor",
    "__rshift__.Scalar": "bitwise_right_shift.Tensor_Scalar",
    "__rshift__.Tensor": "bitwise_right_shift.Tensor",
    "_conj.default": "_conj_physical.default",
}


def _aten(name: str) -> OpOverload:
    packet, overload = name.split(".")
    return getattr(getattr(torch.ops.aten, packet), overload)


@functools.cache
def _python_decompositions() -> dict[Any, Decomposition]:
    from torch._decomp import _core_aten_decompositions_post_autograd

    return dict(_core_aten_decompositions_post_autograd())


def default_table(preserve: Iterable[OpOverload] = ()) -> dict[Any, Decomposition]:
    """torch's own table into core ATen, without ``preserve``, as ``run_decompositions`` takes it."""
    table = torch.export.default_decompositions()
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
    if op.namespace == "aten" and op.__name__ in _SCALAR_FIRST:
        return _scalar_first(op)
    if op.namespace == "aten" and op.__name__ in _OTHER_NAMES:
        return _aten(_OTHER_NAMES[op.__name__])
    if op.namespace == "prim" or (op.namespace == "aten" and op.__name__ in _KEPT_COMPOSITES):
        return None
    key = torch._C.DispatchKey.CompositeImplicitAutograd
    if key in op.py_kernels and callable(op.py_kernels[key]):
        return op.py_kernels[key]
    if torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), key):
        return functools.partial(op._op_dk, key)
    return None
