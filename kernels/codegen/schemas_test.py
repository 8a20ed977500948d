"""The checked-in schemas are those of the pinned PyTorch."""

from __future__ import annotations

from executorch.kernels.codegen.functions import load_schemas
from executorch.kernels.codegen.update_schemas import core_out_variants, schema_texts


def test_schemas_are_pytorchs():
    written = load_schemas()
    assert schema_texts(set(written)) == written


def test_all_core_operators_are_there():
    assert core_out_variants() <= set(load_schemas())
