"""Many sequences in one pool: each token has a cell, and a cell may belong to several sequences."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import torch

from executorch.extension.llm.cache.attend_spec import AttendSpec, MaskKind
from executorch.extension.llm.cache.cache_config import CacheConfig, LayerPolicy
from executorch.extension.llm.cache.cache_memory import LayerMemory, seen

#: Sequences are numbered from 0; as many as a runtime can keep in the bits of a signed integer of 64 bits.
MAX_SEQS = 63


@dataclasses.dataclass
class _Step:
    """What one forward pass does to the pool, the same for all layers."""

    cells: torch.Tensor
    positions: torch.Tensor
    sequences: list[int]
    #: One behind the last cell that is held.
    end: int
    served: set[int] = dataclasses.field(default_factory=set)
    specs: dict[LayerPolicy, AttendSpec] = dataclasses.field(default_factory=dict)


class CellReferenceCache:
    """A pool of cells that sequences share, without copying when one branches off another.

    A forward pass carries tokens of any sequences along one axis: :meth:`begin_step` says whose they are, then each layer
    calls :meth:`update_and_fetch` once. A query attends to the cells of its own sequence up to its own position.
    """

    def __init__(self, config: CacheConfig) -> None:
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forgets all sequences."""
        self._memory = [LayerMemory(self.config) for _ in range(self.config.n_layers)]
        self._position = torch.full((self.config.capacity,), -1, dtype=torch.int64)
        self._owned = torch.zeros(self.config.capacity, MAX_SEQS, dtype=torch.bool)
        self._declared: list[int] | None = None
        self._step: _Step | None = None

    def free_cells(self) -> int:
        """How many cells no sequence owns."""
        return int((~self._owned.any(1)).sum())

    def can_extend(self, n: int = 1) -> bool:
        """Whether a step of ``n`` tokens has room."""
        return n <= self.free_cells()

    def seq_len(self, seq_id: int) -> int:
        """How many cells a sequence owns."""
        return int(self._owned[:, _checked(seq_id)].sum())

    def begin_step(self, seq_ids: Sequence[int]) -> None:
        """Says which sequence each token of the next forward pass belongs to.

        Raises:
            ValueError: no tokens, or a number that no sequence has.
            RuntimeError: fewer cells are free.
        """
        if not seq_ids:
            raise ValueError("a step has at least one token")
        declared = [_checked(one) for one in seq_ids]
        if not self.can_extend(len(declared)):
            raise RuntimeError(f"the cache has {self.free_cells()} free cells, not {len(declared)}")
        self._declared, self._step = declared, None

    def seq_cp(self, src_id: int, dst_id: int, upto: int | None = None) -> None:
        """Lets a sequence go on from what another holds; they share the cells.

        Args:
            upto: only positions in front of it.

        Raises:
            ValueError: the second sequence holds other cells for these positions.
        """
        source, target = _checked(src_id), _checked(dst_id)
        shared = self._owned[:, source].clone()
        if upto is not None:
            shared &= self._position < upto
        others = self._owned[:, target] & ~shared
        self._need_new(target, self._position[shared], others)
        self._owned[shared, target] = True
        self._step = None

    def seq_rm(self, seq_id: int, p0: int = 0, p1: int | None = None) -> None:
        """Takes positions from ``p0`` up to ``p1`` (or the end) from a sequence; cells that nobody owns are free again."""
        held = self._owned[:, _checked(seq_id)] & (self._position >= p0)
        if p1 is not None:
            held &= self._position < p1
        self._owned[held, seq_id] = False
        self._position[~self._owned.any(1)] = -1
        self._step = None

    def update_and_fetch(
        self, layer_id: int, k: torch.Tensor, v: torch.Tensor, position: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, AttendSpec]:
        """Writes the tokens of the step that :meth:`begin_step` announced, and gives what their queries attend to.

        Args:
            layer_id: which layer's; each comes once in a step.
            k: ``[1, kv_heads, tokens, head_dim]``.
            v: ``[1, kv_heads, tokens, value_dim]``.
            position: of each token in its own sequence, ``[tokens, 1]``.

        Returns:
            Keys and values up to the last cell that is held, and the mask. Layers of one policy get the same mask.

        Raises:
            ValueError: shapes or the number of tokens do not fit, or a sequence holds a position already.
            RuntimeError: the step was not announced, or this layer had its turn.
        """
        policy = self.config.policy(layer_id)
        memory = self._memory[layer_id]
        step = self._step or self._planned(memory, k, v, position)
        memory.check(k, v, position)
        if layer_id in step.served or not torch.equal(_flat(position), step.positions):
            raise RuntimeError(
                f"layer {layer_id} had its turn in this step, or has other positions: call begin_step first"
            )
        step.served.add(layer_id)
        memory.write(step.cells.to(k.device), k, v, step.end)
        if policy not in step.specs:
            step.specs[policy] = self._spec(step, policy)
        return (*memory.read(step.end), step.specs[policy])

    def _planned(
        self, memory: LayerMemory, k: torch.Tensor, v: torch.Tensor, position: torch.Tensor
    ) -> _Step:
        """Gives the announced tokens their cells, the first free ones. An announcement is good for one attempt."""
        declared, self._declared = self._declared, None
        if declared is None:
            raise RuntimeError("no step was announced: call begin_step before each forward pass")
        memory.check(k, v, position)
        positions = _flat(position)
        if k.shape[0] != 1 or (positions < 0).any():
            raise ValueError(
                f"tokens of all sequences lie along one axis, with positions from 0: a batch of {k.shape[0]}, "
                f"positions from {int(positions.min())}"
            )
        if positions.numel() != len(declared):
            raise ValueError(f"begin_step announced {len(declared)} tokens and {positions.numel()} came")
        for one in set(declared):
            new = positions[[index for index, owner in enumerate(declared) if owner == one]]
            self._need_new(one, new, self._owned[:, one])
        cells = (~self._owned.any(1)).nonzero().reshape(-1)[: len(declared)]
        self._position[cells] = positions
        self._owned[cells, declared] = True
        end = int(self._owned.any(1).nonzero().max()) + 1
        self._step = _Step(cells, positions, declared, end)
        return self._step

    def _need_new(self, seq_id: int, positions: torch.Tensor, held: torch.Tensor) -> None:
        """Raises :class:`ValueError` where a sequence would have two cells for a position."""
        every = torch.cat([positions, self._position[held]])
        if every.unique().numel() != every.numel():
            raise ValueError(
                f"sequence {seq_id} would hold a position twice: take what it has there away with seq_rm first"
            )

    def _spec(self, step: _Step, policy: LayerPolicy) -> AttendSpec:
        own = self._owned[: step.end, step.sequences].t()
        return AttendSpec(
            MaskKind.EXPLICIT, own & seen(step.positions, self._position[: step.end], policy.window)
        )


def flatten_step(
    sequences: Mapping[int, tuple[torch.Tensor, int]],
) -> tuple[torch.Tensor, torch.Tensor, list[int], torch.Tensor]:
    """Lays the tokens of several sequences along one axis, for one forward pass.

    Args:
        sequences: by its number, the tokens of each (``[1, tokens, ...]``) and the position of the first of them.

    Returns:
        The tokens (``[1, all, ...]``), their positions (``[all, 1]``), the sequence of each, and the index of the last one of each.

    Raises:
        ValueError: there are none, or one has no tokens.
    """
    if not sequences or any(one.shape[1] == 0 for one, _ in sequences.values()):
        raise ValueError("a step has at least one sequence, and each has tokens")
    tokens = torch.cat([one for one, _ in sequences.values()], dim=1)
    lengths = torch.tensor([one.shape[1] for one, _ in sequences.values()])
    positions = torch.cat(
        [torch.arange(start, start + one.shape[1]) for one, start in sequences.values()]
    ).unsqueeze(1)
    owners = [seq_id for seq_id, (one, _) in sequences.items() for _ in range(one.shape[1])]
    return tokens, positions, owners, lengths.cumsum(0) - 1


def _flat(position: torch.Tensor) -> torch.Tensor:
    return position.reshape(-1).to("cpu", torch.int64)


def _checked(seq_id: int) -> int:
    if not 0 <= seq_id < MAX_SEQS:
        raise ValueError(f"sequences are numbered from 0 to {MAX_SEQS - 1}, not {seq_id}")
    return seq_id
