"""Chooses what OpenVINO runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, cast, final

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.openvino.conversion.integers import small_integers
from executorch.backends.openvino.conversion.operators import (
    CALCULATING,
    COUNTING,
    DTYPES,
    KEPT_WHOLE,
    MOVING,
    SUPPORTED,
)
from executorch.backends.openvino.preprocess import OpenvinoBackend
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_without_sizes_outside,
    note_reason,
    tag_constant_data,
    tag_groups,
)

#: Arithmetic on sizes.
_SIZES = (operator.add, operator.floordiv, operator.mul, operator.sub)


class OpenvinoOperatorsSupport:
    """Whether OpenVINO takes a node.

    Args:
        op_types_to_skip: operators to leave, as ``aten.add.Tensor``.
        op_names_to_skip: names of nodes to leave.
        enabled_ops_by_name: names of nodes to take although their operator is not in the table.
        small: nodes with integers that are known to fit into 32 bits.
    """

    def __init__(
        self,
        op_types_to_skip: Collection[str] | None = None,
        op_names_to_skip: Collection[str] | None = None,
        enabled_ops_by_name: Collection[str] | None = None,
        small: Collection[Node] = (),
    ) -> None:
        self._types = frozenset(op_types_to_skip or ())
        self._names = frozenset(op_names_to_skip or ())
        self._enabled = frozenset(enabled_ops_by_name or ())
        self._small = frozenset(small)

    def is_node_supported(self, _: Any, node: Node) -> bool:
        """Whether it is taken; where it is not, the reason is noted at the node."""
        if node.op != "call_function":
            return False
        why = self._refusal(node)
        if why is not None:
            note_reason(node, OpenvinoPartitioner.__name__, why)
        return why is None

    def _refusal(self, node: Node) -> str | None:
        if node.name in self._names:
            return "op_names_to_skip has its name"
        if node.name in self._enabled:
            return None
        if node.target is operator.getitem or node.target in _SIZES:
            return None
        name = str(aten_op(node.target))
        if name in self._types:
            return "op_types_to_skip has its operator"
        if name not in SUPPORTED:
            return "not in the table of OpenVINO's operators"
        if _is_arithmetic(name, node) and node not in self._small:
            return "arithmetic on integers, whose width OpenVINO does not keep"
        return _wrong_elements(node) or _wrong_arguments(name, node)


def _tensors(node: Node) -> list[torch.Tensor]:
    """What the node reads, and what of its results is read."""
    values: list[Any] = [one.meta.get(meta_keys.VAL) for one in node.all_input_nodes]
    result = node.meta.get(meta_keys.VAL)
    if isinstance(result, list | tuple):
        read = {user.args[1] for user in node.users if user.target is operator.getitem}
        values += [value for index, value in enumerate(result) if index in read]
    else:
        values.append(result)
    return [value for value in values if isinstance(value, torch.Tensor)]


def _wrong_elements(node: Node) -> str | None:
    for value in _tensors(node):
        if value.dtype not in DTYPES:
            return f"OpenVINO does not calculate with {value.dtype}"
        if any(isinstance(size, int) and size == 0 for size in value.shape):
            return "a tensor has no elements"
    return None


def _is_integer(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and dtype != torch.bool


def _is_arithmetic(name: str, node: Node) -> bool:
    """Whether it calculates with integers; counting booleans does not."""
    value = node.meta.get(meta_keys.VAL)
    if name not in CALCULATING or not isinstance(value, torch.Tensor) or not _is_integer(value.dtype):
        return False
    counted: Any = node.args[0]
    return name not in COUNTING or counted.meta[meta_keys.VAL].dtype != torch.bool


def _is_plain_pool(node: Node) -> bool:
    """OpenVINO divides by the kernel's size what goes beyond the padding, or leaves the padding out."""
    given: Any = (*node.args, *_POOLING[len(node.args) :])
    _, _, _, padding, ceil, with_padding, divisor = given
    return divisor is None and not (ceil and with_padding and any(padding))


#: What arguments of a pool are if nobody gives them.
_POOLING = (None, None, (), (), False, True, None)


def _is_read_without_statistics(node: Node) -> bool:
    return all(user.target is operator.getitem and user.args[1] == 0 for user in node.users)


def _rounds_as_floats(node: Node) -> bool:
    """OpenVINO rounds quotients of integers down, whatever was asked for."""
    return node.kwargs.get("rounding_mode") != "trunc" or not _is_integer(node.meta[meta_keys.VAL].dtype)


def _is_euclidean(node: Node) -> bool:
    return bool(node.args[2] == 2)


def _is_gather_along_axis(node: Node) -> bool:
    data, dim, index = cast("tuple[Any, ...]", node.args[:3])
    sizes, wanted = (list(one.meta[meta_keys.VAL].shape) for one in (data, index))
    return len(sizes) == len(wanted) and all(
        size == want
        for axis, (size, want) in enumerate(zip(sizes, wanted, strict=True))
        if axis != dim % len(sizes)
    )


def _is_put_along_axis(node: Node) -> bool:
    """Or in front of all dimensions that are taken whole, as OpenVINO's decoder has it."""
    indices: Any = node.args[1]
    given = [place for place, index in enumerate(indices) if index is not None]
    in_front = given == list(range(len(given)))
    return in_front or (len(given) == 1 and indices[given[0]].meta[meta_keys.VAL].dim() == 1)


_POOLS = "a divisor of its own, or padding that counts beside rounding up"
#: What the arguments have to be, and what is said where they are something else.
_LIMITS: dict[str, tuple[Callable[[Node], bool], str]] = {
    "aten._cdist_forward.default": (_is_euclidean, "other distances than Euclid's"),
    **{
        f"aten.{norm}": (_is_read_without_statistics, "its mean and deviation are read")
        for norm in (
            "_native_batch_norm_legit.no_stats",
            "native_group_norm.default",
            "native_layer_norm.default",
        )
    },
    "aten.avg_pool2d.default": (_is_plain_pool, _POOLS),
    "aten.avg_pool3d.default": (_is_plain_pool, _POOLS),
    "aten.div.Tensor_mode": (_rounds_as_floats, "quotients of integers that are cut off"),
    "aten.gather.default": (
        _is_gather_along_axis,
        "indices of another shape than the data beside the axis",
    ),
    "aten.index_put.default": (
        _is_put_along_axis,
        "behind a dimension that is taken whole, other indices than one line",
    ),
}


def _wrong_arguments(name: str, node: Node) -> str | None:
    is_right, reason = _LIMITS.get(name, (None, None))
    return None if is_right is None or is_right(node) else reason


@final
class OpenvinoPartitioner(Partitioner):
    """Delegates as much of a program as OpenVINO can run.

    Args:
        compile_spec: options of :class:`OpenvinoBackend`, as ``[CompileSpec("device", b"CPU")]``.
        op_types_to_skip: operators to leave outside, as ``{"aten.add.Tensor"}``.
        op_names_to_skip: names of nodes to leave outside.
    """

    def __init__(
        self,
        compile_spec: Sequence[CompileSpec] | None = None,
        op_types_to_skip: Collection[str] | None = None,
        op_names_to_skip: Collection[str] | None = None,
    ) -> None:
        self.delegation_spec = DelegationSpec(OpenvinoBackend.__name__, list(compile_spec or ()))
        self._types = op_types_to_skip
        self._names = op_names_to_skip

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """What OpenVINO has whole."""
        return list(KEPT_WHOLE), None

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags what is taken."""
        support = OpenvinoOperatorsSupport(self._types, self._names, small=small_integers(exported_program))

        def groups(module: torch.fx.GraphModule) -> list[list[Node]]:
            """Large convex groups without those that only move; sizes that are read elsewhere stay outside."""
            calls = [node for node in module.graph.nodes if node.op == "call_function"]
            taken = {node for node in calls if support.is_node_supported(None, node)}
            found = group_without_sizes_outside(module.graph, taken)
            # A program that only moves elements has nothing that it would wait for: it is taken as it was asked for.
            is_all = len(taken) == len(calls) and not any(map(_is_work, calls))
            return [nodes for nodes in found if is_all or any(map(_is_work, nodes))]

        result = tag_groups(exported_program, "openvino_", self.delegation_spec, groups)
        tag_constant_data(exported_program)
        return result


def _is_work(node: Node) -> bool:
    op = aten_op(node.target)
    return op is not None and str(op) not in MOVING
