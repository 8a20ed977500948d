"""Every specimen, compiled and run by this project, gives what eager PyTorch gives."""

import pytest
import torch

from executorch.runtime import Runtime
from executorch.tests.interop import compiled, programs


@pytest.mark.parametrize("name", programs.SPECIMENS)
def test_same_as_eager(name):
    specimen = programs.make(name)
    expected = specimen.expected()
    files = compiled.compile_specimen(specimen)
    program = Runtime.get().load_program(files.pte, data_path=[*files.ptd.values()])
    methods = {}
    for call, (method, inputs) in enumerate(specimen.calls):
        if method not in methods:
            methods[method] = program.load_method(method)
        found = methods[method].execute(list(torch.utils._pytree.tree_leaves(inputs)))
        programs.check(specimen, call, found, expected[call])
