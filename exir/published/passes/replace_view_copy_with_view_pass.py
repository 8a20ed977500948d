"""What released versions describe views with; the pass is in :mod:`executorch.passes.to_execution.replace_view_copy_with_view_pass`."""

from collections.abc import Sequence
from typing import Any

from torch.fx import Node

from executorch.dialects import memory
from executorch.dialects.tensor_spec import TensorSpec, ViewSpec
from executorch.exir.published.sym_util import eval_upper_bound
from executorch.passes.to_execution.replace_view_copy_with_view_pass import is_safe_view_copy

# What exporters of other projects write a `call` of their own with.
_VIEW_OP = memory.view


def _is_view_copy(node: Node) -> bool:
    """True for a ``view_copy`` that a view may take the place of."""
    return is_safe_view_copy(node)


def _ViewSpec(base: TensorSpec, shape: Sequence[Any]) -> ViewSpec:
    """The spec of a view; symbolic sizes count with their bounds, and it varies as much as its base does."""
    spec = ViewSpec(base, [eval_upper_bound(size) for size in shape])
    spec.shape_dynamism = base.shape_dynamism
    return spec
