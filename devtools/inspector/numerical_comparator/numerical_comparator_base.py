"""The base of comparators: from pairs of values to a table of gaps."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import pandas as pd
    from torch.export import ExportedProgram

#: Numbers of nodes of the edge program that belong together.
DebugHandle: TypeAlias = tuple[int, ...]
#: (debug handle, value ahead of time) to (debug handle, value at run time).
IntermediateOutputMapping: TypeAlias = dict[tuple[DebugHandle, Any], tuple[DebugHandle, Any]]

_FORMAT = "expected {(debug handle, value ahead of time): (debug handle, value at run time)}"
_log = logging.getLogger(__name__)


class Inspection(Protocol):
    """What a comparator may ask of who compares: the public face of the ``Inspector``, which stands above."""

    @property
    def event_blocks(self) -> Sequence[Any]:
        """The :class:`~executorch.devtools.inspector.EventBlock` s of the ETDump."""

    def to_dataframe(
        self, include_units: bool = True, include_delegate_debug_data: bool = False
    ) -> pd.DataFrame:
        """All events, one a row."""

    def get_exported_program(self, graph: str | None = None) -> ExportedProgram | None:
        """A program out of the ETRecord; None without one."""


class NumericalComparatorBase(ABC):
    """A distance of values.

    Subclasses implement :meth:`element_compare`, and may change all values at once in :meth:`preprocessing`, such as
    dequantize them or bring them into another layout.
    """

    def __init__(self, inspector: Inspection | None = None) -> None:
        """Args:
        inspector: Who asks. The inspector sets itself when it is not given.
        """
        self._inspector = inspector

    @property
    def inspector(self) -> Inspection | None:
        """Who asks: gives :meth:`preprocessing` the programs and events; None outside of an inspector."""
        return self._inspector

    @inspector.setter
    def inspector(self, inspector: Inspection | None) -> None:
        self._inspector = inspector

    @abstractmethod
    def element_compare(self, a: Any, b: Any) -> float:
        """The distance of a runtime value ``b`` from a reference ``a``; both are numbers or tensors."""

    def preprocessing(self, mapping: IntermediateOutputMapping) -> IntermediateOutputMapping:
        """A look at all pairs before they are compared; returns them, changed or not."""
        return mapping

    def compare(
        self,
        mapping: IntermediateOutputMapping,
        aot_debug_handle_to_op_names: Mapping[DebugHandle, Sequence[str]],
        runtime_debug_handle_to_op_names: Mapping[DebugHandle, Sequence[str]],
    ) -> pd.DataFrame:
        """Preprocesses, compares pair by pair, and makes a table of it.

        Args:
            mapping: The pairs.
            aot_debug_handle_to_op_names: Names of the operators behind debug handles ahead of time.
            runtime_debug_handle_to_op_names: The same for the run.

        Returns:
            A row for each pair: ``aot_debug_handle``, ``aot_ops``, ``aot_intermediate_output``, ``runtime_ops``,
            ``runtime_debug_handle``, ``runtime_intermediate_output`` and ``gap``, the distances of the pair's values.
            Pairs with different numbers of values are left out with a warning.

        Raises:
            TypeError: :meth:`preprocessing` returned no dict.
            ValueError: It returned something else than pairs, or sizes of values do not fit.
        """
        import pandas as pd

        processed = self.preprocessing(mapping)
        _check_format(processed)
        rows = []
        for (handle, reference), (runtime_handle, value) in processed.items():
            gap = self._gap(handle, reference, value)
            if gap is None:
                continue
            rows.append(
                {
                    "aot_debug_handle": handle,
                    "aot_ops": names_within(handle, aot_debug_handle_to_op_names),
                    "aot_intermediate_output": reference,
                    "runtime_ops": names_within(runtime_handle, runtime_debug_handle_to_op_names),
                    "runtime_debug_handle": runtime_handle,
                    "runtime_intermediate_output": value,
                    "gap": gap,
                }
            )
        return pd.DataFrame(rows)

    def _gap(self, handle: DebugHandle, reference: Any, value: Any) -> list[float] | None:
        if not isinstance(reference, (list, tuple)) and not isinstance(value, (list, tuple)):
            return [self.element_compare(reference, value)]
        if (
            not isinstance(reference, (list, tuple))
            or not isinstance(value, (list, tuple))
            or len(reference) != len(value)
        ):
            _log.warning(
                "debug handle %s is left out: there are %s ahead of time and %s at run time",
                handle,
                _count(reference),
                _count(value),
            )
            return None
        return [self.element_compare(x, y) for x, y in zip(reference, value, strict=True)]


def names_within(handle: DebugHandle, names_by_handle: Mapping[DebugHandle, Sequence[str]]) -> list[str]:
    """Names of the operators whose debug handles are all part of ``handle``."""
    wanted = set(handle)
    return [name for key, names in names_by_handle.items() if wanted.issuperset(key) for name in names]


def _count(value: Any) -> str:
    return f"{len(value)} values" if isinstance(value, (list, tuple)) else "one value"


def _check_format(mapping: Any) -> None:
    if not isinstance(mapping, dict):
        raise TypeError(f"preprocessing() must return a dict, got {type(mapping).__name__}; {_FORMAT}")
    for side, items in (("key", mapping.keys()), ("value", mapping.values())):
        for item in items:
            if not (isinstance(item, tuple) and len(item) == 2):
                raise ValueError(f"Invalid {side} format in preprocessed mapping: {item}; {_FORMAT}")
            if not (isinstance(item[0], tuple) and all(isinstance(part, int) for part in item[0])):
                where = "AOT" if side == "key" else "runtime"
                raise ValueError(
                    f"Invalid {where} debug handle in {side}: {item[0]}; a tuple of numbers is one"
                )


__all__ = [
    "DebugHandle",
    "Inspection",
    "IntermediateOutputMapping",
    "NumericalComparatorBase",
    "names_within",
]
