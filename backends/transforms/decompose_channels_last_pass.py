"""ATen operators between permutations for the ``channels_last`` operators that nobody took."""

from __future__ import annotations

from typing import Any

from executorch.backends.transforms import channels_last_ops  # noqa: F401  (defines the operators)
from executorch.dialects.ops import ops
from executorch.passes.infrastructure.export_pass import ExportPass, NodeMetadata, ProxyValue

_NHWC_TO_NCHW = [0, 3, 1, 2]
_NCHW_TO_NHWC = [0, 2, 3, 1]
_aten, _own = ops.edge.aten, ops.edge.channels_last
_PERMUTE = _aten.permute_copy.default
#: operator on NHWC -> operator on NCHW with the same arguments, and the number of its results.
_DECOMPOSITIONS: dict[Any, tuple[Any, int]] = {
    _own.convolution.default: (_aten.convolution.default, 1),
    _own.avg_pool2d.default: (_aten.avg_pool2d.default, 1),
    _own.adaptive_avg_pool2d.default: (_aten._adaptive_avg_pool2d.default, 1),
    _own.max_pool2d.default: (_aten.max_pool2d_with_indices.default, 2),
    _own.max_pool2d_with_indices.default: (_aten.max_pool2d_with_indices.default, 2),
    _own.upsample_bilinear2d.default: (_aten.upsample_bilinear2d.vec, 1),
    _own.upsample_nearest2d.default: (_aten.upsample_nearest2d.vec, 1),
    _own.grid_sampler_2d.default: (_aten.grid_sampler_2d.default, 1),
}


class DecomposeChannelsLastPass(ExportPass):
    """``channels_last`` operators become ``permute_copy``, the ATen operator, ``permute_copy`` back.

    ``channels_last.permute_copy`` becomes ATen's; of two results each is permuted back where it is read.
    """

    def call_operator(self, op: Any, args: Any, kwargs: Any, meta: NodeMetadata) -> ProxyValue:
        if op is _own.permute_copy.default:
            return super().call_operator(_PERMUTE, args, kwargs, meta)
        if op not in _DECOMPOSITIONS:
            return super().call_operator(op, args, kwargs, meta)
        target, results = _DECOMPOSITIONS[op]
        image = super().call_operator(_PERMUTE, (args[0], _NHWC_TO_NCHW), {}, meta)
        made = super().call_operator(target, (image, *args[1:]), kwargs, meta)
        if results == 1:
            return self._back(made, meta)
        if op is _own.max_pool2d.default:
            return self._back(super().call_getitem(made, 0, meta), meta)
        return made

    def call_getitem(self, value: ProxyValue, key: int, meta: NodeMetadata) -> ProxyValue:
        selected = super().call_getitem(value, key, meta)
        visited = self._scopes[-1].visited
        source = None if visited is None else visited.args[0]
        is_own = getattr(source, "target", None) is _own.max_pool2d_with_indices.default
        return self._back(selected, meta) if is_own else selected

    def _back(self, value: ProxyValue, meta: NodeMetadata) -> ProxyValue:
        return super().call_operator(_PERMUTE, (value, _NCHW_TO_NHWC), {}, meta)


__all__ = ["DecomposeChannelsLastPass"]
