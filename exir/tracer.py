"""Vocabulary of captured values, and the options of capture that other releases read from here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, Union

import torch
from torch._decomp import get_decompositions
from torch.export import default_decompositions

LeafValue: TypeAlias = Union[  # noqa: UP007 - used in annotations at run time
    torch.Tensor,
    str,
    int,
    float,
    bool,
    complex,
    torch.dtype,
    torch.device,
    torch.memory_format,
    torch.layout,
    None,
]
Value: TypeAlias = Union[LeafValue, tuple[Any, ...], list[Any], dict[str, Any]]  # noqa: UP007


def _default_decomposition_table(_use_old_decomp_table: bool = False) -> dict[Any, Callable[..., Any]]:
    """What :meth:`torch.export.ExportedProgram.run_decompositions` decomposes by default, by operator.

    Args:
        _use_old_decomp_table: the few decompositions that the first releases knew.
    """
    if _use_old_decomp_table:
        aten = torch.ops.aten
        return get_decompositions(
            [aten.log_sigmoid_forward, aten.ones, aten.arange.default, aten.arange.start, aten.transpose]
        )
    return default_decompositions()


@dataclass
class ExirDynamoConfig:
    """Options of capture by dynamo, which ``torch.export`` decides now; kept for ``CaptureConfig``."""

    allow_rnn: bool = True
    verbose: bool = True
    assume_static_by_default: bool = False


__all__ = ["ExirDynamoConfig", "LeafValue", "Value"]
