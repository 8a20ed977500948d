"""Delegates of a program: their blobs, options and named data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from executorch.emitter.errors import EmissionError
from executorch.emitter.named_data import DataCollector, NamedDataLike, digest
from executorch.schema.program import (
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    CompileSpec,
    DataLocation,
)
from executorch.schema.wire import BytesLike


class CompileSpecLike(Protocol):
    """An option for a backend."""

    key: str
    value: BytesLike


class LoweredModuleLike(Protocol):
    """What emission needs of a `LoweredBackendModule`."""

    @property
    def backend_id(self) -> str: ...

    @property
    def processed_bytes(self) -> BytesLike: ...

    @property
    def compile_specs(self) -> Sequence[CompileSpecLike]: ...

    @property
    def named_data_store_output(self) -> NamedDataLike | None: ...


class DelegateTable:
    """What the delegates of all methods share: equal blobs and equal named data are stored once."""

    def __init__(self) -> None:
        self.blobs: list[BackendDelegateInlineData] = []
        self.named = DataCollector()
        self.external: dict[str, DataCollector] = {}
        self._numbers: dict[bytes, int] = {}

    def for_method(self) -> MethodDelegates:
        """The table of one method."""
        return MethodDelegates(self)

    def blob(self, data: BytesLike) -> int:
        """The number of a blob."""
        name = digest(data)
        if name not in self._numbers:
            self._numbers[name] = len(self.blobs)
            self.blobs.append(BackendDelegateInlineData(data))  # type: ignore[arg-type]
        return self._numbers[name]

    def add_named_data(self, backend: str, data: NamedDataLike | None) -> None:
        """Takes over what a delegate refers to by name.

        Raises:
            EmissionError: two delegates use one name for different content.
        """
        if data is None:
            return
        try:
            self.named.merge(data.buffers, data.pte_data)
            for tag, entries in data.external_data.items():
                self.external.setdefault(tag, DataCollector()).merge(data.buffers, entries)
        except ValueError as error:
            raise EmissionError(f"named data of a delegate to {backend}: {error}") from error


@dataclass
class MethodDelegates:
    """The delegates of one method; a lowered module that is called twice is one of them."""

    table: DelegateTable
    entries: list[BackendDelegate] = field(default_factory=list)
    _modules: dict[int, tuple[Any, int]] = field(default_factory=dict)

    def index(self, lowered: LoweredModuleLike) -> int:
        """The number of a delegate."""
        known = self._modules.get(id(lowered))
        if known is not None:
            return known[1]
        self.table.add_named_data(lowered.backend_id, getattr(lowered, "named_data_store_output", None))
        place = BackendDelegateDataReference(DataLocation.INLINE, self.table.blob(lowered.processed_bytes))
        options = [CompileSpec(spec.key, bytes(spec.value)) for spec in lowered.compile_specs]
        self.entries.append(BackendDelegate(lowered.backend_id, place, options))
        # Holding the module keeps its id from being given to another one.
        self._modules[id(lowered)] = (lowered, len(self.entries) - 1)
        return len(self.entries) - 1
