"""CUSTOM: operators of others, by name."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from executorch.backends.arm.tosa.dialect.lib import ALL, LIBRARY, TosaValueError, empty, operator

SCHEMA = (
    "CUSTOM(Tensor[] inputs, *, str operator_name, str domain_name, int[] implementation_attrs) -> Tensor[]"
)


@operator(SCHEMA, ALL)
def _(
    inputs: Sequence[torch.Tensor],
    *,
    operator_name: str,
    domain_name: str,
    implementation_attrs: Sequence[int],
) -> list[torch.Tensor]:
    if not inputs:
        raise TosaValueError(f"{domain_name}.{operator_name} reads nothing", "CUSTOM")
    if any(not 0 <= one <= 255 for one in implementation_attrs):
        raise TosaValueError("implementation_attrs are bytes, 0 to 255", "CUSTOM")
    # What it makes only its domain knows; passes that insert one give it the shape of what it stands for.
    return [empty(inputs[0])]


__all__ = ["LIBRARY", "SCHEMA"]
