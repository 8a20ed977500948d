"""Operators that only move elements: copies, shapes, parts, joins, padding."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import (
    is_empty,
    program_constants,
)
from executorch.backends.xnnpack.graph.products import same_size, sizes_behind, sizes_refusal
from executorch.backends.xnnpack.graph.shape import MOST_JOINED, places_of, repeats_of, runs_of
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    MOST_DIMENSIONS,
    GenericNodePartitionerConfig,
    argument,
    constant_refusal,
    is_symbolic,
    symbolic_sizes,
)
from executorch.dialects import meta_keys

#: Those of a margin in which four pixels on either side are mirrored, and the image between.
_MOST_RUNS = 9
_FROM_THE_END = "it begins at a distance from an end that is known only at run time"


def _with_sizes(node: Node, taken: list[Node]) -> list[Node]:
    """What is taken, with the sizes that the node is given."""
    return [*sizes_behind(node), *taken] if taken else []


class CloneConfig(GenericNodePartitionerConfig):
    target_name = "clone.default"


class CloneDimOrderConfig(GenericNodePartitionerConfig):
    target_name = "_clone_dim_order.default"


class ToDimOrderCopyConfig(GenericNodePartitionerConfig):
    """To another order, or between single and half precision."""

    target_name = "_to_dim_order_copy.default"

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        before, after = super().tensors(node, ep)
        return [after] if {before.dtype, after.dtype} == {torch.float16, torch.float32} else [before, after]


class CatConfig(GenericNodePartitionerConfig):
    """Empty inputs add nothing."""

    target_name = "cat.default"

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        values = [one.meta[meta_keys.VAL] for one in node.all_input_nodes]
        return [*(value for value in values if not is_empty(value)), node.meta[meta_keys.VAL]]

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        ranks = {one.meta[meta_keys.VAL].dim() for one in node.all_input_nodes}
        if len(ranks) != 1:
            return "its inputs differ in rank"
        return "it repeats an input" if len(set(node.args[0])) != len(node.args[0]) else None  # type: ignore[arg-type]


class PermuteConfig(GenericNodePartitionerConfig):
    target_name = "permute_copy.default"


class ExpandCopyConfig(GenericNodePartitionerConfig):
    target_name = "expand_copy.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        before = node.all_input_nodes[0].meta[meta_keys.VAL]
        if before.dim() == 0:
            return "it repeats a number"
        after = node.meta[meta_keys.VAL]
        added = after.dim() - before.dim()
        if added and symbolic_sizes(before) > 1:
            return "more than one size is symbolic"
        for old, new in zip((1,) * added + tuple(before.shape), after.shape, strict=True):
            if is_symbolic(new) and not same_size(old, new):
                return "how often it repeats is known only at run time"
        return sizes_refusal(node)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return _with_sizes(node, super().get_partition(node, ep))


class RepeatConfig(GenericNodePartitionerConfig):
    """Joined with itself."""

    target_name = "repeat.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        times: Any = node.args[1]
        if any(map(is_symbolic, times)):
            return "how often it repeats is known only at run time"
        if max(times) > MOST_JOINED:
            return f"it repeats more than {MOST_JOINED} times"
        before = node.all_input_nodes[0].meta[meta_keys.VAL]
        if before.dim() == 0:
            return "it repeats a number"
        adds_dimensions = len(times) > before.dim()
        return "more than one size is symbolic" if adds_dimensions and symbolic_sizes(before) > 1 else None


class SplitWithSizesConfig(GenericNodePartitionerConfig):
    """A slice for each part."""

    target_name = "split_with_sizes_copy.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        lengths: Any = node.args[1]
        total = node.all_input_nodes[0].meta[meta_keys.VAL].shape[argument(node, 2, "dim", 0)]
        if is_symbolic(total) or any(map(is_symbolic, lengths)):
            return "the size that it splits is symbolic"
        return "a part is empty" if 0 in lengths else None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        taken = super().get_partition(node, ep)
        return [*taken, *node.users] if taken else []


class SelectCopyConfig(GenericNodePartitionerConfig):
    """A slice of one."""

    target_name = "select_copy.int"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        dim, index = node.args[1:3]
        if is_symbolic(index):
            return "the model calculates which"
        if node.meta[meta_keys.VAL].dim() == 0:
            return "the result has no dimensions"
        total = node.all_input_nodes[0].meta[meta_keys.VAL].shape[dim]
        if is_symbolic(total) and index < 0:  # type: ignore[operator]
            return _FROM_THE_END
        return "more than one size is symbolic" if symbolic_sizes(node.meta[meta_keys.VAL]) > 1 else None


class _ReshapeConfig(GenericNodePartitionerConfig):
    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        value = node.meta[meta_keys.VAL]
        if value.dim() == 0:
            return "the result has no dimensions"
        if symbolic_sizes(value) > 1:
            return "more than one size is symbolic"
        return sizes_refusal(node)

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return _with_sizes(node, super().get_partition(node, ep))


class ViewCopyConfig(_ReshapeConfig):
    target_name = "view_copy.default"


class UnsqueezeCopyConfig(_ReshapeConfig):
    target_name = "unsqueeze_copy.default"


class SqueezeCopyConfig(_ReshapeConfig):
    target_name = "squeeze_copy.dims"


class IndexSelectConfig(GenericNodePartitionerConfig):
    """Places that the model knows ahead of time, in few runs of neighbours: a dimension that is turned (``torch.roll``), a margin."""

    target_name = "index_select.default"

    def tensors(self, node: Node, ep: ExportedProgram) -> list[torch.Tensor]:
        return [node.args[0].meta[meta_keys.VAL], node.meta[meta_keys.VAL]]  # type: ignore[union-attr]

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        if self.tensors(node, ep)[0].dim() == 0:
            return "a number has no dimension to take places of"
        chosen = places_of(node)
        if chosen is None:
            return "it takes places along several dimensions"
        places = chosen[1]
        why = constant_refusal(places, "which places it takes", ep)
        if why is not None:
            return why
        if places.meta[meta_keys.VAL].dim() != 1:
            return "the places are no row of numbers"
        found = program_constants(ep)(places)
        assert found is not None
        if found.dtype is torch.bool or bool((found < 0).any()):
            return "truths or distances from the end say which places it takes"
        source = node.args[0].meta[meta_keys.VAL]  # type: ignore[union-attr]
        times = repeats_of(found)
        if 0 < times <= MOST_JOINED and same_size(source.shape[chosen[0]] * times, len(found)):
            if source.dim() == MOST_DIMENSIONS:
                return "its repetitions need one dimension more than XNNPACK has"
            return "more than one size is symbolic" if symbolic_sizes(source) > 1 else None
        return (
            f"it takes more than {_MOST_RUNS} runs of neighbours"
            if len(runs_of(found)) > _MOST_RUNS
            else None
        )


class IndexConfig(IndexSelectConfig):
    """What padding that mirrors or repeats an image is decomposed to."""

    target_name = "index.Tensor"


class SliceCopyConfig(GenericNodePartitionerConfig):
    """Steps become a dimension of their own."""

    target_name = "slice_copy.Tensor"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        limits = (argument(node, 2, "start"), argument(node, 3, "end"), argument(node, 4, "step", 1))
        if any(isinstance(limit, Node) for limit in limits):
            return "its limits are calculated by the model"
        before, step, dim = (
            node.all_input_nodes[0].meta[meta_keys.VAL],
            limits[2],
            argument(node, 1, "dim", 0),
        )
        total, length = before.shape[dim], node.meta[meta_keys.VAL].shape[dim]
        if is_symbolic(length) and not same_size(length, total):
            return "its length is known only at run time"
        if is_symbolic(total) and (limits[0] or 0) < 0:
            return _FROM_THE_END
        if step != 1 and symbolic_sizes(before) > 1:
            return "more than one size is symbolic"
        if step != 1 and (is_symbolic(total) or total % step):
            return f"its step of {step} does not divide {total}"
        if step != 1 and before.dim() == MOST_DIMENSIONS:
            return "its steps need one dimension more than XNNPACK has"
        return None


class ConstantPadConfig(GenericNodePartitionerConfig):
    target_name = "constant_pad_nd.default"

    def refusal(self, node: Node, ep: ExportedProgram) -> str | None:
        amounts = node.args[1]
        if any(not isinstance(amount, int) or amount < 0 for amount in amounts):  # type: ignore[union-attr]
            return "it cuts, or pads by amounts that the model calculates"
        return None


__all__ = [
    "CatConfig",
    "CloneConfig",
    "CloneDimOrderConfig",
    "ConstantPadConfig",
    "ExpandCopyConfig",
    "IndexConfig",
    "IndexSelectConfig",
    "PermuteConfig",
    "RepeatConfig",
    "SelectCopyConfig",
    "SliceCopyConfig",
    "SplitWithSizesConfig",
    "SqueezeCopyConfig",
    "ToDimOrderCopyConfig",
    "UnsqueezeCopyConfig",
    "ViewCopyConfig",
]
