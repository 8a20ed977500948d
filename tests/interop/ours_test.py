"""Every specimen, compiled and run by this project, gives what eager PyTorch gives."""

import pytest
import torch

from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.runtime import Runtime
from executorch.tests.interop import compiled, programs
from executorch.tests.interop.specimen import check


@pytest.mark.parametrize("name", [*programs.SPECIMENS, *programs.DELEGATED])
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
        check(specimen, call, found, expected[call])


@pytest.mark.parametrize("name", programs.DELEGATED)
def test_all_of_it_is_one_delegate(name):
    module = compiled.lower_specimen(programs.make(name)).exported_program().graph_module
    assert len(get_lowered_submodules(module)) == 1
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    assert {getattr(node.target, "__name__", str(node.target)) for node in calls} <= {
        "executorch_call_delegate",
        "getitem",
    }
