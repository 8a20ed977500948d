"""Every operator of the constraint table on complex numbers: it does what eager does, or the lowering names it."""

import dataclasses
import warnings

import pytest
import torch
from torch.utils import _pytree as pytree

from executorch.dialects.dtype_samples import SAMPLES
from executorch.dialects.gen_dtype_table import argument_tensors, run
from executorch.exir.entry_points import to_edge
from executorch.exir.missing_kernels import MissingKernelWarning
from executorch.exir.op_table import CallOfSample
from executorch.runtime import Runtime


def _has_one_result(sample):
    """Neither random numbers nor whatever lies in memory."""
    op = sample.overload()
    return torch.Tag.nondeterministic_seeded not in op.tags and "empty" not in op._schema.name


def _calls():
    """Samples with complex numbers that eager takes, and with a complex result of real ones."""
    found = {}
    samples = [sample for sample in SAMPLES if _has_one_result(sample)]
    asked = [sample for sample in samples if "dtype" in sample.values]
    widened = [dataclasses.replace(one, values=one.values | {"dtype": torch.complex64}) for one in asked]
    cases = [(one, torch.complex64) for one in [*samples, *widened]]
    for sample, dtype in [*cases, *((one, torch.float32) for one in widened)]:
        given = dict.fromkeys(sample.shapes, dtype) | {name: one[0] for name, one in sample.fixed.items()}
        if run(sample, given) is not None:
            values = " ".join(f"{name}={value}" for name, value in sample.values.items())
            found[f"{sample.op} {values} {dtype}"] = (sample, given)
    return found


CALLS = _calls()


@pytest.mark.parametrize("name", CALLS)
def test_complex_numbers(name):
    sample, given = CALLS[name]
    model, inputs = CallOfSample(sample), tuple(argument_tensors(sample, given).values())
    program = torch.export.export(model, inputs, strict=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MissingKernelWarning)
        buffer = to_edge(program).to_executorch().buffer
    named = [str(one.message) for one in caught if one.category is MissingKernelWarning]
    if any("no kernel for complex numbers" in message for message in named):
        with pytest.raises(RuntimeError):
            _results(buffer, inputs)
    elif not named:
        wanted = pytree.tree_leaves(model(*inputs))
        torch.testing.assert_close(_results(buffer, inputs), wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def _results(buffer, inputs):
    method = Runtime.get().load_program(buffer).load_method("forward")
    return list(method.execute(pytree.tree_leaves(inputs)))
