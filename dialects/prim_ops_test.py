"""Primitive operators compute what Python computes."""

import math
import operator

import pytest
import torch

from executorch.dialects.prim_ops import PRIM_OP_NAMES, SYM_OP_TO_PRIM


@pytest.mark.parametrize(
    ("target", "args"),
    [
        (operator.add, (3, 4)),
        (operator.sub, (3, 4)),
        (operator.mul, (3, 4)),
        (operator.floordiv, (-7, 2)),
        (operator.mod, (-7, 2)),
        (operator.truediv, (7, 2)),
        (operator.eq, (3, 3)),
        (operator.gt, (3, 4)),
        (operator.lt, (3, 4)),
        (operator.ge, (3, 4)),
        (operator.le, (3, 4)),
        (operator.neg, (3,)),
        (torch.sym_max, (3, 4)),
        (torch.sym_min, (3, 4)),
        (torch.sym_float, (3,)),
        (torch.sym_int, (3.7,)),
        (torch.sym_not, (True,)),
        (math.ceil, (3.2,)),
        (math.trunc, (-3.7,)),
        (round, (2.5,)),
    ],
)
def test_like_python(target, args):
    result, expected = SYM_OP_TO_PRIM[target](*args), target(*args)
    assert result == expected and type(result) is type(expected)


def test_choice():
    ite = SYM_OP_TO_PRIM[torch.sym_ite]
    assert (ite(True, 1, 2), ite(False, 1, 2)) == (1, 2)


def test_the_names_runtimes_know():
    expected = "add sub mul floordiv truediv mod sym_max sym_min eq gt lt ge le neg ceil round trunc sym_float sym_int"
    for name in (*expected.split(), "sym_not", "sym_ite"):
        assert f"executorch_prim::{name}.Scalar" in PRIM_OP_NAMES
