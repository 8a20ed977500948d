"""What a cache says about a step: which of the cells it hands out each query attends to; and the attention itself."""

from __future__ import annotations

import dataclasses
import enum

import torch
from torch.nn import functional


class MaskKind(enum.Enum):
    """How queries and cells belong together."""

    #: Every query attends to every cell.
    NONE = "none"
    #: As many cells as queries, of which a query attends to those up to its own.
    CAUSAL = "causal"
    #: What :attr:`AttendSpec.mask` says.
    EXPLICIT = "explicit"


@dataclasses.dataclass(frozen=True)
class AttendSpec:
    """Whom the queries of one step attend to.

    Args:
        kind: what holds.
        mask: of ``EXPLICIT``: bool ``[queries, cells]``, true where a query attends; it is broadcast over batch and heads.
    """

    kind: MaskKind
    mask: torch.Tensor | None = None

    def __post_init__(self) -> None:
        if (self.mask is not None) != (self.kind is MaskKind.EXPLICIT):
            raise ValueError(
                f"a mask goes with MaskKind.EXPLICIT and with nothing else, not with {self.kind}"
            )


def attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    spec: AttendSpec,
    scale: float,
    out_dtype: torch.dtype,
) -> torch.Tensor:
    """Attention in float32, whatever the dtypes of the operands.

    Args:
        q: ``[batch, heads, queries, head_dim]``.
        k: ``[batch, kv_heads, cells, head_dim]``; so many heads of queries share a head of keys.
        v: ``[batch, kv_heads, cells, value_dim]``.
        scale: of the scores.
        out_dtype: of what comes back, ``[batch, heads, queries, value_dim]``.

    Raises:
        ValueError: heads that cannot be shared, or ``CAUSAL`` where there are other cells than the queries' own.
    """
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} heads of queries cannot share {k.shape[1]} heads of keys")
    is_causal = spec.kind is MaskKind.CAUSAL
    if is_causal and q.shape[2] != k.shape[2]:
        raise ValueError(
            f"MaskKind.CAUSAL is for as many queries as cells, not for {q.shape[2]} and {k.shape[2]}: "
            "a step behind others needs MaskKind.EXPLICIT"
        )
    shared = q.shape[1] // k.shape[1]
    mask = None if spec.mask is None else spec.mask.to(q.device)
    key, value = (one.float().repeat_interleave(shared, 1) for one in (k, v))
    attended = functional.scaled_dot_product_attention(
        q.float(), key, value, attn_mask=mask, is_causal=is_causal, scale=scale
    )
    return attended.to(out_dtype)
