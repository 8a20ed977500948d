"""Defines the operators of ``cadence``: importing this module is enough to export, transform and lower models of them.

What they calculate is defined in ``../reference``, which registers it when it is imported; without it they have example values only.
"""

from __future__ import annotations

from typing import Final

import torch
from torch.library import Library

from executorch.backends.cadence.ops import schemas
from executorch.backends.cadence.ops.shapes import shapes_of


def _define() -> Library:
    library = Library("cadence", "DEF")
    for name in schemas.ARGUMENTS:
        library.define(schemas.schema(name))
        torch.library.register_fake(f"cadence::{name}", shapes_of(name), lib=library)
        library.define(schemas.out_schema(name))
    for name, (functional, out) in schemas.OTHERS.items():
        library.define(functional)
        torch.library.register_fake(f"cadence::{name}", shapes_of(name), lib=library)
        if out is not None:
            library.define(out)
    return library


def _define_without_copies() -> Library:
    """``aten::_cat_nop`` and its kin: what they give already lies where it is read, by the plan of memory."""
    library = Library("aten", "FRAGMENT")
    for name, arguments in {
        "_cat_nop": "Tensor[] tensors, int dim=0",
        "_select_copy_nop.int": "Tensor self, int dim, SymInt index",
        "_slice_copy_nop": "Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1",
    }.items():
        out = {"_cat_nop": ".out", "_select_copy_nop.int": "_out", "_slice_copy_nop": ".Tensor_out"}[name]
        library.define(f"{name}({arguments}) -> Tensor(a!)")
        library.define(f"{name}{out}({arguments}, *, Tensor(a!) out) -> Tensor(a!)")
    return library


#: Keeps the operators alive.
LIBRARIES: Final = (_define(), _define_without_copies())

__all__ = ["LIBRARIES"]
