"""Whether a decomposition that torch's default table does without ends in operators that runtimes have.

Torch knows ways to take apart more operators than its default table names. Many of them end in ``prims``, of which no
runtime has kernels; then the operator stays, for a kernel of its own or for an error that names it.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from executorch.dialects.torch_types import FakeTensor, OpOverload
from executorch.passes.decomposition.decomposition_table import DecompositionTable


class _PrimsReached(Exception):
    pass


class _Watch(TorchDispatchMode):
    """Takes apart what is called as the recorder would, and records nothing."""

    def __init__(self, table: DecompositionTable) -> None:
        super().__init__()
        self._table = table

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, OpOverload):
            if func.namespace == "prims":
                raise _PrimsReached
            decomposition = self._table.find(func)
            if decomposition is not None and leads_to_kernels(self._table, func, args, kwargs):
                with self:
                    result = decomposition(*args, **kwargs)
                if result is not NotImplemented:
                    return result
        return func(*args, **kwargs)


def leads_to_kernels(table: DecompositionTable, op: OpOverload, args: Any, kwargs: Any) -> bool:
    """Whether to take ``op`` apart for these arguments; runs the decomposition on fake tensors if that is not certain.

    Args:
        args, kwargs: fake tensors and numbers.
    """
    if not table.is_optional(op):
        return True
    decomposition = table.find_any(op)
    assert decomposition is not None
    try:
        with _without_traces((args, kwargs)), _Watch(table):
            decomposition(*args, **kwargs)
    except Exception:
        # Torch's own way fails for these arguments, by reaching prims or else; the operator itself may not.
        return False
    return True


@contextlib.contextmanager
def _without_traces(values: Any) -> Iterator[None]:
    """Keeps guards and symbols of the trial out of the program's."""
    modes = [item.fake_mode for item in tree_leaves(values) if isinstance(item, FakeTensor)]
    shape_env = modes[0].shape_env if modes else None
    if shape_env is None:
        yield
        return
    with shape_env.suppress_guards(), shape_env.ignore_fresh_unbacked_symbols():
        yield


__all__ = ["leads_to_kernels"]
