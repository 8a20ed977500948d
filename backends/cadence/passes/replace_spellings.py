"""Operators for others that do the same, which the processors have kernels for, or later passes know."""

from __future__ import annotations

import operator
from typing import Any, Final

import torch
from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import ATEN, EDGE, dtype, full, put, shape, transpose, view
from executorch.backends.transforms.graph_edit import permutation_of
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import arguments, call_like, is_call, replace, source_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = EDGE.aten

#: Written in place, or without promises about memory: the form that a functional program has.
_EQUIVALENTS: Final = {
    _aten.relu_.default: ATEN.relu.default,
    _aten.unsafe_split.Tensor: ATEN.split_copy.Tensor,
    _aten.slice.Tensor: ATEN.slice_copy.Tensor,
}


class ReplaceFunctionallyEquivalentOpTargets(RemoveOrReplacePassInterface):
    """In-place ReLU, unsafe splits and slices that are views become their functional forms."""

    @property
    def targets(self) -> list[Any]:
        return list(_EQUIVALENTS)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        put(node, _EQUIVALENTS[node.target], node.args, dict(node.kwargs))  # type: ignore[index]
        return True


class ReplaceSelectWithViewOpPass(RemoveOrReplacePassInterface):
    """The only element along a dimension is selected by a view."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.select_copy.int]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes, after = shape(node.args[0]), shape(node)
        dim: Any = arguments(node)["dim"]
        if sizes is None or after is None or sizes[dim] != 1:
            return False
        put(node, ATEN.view_copy.default, (node.args[0], after))
        return True


class ReplaceSplitWithSlicePass(GraphPass):
    """Each part of a split that is read becomes a slice."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            if not is_call(node, ATEN.split_with_sizes_copy.default, ATEN.split_copy.Tensor):
                continue
            parts = [user for user in node.users if user.target is operator.getitem]
            if len(parts) != len(node.users) or any(shape(part) is None for part in parts):
                continue
            changed |= self._slice(node, parts)
        return changed

    @staticmethod
    def _slice(node: Node, parts: list[Node]) -> bool:
        named = arguments(node)
        dim = named["dim"] % len(shape(node.args[0]) or [0])
        sizes = [value.shape[dim] for value in node.meta["val"]]
        for part in parts:
            index: Any = part.args[1]
            begin = sum(sizes[:index])
            made = call_like(node, ATEN.slice_copy.Tensor, (node.args[0], dim, begin, begin + sizes[index]))
            made.meta = dict(part.meta)
            replace(part, made)
        return bool(parts)


class ReplacePermuteWithTransposePass(RemoveOrReplacePassInterface):
    """Permutations that exchange two dimensions become transpositions; those that move nothing go."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.permute_copy.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        dims = permutation_of(node)
        moved = [place for place, dim in enumerate(dims or []) if place != dim]
        if dims is None or len(moved) not in (0, 2):
            return False
        if moved:
            put(node, ATEN.transpose_copy.int, (node.args[0], *moved))
        else:
            replace(node, source_of(node))
        return True


class ReplaceMMWithAddMMPass(RemoveOrReplacePassInterface):
    """Products of matrices get a bias of zeros: one operator less to have kernels for."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.mm.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes = shape(node)
        if sizes is None:
            return False
        put(node, ATEN.addmm.default, (full(node, [sizes[1]], 0, dtype(node)), *node.args))
        return True


class ReplaceAddMMWithLinearPass(RemoveOrReplacePassInterface):
    """``addmm`` with a transposed matrix, a bias along the rows and no factors becomes ``linear``."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.addmm.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        matrix, sizes = named["mat2"], shape(node)
        if (named["alpha"], named["beta"]) != (1, 1) or permutation_of(matrix) != [1, 0]:
            return False
        if sizes is None or shape(named["self"]) != sizes[1:]:
            return False
        put(node, ATEN.linear.default, (named["mat1"], matrix.args[0], named["self"]))
        return True


class ReplaceLinearWithFullyConnectedOpPass(RemoveOrReplacePassInterface):
    """A linear layer over one row is ``fully_connected``, also on integers: a product of a matrix with a vector."""

    @property
    def targets(self) -> list[Any]:
        return [
            _aten.linear.default,
            EDGE.cadence.quantized_linear.default,
            EDGE.cadence.quantized_linear.per_tensor,
        ]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        sizes = shape(node.args[0])
        if sizes is None or any(size != 1 for size in sizes[:-1]):
            return False
        cadence = torch.ops.cadence
        if is_call(node, ATEN.linear.default):
            op = cadence.fully_connected.default
        else:
            op = getattr(cadence.quantized_fully_connected, node.target._overloadname or "default")  # type: ignore[union-attr]
        put(node, op, node.args, dict(node.kwargs))
        return True


class ReplaceMatmulWithTransposedMatmulPass(RemoveOrReplacePassInterface):
    """Quantized products read their second matrix transposed, row by row with the first one."""

    @property
    def targets(self) -> list[Any]:
        return [EDGE.cadence.quantized_matmul.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        if named["transposed"] or shape(named["Y"]) is None:
            return False
        named["Y"] = transpose(node, named["Y"], -1, -2)
        named["transposed"] = True
        put(node, torch.ops.cadence.quantized_matmul.default, list(named.values()))
        return True


class ReplaceAtenLinalgSvdWithCadenceLinalgSvdPass(RemoveOrReplacePassInterface):
    """Singular values by ``cadence::linalg_svd``."""

    @property
    def targets(self) -> list[Any]:
        return [_aten._linalg_svd.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        kwargs = {"driver": named["driver"]} if named.get("driver") is not None else {}
        args = (named["A"], named["full_matrices"], named["compute_uv"])
        put(node, torch.ops.cadence.linalg_svd.default, args, kwargs)
        return True


class ReplaceTorchQuantizedEmbeddingWithCadenceQuantizedEmbedding(RemoveOrReplacePassInterface):
    """Rows of quantized tables by ``cadence::quantized_embedding_byte``, where they are looked up as float32."""

    @property
    def targets(self) -> list[Any]:
        embedding = EDGE.quantized_decomposed.embedding_byte
        return [embedding.default, embedding.dtype]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        if dtype(node) != torch.float32:
            return False
        args = (named["weight"], named["weight_scales"], named["weight_zero_points"], named["indices"], False)
        put(node, torch.ops.cadence.quantized_embedding_byte.default, args)
        return True


class _ToCadence(RemoveOrReplacePassInterface):
    """Quantization per tensor by the operators of ``cadence``, whose kernels are the processors'."""

    names: dict[Any, Any]

    @property
    def targets(self) -> list[Any]:
        return list(self.names)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        if named.pop("out_dtype", None) not in (None, torch.float32):
            return False
        put(node, self.names[node.target], list(named.values()))
        return True


class ReplacePT2QuantWithCadenceQuantPass(_ToCadence):
    """Quantization per tensor by the operator of ``cadence``, whose kernels are the processors'."""

    names = {
        EDGE.quantized_decomposed.quantize_per_tensor.default: torch.ops.cadence.quantize_per_tensor.default
    }


class ReplacePT2DequantWithCadenceDequantPass(_ToCadence):
    """Dequantization per tensor by the operator of ``cadence``, whose kernels are the processors'."""

    names = {
        EDGE.quantized_decomposed.dequantize_per_tensor.default: torch.ops.cadence.dequantize_per_tensor.default
    }


class ReplaceAdaptiveAvgPoolWithAtenAvgPoolPass(RemoveOrReplacePassInterface):
    """Adaptive pools whose windows are all of one size become pools of that size."""

    @property
    def targets(self) -> list[Any]:
        return [_aten._adaptive_avg_pool2d.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        source, wanted = node.args
        sizes = shape(source)
        if sizes is None or any(
            size % to
            for size, to in zip(sizes[-2:], wanted, strict=True)  # type: ignore[arg-type]
        ):
            return False
        window = [size // to for size, to in zip(sizes[-2:], wanted, strict=True)]  # type: ignore[arg-type]
        put(node, ATEN.avg_pool2d.default, (source, window, list(window), [0, 0], False, True, None))
        return True


class ReplaceAtenAvgPoolWithCadenceAvgPoolPass(RemoveOrReplacePassInterface):
    """Average pools by ``cadence::avg_pool2d``; those over one dimension are pools over rows of height 1."""

    @property
    def targets(self) -> list[Any]:
        return [_aten.avg_pool1d.default, _aten.avg_pool2d.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        named = arguments(node)
        source, sizes, after = named.pop("self"), shape(node.args[0]), shape(node)
        rank = 1 if is_call(node, ATEN.avg_pool1d.default) else 2
        if sizes is None or after is None or len(sizes) != rank + 2:
            return False
        windows = [
            _pair(named[name], rank, fill)
            for name, fill in (("kernel_size", 1), ("stride", 1), ("padding", 0))
        ]
        windows[1] = windows[1] or windows[0]
        rest = (named["ceil_mode"], named["count_include_pad"], named.get("divisor_override"), None, False)
        if rank == 1:
            source = view(node, source, [*sizes[:-1], 1, sizes[-1]])
        made = call_like(node, torch.ops.cadence.avg_pool2d.default, (source, *windows, *rest))
        replace(node, view(node, made, after) if rank == 1 else made)
        return True


def _pair(numbers: Any, rank: int, fill: int) -> list[int]:
    """A number for each of two dimensions; none for none."""
    given = [numbers] if isinstance(numbers, int) else list(numbers or [])
    if not given:
        return []
    return [fill, given[-1]] if rank == 1 else [given[0], given[-1]]


__all__ = [
    "ReplaceAdaptiveAvgPoolWithAtenAvgPoolPass",
    "ReplaceAddMMWithLinearPass",
    "ReplaceAtenAvgPoolWithCadenceAvgPoolPass",
    "ReplaceAtenLinalgSvdWithCadenceLinalgSvdPass",
    "ReplaceFunctionallyEquivalentOpTargets",
    "ReplaceLinearWithFullyConnectedOpPass",
    "ReplaceMMWithAddMMPass",
    "ReplaceMatmulWithTransposedMatmulPass",
    "ReplacePT2DequantWithCadenceDequantPass",
    "ReplacePT2QuantWithCadenceQuantPass",
    "ReplacePermuteWithTransposePass",
    "ReplaceSelectWithViewOpPass",
    "ReplaceSplitWithSlicePass",
    "ReplaceTorchQuantizedEmbeddingWithCadenceQuantizedEmbedding",
]
