"""Published paths name one object each, rooms are attributes, and importing the package is cheap.

That every published path has its names is tested by //tests/architecture:public_names_test.
"""

import importlib
import os
import subprocess
import sys


def test_an_object_is_the_same_by_every_path():
    from executorch.dialects import memory
    from executorch.exir import ExportPass, program
    from executorch.exir.memory import alloc
    from executorch.exir.pass_base import ExportPass as FromPassBase

    assert alloc is memory.alloc and ExportPass is FromPassBase
    assert importlib.import_module("executorch.exir").to_edge is program.to_edge


_ATTRIBUTES = """
from executorch import exir
from executorch.exir.dialects._ops import ops
assert exir.memory.alloc and exir.error.ExportError and exir.dialects._ops.ops is ops
assert exir.backend.partitioner.Partitioner and exir.dialects.edge._ops.EdgeOpOverload
assert exir.passes.spec_prop_pass.SpecPropPass is exir.passes.SpecPropPass and callable(exir.capture)
from executorch.exir.capture import CallSpec, capture
assert capture is exir.capture and CallSpec is exir.CallSpec
print([hasattr(package, "nothing") for package in (exir, exir.backend, exir.dialects, exir.passes)])
"""


def test_rooms_are_attributes_without_an_import_of_their_own():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _ATTRIBUTES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == str([False] * 4)


_PROBE = """
import sys, torch
before = set(sys.modules)
import executorch.exir
print(*sorted({module.partition(".")[0] for module in set(sys.modules) - before}))
print(*sorted({"torch._dynamo", "torch._inductor"} & (set(sys.modules) - before)))
"""


def test_importing_is_cheap():
    """Nothing large comes along; how long it takes is printed by ``//tests/benchmarks:lowering``."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _PROBE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    packages, heavy = done.stdout.split("\n")[:2]
    assert "executorch" in packages.split() and not heavy
    assert not {"sympy", "yaml", "networkx", "numpy", "pandas", "torchao"} & set(packages.split())
