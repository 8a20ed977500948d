"""Constraints as tools build them: aliases bind, rows are alternatives."""

import pytest
import torch

from executorch.dialects.dtype_sets import AllowedDtypeSet, FunctionDtypeConstraint

F, D, C = torch.float32, torch.float64, torch.int8
CONSTRAINT = FunctionDtypeConstraint(
    ["self", "other", "__ret_0"],
    ["mask"],
    {"T0": [F, D], "T1": [C]},
    [
        {"self": "T0", "other": "T0", "__ret_0": "T0", "mask": "T1"},
        {"self": "T1", "other": "T1", "__ret_0": "T1", "mask": "T1"},
    ],
)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ((F, F, F), True),
        ((D, D, D), True),
        ((F, D, F), False),  # one alias, two types
        ((C, C, C), True),
        ((C, C, C, C), True),
        ((C, C, C, None), True),
        ((F, F, F, F), False),
        ((F, None, F), True),
    ],
)
def test_rows(types, expected):
    names = ("self", "other", "__ret_0", "mask")
    assert CONSTRAINT.validate(dict(zip(names, types, strict=False))) is expected


def test_unknown_and_missing_tensors():
    assert not CONSTRAINT.validate({"self": F, "other": F, "__ret_0": F, "more": F})
    assert not CONSTRAINT.validate({"self": F, "__ret_0": F})
    with pytest.raises(RuntimeError, match="must name all tensors"):
        FunctionDtypeConstraint(["self"], [], {"T0": [F]}, [{"other": "T0"}])


def test_a_set_shrinks_and_recovers():
    allowed = AllowedDtypeSet({F, D})
    assert not allowed.reduce_to(C) and F in allowed and D in allowed
    assert allowed.reduce_to(F) and not allowed.reduce_to(D) and D not in allowed
    allowed.clear()
    assert allowed.reduce_to(D)
