"""Operators on complex numbers, those of the constraint table and further ones: they do what eager does, or are named."""

import dataclasses
import warnings

import pytest
import torch
from torch.utils import _pytree as pytree

from executorch.dialects.dtype_samples import SAMPLES
from executorch.dialects.gen_dtype_table import argument_tensors
from executorch.exir.entry_points import to_edge
from executorch.exir.missing_kernels import _OF_REAL_NUMBERS, MissingKernelWarning
from executorch.exir.op_table import CallOfSample
from executorch.runtime import Runtime

linalg = torch.linalg


class Call(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, z):
        return self.function(z)


#: A Hermitian matrix whose eigenvalues are positive.
MATRIX = torch.tensor([[3, 1j, 0], [-1j, 4, 1 + 1j], [0, 1 - 1j, 5]])
#: What the table has no samples of.
FURTHER = {
    "cholesky": linalg.cholesky,
    "cumprod": lambda z: z.cumprod(0),
    "determinant": linalg.det,
    "eigenvalues": linalg.eigvalsh,
    "inverse": linalg.inv,
    "products by place": lambda z: z.scatter_reduce(1, torch.tensor([[0], [1], [2]]), z, "prod"),
    "logcumsumexp": lambda z: z.logcumsumexp(0),
    "lower and upper": linalg.lu,
    "matrix exponential": linalg.matrix_exp,
    "orthogonal": linalg.qr,
    "singular values": linalg.svdvals,
    "solution": lambda z: linalg.solve(z, z[0]),
    "solution of a triangle": lambda z: linalg.solve_triangular(z, z, upper=True),
}


def _has_one_result(sample):
    """Neither random numbers nor whatever lies in memory."""
    op = sample.overload()
    return torch.Tag.nondeterministic_seeded not in op.tags and "empty" not in op._schema.name


def _is_complex(values):
    return any(isinstance(one, torch.Tensor) and one.is_complex() for one in pytree.tree_leaves(values))


def _calls():
    """Samples with complex numbers that eager takes, with a complex result of real ones as well."""
    found = {name: (Call(function), (MATRIX,)) for name, function in FURTHER.items()}
    samples = [sample for sample in SAMPLES if _has_one_result(sample)]
    asked = [sample for sample in samples if "dtype" in sample.values]
    widened = [dataclasses.replace(one, values=one.values | {"dtype": torch.complex64}) for one in asked]
    cases = [(one, torch.complex64) for one in [*samples, *widened]]
    for sample, dtype in [*cases, *((one, torch.float32) for one in widened)]:
        given = dict.fromkeys(sample.shapes, dtype) | {name: one[0] for name, one in sample.fixed.items()}
        model, inputs = CallOfSample(sample), tuple(argument_tensors(sample, given).values())
        try:
            result = model(*inputs)
        except RuntimeError:  # eager has no such call
            continue
        if _is_complex((inputs, result)):
            values = " ".join(f"{name}={value}" for name, value in sample.values.items())
            found[f"{sample.op} {values} {dtype}"] = (model, inputs)
    return found


CALLS = _calls()


@pytest.mark.parametrize("name", CALLS)
def test_complex_numbers(name):
    model, inputs = CALLS[name]
    buffer, named = _lowered(model, inputs)
    if "no kernel for complex numbers" in named:
        with pytest.raises(RuntimeError):
            _results(buffer, inputs)
    elif not named:
        wanted = pytree.tree_leaves(model(*inputs))
        torch.testing.assert_close(_results(buffer, inputs), wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def test_all_that_are_named_are_called():
    # An operator of the list that nothing calls would be held by nothing.
    text = "".join(_lowered(*CALLS[name])[1] for name in CALLS if name in FURTHER)
    sampled = {name.partition(" ")[0].partition(".")[0] for name in CALLS}
    missed = {one for one in _OF_REAL_NUMBERS if f"{one}." not in text and one not in sampled}
    assert missed == set()


def _lowered(model, inputs):
    """The program, and the warning about its kernels."""
    program = torch.export.export(model, inputs, strict=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MissingKernelWarning)
        buffer = to_edge(program).to_executorch().buffer
    return buffer, "".join(str(one.message) for one in caught if one.category is MissingKernelWarning)


def _results(buffer, inputs):
    method = Runtime.get().load_program(buffer).load_method("forward")
    return list(method.execute(pytree.tree_leaves(inputs)))
