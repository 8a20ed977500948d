"""The memories of a processor, fastest first."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass
class MemoryConfig:
    """The memories that values may be placed in; in programs they have the ids 1, 2 and so on.

    Attributes:
        memory_sizes: bytes of each, the fastest first.
        memory_alignments: what offsets in each are multiples of, in bytes; 1 by default.
        memory_names: for reports.
        base_addrs, memory_xml_path, MemorySpace: where linker and simulator have them; only carried along.
    """

    memory_sizes: list[int]
    memory_alignments: list[int] | None = None
    memory_names: list[str] | None = None
    base_addrs: list[int] | None = None
    memory_xml_path: str | None = None
    MemorySpace: enum.Enum | None = None

    def __post_init__(self) -> None:
        if self.memory_alignments is None:
            self.memory_alignments = [1] * len(self.memory_sizes)
        if len(self.memory_alignments) != len(self.memory_sizes):
            raise ValueError(
                f"{len(self.memory_sizes)} memories have {len(self.memory_alignments)} alignments: give one each"
            )

    def get_num_memories(self) -> int:
        """How many ids there are, with 0, which is reserved."""
        return len(self.memory_sizes) + 1

    def get_size(self, exir_id: int) -> int:
        """Bytes of the memory with this id, from 1."""
        return self.memory_sizes[exir_id - 1]

    def get_alignment(self, exir_id: int) -> int:
        """What offsets in the memory with this id are multiples of."""
        assert self.memory_alignments is not None
        return self.memory_alignments[exir_id - 1]


def get_default_memory_config() -> MemoryConfig:
    """One memory of 64 GiB: as much as is needed."""
    return MemoryConfig(memory_sizes=[1 << 36], memory_alignments=[1])


__all__ = ["MemoryConfig", "get_default_memory_config"]
