"""Which operators a specification has, under the published name."""

from __future__ import annotations

from executorch.backends.arm.tosa.dialect import lib
from executorch.backends.arm.tosa.specification import get_context_spec
from executorch.dialects.backend_ops import BackendOpOverload


def get_registered_tosa_ops() -> set[BackendOpOverload]:
    """The operators of the dialect that the profiles of the innermost ``TosaLoweringContext`` have."""
    return lib.registered(get_context_spec())
