"""Operators that give the elements of a tensor another shape or order: which they are, once for all who ask.

Programs have them as views before they are functional, and as copies after.
"""

from typing import Final

import torch

from executorch.dialects.torch_types import OpOverload

_aten = torch.ops.aten

VIEW_TO_COPY: Final[dict[OpOverload, OpOverload]] = {
    _aten.alias.default: _aten.alias_copy.default,
    _aten.as_strided.default: _aten.as_strided_copy.default,
    _aten.diagonal.default: _aten.diagonal_copy.default,
    _aten.expand.default: _aten.expand_copy.default,
    _aten.permute.default: _aten.permute_copy.default,
    _aten.select.int: _aten.select_copy.int,
    _aten.slice.Tensor: _aten.slice_copy.Tensor,
    _aten.split.Tensor: _aten.split_copy.Tensor,
    _aten.split_with_sizes.default: _aten.split_with_sizes_copy.default,
    _aten.squeeze.default: _aten.squeeze_copy.default,
    _aten.squeeze.dim: _aten.squeeze_copy.dim,
    _aten.squeeze.dims: _aten.squeeze_copy.dims,
    _aten.t.default: _aten.t_copy.default,
    _aten.transpose.int: _aten.transpose_copy.int,
    _aten.unbind.int: _aten.unbind_copy.int,
    _aten.unfold.default: _aten.unfold_copy.default,
    _aten.unsqueeze.default: _aten.unsqueeze_copy.default,
    _aten.view.default: _aten.view_copy.default,
    _aten.view.dtype: _aten.view_copy.dtype,
    _aten._unsafe_view.default: _aten.view_copy.default,
    _aten.view_as_complex.default: _aten.view_as_complex_copy.default,
    _aten.view_as_real.default: _aten.view_as_real_copy.default,
}

#: Views of all elements in the same order.
RESHAPES: Final = frozenset(
    {
        _aten.alias.default,
        _aten.detach.default,
        _aten.squeeze.default,
        _aten.squeeze.dim,
        _aten.squeeze.dims,
        _aten.unsqueeze.default,
        _aten.view.default,
        _aten._unsafe_view.default,
    }
)
#: Copies in the place of these. Of contiguous values they become views again for execution, and may share memory.
RESHAPE_COPIES: Final = frozenset(VIEW_TO_COPY[op] for op in RESHAPES if op in VIEW_TO_COPY)


def _both(*views: OpOverload) -> tuple[OpOverload, ...]:
    return tuple(op for view in views for op in (VIEW_TO_COPY[view], view))


# One operator each, as copy and as view.
VIEWS: Final = _both(_aten.view.default)
SQUEEZES: Final = _both(_aten.squeeze.dim, _aten.squeeze.dims)
UNSQUEEZES: Final = _both(_aten.unsqueeze.default)
PERMUTES: Final = _both(_aten.permute.default)
TRANSPOSES: Final = _both(_aten.transpose.int)
