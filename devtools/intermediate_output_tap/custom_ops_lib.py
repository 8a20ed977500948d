"""The operator ``executorch_devtools::tap.Tensor(Tensor x, str reducer_name) -> Tensor``.

It stands in a graph for the reduction of ``x``, and no backend knows it, so that it stays outside of delegates until
:func:`~executorch.devtools.intermediate_output_tap.strip_taps_` replaces it. Called, it reduces: that makes the tapped
program the reference. It has no kernel.
"""

from __future__ import annotations

import torch

from executorch.devtools.intermediate_output_tap._reducers import get_reducer

LIBRARY = torch.library.Library("executorch_devtools", "FRAGMENT")
LIBRARY.define("tap.Tensor(Tensor x, str reducer_name) -> Tensor")


def tap_tensor_impl(x: torch.Tensor, reducer_name: str) -> torch.Tensor:
    """The value of a tap: what the reducer makes of ``x``, never ``x`` itself.

    Raises:
        ValueError: There is no reducer of this name.
    """
    value = get_reducer(reducer_name).eager(x)
    return value.clone() if value is x else value


def _tap_meta(x: torch.Tensor, reducer_name: str) -> torch.Tensor:
    fields = get_reducer(reducer_name).fields
    return x.new_empty((len(fields),), dtype=torch.float32) if fields else torch.empty_like(x)


LIBRARY.impl("tap.Tensor", tap_tensor_impl, "CompositeExplicitAutograd")
LIBRARY.impl("tap.Tensor", _tap_meta, "Meta")

TAP_OP = torch.ops.executorch_devtools.tap.Tensor

__all__ = ["TAP_OP", "tap_tensor_impl"]
