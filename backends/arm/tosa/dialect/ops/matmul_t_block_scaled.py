"""Products of matrices in blocks that share a scale, of TOSA 1.1."""

from __future__ import annotations

import torch

from executorch.backends.arm.tosa.dialect.lib import FP, TosaValueError, empty, known, operator, require_rank
from executorch.backends.arm.tosa.dialect.ops.block_scaled import (
    blocks_of,
    numbers_of,
    require_blocks,
    require_scale,
)


@operator(
    "MATMUL_T_BLOCK_SCALED(Tensor A_data, Tensor A_scale, Tensor B_data, Tensor B_scale, int block_size, *, "
    'str payload_dtype="float8_e4m3fn") -> Tensor',
    FP,
)
def MATMUL_T_BLOCK_SCALED(
    a: torch.Tensor,
    a_scale: torch.Tensor,
    b: torch.Tensor,
    b_scale: torch.Tensor,
    block_size: int,
    *,
    payload_dtype: str = "float8_e4m3fn",
) -> torch.Tensor:
    """``A @ B.T`` of blocks, in float32."""
    op = "MATMUL_T_BLOCK_SCALED"
    require_blocks(op, block_size)
    for what, data, scale in (("A", a, a_scale), ("B", b, b_scale)):
        require_rank(op, data, 3, what)
        require_scale(
            op, f"{what}_scale", scale, data, blocks_of(op, numbers_of(op, data, payload_dtype), block_size)
        )
    if known(a.shape[2]) and known(b.shape[2]) and a.shape[2] != b.shape[2]:
        raise TosaValueError(f"rows of {a.shape[2]} and {b.shape[2]} elements", op)
    return empty(a, [a.shape[0], a.shape[1], b.shape[1]], torch.float32)
