"""What kernels tell the compiler about an operator besides its schema."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch._ops import OpOverload

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass
class ScratchTensorMetadata:
    """A tensor that a kernel wants as work space.

    Attributes:
        dtype: element type.
        shape: sizes.
        layout: strided for all kernels so far.
        device: where the memory is.
        is_sparse: never True so far.
    """

    dtype: torch.dtype
    shape: torch.Size
    layout: torch.layout = torch.strided
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    is_sparse: bool = False


def attach_get_scratch_metas_fn(out_variant: OpOverload) -> Callable[[Function], Function]:
    """Decorates the function that says which scratch tensors a call of ``out_variant`` needs.

    The function takes the operator's arguments and returns the name of each scratch argument with its
    :class:`ScratchTensorMetadata`; it becomes ``out_variant.get_scratch_metas``.
    """

    def attach(function: Function) -> Function:
        out_variant.get_scratch_metas = function  # type: ignore[attr-defined]
        return function

    return attach


def attach_calculate_upper_bound_shape_fn(func_op: OpOverload) -> Callable[[Function], Function]:
    """Decorates the function that gives the largest sizes that results of ``func_op`` can have.

    The function takes the operator's arguments, described by their metadata; it becomes
    ``func_op.calculate_upper_bound_shape``.
    """

    def attach(function: Function) -> Function:
        func_op.calculate_upper_bound_shape = function  # type: ignore[attr-defined]
        return function

    return attach
